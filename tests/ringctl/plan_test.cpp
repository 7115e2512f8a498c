// SPDX-License-Identifier: MIT
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <clockwise/migration.hpp>
#include <clockwise/theory.hpp>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "output/terminal.hpp"
#include "sandbox.hpp"

namespace plan_test {

using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
using nlohmann::json;

namespace {

void write_fleets(const Sandbox& sandbox, int before, int after) {
  sandbox.write("before.csv", fleet_file(make_fleet(before)));
  sandbox.write("after.csv", fleet_file(make_fleet(after)));
}

}  // namespace

TEST_CASE("json: the figures match the library's plan") {
  const Sandbox sandbox;
  write_fleets(sandbox, 16, 17);
  const Result result = sandbox.run(
      "ringctl plan before.csv after.csv --replicas 3 --bytes 10.88TB --rate 1Gbps --throttle 25% "
      "--format json");
  CHECK(result.err == "");
  REQUIRE(result.code == 0);
  const auto document = json::parse(result.out);

  const FleetRing<> before(make_fleet(16));
  const FleetRing<> after(make_fleet(17));
  const auto plan = clockwise::plan_migration(
      before, after,
      {.replicas = 3, .bytes = 10.88e12, .bytes_per_second = 125e6, .throttle = 0.25});
  CHECK(document["bytes"] == 10.88e12);
  CHECK(document["stored_bytes"] == 3 * 10.88e12);
  CHECK(document["bytes_per_second"] == 125e6);
  CHECK(document["throttle"] == 0.25);
  CHECK(document["moved_bytes"] == plan.bytes());
  CHECK(document["seconds"] == plan.seconds());
  CHECK(document["lost_bytes"] == 0);
  CHECK(document["critical"] == "cache17");
  CHECK(document["steps"] == plan.steps().size());
  CHECK(document["one_by_one"].is_null());  // there is only one change
  CHECK(document["mod_n_bytes"].get<double>() ==
        Approx(3 * 10.88e12 * clockwise::theory::mod_n_movement(16, 17)));
  REQUIRE(document["nodes"].size() == 17);
  CHECK(document["nodes"][0]["id"] == "cache17");
  double sent = 0;
  for (const auto& node : document["nodes"]) sent += node["egress_bytes"].get<double>();
  CHECK(sent == Approx(plan.bytes()));
}

TEST_CASE("csv: every step matches the library exactly") {
  const Sandbox sandbox;
  write_fleets(sandbox, 4, 5);
  const auto rows =
      split(sandbox
                .run("ringctl plan before.csv after.csv --replicas 2 --bytes 1TiB --batch 10GB "
                     "--vnodes 20 --replaced --format csv")
                .out);
  const FleetRing<> before(make_fleet(4), {20});
  const FleetRing<> after(make_fleet(5), {20});
  const auto plan = clockwise::plan_migration(before, after,
                                              {.replicas = 2,
                                               .bytes = 0x1p40,
                                               .batch_bytes = 10e9,
                                               .stream_from = clockwise::StreamFrom::replaced});
  REQUIRE(rows.size() == plan.steps().size() + 1);
  CHECK(rows[0] == "step,after,last,from,source,to,bytes");
  for (std::size_t i = 0; i < plan.steps().size(); ++i) {
    const auto step = plan[i];
    const auto cells = split(rows[i + 1], ',');
    REQUIRE(cells.size() == 7);
    CHECK(cells[0] == std::to_string(i));
    CHECK(cells[1] == std::to_string(step.arc.after));
    CHECK(cells[2] == std::to_string(step.arc.last));
    CHECK(cells[3] == step.from);
    CHECK(cells[4] == step.source);
    CHECK(cells[5] == step.to);
    CHECK(std::stod(cells[6]) == step.bytes);
  }
}

TEST_CASE("text: totals, the critical node first, and bars within 80 columns") {
  const Sandbox sandbox;
  write_fleets(sandbox, 16, 18);
  const Result result =
      sandbox.run("ringctl plan before.csv after.csv --replicas 3 --bytes 10.88TB");
  REQUIRE(result.code == 0);
  CHECK_THAT(result.out,
             ContainsSubstring("16 -> 18 nodes, xxh3\n"
                               "10.9 TB in each of 3 replicas, 125 MB/s per network card\n"));
  CHECK_THAT(result.out, ContainsSubstring("one by one"));
  CHECK_THAT(result.out, ContainsSubstring("mod N       29.0 TB  88.89%"));
  const auto rows = split(result.out);
  std::vector<std::string> nodes;
  for (const std::string& row : rows) {
    CHECK(ringctl::cells(row) <= 80);
    if (row.starts_with("cache")) nodes.push_back(row);
  }
  REQUIRE(nodes.size() == 18);
  CHECK_THAT(nodes[0] + nodes[1], ContainsSubstring("cache17"));
  CHECK_THAT(nodes[0] + nodes[1], ContainsSubstring("cache18"));
  CHECK(nodes[0].ends_with("######"));
  const Result top = sandbox.run("ringctl plan before.csv after.csv --bytes 1GB --top 2");
  CHECK_THAT(top.out, ContainsSubstring("and 16 more nodes: --top all shows them"));
}

TEST_CASE("text: sizes and times are readable") {
  const Sandbox sandbox;
  sandbox.write("before.csv", "a\n");
  sandbox.write("after.csv", "b\n");
  const auto takes = [&](const std::string& options) {
    const Result result = sandbox.run("ringctl plan before.csv after.csv -r 1 " + options);
    INFO(result.err);
    REQUIRE(result.code == 0);
    const auto rows = split(result.out);
    for (const std::string& row : rows) {
      if (row.starts_with("this plan")) return row;
    }
    return std::string();
  };
  const auto check = [&](const std::string& options, const std::string& moves,
                         const std::string& time) {
    const std::string row = takes(options);
    CHECK_THAT(row, ContainsSubstring(moves + "  100.00%  " + time));
    CHECK(row.ends_with(time));
  };
  // All data goes to one card: bytes / rate.
  check("--bytes 640GB", "640 GB", "1 h 25 min");  // 5,120 s
  check("--bytes 40GB", "40.0 GB", "5 min 20 s");
  check("--bytes 40GB --throttle 0.25", "40.0 GB", "21 min 20 s");
  check("--bytes '40 GB' --rate 10Gbps", "40.0 GB", "32.0 s");
  check("--bytes 1GiB --rate 1GiB/s", "1.07 GB", "1.0 s");
  check("--bytes 10.88TB --rate 100MB/s", "10.9 TB", "30 h 13 min");
  check("--bytes 86.4TB --throttle 12.5%", "86.4 TB", "64 d 0 h");
  check("--bytes 999.6GB", "1.00 TB", "2 h 13 min");
  check("--bytes 5B", "5 B", "0.0 s");
}

TEST_CASE("a node that is down does not send, and data that only it had is reported as lost") {
  const Sandbox sandbox;
  write_fleets(sandbox, 5, 4);
  const Result one =
      sandbox.run("ringctl plan before.csv after.csv --replicas 1 --bytes 1TB --dead cache05");
  REQUIRE(one.code == 0);
  CHECK_THAT(one.out, ContainsSubstring("LOST: ") && ContainsSubstring("Nothing moves."));
  const Result two = sandbox.run(
      "ringctl plan before.csv after.csv --bytes 1TB --replicas 2 --dead cache05 --format csv");
  const auto rows = split(two.out);
  REQUIRE(rows.size() > 1);
  for (std::size_t i = 1; i < rows.size(); ++i) CHECK(split(rows[i], ',')[4] != "cache05");
}

TEST_CASE("a plan of an unchanged fleet moves nothing") {
  const Sandbox sandbox;
  write_fleets(sandbox, 4, 4);
  const Result result = sandbox.run("ringctl plan before.csv after.csv --bytes 1TB --replicas 3");
  CHECK(result.code == 0);
  CHECK_THAT(result.out, ContainsSubstring("Nothing moves."));
}

TEST_CASE("wrong options are named") {
  const Sandbox sandbox;
  write_fleets(sandbox, 3, 4);
  const auto refused = [&](const std::string& options, const std::string& message) {
    const Result result = sandbox.run("ringctl plan before.csv after.csv " + options);
    CHECK(result.code == 2);
    CHECK(result.out == "");
    CHECK_THAT(result.err, ContainsSubstring(message));
  };
  refused("", "--bytes is required");
  refused("--bytes 10", "--bytes must be a size such as 10.88TB, 500GB or 2TiB, got \"10\"");
  refused("--bytes -1TB", "must be a size such as 10.88TB, 500GB or 2TiB, got \"-1TB\"");
  refused("--bytes nanTB", "must be a size such as 10.88TB, 500GB or 2TiB, got \"nanTB\"");
  refused("--bytes 1e999TB", "must be a size such as");
  refused("--bytes 1TB --rate 0Gbps",
          "--rate must be a rate above 0 such as 1Gbps or 125MB/s, got \"0Gbps\"");
  refused("--bytes 1TB --rate 1Gb",
          "--rate must be a rate above 0 such as 1Gbps or 125MB/s, got \"1Gb\"");
  refused("--bytes 1TB --throttle 0",
          "--throttle must be a share above 0 and up to 1, such as 25% or 0.25, got \"0\"");
  refused("--bytes 1TB --throttle 150%", "such as 25% or 0.25, got \"150%\"");
  refused("--bytes 1TB --replicas 0",
          "--replicas must be a whole number from 1 to 1,000, got \"0\"");
  refused("--bytes 1TB --dead stranger", "no node \"stranger\" in before.csv");
  refused("--bytes 1EB --batch 1B", "batch_bytes");
}

}  // namespace plan_test
