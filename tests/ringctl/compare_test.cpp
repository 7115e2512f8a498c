// SPDX-License-Identifier: MIT
// The counts of `ringctl compare`, compared with the library. Times are not checked.
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <clockwise/jump.hpp>
#include <clockwise/mod_n.hpp>
#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "sandbox.hpp"

namespace compare_test {

using Catch::Approx;
using nlohmann::json;

namespace {

constexpr int key_count = 20000;

std::string key(int i) { return "key:" + std::to_string(i); }

std::string fleet_of(int nodes) {
  std::string text = "id,weight\n";
  for (int i = 0; i < nodes; ++i) text += "node" + std::to_string(i) + ",1\n";
  return text;
}

const json& scheme(const json& document, const std::string& name) {
  for (const auto& entry : document["schemes"]) {
    if (entry["scheme"] == name) return entry;
  }
  FAIL("no scheme " << name);
  return document;
}

}  // namespace

TEST_CASE("compare: loads and moves match the schemes") {
  const Sandbox sandbox;
  sandbox.write("f.csv", fleet_of(10));
  const Result result = sandbox.run("ringctl compare f.csv --keys 20000 --format json");
  CHECK(result.err == "");
  REQUIRE(result.code == 0);
  const auto document = json::parse(result.out);
  CHECK(document["nodes"] == 10);
  CHECK(document["join_floor"].get<double>() == Approx(1.0 / 11));
  CHECK(document["leave_floor"].get<double>() == Approx(1.0 / 10));
  CHECK(document["leaver"] == "node5");

  std::set<std::string> names;
  for (const auto& entry : document["schemes"]) {
    names.insert(entry["scheme"].get<std::string>());
    CHECK(entry["lookup_ns"].get<double>() >= 0);
    CHECK(entry["leave_moves"].is_null() == (entry["scheme"] == "jump"));
  }
  CHECK(names == std::set<std::string>{"ring", "rendezvous", "maglev", "slot map", "multi-probe",
                                       "jump", "jump back", "mod N"});

  clockwise::JumpHash<> jump;
  clockwise::ModN<> mod_n;
  FleetRing<> ring;
  for (int i = 0; i < 10; ++i) {
    jump.add("node" + std::to_string(i));
    mod_n.add("node" + std::to_string(i));
    ring.add("node" + std::to_string(i));
  }
  auto jump_joined = jump;
  jump_joined.add("joiner");
  auto mod_n_left = mod_n;
  mod_n_left.remove("node5");
  auto ring_joined = ring;
  ring_joined.add("joiner");
  std::map<std::string, int> load;
  int jump_moved = 0, mod_n_moved = 0, ring_moved = 0;
  for (int i = 0; i < key_count; ++i) {
    ++load[jump.lookup(key(i))];
    jump_moved += jump.lookup(key(i)) != jump_joined.lookup(key(i)) ? 1 : 0;
    mod_n_moved += mod_n.lookup(key(i)) != mod_n_left.lookup(key(i)) ? 1 : 0;
    ring_moved += ring.lookup(key(i)) != ring_joined.lookup(key(i)) ? 1 : 0;
  }
  int peak = 0;
  for (const auto& [node, count] : load) peak = count > peak ? count : peak;
  CHECK(scheme(document, "jump")["peak_to_mean"].get<double>() == Approx(peak * 10.0 / key_count));
  CHECK(scheme(document, "jump")["join_moves"].get<double>() ==
        Approx(jump_moved / double{key_count}));
  CHECK(scheme(document, "mod N")["leave_moves"].get<double>() ==
        Approx(mod_n_moved / double{key_count}));
  CHECK(scheme(document, "ring")["join_moves"].get<double>() ==
        Approx(ring_moved / double{key_count}));
}

TEST_CASE("compare: schemes without weights show it, drained nodes are left out") {
  const Sandbox sandbox;
  sandbox.write("f.csv", "id,weight\na,3\nb,1\nc,0\n");
  const Result result = sandbox.run("ringctl compare f.csv --keys 20000 --format json");
  REQUIRE(result.code == 0);
  const auto document = json::parse(result.out);
  CHECK(document["nodes"] == 2);
  // b should have a quarter and has half; four standard deviations of 20,000 draws are 0.028 of it.
  CHECK(scheme(document, "jump")["peak_to_mean"].get<double>() == Approx(2).margin(0.06));
  CHECK(scheme(document, "rendezvous")["peak_to_mean"].get<double>() == Approx(1).margin(0.06));
  CHECK(scheme(document, "slot map")["weights"] == true);
  CHECK(scheme(document, "multi-probe")["weights"] == false);
}

TEST_CASE("compare: text, csv and a chart") {
  const Sandbox sandbox;
  sandbox.write("f.csv", fleet_of(3));
  const Result text = sandbox.run("ringctl compare f.csv --keys 1000 --svg chart.svg");
  REQUIRE(text.code == 0);
  CHECK(text.out.find("cannot") != std::string::npos);
  const std::string chart = sandbox.read("chart.svg");
  CHECK(chart.substr(0, 5) == "<svg ");
  CHECK(chart.substr(chart.size() - 7) == "</svg>\n");
  for (const std::string name : {"ring", "rendezvous", "multi-probe", "mod N"}) {
    CHECK(text.out.find(name) != std::string::npos);
    CHECK(chart.find(">" + name + "<") != std::string::npos);
  }
  const Result csv = sandbox.run("ringctl compare f.csv --keys 1000 --format csv | wc -l");
  CHECK(csv.out.find('9') != std::string::npos);  // a heading and eight schemes
}

TEST_CASE("compare: with one node, a join is possible and a leave is not") {
  const Sandbox sandbox;
  sandbox.write("f.csv", "a\n");
  const Result result = sandbox.run("ringctl compare f.csv --keys 1000 --format json");
  REQUIRE(result.code == 0);
  const json comparison = json::parse(result.out);
  REQUIRE(comparison["schemes"].size() > 5);
  for (const auto& entry : comparison["schemes"]) {
    CHECK(entry["leave_moves"].is_null());
    CHECK(entry["peak_to_mean"] == 1.0);
  }
}

TEST_CASE("compare: invalid arguments") {
  const Sandbox sandbox;
  sandbox.write("f.csv", fleet_of(3));
  const Result none = sandbox.run("ringctl compare f.csv --keys 0");
  CHECK(none.code == 2);
  CHECK(none.err.find("--keys") != std::string::npos);
  const Result nowhere = sandbox.run("ringctl compare f.csv --keys 10 --svg no/such/folder.svg");
  CHECK(nowhere.code == 2);
  CHECK(nowhere.out == "");
  CHECK(nowhere.err.find("folder.svg") != std::string::npos);
  CHECK(sandbox.run("ringctl compare missing.csv").code == 2);
}

}  // namespace compare_test
