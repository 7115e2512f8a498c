// SPDX-License-Identifier: MIT
#include <algorithm>
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <clockwise/balance.hpp>
#include <clockwise/theory.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "model/text.hpp"
#include "output/terminal.hpp"
#include "sandbox.hpp"

namespace shares_test {

using Catch::Approx;
using nlohmann::json;

TEST_CASE("json: exact shares, balance and expected values") {
  const Sandbox sandbox;
  const FleetEntries fleet = make_fleet(16);
  sandbox.write("f.csv", fleet_file(fleet));
  const FleetRing<> ring(fleet);
  const Result result = sandbox.run("ringctl shares f.csv --format json");
  CHECK(result.code == 0);
  CHECK(result.err == "");

  const auto document = json::parse(result.out);
  const auto shares = ring.load_shares();
  REQUIRE(document["nodes"].size() == shares.size());
  for (std::size_t i = 0; i < shares.size(); ++i) {
    CHECK(document["nodes"][i]["id"] == shares[i].first);
    CHECK(document["nodes"][i]["share"] == shares[i].second);
    CHECK(document["nodes"][i]["fair"] == 1.0 / 16);
    CHECK(document["nodes"][i]["vnodes"] == 200);
  }
  const auto balance = clockwise::balance(ring);
  CHECK(document["hash"] == "xxh3");
  CHECK(document["positions"] == 3200);
  CHECK(document["balance"]["cv"] == balance.cv);
  CHECK(document["balance"]["peak_to_mean"] == balance.peak_to_mean);
  CHECK(document["balance"]["min_to_mean"] == balance.min_to_mean);
  CHECK(document["expected"]["cv"].get<double>() ==
        Approx(clockwise::theory::share_cv(16, 200)).epsilon(1e-12));
  CHECK(document["expected"]["peak_to_mean"] == clockwise::theory::peak_to_mean(16, 200));
}

TEST_CASE("csv: every digit of every share") {
  const Sandbox sandbox;
  const FleetEntries fleet{{"a", {2.0, "", ""}}, {"b,", {1.0, "", ""}}, {"drained", {0.0, "", ""}}};
  sandbox.write("f.csv", "a,2\n\"b,\",1\ndrained,0\n");
  const FleetRing<> ring(fleet, {150});
  const auto rows = split(sandbox.run("ringctl shares f.csv --vnodes 150 --format csv").out);
  REQUIRE(rows.size() == 4);
  CHECK(rows[0] == "id,weight,vnodes,share,fair,share_to_fair");
  CHECK(rows[1].starts_with("a,2,300,"));
  CHECK(rows[2].starts_with("\"b,\",1,150,"));
  CHECK(rows[3] == "drained,0,0,0,0,");
  CHECK(std::stod(split(rows[1], ',')[3]) == ring.load_shares()[0].second);
}

TEST_CASE("weights: expected values match the average of many rings") {
  // The mean square of share/fair - 1 over 300 seeds is within 4 of its standard errors.
  const FleetEntries fleet{{"a", {2.0, "", ""}}, {"b", {1.0, "", ""}}, {"c", {0.3, "", ""}}};
  const Sandbox sandbox;
  sandbox.write("f.csv", fleet_file(fleet));
  const auto document =
      json::parse(sandbox.run("ringctl shares f.csv --vnodes 5 --format json").out);
  CHECK(document["expected"]["peak_to_mean"].is_null());
  const double expected = document["expected"]["cv"].get<double>();

  constexpr int rings = 300;
  double sum = 0;
  double squares = 0;
  for (int seed = 0; seed < rings; ++seed) {
    const FleetRing<> ring(fleet, {5}, clockwise::Xxh3{static_cast<std::uint64_t>(seed)});
    const double cv = clockwise::balance(ring).cv;
    sum += cv * cv;
    squares += cv * cv * cv * cv;
  }
  const double mean = sum / rings;
  const double error = std::sqrt((squares / rings - mean * mean) / rings);
  CHECK(mean == Approx(expected * expected).margin(4 * error));
}

// If this fails, text output has changed.
TEST_CASE("shares as text, byte for byte") {
  const Sandbox sandbox;
  sandbox.write("f.csv", "a,2\nb,1\n\"c d\",1\noff,0\n");
  CHECK(sandbox.run("ringctl shares f.csv --vnodes 4").out ==
        "4 nodes, 16 vnodes (4 at weight 1), xxh3\n"
        "\n"
        "node  weight  vnodes   share  vs fair\n"
        "a          2       8  42.33%    0.847  ###################################     |\n"
        "b          1       4  34.75%    1.390  ####################|########\n"
        "c d        1       4  22.92%    0.917  ################### |\n"
        "off        0       0   0.00%\n"
        "\n"
        "Bars show shares; the line marks the fair share by weight.\n"
        "\n"
        "           this ring  expected\n"
        "peak/mean      1.390         -\n"
        "min/mean       0.847         -\n"
        "CV            24.68%    37.05%\n");
}

TEST_CASE("text lists the nodes furthest above their fair share if there are more than --top") {
  const Sandbox sandbox;
  sandbox.write("f.csv", fleet_file(make_fleet(2000)));
  const auto document = json::parse(sandbox.run("ringctl shares f.csv --format json").out);
  CHECK(document["nodes"].size() == 2000);
  std::vector<std::pair<double, std::string>> ratios;
  for (const auto& node : document["nodes"]) {
    ratios.emplace_back(-node["share"].get<double>() / node["fair"].get<double>(), node["id"]);
  }
  std::sort(ratios.begin(), ratios.end());
  for (const int top : {0, 3, 20}) {
    const std::string option = top == 20 ? "" : " --top " + std::to_string(top);
    const auto rows = split(sandbox.run("ringctl shares f.csv" + option).out);
    CHECK(rows.size() == static_cast<std::size_t>(top) + 11);
    for (int i = 0; i < top; ++i) {
      CHECK(rows[static_cast<std::size_t>(3 + i)].starts_with(
          ratios[static_cast<std::size_t>(i)].second));
    }
    CHECK(rows[static_cast<std::size_t>(3 + top)] ==
          "  and " + ringctl::grouped(static_cast<std::uint64_t>(2000 - top)) +
              " nodes with less for their weight: --top all shows them");
  }
  CHECK(split(sandbox.run("ringctl shares f.csv --top all").out).size() == 2010);
}

TEST_CASE("weights in gigabytes: relative to their mean, and never much memory by surprise") {
  const Sandbox sandbox;
  sandbox.write("disks.csv", "id,weight\nd1,4000\nd2,8000\nd3,22000\nd4,18000\n");
  const Result refused = sandbox.run("ringctl shares disks.csv");
  CHECK(refused.code == 2);
  CHECK(refused.err ==
        "ringctl: disks.csv: weights of 52000 in all need 10,400,000 vnodes at --vnodes 200, about "
        "332 MB; --relative-weights scales weights to a mean of 1, --max-vnodes 10400000 allows "
        "this many\n");
  const Result relative = sandbox.run("ringctl shares disks.csv --relative-weights --format json");
  const auto document = json::parse(relative.out);
  CHECK(document["weight_unit"] == 13000.0);
  CHECK(document["positions"] == 800);
  // The program that uses clockwise::relative_weights has the same ring.
  const FleetRing<> ring(FleetEntries{{"d1", {4000.0 / 13000, "", ""}},
                                      {"d2", {8000.0 / 13000, "", ""}},
                                      {"d3", {22000.0 / 13000, "", ""}},
                                      {"d4", {18000.0 / 13000, "", ""}}});
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(document["nodes"][i]["share"] == ring.load_shares()[i].second);
  }
  CHECK(sandbox.run("ringctl shares disks.csv --weight-unit 13000 --format json").out ==
        relative.out);
  CHECK(sandbox
            .run("ringctl convert disks.csv --relative-weights --to csv | "
                 "ringctl fingerprint - --format csv")
            .out ==
        "fleet,fingerprint,same\nstandard input," + to_string(ring.fingerprint()) + ",true\n");
  CHECK(sandbox.run("ringctl shares disks.csv --relative-weights")
            .out.find("800 vnodes (200 at weight 1), xxh3, weights divided by 13000\n") !=
        std::string::npos);
  // Untrusted bytes of the same effect: one node, many vnodes.
  sandbox.write("wide.json", "{\"vnodes\": 16777216, \"members\": [{\"id\": \"a\"}]}");
  CHECK(sandbox.run("ringctl shares wide.json").code == 2);
  CHECK(sandbox.run("ringctl shares disks.csv --vnodes 50 --max-vnodes 2600000 --top 0").code == 0);
  sandbox.write("nginx.csv", "a,100000\n");
  CHECK(sandbox.run("ringctl route nginx.csv --scheme nginx --key k").err ==
        "ringctl: nginx.csv: weights of 100000 in all make 16000000 points in nginx's ring; the "
        "maximum here is 2,097,152\n");
}

TEST_CASE("text keeps to 80 columns, and its bars to scale") {
  const Sandbox sandbox;
  for (const int nodes : {1, 16, 300}) {
    sandbox.write("f.csv", fleet_file(make_fleet(nodes)));
    for (const std::string locale : {"C", "C.UTF-8"}) {
      const Result result = sandbox.run("LC_ALL=" + locale + " ringctl shares f.csv");
      CHECK(result.code == 0);
      std::size_t widest = 0;
      for (const std::string& line : split(result.out)) {
        CHECK(ringctl::cells(line) <= 80);
        if (line.starts_with("cache")) widest = (std::max)(widest, ringctl::cells(line));
      }
      CHECK(widest == 80);  // the largest share fills the line
      CHECK((result.out.find("\xe2\x96\x88") != std::string::npos) == (locale == "C.UTF-8"));
      CHECK((result.out.find('#') != std::string::npos) == (locale == "C"));
    }
  }
}

}  // namespace shares_test
