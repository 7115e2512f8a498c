// SPDX-License-Identifier: MIT
// The tree of ids: a map for any ids, with a depth that no order of insertion raises. Ids and racks
// come from outside, as in the bytes of a membership.

#include "clockwise/detail/base/id_tree.hpp"

#include <algorithm>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "clockwise/detail/base/mix.hpp"

namespace clockwise::detail {

struct IdTreeProbe {
  static const IdNode* root(const IdTree& tree) { return tree.root_; }
  static std::size_t depth(const IdNode* node) {
    return node == nullptr ? 0 : 1 + (std::max)(depth(node->less_), depth(node->greater_));
  }
  /// Whether the levels are those of an AA tree.
  static bool is_balanced(const IdNode* node) {
    if (node == nullptr) return true;
    const auto level = [](const IdNode* child) { return child == nullptr ? 0 : child->level_; };
    const IdNode* const greater = node->greater_;
    const bool greater_fits =
        level(greater) == node->level_ - 1 ||
        (level(greater) == node->level_ && level(greater->greater_) < node->level_);
    return level(node->less_) == node->level_ - 1 && greater_fits && is_balanced(node->less_) &&
           is_balanced(greater);
  }
};

}  // namespace clockwise::detail

namespace {

using clockwise::detail::IdNode;
using clockwise::detail::IdTree;
using clockwise::detail::IdTreeProbe;

std::string id_of(std::size_t number) {
  const std::string digits = std::to_string(number);
  return std::string(8 - digits.size(), '0') + digits;
}

void check_depth(const std::vector<std::size_t>& numbers) {
  IdTree tree;
  for (const std::size_t number : numbers) tree.put(new IdNode(id_of(number)));
  const IdNode* const root = IdTreeProbe::root(tree);
  CHECK(IdTreeProbe::is_balanced(root));
  CHECK(IdTreeProbe::depth(root) <= 2 * static_cast<std::size_t>(std::bit_width(numbers.size())));
  const auto nodes = tree.in_order();
  REQUIRE(nodes.size() == numbers.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) REQUIRE(nodes[i]->id == id_of(i));
}

}  // namespace

TEST_CASE("no order of ids makes the tree deep") {
  for (const std::size_t count : {1u, 2u, 3u, 10u, 1000u, 20'000u}) {
    CAPTURE(count);
    std::vector<std::size_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    check_depth(numbers);
    std::reverse(numbers.begin(), numbers.end());
    check_depth(numbers);
    std::shuffle(numbers.begin(), numbers.end(), std::mt19937(1));
    check_depth(numbers);
    // From both ends to the middle.
    for (std::size_t i = 0; i < count; ++i) numbers[i] = i % 2 == 0 ? i / 2 : count - 1 - i / 2;
    check_depth(numbers);
    // Ids in the order of public random numbers: a tree that these numbers balance would be a list.
    std::vector<std::size_t> by_draw(count);
    std::iota(by_draw.begin(), by_draw.end(), std::size_t{0});
    std::sort(by_draw.begin(), by_draw.end(), [](std::size_t a, std::size_t b) {
      return clockwise::detail::mix(a + 1) < clockwise::detail::mix(b + 1);
    });
    for (std::size_t i = 0; i < count; ++i) numbers[by_draw[i]] = i;
    check_depth(numbers);
  }
}

TEST_CASE("the tree is a map: a node replaces the one with its id") {
  IdTree tree;
  std::map<std::string, std::uint32_t> model;
  std::mt19937 random(2);
  CHECK(tree.empty());
  for (std::uint32_t step = 0; step < 5000; ++step) {
    std::string id;
    for (std::size_t length = random() % 4; length > 0; --length) {
      id += static_cast<char>(random() % 4 * 85);  // 0x00, 0x55, 0xaa, 0xff
    }
    auto* const node = new IdNode(id);
    node->number = step;
    tree.put(node);
    model[id] = step;
    REQUIRE(tree.size() == model.size());
    REQUIRE(tree.find(id) == node);
    REQUIRE(tree.find(id + "?") == nullptr);
  }
  CHECK(IdTreeProbe::is_balanced(IdTreeProbe::root(tree)));
  const auto nodes = tree.in_order();
  std::size_t i = 0;
  for (const auto& [id, number] : model) {  // std::string compares bytes as unsigned
    REQUIRE(nodes[i]->id == id);
    REQUIRE(nodes[i++]->number == number);
  }
}
