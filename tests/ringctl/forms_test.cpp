// SPDX-License-Identifier: MIT
// One reader for every command: each command reads every form that convert writes, with the same
// answer.
#include <catch2/catch_test_macros.hpp>
#include <clockwise/token_ring.hpp>
#include <clockwise/wire.hpp>
#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox.hpp"

namespace forms_test {

namespace {

/// Arguments of every command that reads a fleet, with F for the fleet.
const std::vector<std::string> commands{
    "route F --key user:42 --key user:43 --format csv",
    "route F --key user:42 --format json --dead cache-a",
    "shares F --format csv",
    "diff F other.csv --format csv",
    "diff other.csv F --format csv",
    "plan F other.csv --bytes 1TB --format csv",
    "durability F --replicas 2 --format json",
    "convert F --to json",
    "convert F --to wire",
};

std::string with(const std::string& command, const std::string& fleet) {
  std::string text = command;
  text.replace(text.find(" F") + 1, 1, fleet);
  return text;
}

constexpr std::string_view fleet =
    "id,weight,rack,datacenter\n"
    "cache-a,1,r1,east\n"
    "\"cache, b\",2.5,r2,east\n"
    "\"{c\x01\n;\",1,r1,\n"
    "cache-\xff,0,,\n";

}  // namespace

TEST_CASE("every form that convert writes is read by every command, with the same answer") {
  const Sandbox sandbox;
  sandbox.write("f.csv", fleet);
  sandbox.write("other.csv", "cache-a\ncache-d\n");
  const std::string options = " --vnodes 64 --hash xxh64:7";
  CHECK(sandbox.run("ringctl convert f.csv --to csv > again.csv").code == 0);
  CHECK(sandbox.run("ringctl convert f.csv --to json > f.json" + options).code == 0);
  CHECK(sandbox.run("ringctl convert f.csv --to wire > f.ring" + options).code == 0);
  for (const std::string& command : commands) {
    const bool wire = command.find("convert") != std::string::npos;  // the order of wire is by id
    const Result expected = sandbox.run("ringctl " + with(command, "f.csv") + options);
    CAPTURE(command, expected.err);
    CHECK(expected.code == 0);
    for (const std::string form : {"again.csv", "f.json", "f.ring"}) {
      if (wire && form == "f.ring" && command.ends_with("json")) continue;
      const std::string own = form == "again.csv" ? options : "";
      CAPTURE(form);
      const Result result = sandbox.run("ringctl " + with(command, form) + own);
      CHECK(result.code == 0);
      CHECK(result.err == expected.err);
      CHECK(result.out == expected.out);
      const Result piped = sandbox.run("cat " + form + " | ringctl " + with(command, "-") + own);
      CHECK(piped.out == expected.out);
    }
  }
  for (const std::string& form :
       std::vector<std::string>{"again.csv" + options, "f.json", "f.ring"}) {
    CHECK(sandbox.run("ringctl compare --keys 100 " + form).code == 0);
    CHECK(sandbox.run("ringctl fingerprint f.ring " + form).code == 0);
  }
  CHECK(sandbox.run("ringctl convert f.json --to csv").err ==
        "ringctl: CSV does not say how nodes are placed; give --vnodes 64 --hash xxh64:7 wherever "
        "this file is used\n");
}

TEST_CASE("a token ring is read by every command but compare") {
  const Sandbox sandbox;
  clockwise::TokenRing<> ring;
  ring.add({"cache-a", {.weight = 1, .rack = "r", .datacenter = ""}}, {0, 18446744073709551615u});
  ring.add("b", {std::uint64_t{1} << 62, std::uint64_t{3} << 62});
  const auto bytes = clockwise::wire::encode(ring);
  sandbox.write("t.ring", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  sandbox.write("other.csv", "cache-a\ncache-d\n");
  CHECK(sandbox.run("ringctl convert t.ring --to json > t.json").code == 0);
  for (const std::string& command : commands) {
    const Result first = sandbox.run("ringctl " + with(command, "t.ring"));
    const Result second = sandbox.run("ringctl " + with(command, "t.json"));
    CAPTURE(command, first.err);
    CHECK(first.code == 0);
    CHECK(second.out == first.out);
    CHECK(second.err == first.err);
  }
  for (const auto& [name, share] : ring.load_shares()) {
    const Result shares = sandbox.run("ringctl shares t.json --format csv");
    CHECK(shares.out.find("\n" + name + ",") != std::string::npos);
  }
  const Result route = sandbox.run("ringctl route t.json -r 1 --format csv --key user:42");
  CHECK(split(route.out).at(1) ==
        "user:42," + ring.lookup("user:42") + "," + ring.lookup("user:42") + ",0");
  const Result compare = sandbox.run("ringctl compare t.json");
  CHECK(compare.code == 2);
  CHECK(compare.err ==
        "ringctl: t.json: compare builds every scheme from weights; a token ring has none\n");
}

TEST_CASE("an option that contradicts a file's placement is refused") {
  const Sandbox sandbox;
  sandbox.write("f.csv", "a\nb\n");
  CHECK(sandbox.run("ringctl convert f.csv --vnodes 64 --to json > f.json").code == 0);
  CHECK(sandbox.run("ringctl shares f.json --vnodes 64").code == 0);
  const Result other = sandbox.run("ringctl shares f.json --vnodes 65");
  CHECK(other.code == 2);
  CHECK(other.err ==
        "ringctl: f.json: the file says 64 vnodes at weight 1, so --vnodes 65 does not "
        "apply; convert it to CSV to place it differently\n");
  CHECK(sandbox.run("ringctl route f.json --key k --hash xxh64").code == 2);
  CHECK(sandbox.run("ringctl shares f.json --relative-weights").code == 2);
  // A change has one placement: a CSV file gets the other file's.
  const Result same = sandbox.run("ringctl diff f.json f.csv --format csv");
  CHECK(same.code == 0);
  CHECK(same.out == "scheme,from,to,share,keys\n");
  CHECK(sandbox.run("ringctl fingerprint f.json f.csv --vnodes 65").code == 1);
}

TEST_CASE("the columns that only engines read survive, except in wire bytes") {
  const Sandbox sandbox;
  sandbox.write("redis.csv", "id,slots,replica_of\nb,0-8191,\na,8192-16383,\nr,,a\n");
  const std::string route = " --scheme redis -r 2 --format csv --key x --key y --key z";
  const Result expected = sandbox.run("ringctl route redis.csv" + route);
  CHECK(expected.code == 0);
  CHECK(sandbox.run("ringctl convert redis.csv --to json > redis.json").code == 0);
  CHECK(sandbox.run("ringctl convert redis.json --to csv > again.csv").code == 0);
  CHECK(sandbox.run("ringctl route redis.json" + route).out == expected.out);
  CHECK(sandbox.run("ringctl route again.csv" + route).out == expected.out);
  CHECK(sandbox.read("again.csv") ==
        "id,weight,rack,datacenter,slots,replica_of\nb,1,,,0-8191,\na,1,,,8192-16383,\nr,1,,,,a\n");
  const Result wire = sandbox.run("ringctl convert redis.csv --to wire");
  CHECK(wire.code == 2);
  CHECK(wire.out == "");
  CHECK(wire.err ==
        "ringctl: redis.csv:2: wire bytes cannot hold the column \"slots\", which only "
        "engines read\n");
}

TEST_CASE("a header sets the separator and the columns") {
  const Sandbox sandbox;
  sandbox.write("f.csv", "id,weight,rack\na,2,r1\n\"b;c\",1.5,\n");
  const std::string expected = sandbox.run("ringctl shares f.csv").out;
  for (const std::string text :
       {"id;weight;rack\na;2;r1\n\"b;c\";1.5;\n",
        "\xef\xbb\xbfID;Weight;Rack\r\na;2;r1\r\nb;c;\r\n",
        "# disks\n\nid\tweight\track\na\t2\tr1\nb;c\t1.5\t\n",
        "weight\tid\track\n2\ta\tr1\n1.5\tb;c\n", "rack,id,weight\nr1,a,2\n,b;c,1.5\n",
        "weight;id;rack\n2;a;r1\n1.5;\"b;c\";\n"}) {
    if (text.find("b;c;\r") != std::string::npos) continue;
    sandbox.write("g.csv", text);
    const Result result = sandbox.run("ringctl shares g.csv");
    CAPTURE(text, result.err);
    CHECK(result.code == 0);
    CHECK(result.out == expected);
  }
  // No header: a rack can have a column's name, and so can a node in quotes.
  sandbox.write("g.csv", "a,1,rack,id\n\"weight\"\n");
  CHECK(sandbox.run("ringctl convert g.csv --to csv").out ==
        "id,weight,rack,datacenter\na,1,rack,id\nweight,1,,\n");
}

TEST_CASE("files of another kind are refused by every command") {
  const Sandbox sandbox;
  sandbox.write("other.csv", "cache-a\n");
  std::mt19937 random(5);
  std::vector<std::string> files{std::string("\x1f\x8b\x08\0\0", 5),
                                 "PK\x03\x04rest",
                                 std::string("i\0d\0\n\0", 6),
                                 "cwrg\x01",
                                 "{}",
                                 "{",
                                 "a;1\n",
                                 "a|1\n",
                                 "id weight\na 1\n",
                                 "<html></html>\n",
                                 "[a]\nweight = 1\n"};
  for (int i = 0; i < 20; ++i) {
    std::string bytes;
    for (int j = 0; j < 100; ++j) bytes += static_cast<char>(random() % 256);
    files.push_back(bytes);
  }
  for (const std::string& bytes : files) {
    sandbox.write("in", bytes);
    for (const std::string& command : commands) {
      const Result result = sandbox.run("ringctl " + with(command, "in"));
      CAPTURE(command, result.err);
      CHECK(result.code == 2);
      CHECK(result.out == "");
      CHECK(result.err.find("ringctl: in:") == 0);
      for (const char c : result.err) {
        CHECK(((c >= 0x20 && c <= 0x7e) || c == '\n' || static_cast<unsigned char>(c) >= 0x80));
      }
    }
  }
}

}  // namespace forms_test
