// SPDX-License-Identifier: MIT
// The sources of keys and their bytes.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "sandbox.hpp"

namespace keys_test {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;
using Catch::Matchers::Equals;
using namespace std::string_literals;

namespace {

const FleetEntries fleet = make_fleet(12);

/// Returns the keys and owners of JSON output whose keys are all UTF-8.
std::vector<std::pair<std::string, std::string>> owners(const Result& result) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string& line : split(result.out)) {
    const auto row = nlohmann::json::parse(line);
    pairs.emplace_back(row["key"], row["owner"]);
  }
  return pairs;
}

std::vector<std::pair<std::string, std::string>> expected(const std::vector<std::string>& keys) {
  const FleetRing<> ring(fleet);
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string& key : keys) pairs.emplace_back(key, ring.lookup(key));
  return pairs;
}

}  // namespace

TEST_CASE("a key is every byte before the line feed") {
  const Sandbox sandbox;
  sandbox.write("f.csv", fleet_file(fleet));
  const std::vector<std::string> keys{"plain", "",     "",      " blank ", "a\0b"s,
                                      "\0"s,   "#key", "\"q\"", "\t",      "caf\xc3\xa9"};
  sandbox.write("k", lines(keys));
  const Result result = sandbox.run("ringctl route f.csv k --format json");
  CHECK(result.code == 0);
  CHECK(result.err == "");
  CHECK(owners(result) == expected(keys));
  CHECK(owners(sandbox.run("ringctl route f.csv --format json <k")) == expected(keys));
  CHECK(owners(sandbox.run("cat k | ringctl route f.csv - --format json")) == expected(keys));
}

TEST_CASE("the last line feed can be missing; an empty file has no keys") {
  const Sandbox sandbox;
  sandbox.write("f.csv", fleet_file(fleet));
  sandbox.write("k", "a\nb");
  CHECK(owners(sandbox.run("ringctl route f.csv k --format json")) == expected({"a", "b"}));
  sandbox.write("k", "a\n\n");
  CHECK(owners(sandbox.run("ringctl route f.csv k --format json")) == expected({"a", ""}));
  const Result none = sandbox.run("ringctl route f.csv --format csv -r 1");
  CHECK(none.code == 0);
  CHECK(none.out == "key,owner,replica1,substitutes\n");
}

TEST_CASE("a carriage return is part of the key, with a warning") {
  const Sandbox sandbox;
  sandbox.write("f.csv", fleet_file(fleet));
  sandbox.write("k", "a\r\nb\r\n");
  const Result result = sandbox.run("ringctl route f.csv k --format json");
  CHECK(result.code == 0);
  CHECK(owners(result) == expected({"a\r", "b\r"}));
  CHECK_THAT(result.err, Equals("ringctl: k: line 1 ends in a carriage return, which is part of "
                                "the key\n"));
}

TEST_CASE("a byte order mark is not part of a key, with a warning; UTF-16 is refused") {
  const Sandbox sandbox;
  sandbox.write("f.csv", "\xef\xbb\xbf" + fleet_file(fleet));
  sandbox.write("k",
                "\xef\xbb\xbf"
                "a\n\xef\xbb\xbf"
                "b\n");
  const Result result = sandbox.run("ringctl route f.csv k --format json");
  CHECK(result.code == 0);
  CHECK(owners(result) == expected({"a",
                                    "\xef\xbb\xbf"
                                    "b"}));
  CHECK(result.err ==
        "ringctl: k: the byte order mark at its beginning is not part of the first "
        "key\n");
  CHECK(owners(sandbox.run("{ printf '\\357\\273'; sleep 0.2; printf '\\277a'; } | "
                           "ringctl route f.csv --format json")) == expected({"a"}));
  for (const std::string bytes : {"", "\xef", "\xef\xbb",
                                  "\xef\xbb"
                                  "x"}) {  // no mark
    sandbox.write("k", bytes);
    const Result other = sandbox.run("ringctl route f.csv k --format csv");
    CHECK(other.err == "");
    CHECK(other.code == 0);
    CHECK(split(other.out).size() == (bytes.empty() ? 1 : 2));
  }
  sandbox.write("k", std::string("\xef\xbb\xbf"
                                 "a\0",
                                 5));  // with -0, every byte counts
  CHECK(owners(sandbox.run("ringctl route f.csv -0 k --format json")) == expected({"\xef\xbb\xbf"
                                                                                   "a"}));
  sandbox.write("k", std::string("\xff\xfe"
                                 "a\0\n\0",
                                 6));
  const Result wide = sandbox.run("ringctl route f.csv k");
  CHECK(wide.code == 2);
  CHECK(wide.err == "ringctl: k: this is UTF-16; save it as UTF-8\n");
}

