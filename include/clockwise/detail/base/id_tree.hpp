// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_BASE_ID_TREE_HPP
#define CLOCKWISE_DETAIL_BASE_ID_TREE_HPP

#include <cstdint>      // uint32_t, uint64_t
#include <string>       // string
#include <string_view>  // string_view

#include "clockwise/config.hpp"
#include "clockwise/detail/base/mix.hpp"
#include "clockwise/detail/base/plain_vector.hpp"

namespace clockwise::detail {

/// What a tree keeps by its id: a number, or what a derived class adds.
struct IdNode {
  explicit IdNode(std::string_view text) : id(text) {}
  IdNode(const IdNode&) = delete;
  IdNode& operator=(const IdNode&) = delete;
  virtual ~IdNode() = default;

  std::string id;
  std::uint32_t number = 0;

 private:
  friend class IdTree;
  std::uint64_t priority_ = 0;
  IdNode* less_ = nullptr;
  IdNode* greater_ = nullptr;
};

/// A map from ids, in their order: a treap (Seidel and Aragon 1996). Unlike std::map it is compiled
/// once for whatever it keeps. O(log N) expected per operation.
class IdTree {
 public:
  IdTree() = default;
  IdTree(const IdTree&) = delete;
  IdTree& operator=(const IdTree&) = delete;
  ~IdTree() { destroy(root_); }

  bool empty() const noexcept { return root_ == nullptr; }
  std::size_t size() const noexcept { return size_; }

  /// Returns nullptr if there is none.
  IdNode* find(std::string_view id) const noexcept {
    IdNode* node = root_;
    while (node != nullptr) {
      const int order = id.compare(node->id);
      if (order == 0) break;
      node = order < 0 ? node->less_ : node->greater_;
    }
    return node;
  }

  /// Takes over a node, allocated with new. It replaces the one with its id, if there is one.
  CLOCKWISE_NOINLINE void put(IdNode* node) noexcept {
    IdNode** link = &root_;
    while (*link != nullptr && (*link)->id.compare(node->id) != 0) link = &below(*link, node->id);
    if (IdNode* const old = *link) {
      node->priority_ = old->priority_;
      node->less_ = old->less_;
      node->greater_ = old->greater_;
      *link = node;
      delete old;
      return;
    }

    node->priority_ = detail::mix(++size_);
    link = &root_;
    while (*link != nullptr && (*link)->priority_ > node->priority_) {
      link = &below(*link, node->id);
    }
    // The subtree there is split by the new id.
    IdNode* rest = *link;
    *link = node;
    IdNode** less = &node->less_;
    IdNode** greater = &node->greater_;
    while (rest != nullptr) {
      if (rest->id.compare(node->id) < 0) {
        *less = rest;
        less = &rest->greater_;
        rest = *less;
      } else {
        *greater = rest;
        greater = &rest->less_;
        rest = *greater;
      }
    }
    *less = nullptr;
    *greater = nullptr;
  }

  PlainVector<IdNode*> in_order() const {
    auto nodes = PlainVector<IdNode*>::unset(size_);
    append(root_, nodes.data());
    return nodes;
  }

 private:
  static IdNode*& below(IdNode* node, std::string_view id) noexcept {
    return id.compare(node->id) < 0 ? node->less_ : node->greater_;
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

  IdNode* root_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_BASE_ID_TREE_HPP
