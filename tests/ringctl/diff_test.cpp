// SPDX-License-Identifier: MIT
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <clockwise/mod_n.hpp>
#include <clockwise/movement.hpp>
#include <clockwise/theory.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "model/text.hpp"
#include "output/terminal.hpp"
#include "sandbox.hpp"

namespace diff_test {

using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
using nlohmann::json;

namespace {

using Pairs = std::map<std::pair<std::string, std::string>, std::uint64_t>;

/// Counts the keys that move between each pair of nodes, one by one.
template <class Scheme>
Pairs moved_keys(const Scheme& before, const Scheme& after, const std::vector<std::string>& keys) {
  Pairs pairs;
  for (const std::string& key : keys) {
    if (before.lookup(key) != after.lookup(key)) ++pairs[{before.lookup(key), after.lookup(key)}];
  }
  return pairs;
}

Pairs printed_keys(const json& moves) {
  Pairs pairs;
  for (const json& flow : moves["flows"]) {
    if (flow["keys"] != 0) pairs[{flow["from"], flow["to"]}] = flow["keys"];
  }
  return pairs;
}

double total_share(const json& moves) {
  double total = 0;
  for (const json& flow : moves["flows"]) total += flow["share"].get<double>();
  return total;
}

clockwise::ModN<clockwise::Xxh3, std::string> modulo(const FleetEntries& fleet) {
  clockwise::ModN<clockwise::Xxh3, std::string> result;
  for (const auto& [id, options] : fleet) {
    if (options.weight > 0) result.add(id);
  }
  return result;
}

json diff(const Sandbox& sandbox, const FleetEntries& before, const FleetEntries& after,
          const std::vector<std::string>& keys) {
  sandbox.write("before.csv", fleet_file(before));
  sandbox.write("after.csv", fleet_file(after));
  sandbox.write("k", lines(keys));
  const Result result = sandbox.run("ringctl diff before.csv after.csv k --format json");
  CHECK(result.code == 0);
  CHECK(result.err == "");
  return json::parse(result.out);
}

}  // namespace

TEST_CASE("16 nodes and a 17th: exact shares, and keys counted one by one") {
  const Sandbox sandbox;
  const FleetEntries before = make_fleet(16);
  const FleetEntries after = make_fleet(17);
  const auto keys = make_keys(20000);
  const auto document = diff(sandbox, before, after, keys);
  const FleetRing<> ring_before(before);
  const FleetRing<> ring_after(after);

  CHECK(document["joined"] == json{"cache17"});
  CHECK(document["left"].empty());
  CHECK(document["keys"] == keys.size());
  CHECK(document["ideal"].get<double>() == Approx(1.0 / 17));

  const json& ring = document["ring"];
  CHECK(ring["share"] == clockwise::movement(ring_before, ring_after).fraction());
  CHECK(total_share(ring) == Approx(ring["share"].get<double>()).epsilon(1e-12));
  CHECK(ring["flows"].size() == 16);
  for (const json& flow : ring["flows"]) CHECK(flow["to"] == "cache17");
  const Pairs moved = moved_keys(ring_before, ring_after, keys);
  CHECK(printed_keys(ring) == moved);
  std::uint64_t count = 0;
  for (const auto& [pair, number] : moved) count += number;
  CHECK(ring["keys"] == count);

  const json& mod_n = document["mod_n"];
  CHECK(mod_n["share"].get<double>() == Approx(16.0 / 17).epsilon(1e-12));
  CHECK(total_share(mod_n) == Approx(16.0 / 17).epsilon(1e-12));
  CHECK(mod_n["flows"].size() == 256);
  CHECK(printed_keys(mod_n) == moved_keys(modulo(before), modulo(after), keys));
}

TEST_CASE("joins, leaves, weights and a drained node at once") {
  const Sandbox sandbox;
  FleetEntries before = make_fleet(6);
  before[1].second.weight = 2;
  FleetEntries after = make_fleet(9);
  after[1].second.weight = 0.5;
  after[2].second.weight = 0;
  after.erase(after.begin());
  const auto keys = make_keys(5000);
  const auto document = diff(sandbox, before, after, keys);
  CHECK(document["joined"] == json{"cache07", "cache08", "cache09"});
  CHECK(document["left"] == json{"cache01"});
  CHECK(document["reweighted"] == json::parse(R"([{"id":"cache02","before":2.0,"after":0.5},
                                                  {"id":"cache03","before":1.0,"after":0.0}])"));
  const FleetRing<> ring_before(before);
  const FleetRing<> ring_after(after);
  CHECK(document["ring"]["share"] == clockwise::movement(ring_before, ring_after).fraction());
  CHECK(printed_keys(document["ring"]) == moved_keys(ring_before, ring_after, keys));
  // 6 numbers before, 7 after: nodes 2 and 4 to 6 keep a number on one residue in 42, or none.
  CHECK(document["mod_n"]["share"].get<double>() ==
        Approx(clockwise::movement(modulo(before), modulo(after)).fraction()).epsilon(1e-12));
  CHECK(total_share(document["mod_n"]) ==
        Approx(document["mod_n"]["share"].get<double>()).epsilon(1e-12));
  CHECK(printed_keys(document["mod_n"]) == moved_keys(modulo(before), modulo(after), keys));
}

TEST_CASE("without keys, only exact shares are printed") {
  const Sandbox sandbox;
  sandbox.write("a.csv", fleet_file(make_fleet(12)));
  sandbox.write("b.csv", fleet_file(make_fleet(16)));
  const auto document = json::parse(sandbox.run("ringctl diff a.csv b.csv --format json").out);
  CHECK(document["keys"].is_null());
  CHECK(document["ring"]["keys"].is_null());
  CHECK(document["mod_n"]["share"] == 0.75);  // 12 and 16 share a factor of 4
  const Result csv = sandbox.run("ringctl diff a.csv b.csv --format csv");
  CHECK(split(csv.out)[0] == "scheme,from,to,share,keys");
  CHECK(split(csv.out)[1].ends_with(","));
}

TEST_CASE("too many pairs to list: totals only, in memory that does not grow with the keys") {
  const Sandbox sandbox;
  const FleetEntries before = make_fleet(400);
  const FleetEntries after = make_fleet(401);  // 160,400 residues
  const auto keys = make_keys(3000);
  const auto document = diff(sandbox, before, after, keys);
  CHECK(document["mod_n"]["flows"].is_null());
  std::uint64_t count = 0;
  for (const auto& [pair, number] : moved_keys(modulo(before), modulo(after), keys))
    count += number;
  CHECK(document["mod_n"]["keys"] == count);

  const auto rows = split(sandbox.run("ringctl diff before.csv after.csv k --format csv").out);
  CHECK(rows.back() == "mod_n,,," + ringctl::exact(document["mod_n"]["share"].get<double>()) + ',' +
                           std::to_string(count));
  CHECK_THAT(
      sandbox.run("ringctl diff before.csv after.csv").out,
      ContainsSubstring("More than 100,000 pairs of nodes exchange keys: too many to list."));
}

TEST_CASE("a large fleet takes time in proportion to its nodes") {
  // If mod N were built node by node, this would take minutes.
  const Sandbox sandbox;
  sandbox.write("a.csv", fleet_file(make_fleet(20000)));
  sandbox.write("b.csv", fleet_file(make_fleet(20001)));
  const auto document =
      json::parse(sandbox.run("ringctl diff a.csv b.csv --vnodes 1 --format json").out);
  CHECK(document["mod_n"]["share"] == 20000.0 / 20001);
}

TEST_CASE("an unchanged fleet moves nothing") {
  const Sandbox sandbox;
  const auto document = diff(sandbox, make_fleet(5), make_fleet(5), make_keys(100));
  for (const char* const scheme : {"ring", "mod_n"}) {
    CHECK(document[scheme]["share"] == 0.0);
    CHECK(document[scheme]["keys"] == 0);
    CHECK(document[scheme]["flows"].empty());
  }
  CHECK_THAT(sandbox.run("ringctl diff before.csv after.csv").out,
             ContainsSubstring("Nothing moves."));
}

TEST_CASE("text lists --top pairs, and the number of the others") {
  const Sandbox sandbox;
  sandbox.write("a.csv", fleet_file(make_fleet(16)));
  sandbox.write("b.csv", fleet_file(make_fleet(17)));
  CHECK_THAT(sandbox.run("ringctl diff a.csv b.csv --top 3").out,
             ContainsSubstring("  and 13 more pairs: --top all shows them") &&
                 ContainsSubstring("  and 253 more pairs: --top all shows them"));
  const std::string all = sandbox.run("ringctl diff a.csv b.csv --top all").out;
  CHECK(all.find("more pair") == std::string::npos);
  CHECK(split(all).size() > 16 + 256);
}

// If this fails, text output has changed.
TEST_CASE("text, byte for byte") {
  const Sandbox sandbox;
  sandbox.write("a.csv", "a\nb\nc,2\n");
  sandbox.write("b.csv", "a\nb\nc\nd\n");
  sandbox.write("k", lines(make_keys(1000)));
  CHECK(sandbox.run("ringctl diff a.csv b.csv k --top 4").out ==
        "a.csv -> b.csv\n"
        "nodes    3 -> 4\n"
        "vnodes   800 -> 800, xxh3\n"
        "joined   d\n"
        "weight   c 2 -> 1\n"
        "\n"
        "moves  key space  of keys  keys\n"
        "ring      34.98%   36.50%   365  ######################\n"
        "mod N     75.00%   73.70%   737  ###############################################\n"
        "ideal     25.00%                 ################\n"
        "1,000 keys in all.\n"
        "Ideal: the least that moves to give every node its fair share.\n"
        "\n"
        "Ring, by sender and receiver\n"
        "from  to   share  keys\n"
        "c     d   15.57%   162  ########################################################\n"
        "a     d    5.80%    59  #####################\n"
        "b     d    5.51%    59  ####################\n"
        "c     b    4.97%    52  ##################\n"
        "  and 1 more pair: --top all shows them\n"
        "\n"
        "mod N, by sender and receiver\n"
        "from  to  share  keys\n"
        "a     b   8.33%    98  #########################################################\n"
        "c     a   8.33%    87  #########################################################\n"
        "b     c   8.33%    85  #########################################################\n"
        "b     a   8.33%    83  #########################################################\n"
        "  and 5 more pairs: --top all shows them\n");
}

TEST_CASE("text keeps to 80 columns") {
  const Sandbox sandbox;
  sandbox.write("a.csv", fleet_file(make_fleet(40)));
  sandbox.write("b.csv", fleet_file(make_fleet(90)));
  sandbox.write("k", lines(make_keys(1000)));
  for (const std::string locale : {"C", "C.UTF-8"}) {
    for (const std::string& line :
         split(sandbox.run("LC_ALL=" + locale + " ringctl diff a.csv b.csv k").out)) {
      INFO(line);
      CHECK(ringctl::cells(line) <= 80);
    }
  }
}

}  // namespace diff_test
