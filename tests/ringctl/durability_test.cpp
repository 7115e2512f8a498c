// SPDX-License-Identifier: MIT
#include <catch2/catch_test_macros.hpp>
#include <clockwise/durability.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "sandbox.hpp"

namespace durability_test {

using clockwise::Quorum;
using clockwise::RingOptions;
using nlohmann::json;

TEST_CASE("json: sets, loss by vnode count, racks, quorum and dead nodes match the library") {
  const Sandbox sandbox;
  const FleetEntries fleet = make_fleet(16);
  sandbox.write("f.csv", fleet_file(fleet));
  const Result result = sandbox.run(
      "ringctl durability f.csv --failures 4 --dead cache01,cache02 --write 3 --format json");
  CHECK(result.code == 0);
  CHECK(result.err == "");
  const auto document = json::parse(result.out);

  const FleetRing<> ring(fleet);
  const auto sets = clockwise::replica_sets(ring, 3);
  CHECK(document["nodes"] == 16);
  CHECK(document["spread"] == "racks");
  CHECK(document["sets"] == sets.distinct);
  CHECK(document["possible"] == 560);
  CHECK(document["expected_loss"] == sets.expected_loss(4));
  std::vector<std::uint32_t> counts;
  for (const auto& row : document["by_vnodes"]) {
    const auto vnodes = row["vnodes"].get<std::uint32_t>();
    counts.push_back(vnodes);
    const auto other = clockwise::replica_sets(FleetRing<>(fleet, RingOptions{vnodes}), 3);
    CHECK(row["sets"] == other.distinct);
    CHECK(row["loss_probability"] == other.loss_probability(4));
    CHECK(row["exact"] == true);
    CHECK(row["scatter_width"] == other.scatter_width());
  }
  CHECK(counts == std::vector<std::uint32_t>{1, 4, 16, 64, 200});

  REQUIRE(document["racks"].size() == 4);
  for (const auto& rack : document["racks"]) {
    CHECK(rack["nodes"] == 4);
    CHECK(rack["lost"] == 0.0);
    CHECK(rack["readable"] == 1.0);
    CHECK(rack["writable"].get<double>() < 1);
  }
  CHECK(document["datacenters"].empty());
  CHECK(document["quorum"]["r"] == 2);
  CHECK(document["quorum"]["w"] == 3);
  CHECK(document["quorum"]["reads_see_latest_write"] == true);
  CHECK(document["quorum"]["write_failures"] == 0);
  const std::vector<std::string> dead{"cache01", "cache02"};
  const auto left = Quorum{3, 2, 3}.available(ring, dead);
  CHECK(document["dead"]["nodes"] == 2);
  CHECK(document["dead"]["lost"] == 0.0);
  CHECK(document["dead"]["readable"] == left.readable);
  CHECK(document["dead"]["writable"] == left.writable);
}

TEST_CASE("text and csv agree, and estimates are marked") {
  const Sandbox sandbox;
  sandbox.write("f.csv", fleet_file(make_fleet(16)));
  const Result text =
      sandbox.run("ringctl durability f.csv --spread nodes --vnodes 1 --failures 3");
  CHECK(text.code == 0);
  CHECK(text.out.find("16 of 560 possible") != std::string::npos);
  CHECK(text.out.find("2.86%") != std::string::npos);
  CHECK(text.out.find("rack-0") != std::string::npos);
  CHECK(text.out.find('~') == std::string::npos);

  const auto rows =
      split(sandbox.run("ringctl durability f.csv --spread nodes --vnodes 1 --format csv").out);
  REQUIRE(rows.size() == 2);
  CHECK(rows[1].starts_with("1,16,560,0.02857142857142857,"));

  sandbox.write("large.csv", fleet_file(make_fleet(120)));
  const Result large = sandbox.run("ringctl durability large.csv --vnodes 4 --failures 8");
  CHECK(large.code == 0);
  CHECK(large.out.find("~ is estimated") != std::string::npos);
}

TEST_CASE("datacenters are distinguished, and racks by their datacenter") {
  const Sandbox sandbox;
  sandbox.write("f.csv",
                "id,weight,rack,datacenter\na,1,r1,east\nb,1,r1,west\nc,1,r2,east\nd,1,r2,west\n");
  const auto document =
      json::parse(sandbox.run("ringctl durability f.csv -r 2 --spread nodes --format json").out);
  REQUIRE(document["racks"].size() == 4);
  for (const auto& rack : document["racks"]) CHECK(rack["lost"] == 0.0);
  REQUIRE(document["datacenters"].size() == 2);
  CHECK(document["datacenters"][0]["nodes"] == 2);
  CHECK(document["datacenters"][0]["lost"].get<double>() > 0);
}

TEST_CASE("wrong arguments end with code 2 and are named") {
  const Sandbox sandbox;
  sandbox.write("f.csv", fleet_file(make_fleet(4)));
  for (const auto& [arguments, message] : std::vector<std::pair<std::string, std::string>>{
           {"--read 4", "--read must be at most 3, got 4"},
           {"--write 9", "--write must be at most 3, got 9"},
           {"--failures 0", "--failures"},
           {"--failures 5",
            "--failures must be at most 4, the number of nodes that own data, got 5"},
           {"--dead cache09", "cache09"},
           {"--spread far", "far"}}) {
    const Result result = sandbox.run("ringctl durability f.csv " + arguments);
    CAPTURE(arguments, result.err);
    CHECK(result.code == 2);
    CHECK(result.out == "");
    CHECK(result.err.find(message) != std::string::npos);
  }
}

}  // namespace durability_test
