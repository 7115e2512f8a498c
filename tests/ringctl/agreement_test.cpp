// SPDX-License-Identifier: MIT
// ringctl convert and ringctl fingerprint: one fleet in three forms.
#include <catch2/catch_test_macros.hpp>
#include <clockwise/hash_ring.hpp>
#include <clockwise/token_ring.hpp>
#include <clockwise/wire.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "sandbox.hpp"

namespace agreement_test {

namespace {

constexpr std::string_view fleet =
    "id,weight,rack,datacenter\n"
    "cache-a,1,r1,east\n"
    "\"odd, id\",2.5,r2,east\n"
    "cache-\xff,0,,\n";

clockwise::HashRing<> ring() {
  clockwise::HashRing<> result(clockwise::RingOptions{64});
  result.add("cache-a", {.weight = 1, .rack = "r1", .datacenter = "east"});
  result.add("odd, id", {.weight = 2.5, .rack = "r2", .datacenter = "east"});
  result.add("cache-\xff", 0);
  return result;
}

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

TEST_CASE("convert: wire bytes match the library, and every form can be converted back") {
  const Sandbox sandbox;
  sandbox.write("f.csv", fleet);
  CHECK(sandbox.run("ringctl convert f.csv --vnodes 64 --to wire > f.ring").code == 0);
  CHECK(sandbox.read("f.ring") == text_of(clockwise::wire::encode(ring())));

  CHECK(sandbox.run("ringctl convert f.ring --to json > f.json").code == 0);
  CHECK(sandbox.run("ringctl convert f.json --to wire | cmp - f.ring").code == 0);
  CHECK(sandbox.run("ringctl convert f.json --to csv > g.csv").code == 0);
  CHECK(sandbox.run("ringctl convert g.csv --vnodes 64 --to wire | cmp - f.ring").code == 0);

  const auto document = nlohmann::json::parse(sandbox.read("f.json"));
  CHECK(document["vnodes"] == 64);
  CHECK(document["hash"] == "xxh3-64");
  CHECK(document["members"][0]["id"] == "cache-a");
  // From wire bytes, so in id order.
  CHECK(document["members"][1]["id"]["hex"] == "63616368652dff");
  CHECK(document["members"][2]["weight"] == 2.5);
}

TEST_CASE("convert: tokens stay with a token ring") {
  const Sandbox sandbox;
  clockwise::TokenRing<> tokens;
  tokens.add("a", {.weight = 1, .rack = "r", .datacenter = ""}, {0, 18446744073709551615u});
  sandbox.write("t.ring", text_of(clockwise::wire::encode(tokens)));
  CHECK(sandbox.run("ringctl convert t.ring --to json > t.json").code == 0);
  CHECK(sandbox.run("ringctl convert t.json --to wire | cmp - t.ring").code == 0);
  const Result result = sandbox.run("ringctl convert t.ring --to csv");
  CHECK(result.code == 2);
  CHECK(result.out == "");
  CHECK(result.err.find("t.ring: CSV cannot hold the tokens of a token ring") != std::string::npos);
}

TEST_CASE("fingerprint: matches the library in every form, and names differences") {
  const Sandbox sandbox;
  sandbox.write("f.csv", fleet);
  sandbox.write("f.ring", text_of(clockwise::wire::encode(ring())));
  const Result same = sandbox.run("ringctl fingerprint f.ring f.csv --vnodes 64");
  const std::string hex = to_string(ring().fingerprint());
  CHECK(same.code == 0);
  CHECK(same.out == hex + "  f.ring\n" + hex + "  f.csv\n");

  sandbox.write("g.csv",
                "id,weight,rack,datacenter\ncache-a,3,r1,east\nnew\n\"odd, id\",2.5,r2,east\n");
  const Result other = sandbox.run("ringctl fingerprint f.ring g.csv");
  CHECK(other.code == 1);
  CHECK(
      other.out.find("f.ring: xxh3-64, seed 0, 64 vnodes\n  g.csv: xxh3-64, seed 0, 200 vnodes") !=
      std::string::npos);
  CHECK(other.out.find("Only in f.ring:\n  cache-\\xff  weight 0\n") != std::string::npos);
  CHECK(other.out.find("Only in g.csv:\n  new  weight 1\n") != std::string::npos);
  CHECK(other.out.find("In both, but different:\n  cache-a  weight 1, rack r1, datacenter east\n"
                       "  cache-a  weight 3, rack r1, datacenter east\n") != std::string::npos);
}

TEST_CASE("fingerprint: status 1 if fleets differ, 2 for trouble, in every format") {
  const Sandbox sandbox;
  sandbox.write("a.csv", "x\ny,2\nz\n");
  sandbox.write("b.csv", "x\ny,3\nw\n");
  sandbox.write("same.csv", "z\ny,2\nx\n");
  for (const std::string format : {"text", "csv", "json"}) {
    const std::string option = " --format " + format;
    CHECK(sandbox.run("ringctl fingerprint a.csv same.csv" + option).code == 0);
    CHECK(sandbox.run("ringctl fingerprint a.csv same.csv b.csv" + option).code == 1);
    CHECK(sandbox.run("ringctl fingerprint a.csv none.csv" + option).code == 2);
    CHECK(sandbox.run("ringctl fingerprint a.csv b.csv >/dev/full" + option).code == 2);
  }
  const std::string hex = split(sandbox.run("ringctl fingerprint a.csv").out, ' ')[0];
  CHECK(sandbox.run("ringctl fingerprint a.csv same.csv --format csv").out ==
        "fleet,fingerprint,same\na.csv," + hex + ",true\nsame.csv," + hex + ",true\n");
  const auto document =
      nlohmann::json::parse(sandbox.run("ringctl fingerprint a.csv b.csv --format json").out);
  CHECK(document["same"] == false);
  CHECK(document["fleets"][0]["fingerprint"] == hex);
  CHECK(document["fleets"][0]["difference"].is_null());
  const auto& difference = document["fleets"][1]["difference"];
  CHECK(difference["rules"] == false);
  CHECK(difference["only_first"][0]["id"] == "z");
  CHECK(difference["only_this"][0]["id"] == "w");
  CHECK(difference["changed"][0]["first"]["weight"] == 2.0);
  CHECK(difference["changed"][0]["this"]["weight"] == 3.0);
}

TEST_CASE("convert and fingerprint: invalid input is named and nothing is printed") {
  const Sandbox sandbox;
  const auto refused = [&](std::string_view bytes, std::string_view message) {
    sandbox.write("in", bytes);
    const Result result = sandbox.run("ringctl fingerprint in");
    CHECK(result.code == 2);
    CHECK(result.out == "");
    CHECK(result.err.find("ringctl: in:") == 0);
    INFO(result.err);
    CHECK(result.err.find(message) != std::string::npos);
  };
  refused("cwrg\x02 not really a ring", "byte 4: format 2; only format 1 is supported");
  refused("{\"members\": [}", "in:1:14: unexpected \"}\"");
  refused("{\"members\":\n [tru]}", "in:2:6: unexpected \"]\"");
  refused("{\"members\": [", "in:1:13: the JSON document is not complete");
  refused("{\"members\": []} x", "in:1:17: unexpected \"x\"");
  refused("{\"members\": [{\"weight\": 1e999}]}", "the number is out of range");
  refused("{\"members\": [{\"id\": \"\xff\"}]}", "a text that is not UTF-8");
  refused("{\"members\": [[[[", "members[0] must be an object, got an array");
  refused("{\"members\": [{\"id\": 7}]}",
          "members[0].id must be a string or {\"hex\": \"...\"}, got 7");
  refused("{\"members\": [{\"id\": \"a\", \"id\": \"b\"}]}",
          "members[0] has the entry \"id\" twice");
  refused("{\"vnodes\": 2, \"members\": [{}]}", "members[0] has no id");
  refused("{\"vnodes\": 2.5}", "vnodes must be a whole number, got 2.5");
  refused("{\"members\": [{\"id\": \"\\u001b[31m\", \"\\u001b\": 1}]}",
          "has an unknown entry \"\\x1b\"");
  refused("{\"vnodes\": 0, \"members\": []}", "vnodes must be between 1 and 16777216, got 0");
  refused("{\"vnodes\": 2}", "no array \"members\"");
  refused("{\"vnodes\": 2, \"members\": [{\"id\": \"a\", \"wieght\": 2}]}",
          "in:1:46: members[0] has an unknown entry \"wieght\"; did you mean \"weight\"?");
  refused("{\"vnodes\": 2, \"members\": [{\"id\": \"a\"},\n{\"id\": \"a\"}]}",
          "in:2: node \"a\" is already on line 1");
  refused("{\"vnodes\": 2, \"members\": [{\"id\": \"a\", \"weight\": -1}]}", "got -1");
  refused("{\"vnodes\": 2, \"members\": [{\"id\": {\"hex\": \"0g\"}}]}",
          "must be pairs of 0-9 and a-f");
  refused("{\"members\": [{\"id\": \"a\"}]}", "has no tokens, and the document has no vnodes");
  refused("{\"hash\": \"md5\", \"vnodes\": 2, \"members\": []}",
          "in:1:14: hash must be xxh3-64 or xxh64, got \"md5\"");
}

}  // namespace agreement_test
