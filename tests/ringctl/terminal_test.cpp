// SPDX-License-Identifier: MIT
// Text for people: safe for the terminal, in its columns, and no wider than it is.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "model/text.hpp"
#include "output/terminal.hpp"
#include "sandbox.hpp"

namespace terminal_test {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::Equals;

namespace {

/// Ids that take more or fewer columns than characters, or control the terminal.
const std::vector<std::string> ids{
    "cache-01",
    "\u65e5\u672c\u8a9e-\u30ad\u30e3\u30c3\u30b7\u30e5",
    "emoji-\U0001f600\U0001f680",
    "e\u0301-combining-o\u0308",
    "rtl-\u202egnirts",
    "c1-\u009b2J",
    "escape-\x1b[31m",
    "hidden-\u200b\u2066",
    "a-very-long-host-name-that-goes-on-and-on.region-1.provider.example.org"};

std::string quoted(const std::string& id) { return '"' + id + '"'; }

std::string fleet_of_ids() {
  std::string text = "id,weight,rack,datacenter\n";
  for (std::size_t i = 0; i < ids.size(); ++i) {
    text += quoted(ids[i]) + ",1," + quoted(ids[i % 4]) + ",\n";
  }
  return text;
}

/// Checks that every line is safe, and no wider than `width` columns.
void check_lines(const std::string& text, std::size_t width) {
  for (const std::string& line : split(text)) {
    CAPTURE(line, width);
    CHECK(ringctl::shown(line) == line);
    CHECK(ringctl::cells(line) <= width);
  }
}

const std::vector<std::string> commands{"shares f.csv",
                                        "shares f.csv --top 2",
                                        "diff f.csv g.csv",
                                        "diff f.csv g.csv k --top 3",
                                        "diff f.csv g.csv --scheme ketama",
                                        "plan f.csv g.csv --bytes 10TB",
                                        "durability f.csv",
                                        "durability f.csv --failures 1 --spread nodes",
                                        "compare f.csv --keys 100",
                                        "fingerprint f.csv f.csv",
                                        "--help",
                                        "route --help",
                                        "diff --help",
                                        "plan --help"};

Sandbox& prepared(Sandbox& sandbox) {
  sandbox.write("f.csv", fleet_of_ids());
  sandbox.write("g.csv", fleet_of_ids() + "new-\u65b0\u3057\u3044,2,,\n");
  sandbox.write("k", lines(make_keys(100)) + lines(ids));
  return sandbox;
}

}  // namespace

TEST_CASE("text is safe, and as wide as COLUMNS says; otherwise 80 columns") {
  Sandbox own;
  const Sandbox& sandbox = prepared(own);
  for (const std::string& command : commands) {
    CAPTURE(command);
    for (const std::size_t width : {40u, 60u, 80u, 132u}) {
      const std::string columns = "COLUMNS=" + std::to_string(width) + " ";
      const Result result = sandbox.run(columns + "ringctl " + command);
      CHECK(result.code == 0);
      CHECK(result.err == "");
      check_lines(result.out, width);
      check_lines(sandbox.run("LC_ALL=C.UTF-8 " + columns + "ringctl " + command).out, width);
    }
    check_lines(sandbox.run("unset COLUMNS; ringctl " + command).out, 80);
    for (const std::string columns : {"", "x", "0", "-5", "99999999999999999999", "80x"}) {
      check_lines(sandbox.run("COLUMNS='" + columns + "' ringctl " + command).out, 80);
    }
  }
  // Bars fill the line.
  sandbox.write("f.csv", "a\nb\n");
  for (const std::size_t width : {60u, 132u}) {
    std::size_t widest = 0;
    const std::string columns = "COLUMNS=" + std::to_string(width) + " ";
    for (const std::string& line : split(sandbox.run(columns + "ringctl shares f.csv").out)) {
      widest = (std::max)(widest, ringctl::cells(line));
    }
    CHECK(widest == width);
  }
}

TEST_CASE("columns are aligned for any characters") {
  Sandbox own;
  const Sandbox& sandbox = prepared(own);
  const auto rows = split(sandbox.run("COLUMNS=160 ringctl shares f.csv").out);
  const std::size_t end = ringctl::cells(rows.at(2).substr(0, rows.at(2).find("  weight") + 8));
  for (std::size_t i = 3; i < 3 + ids.size(); ++i) {
    CAPTURE(rows.at(i));
    const std::size_t weight = rows.at(i).find(" 1     200");
    REQUIRE(weight != std::string::npos);
    CHECK(ringctl::cells(rows.at(i).substr(0, weight + 2)) == end);
  }
}

TEST_CASE("route: a terminal's width, and whole keys for programs") {
  Sandbox own;
  const Sandbox& sandbox = prepared(own);
  const std::string key(300, 'x');
  sandbox.write("k", key + "\n" + lines(ids));
  const Result piped = sandbox.run("ringctl route f.csv k");
  CHECK_THAT(piped.out, ContainsSubstring("  " + key + "\n"));
  check_lines(piped.out, 100000);
  if (sandbox.run("command -v script").code != 0) SKIP("script is not installed (bsdutils)");
  for (const std::string options : {"", " --replicas 9", " --dead cache-01", " --replicas 1"}) {
    for (const std::size_t width : {40u, 80u, 120u}) {
      const std::string command =
          "stty cols " + std::to_string(width) + "; ringctl route f.csv k" + options;
      Result drawn = sandbox.run("script -qec '" + command + "' /dev/null </dev/null");
      CAPTURE(options, drawn.out);
      std::string text;
      for (const char c : drawn.out) {
        if (c != '\r') text += c;
      }
      CHECK_THAT(text, ContainsSubstring("owner"));
      check_lines(text, width);
    }
  }
}

TEST_CASE("on a terminal, its own width counts") {
  Sandbox own;
  const Sandbox& sandbox = prepared(own);
  if (sandbox.run("command -v script").code != 0) SKIP("script is not installed (bsdutils)");
  for (const std::string& command : commands) {
    for (const std::size_t width : {50u, 100u}) {
      const Result drawn = sandbox.run("script -qec 'stty cols " + std::to_string(width) +
                                       "; ringctl " + command + "' /dev/null </dev/null");
      std::string text;
      for (const char c : drawn.out) {
        if (c != '\r') text += c;
      }
      CAPTURE(command);
      CHECK(!text.empty());
      check_lines(text, width);
    }
  }
}

TEST_CASE("messages are safe: arguments, contents of files and their names") {
  const Sandbox sandbox;
  sandbox.write("f.csv", "a\nb\n");
  const std::string evil = "\x1b[31m\u202ex\u009b2J";
  const std::string shown = ringctl::shown(evil);
  sandbox.write("entry.json", "{\"members\": [{\"\\u001b[31m\u202ex\u009b2J\": 1}]}");
  sandbox.write("token.json", "{\"members\": [" + evil);
  sandbox.write("column.csv", "id,\"" + evil + "\"\na,1\n");
  sandbox.write("weight.csv", "a,\"" + evil + "\"\n");
  sandbox.write(evil, "a,x\n");
  const std::string typed = "\"$(printf '\\033[31m\\342\\200\\256x\\302\\2332J')\"";
  for (const std::string& command : std::vector<std::string>{
           typed, "shares " + typed, "shares f.csv --" + typed, "shares f.csv " + typed,
           "shares f.csv --hash " + typed, "route f.csv --scheme " + typed,
           "route f.csv --key k --dead " + typed, "route f.csv -" + typed, "help " + typed,
           "shares entry.json", "shares token.json", "shares column.csv", "shares weight.csv",
           "convert f.csv --to " + typed, "compare f.csv --svg no/" + typed,
           "plan f.csv f.csv --bytes " + typed}) {
    const Result result = sandbox.run("ringctl " + command);
    CAPTURE(command, result.err);
    CHECK(result.code == 2);
    CHECK(result.out == "");
    REQUIRE(result.err.ends_with("\n"));
    const std::string message = result.err.substr(0, result.err.size() - 1);
    CHECK(ringctl::shown(message) == message);
    CHECK_THAT(message, ContainsSubstring("\\x1b"));
  }
}

TEST_CASE("no text of the libraries reaches the user") {
  const Sandbox sandbox;
  sandbox.write("f.csv", "a\nb\n");
  for (const std::string json :
       {"{", "{\"a\"", "{\"members\": [1,]}", "{\"members\": 1e999}",
        "{\"members\": [{\"id\": \"\\ud800\"}]}", "{\"members\": [{\"id\": \"\\x\"}]}",
        "{\"vnodes\": -1}", "{\"vnodes\": nul}"}) {
    sandbox.write("f.json", json);
    const Result result = sandbox.run("ringctl shares f.json");
    CAPTURE(json, result.err);
    CHECK(result.code == 2);
    CHECK_THAT(result.err, !ContainsSubstring("json.exception") &&
                               !ContainsSubstring("parse error") &&
                               !ContainsSubstring("last read"));
  }
  for (const std::string command :
       {"", "x", "shares", "shares f.csv f.csv", "shares --vnodes", "shares f.csv -x",
        "convert f.csv --to x", "convert f.csv", "route f.csv --null=3",
        "shares f.csv --vnodes 1 --vnodes 2", "plan f.csv f.csv"}) {
    const Result result = sandbox.run("ringctl " + command);
    CAPTURE(command, result.err);
    CHECK(result.code == 2);
    CHECK_THAT(result.err, !ContainsSubstring("TEXT") && !ContainsSubstring("subcommand") &&
                               !ContainsSubstring("not expected") && !ContainsSubstring("->"));
  }
}

TEST_CASE("compare shows its progress on a terminal after a second, and nowhere else") {
  const Sandbox sandbox;
  sandbox.write("f.csv", fleet_file(make_fleet(300)));
  const std::string slow = "ringctl compare f.csv --keys 1000000 --format csv > rows";
  CHECK(sandbox.run(slow).err == "");
  if (sandbox.run("command -v script").code != 0) SKIP("script is not installed (bsdutils)");
  const std::string drawn = sandbox.run("script -qec '" + slow + "' /dev/null </dev/null").out;
  CHECK_THAT(drawn, ContainsSubstring("\x1b[Kmeasuring ") && ContainsSubstring(" of 8"));
  CHECK(drawn.ends_with("\r\x1b[K"));
}

TEST_CASE("csv is exact: a field is never changed, not even a spreadsheet formula") {
  const Sandbox sandbox;
  const std::string formula = "=cmd|' /C calc'!A0";
  sandbox.write("f.csv", formula + "\n+1\n-1\n@x\n");
  sandbox.write("k", "=1+1\n");
  CHECK(sandbox.run("ringctl convert f.csv --to csv").out ==
        "id,weight,rack,datacenter\n" + formula + ",1,,\n+1,1,,\n-1,1,,\n@x,1,,\n");
  const Result route = sandbox.run("ringctl route f.csv k -r 1 --format csv");
  CHECK(split(route.out).at(1).substr(0, 5) == "=1+1,");
  CHECK_THAT(sandbox.run("ringctl route --help").out, ContainsSubstring("To a spreadsheet, a"));
}

}  // namespace terminal_test
