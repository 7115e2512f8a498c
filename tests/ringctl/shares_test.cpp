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
#include <vector>

#include "model/text.hpp"
#include "sandbox.hpp"

using Catch::Approx;
using nlohmann::json;

TEST_CASE("json: exact shares, balance and expected values") {
  const Sandbox sandbox;
  const Fleet fleet = make_fleet(16);
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
  const Fleet fleet{{"a", {2.0, "", ""}}, {"b,", {1.0, "", ""}}, {"drained", {0.0, "", ""}}};
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
  // The mean square of share/fair - 1 over 300 seeds is within 4 standard errors of its own spread.
  const Fleet fleet{{"a", {2.0, "", ""}}, {"b", {1.0, "", ""}}, {"c", {0.3, "", ""}}};
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
TEST_CASE("text, byte for byte") {
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

TEST_CASE("text keeps to 80 columns, and its bars to scale") {
  const Sandbox sandbox;
  for (const int nodes : {1, 16, 300}) {
    sandbox.write("f.csv", fleet_file(make_fleet(nodes)));
    for (const std::string locale : {"C", "C.UTF-8"}) {
      const Result result = sandbox.run("LC_ALL=" + locale + " ringctl shares f.csv");
      CHECK(result.code == 0);
      std::size_t widest = 0;
      for (const std::string& line : split(result.out)) {
        CHECK(ringctl::columns(line) <= 80);
        if (line.starts_with("cache")) widest = (std::max)(widest, ringctl::columns(line));
      }
      CHECK(widest == 80);  // the largest share fills the line
      CHECK((result.out.find("\xe2\x96\x88") != std::string::npos) == (locale == "C.UTF-8"));
      CHECK((result.out.find('#') != std::string::npos) == (locale == "C"));
    }
  }
}
