// SPDX-License-Identifier: MIT
// ringctl route compared with the library, on every key.
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_set>
#include <vector>

#include "sandbox.hpp"

namespace route_test {

using clockwise::Spread;

namespace {

/// Returns the required output of --format csv.
template <class Ring, class... IsLive>
std::string expected_csv(const Ring& ring, const std::vector<std::string>& keys, std::size_t r,
                         Spread spread, const IsLive&... is_live) {
  std::string text = "key,owner";
  for (std::size_t i = 1; i <= r; ++i) text += ",replica" + std::to_string(i);
  text += ",substitutes\n";
  for (const std::string& key : keys) {
    const auto list = ring.preference_list(key, r, spread, is_live...);
    text += key + ',' + ring.lookup(key);
    for (std::size_t i = 0; i < r; ++i) text += ',' + (i < list.size() ? list[i] : "");
    text += ',' + std::to_string(list.size() - list.first_substitute()) + '\n';
  }
  return text;
}

}  // namespace

TEST_CASE("csv: owner and preference list of every key") {
  const Sandbox sandbox;
  const FleetEntries fleet = make_fleet(16);
  const auto keys = make_keys(10000);
  sandbox.write("f.csv", fleet_file(fleet));
  sandbox.write("k", lines(keys));
  const FleetRing<> ring(fleet);

  Result result = sandbox.run("ringctl route f.csv k --format csv");
  CHECK(result.code == 0);
  CHECK(result.err == "");
  CHECK(result.out == expected_csv(ring, keys, 3, Spread::racks));
  CHECK(sandbox.run("ringctl route f.csv k --format csv --spread nodes -r 5").out ==
        expected_csv(ring, keys, 5, Spread::nodes));

  result = sandbox.run("ringctl route f.csv k --format csv --spread racks_only --replicas 5");
  CHECK(result.out == expected_csv(ring, keys, 5, Spread::racks_only));
  CHECK(result.err ==
        "ringctl: all keys have fewer than 5 replicas: with --spread racks_only, no rack holds "
        "two\n");
}

TEST_CASE("placement options move keys") {
  const Sandbox sandbox;
  const FleetEntries fleet = make_fleet(5);
  const auto keys = make_keys(500);
  sandbox.write("f.csv", fleet_file(fleet));
  sandbox.write("k", lines(keys));
  CHECK(sandbox.run("ringctl route f.csv k --format csv --vnodes 7").out ==
        expected_csv(FleetRing<>(fleet, {7}), keys, 3, Spread::racks));
  CHECK(sandbox.run("ringctl route f.csv k --format csv --hash xxh3:9").out ==
        expected_csv(FleetRing<>(fleet, {}, clockwise::Xxh3{9}), keys, 3, Spread::racks));
  CHECK(sandbox.run("ringctl route f.csv k --format csv --hash xxh64").out ==
        expected_csv(FleetRing<clockwise::Xxh64>(fleet), keys, 3, Spread::racks));
}

TEST_CASE("with --dead: live replicas first, then substitutes") {
  const Sandbox sandbox;
  const FleetEntries fleet = make_fleet(9);
  const auto keys = make_keys(2000);
  sandbox.write("f.csv", fleet_file(fleet));
  sandbox.write("k", lines(keys));
  const std::unordered_set<std::string> dead{"cache02", "cache05", "cache09"};
  const auto is_live = [&](const std::string& id) { return !dead.contains(id); };
  const std::string expected = expected_csv(FleetRing<>(fleet), keys, 3, Spread::racks, is_live);
  CHECK(sandbox.run("ringctl route f.csv k --format csv --dead cache02,cache05,cache09").out ==
        expected);
  CHECK(
      sandbox.run("ringctl route f.csv k --format csv --dead cache02 --dead '\"cache05\",cache09'")
          .out == expected);
}

TEST_CASE("without --spread, racks count only if a node names one") {
  const Sandbox sandbox;
  FleetEntries fleet = make_fleet(8);
  for (auto& [id, options] : fleet) options.rack.clear();
  const auto keys = make_keys(500);
  sandbox.write("f.csv", fleet_file(fleet));
  sandbox.write("k", lines(keys));
  CHECK(sandbox.run("ringctl route f.csv k --format csv").out ==
        expected_csv(FleetRing<>(fleet), keys, 3, Spread::nodes));
}

TEST_CASE("json: one object per line") {
  const Sandbox sandbox;
  const FleetEntries fleet = make_fleet(4);
  sandbox.write("f.csv", fleet_file(fleet));
  const auto keys = make_keys(300);
  sandbox.write("k", lines(keys));
  const FleetRing<> ring(fleet);
  const auto is_live = [](const std::string& id) { return id != "cache03"; };

  const auto rows =
      split(sandbox.run("ringctl route f.csv k --format json -r 4 --dead cache03").out);
  REQUIRE(rows.size() == keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto list = ring.preference_list(keys[i], 4, Spread::racks, is_live);
    const auto row = nlohmann::json::parse(rows[i]);
    CHECK(row["key"] == keys[i]);
    CHECK(row["owner"] == ring.lookup(keys[i]));
    REQUIRE(row["replicas"].size() == list.size());
    for (std::size_t j = 0; j < list.size(); ++j) CHECK(row["replicas"][j] == list[j]);
    CHECK(row["substitutes"].size() == list.size() - list.first_substitute());
    CHECK(row["complete"] == list.complete());
  }
}

// If this fails, output that people parse or read has changed: note it in the changelog.
TEST_CASE("the three formats, byte for byte") {
  const Sandbox sandbox;
  sandbox.write("f.csv", "a,1,r1\nb,1,r1\n\"c,\"\"d\",1,r2\n\"\xff\",1,r2\n");
  const std::string keys = " --key user:42 --key user:45";
  CHECK(sandbox.run("ringctl route f.csv" + keys).out ==
        "owner      replica 2  replica 3  key\n"
        "b          a          \\xff       user:42\n"
        "a          \\xff       b          user:45\n");
  CHECK(sandbox.run("ringctl route f.csv --dead a" + keys).out ==
        "owner      replica 1  replica 2  replica 3  key\n"
        "b          b          \\xff       c,\"d*      user:42\n"
        "(a)        \\xff       b          c,\"d*      user:45\n");
  CHECK(sandbox.run("ringctl route f.csv --dead a --format csv" + keys).out ==
        "key,owner,replica1,replica2,replica3,substitutes\n"
        "user:42,b,b,\xff,\"c,\"\"d\",1\n"
        "user:45,a,\xff,b,\"c,\"\"d\",1\n");
  CHECK(sandbox.run("ringctl route f.csv --dead a --format json" + keys).out ==
        "{\"key\":\"user:42\",\"owner\":\"b\",\"replicas\":[\"b\",{\"hex\":\"ff\"},\"c,\\\"d\"],"
        "\"substitutes\":[\"c,\\\"d\"],\"complete\":true}\n"
        "{\"key\":\"user:45\",\"owner\":\"a\",\"replicas\":[{\"hex\":\"ff\"},\"b\",\"c,\\\"d\"],"
        "\"substitutes\":[\"c,\\\"d\"],\"complete\":true}\n");
}

TEST_CASE("with all nodes dead, the owner stays and the list is empty") {
  const Sandbox sandbox;
  sandbox.write("f.csv", "a\nb\n");
  const Result result = sandbox.run("ringctl route f.csv --key k -r 2 --dead a,b --format csv");
  CHECK(result.code == 0);
  const FleetRing<> ring(FleetEntries{{"a", {}}, {"b", {}}});
  const bool owner_a = ring.lookup("k") == "a";
  CHECK(result.out == std::string("key,owner,replica1,replica2,substitutes\nk,") +
                          (owner_a ? "a" : "b") + ",,,0\n");
  CHECK(result.err == "ringctl: the key has fewer than 2 replicas: 2 nodes are dead\n");
}

TEST_CASE("route works with more nodes than a 16-bit index can number") {
  const Sandbox sandbox;
  std::string file;
  FleetEntries fleet;
  for (int i = 0; i < 70000; ++i) {
    fleet.push_back({"n" + std::to_string(i), {}});
    file += fleet.back().first + '\n';
  }
  const auto keys = make_keys(1000);
  sandbox.write("f.csv", file);
  sandbox.write("k", lines(keys));
  CHECK(sandbox.run("ringctl route f.csv k --vnodes 2 --format csv").out ==
        expected_csv(FleetRing<>(fleet, {2}), keys, 3, Spread::nodes));
}

}  // namespace route_test
