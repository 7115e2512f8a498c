// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_BASE_ID_TREE_HPP
#define CLOCKWISE_DETAIL_BASE_ID_TREE_HPP

#include <cstddef>      // size_t
#include <cstdint>      // uint32_t
#include <string>       // string
#include <string_view>  // string_view

#include "clockwise/config.hpp"
#include "clockwise/detail/base/plain_vector.hpp"

namespace clockwise::detail {

/// A node of the tree, found by its id: a number, or the data that a derived class adds.
struct IdNode {
  explicit IdNode(std::string_view text) : id(text) {}
  IdNode(const IdNode&) = delete;
  IdNode& operator=(const IdNode&) = delete;
  virtual ~IdNode() = default;

  std::string id;
  std::uint32_t number = 0;

 private:
  friend class IdTree;
  friend struct IdTreeProbe;
  std::uint32_t level_ = 1;
  IdNode* less_ = nullptr;
  IdNode* greater_ = nullptr;
};

/// A map from ids, in their order. Unlike std::map, it is compiled once for all contents. O(log N)
/// per operation for any ids in any order, because ids can come from outside: an AA tree (Andersson
/// 1993). A child is a level below its parent; a greater child can be on its parent's level if its
/// own greater child is not.
class IdTree {
 public:
  IdTree() = default;
  IdTree(const IdTree&) = delete;
  IdTree& operator=(const IdTree&) = delete;
  ~IdTree() { destroy(root_); }

  bool empty() const noexcept { return root_ == nullptr; }
  std::size_t size() const noexcept { return size_; }

  /// Returns nullptr if no node has the id.
  IdNode* find(std::string_view id) const noexcept {
    IdNode* node = root_;
    while (node != nullptr) {
      const int order = id.compare(node->id);
      if (order == 0) break;
      node = order < 0 ? node->less_ : node->greater_;
    }
    return node;
  }

  /// Takes over a node, allocated with new. It replaces the node with its id, if any.
  CLOCKWISE_NOINLINE void put(IdNode* node) noexcept {
    IdNode** path[2 * 64];  // the links from the root: at most two per level
    std::size_t depth = 0;
    IdNode** link = &root_;
    while (*link != nullptr) {
      const int order = node->id.compare((*link)->id);
      if (order == 0) break;
      path[depth++] = link;
      link = order < 0 ? &(*link)->less_ : &(*link)->greater_;
    }
    if (IdNode* const old = *link) {
      node->level_ = old->level_;
      node->less_ = old->less_;
      node->greater_ = old->greater_;
      *link = node;
      delete old;
      return;
    }
    *link = node;
    ++size_;
    while (depth > 0) {
      link = path[--depth];
      *link = without_long_level(without_less_on_level(*link));
    }
  }

  PlainVector<IdNode*> in_order() const {
    auto nodes = PlainVector<IdNode*>::unset(size_);
    append(root_, nodes.data());
    return nodes;
  }

 private:
  /// Puts a less child that is on the level of `node` above it.
  static IdNode* without_less_on_level(IdNode* node) noexcept {
    IdNode* const less = node->less_;
    if (less == nullptr || less->level_ != node->level_) return node;
    node->less_ = less->greater_;
    less->greater_ = node;
    return less;
  }
  /// Of three on one level, lifts the one between the others.
  static IdNode* without_long_level(IdNode* node) noexcept {
    IdNode* const greater = node->greater_;
    if (greater == nullptr || greater->greater_ == nullptr ||
        greater->greater_->level_ != node->level_) {
      return node;
    }
    node->greater_ = greater->less_;
    greater->less_ = node;
    ++greater->level_;
    return greater;
  }
  CLOCKWISE_NOINLINE static IdNode** append(IdNode* node, IdNode** end) noexcept {
    for (; node != nullptr; node = node->greater_) {
      end = append(node->less_, end);
      *end++ = node;
    }
    return end;
  }
  CLOCKWISE_NOINLINE static void destroy(IdNode* node) noexcept {
    while (node != nullptr) {
      destroy(node->less_);
      IdNode* const greater = node->greater_;
      delete node;
      node = greater;
    }
  }

  friend struct IdTreeProbe;  // the test that no order of ids makes it deep

  IdNode* root_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_BASE_ID_TREE_HPP
