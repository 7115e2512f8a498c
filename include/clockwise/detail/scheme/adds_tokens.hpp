// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_SCHEME_ADDS_TOKENS_HPP
#define CLOCKWISE_DETAIL_SCHEME_ADDS_TOKENS_HPP

#include <initializer_list>  // initializer_list
#include <span>              // span
#include <utility>           // forward, move

#include "clockwise/node.hpp"

namespace clockwise::detail {

/// The spellings of add() with tokens and of set_tokens(), for rings of tokens and for their edits
/// alike. `Derived` offers add_tokens(Entry<Node>, Tokens) and put_tokens(id, Tokens).
template <class Derived, class Node, class Token>
class AddsTokens {
 public:
  using Tokens = std::span<const Token>;
  using TokenList = std::initializer_list<Token>;

  void add(Entry<Node> entry, Tokens tokens) { self().add_tokens(std::move(entry), tokens); }
  void add(Entry<Node> entry, TokenList tokens) { add(std::move(entry), span_of(tokens)); }
  template <NodeLike<Node> N>
  void add(N&& node, Tokens tokens) {
    add(Entry<Node>(std::forward<N>(node)), tokens);
  }
  template <NodeLike<Node> N>
  void add(N&& node, TokenList tokens) {
    add(Entry<Node>(std::forward<N>(node)), span_of(tokens));
  }
  template <NodeLike<Node> N>
  void add(N&& node, NodeOptions options, Tokens tokens) {
    add(Entry<Node>(std::forward<N>(node), std::move(options)), tokens);
  }
  template <NodeLike<Node> N>
  void add(N&& node, NodeOptions options, TokenList tokens) {
    add(Entry<Node>(std::forward<N>(node), std::move(options)), span_of(tokens));
  }

  /// Replaces all tokens of a member. Throws std::out_of_range if `id` is not a member.
  template <class Id>
  void set_tokens(const Id& id, Tokens tokens) {
    self().put_tokens(id, tokens);
  }
  template <class Id>
  void set_tokens(const Id& id, TokenList tokens) {
    self().put_tokens(id, span_of(tokens));
  }

 private:
  static Tokens span_of(TokenList tokens) { return {tokens.begin(), tokens.size()}; }
  Derived& self() noexcept { return static_cast<Derived&>(*this); }
};

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_SCHEME_ADDS_TOKENS_HPP