TEST_CASE("with -0, keys can contain line feeds") {
  const Sandbox sandbox;
  sandbox.write("f.csv", fleet_file(fleet));
  const std::vector<std::string> keys{"a\nb", "", "c\r"};
  sandbox.write("k", lines(keys, '\0'));
  const Result result = sandbox.run("ringctl route f.csv -0 k --format json");
  CHECK(owners(result) == expected(keys));
  CHECK(result.err == "");
}

TEST_CASE("keys from the command line, several files and standard input, in that order") {
  const Sandbox sandbox;
  sandbox.write("f.csv", fleet_file(fleet));
  sandbox.write("k1", "c\nd");
  sandbox.write("k2", "");
  CHECK(owners(sandbox.run("echo e | ringctl route f.csv k1 k2 - k1 -k a --key=b --format json")) ==
        expected({"a", "b", "c", "d", "e", "c", "d"}));
  CHECK(owners(sandbox.run("ringctl route f.csv --key a --format json")) == expected({"a"}));
}

TEST_CASE("the fleet from standard input, or through a pipe") {
  const Sandbox sandbox;
  sandbox.write("f.csv", fleet_file(fleet));
  sandbox.write("k", "a\n");
  CHECK(owners(sandbox.run("cat f.csv | ringctl route - k --format json")) == expected({"a"}));
  CHECK(owners(sandbox.run("mkfifo p && { cat k >p & } && ringctl route f.csv p --format json")) ==
        expected({"a"}));
}

TEST_CASE("keys of any length, across the reads of a file") {
  const Sandbox sandbox;
  sandbox.write("f.csv", fleet_file(fleet));
  std::mt19937 random(3);
  std::vector<std::string> keys;
  for (int i = 0; i < 400; ++i) {
    // Half of them are short, the others up to 128 KiB, to end at any distance from a read's end.
    const std::size_t size = random() % (i % 2 == 0 ? 40 : 131072);
    std::string key(size, static_cast<char>('a' + i % 26));
    for (std::size_t j = 0; j < size; j += 1 + random() % 64) {
      key[j] = static_cast<char>('A' + random() % 26);
    }
    keys.push_back(std::move(key));
  }
  sandbox.write("k", lines(keys));
  CHECK(owners(sandbox.run("ringctl route f.csv k --format json")) == expected(keys));
  CHECK(owners(sandbox.run("cat k | ringctl route f.csv --format json")) == expected(keys));
}

TEST_CASE("a key of one mebibyte is accepted, a longer one refused with its line") {
  const Sandbox sandbox;
  sandbox.write("f.csv", fleet_file(fleet));
  const std::string longest(std::size_t{1} << 20, 'x');
  for (const std::string end : {"", "\n", "\nz\n"}) {
    sandbox.write("k", "a\n" + longest + end);
    std::vector<std::string> keys{"a", longest};
    if (end.size() > 1) keys.push_back("z");
    CHECK(owners(sandbox.run("ringctl route f.csv k --format json")) == expected(keys));

    sandbox.write("k", "a\n" + longest + "x" + end);
    const Result refused = sandbox.run("ringctl route f.csv k --format json");
    CHECK(refused.code == 2);
    CHECK(refused.err == "ringctl: k:2: a key longer than 1,048,576 bytes\n");
  }
  const Result endless = sandbox.run("ringctl diff f.csv f.csv /dev/zero");
  CHECK(endless.code == 2);
  CHECK(endless.out == "");
  CHECK(endless.err == "ringctl: /dev/zero:1: a key longer than 1,048,576 bytes\n");
}

TEST_CASE("an answer comes before the next key is written") {
  const Sandbox sandbox;
  sandbox.write("f.csv", fleet_file(fleet));
  // The second key is written only after the first answer was read.
  const Result result = sandbox.run(
      "mkfifo in out\n"
      "ringctl route f.csv --format json <in >out &\n"
      "exec 3>in 4<out\n"
      "for key in a b; do echo $key >&3; read line <&4; echo \"$line\"; done");
  CHECK(result.code == 0);
  CHECK(owners(result) == expected({"a", "b"}));
}

TEST_CASE("a long job has a progress line on a terminal, and nowhere else") {
  const Sandbox sandbox;
  sandbox.write("f.csv", fleet_file(fleet));
  sandbox.write("k", lines(make_keys(1000)));
  const std::string slow = "{ cat k; sleep 1.2; cat k; } | ringctl route f.csv --format csv >rows";
  CHECK(sandbox.run(slow).err == "");
  if (sandbox.run("command -v script").code != 0) SKIP("script is not installed (bsdutils)");
  const std::string drawn = sandbox.run("script -qec '" + slow + "' /dev/null").out;
  CHECK_THAT(drawn, ContainsSubstring("1,000 keys, 0.0 million per second, standard input"));
  CHECK_THAT(drawn, EndsWith("\r\x1b[K"));  // cleared at the end
}

}  // namespace keys_test
