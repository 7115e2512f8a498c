// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_TOKEN_ALLOCATOR_HPP
#define CLOCKWISE_TOKEN_ALLOCATOR_HPP

// Chooses a joining node's tokens, so that a few give even shares.
//
//   clockwise::TokenRing<> ring;
//   for (const auto& server : fleet) {
//     ring.add(server, clockwise::allocate_tokens(ring, {}, {.vnodes = 8, .replicas = 3}));
//   }
//
// A share varies by 7% with 200 random vnodes, by 35% with 8. Eight chosen ones stay within a few
// percent, and a small table means fewer replica sets, shorter repair plans and less gossip. The
// cost: tokens depend on the order of joins, so they are state that every program needs; a HashRing
// depends only on names.

#include <algorithm>  // fill, find, lower_bound, max, min, sort, unique
#include <array>      // array
#include <cstddef>    // ptrdiff_t, size_t
#include <cstdint>    // int64_t, uint32_t, uint64_t
#include <string>     // string, to_string
#include <utility>    // pair
#include <vector>     // vector

#include "clockwise/detail/base/error.hpp"
#include "clockwise/detail/base/fixed_point.hpp"
#include "clockwise/detail/ring/replica_sweep.hpp"
#include "clockwise/detail/scheme/ring_base.hpp"
#include "clockwise/detail/ring/topology.hpp"
#include "clockwise/node.hpp"
#include "clockwise/replication.hpp"

namespace clockwise {

/// What a joining node's tokens are balanced for.
struct AllocationOptions {
  std::uint32_t vnodes = 16;      ///< Tokens of a node of weight 1, as RingOptions::vnodes.
  std::size_t replicas = 3;       ///< Replicas of each key, in each datacenter.
  Spread spread = Spread::racks;  ///< As Spread::nodes if no rack is named.
};

namespace detail {

/// The members of one datacenter, the joiner last, and the joiner's tokens as they are chosen.
///
/// It balances replicated ownership: the share of the circle that a node holds a copy of. A new
/// token takes over a run of arcs that ends at it; on each arc it replaces one node. For every arc
/// of the ring, the best position for a cut is computed, and the cost of the cut: how far it leaves
/// the joiner and the nodes that lose from their fair shares. The cheapest cut is made, once per
/// token. Then each token is removed and placed again where it is best, with all others known.
///
/// Two further terms of the cost help later changes: a joiner should take little from each of many
/// nodes, because they inherit from it when it leaves, and tokens should not crowd.
///
/// Widths are in units of 2^-50 of the circle, ratios in units of 2^-20. All are integers, so every
/// platform chooses the same tokens.
class TokenAllocation {
 public:
  template <Ring R>
  TokenAllocation(const R& ring, const NodeOptions& joining, const AllocationOptions& options)
      : tokens_left_(static_cast<std::size_t>(vnode_count(joining.weight, options.vnodes))),
        wanted_replicas_(options.replicas) {
    std::vector<Member> members;
    std::vector<std::size_t> number(ring.size());
    for (std::size_t i = 0; i < ring.size(); ++i) {
      const auto& member = ring.members()[i];
      if (member.vnodes == 0 || member.datacenter != joining.datacenter) continue;
      number[i] = members.size();
      members.push_back({member.weight, &member.rack});
    }
    joiner_ = members.size();
    members.push_back({joining.weight, &joining.rack});
    for (std::size_t rank = 0; rank < ring.vnode_count(); ++rank) {
      const auto& member = ring.members()[ring.owners()[rank]];
      if (member.datacenter != joining.datacenter) {
        elsewhere_.push_back(ring.positions()[rank]);
      } else {
        vnodes_.push_back({ring.positions()[rank], number[ring.owners()[rank]]});
      }
    }
    number_domains(members, options);
    set_targets(members);
  }

  std::vector<std::uint64_t> tokens() {
    std::vector<std::uint64_t> tokens;
    if (vnodes_.empty()) {
      const std::uint64_t step = ~std::uint64_t{0} / tokens_left_;
      for (std::size_t i = 0; i < tokens_left_; ++i) tokens.push_back(free_position(step * i));
      return tokens;
    }
    measure();
    owned_before_ = owned_;
    const std::size_t count = tokens_left_;
    for (; tokens_left_ > 0; --tokens_left_) tokens.push_back(insert(best_cut(count).position));
    for (std::uint64_t& token : tokens) {
      erase(token);
      tokens_left_ = 1;
      token = insert(best_cut(count).position);
    }
    return tokens;
  }

 private:
  static constexpr int unit_bits = 14;  // 2^-50 of the circle
  static constexpr std::int64_t whole = std::int64_t{1} << 50;
  static constexpr std::int64_t one = std::int64_t{1} << 20;  // a ratio of 1

  struct Member {
    double weight;
    const std::string* rack;
  };
  struct Vnode {
    std::uint64_t position;
    std::size_t owner;
  };
  struct Cut {
    std::uint64_t position = 0;
    std::int64_t cost = 0;
    bool found = false;
  };

  /// The failure domains are the racks, and the nodes without one, if each replica can have its
  /// own; otherwise the nodes.
  void number_domains(const std::vector<Member>& members, const AllocationOptions& options) {
    std::vector<std::string> racks;
    racks.reserve(members.size());
    for (const Member& member : members) racks.push_back(*member.rack);
    std::sort(racks.begin(), racks.end());
    racks.erase(std::unique(racks.begin(), racks.end()), racks.end());
    domains_.resize(members.size());
    std::vector<std::size_t> met(racks.size() + members.size());
    for (std::size_t pass = 0; pass < 2; ++pass) {
      const bool by_rack = pass == 0 && options.spread != Spread::nodes;
      std::fill(met.begin(), met.end(), 0);
      domain_count_ = 0;
      for (std::size_t i = 0; i < members.size(); ++i) {
        domains_[i] = by_rack && !members[i].rack->empty()
                          ? static_cast<std::size_t>(
                                std::lower_bound(racks.begin(), racks.end(), *members[i].rack) -
                                racks.begin())
                          : racks.size() + i;
        if (met[domains_[i]]++ == 0) ++domain_count_;
      }
      if (by_rack && domain_count_ >= options.replicas) break;
    }
    // If every domain holds a copy of everything, which of them owns what does not matter, so fewer
    // replicas are considered.
    replicas_ = (std::min)(options.replicas, domain_count_);
    if (met[domains_[joiner_]] == 1 && domain_count_ == replicas_) {
      replicas_ = (std::max)(domain_count_ - 1, std::size_t{1});
    }
  }

  /// Sets the fair shares: by weight, but no domain above one copy of everything.
  void set_targets(const std::vector<Member>& members) {
    std::vector<std::uint64_t> weights;
    std::vector<std::pair<std::uint64_t, std::size_t>> heaviest;
    std::vector<std::uint64_t> domain_weights;
    for (std::size_t i = 0; i < members.size(); ++i) {
      weights.push_back(
          (std::min)(vnode_count(members[i].weight, 1 << 16), std::uint64_t{1} << 40));
      if (domains_[i] >= domain_weights.size()) domain_weights.resize(domains_[i] + 1);
      domain_weights[domains_[i]] += weights[i];
    }
    std::uint64_t rest = 0;
    for (std::size_t domain = 0; domain < domain_weights.size(); ++domain) {
      if (domain_weights[domain] > 0) heaviest.emplace_back(domain_weights[domain], domain);
      rest += domain_weights[domain];
    }
    std::sort(heaviest.rbegin(), heaviest.rend());
    std::vector<std::uint64_t> shares(domain_weights.size());
    std::uint64_t left = replicas_ * static_cast<std::uint64_t>(whole);
    for (const auto& [weight, domain] : heaviest) {
      shares[domain] =
          (std::min)(static_cast<std::uint64_t>(whole), proportion(left, weight, rest));
      left -= shares[domain];
      rest -= weight;
    }
    for (std::size_t i = 0; i < members.size(); ++i) {
      const std::uint64_t target =
          proportion(shares[domains_[i]], weights[i], domain_weights[domains_[i]]);
      targets_.push_back((std::max)(static_cast<std::int64_t>(target), one));
    }
  }

  /// Returns value * part / all, for part <= all.
  static std::uint64_t proportion(std::uint64_t value, std::uint64_t part, std::uint64_t all) {
    return part == all ? value : divide(multiply_high(value, part), value * part, all);
  }

  std::size_t before(std::size_t rank) const { return rank == 0 ? vnodes_.size() - 1 : rank - 1; }
  std::int64_t width(std::size_t rank) const {
    if (vnodes_.size() == 1) return whole;
    return static_cast<std::int64_t>((vnodes_[rank].position - vnodes_[before(rank)].position) >>
                                     unit_bits);
  }

  std::uint64_t insert(std::uint64_t position) {
    position = free_position(position);
    vnodes_.insert(vnodes_.begin() + rank_of(position), {position, joiner_});
    measure();
    return position;
  }
  void erase(std::uint64_t position) {
    vnodes_.erase(vnodes_.begin() + rank_of(position));
    measure();
  }
  std::ptrdiff_t rank_of(std::uint64_t position) const {
    return std::lower_bound(
               vnodes_.begin(), vnodes_.end(), position,
               [](const Vnode& vnode, std::uint64_t wanted) { return vnode.position < wanted; }) -
           vnodes_.begin();
  }
  /// Returns the next position without a token, here or in another datacenter.
  std::uint64_t free_position(std::uint64_t position) const {
    for (;; ++position) {
      const auto rank = static_cast<std::size_t>(rank_of(position));
      const auto other = std::lower_bound(elsewhere_.begin(), elsewhere_.end(), position);
      if ((rank == vnodes_.size() || vnodes_[rank].position != position) &&
          (other == elsewhere_.end() || *other != position)) {
        return position;
      }
    }
  }

  /// Computes from the replica lists of all arcs what each member owns, and which node would lose
  /// each arc to the joiner; then the distances of the arcs from the tokens of the joiner's domain.
  void measure() {
    const std::size_t count = vnodes_.size();
    owned_.assign(targets_.size(), 0);
    displaced_.assign(count, joiner_);
    ReplicaWindow window(replicas_, Spread::nodes, {domain_count_, domain_count_}, 0);
    for (std::size_t step = 2 * count; step-- > 0;) {
      const std::size_t rank = step % count;
      const std::size_t owner = vnodes_[rank].owner;
      window.see(static_cast<std::uint32_t>(owner), static_cast<std::uint32_t>(domains_[owner]));
      if (step >= count || !window.full()) continue;
      std::size_t last = joiner_;
      bool own_domain = false;
      for (const std::uint32_t node : window.replicas()) {
        owned_[node] += width(rank);
        if (!own_domain) last = node;
        own_domain = own_domain || domains_[node] == domains_[joiner_];
      }
      displaced_[rank] = last;
    }
    measure_gaps();
  }

  /// If every domain holds a copy of everything, the tokens of the joiner's domain form a separate
  /// ring. Computes how far each arc's ends are from those tokens.
  void measure_gaps() {
    const std::size_t count = vnodes_.size();
    behind_.assign(count, 0);
    ahead_.assign(count, 0);
    crowd_ = count;
    if (domain_count_ > wanted_replicas_) return;
    std::size_t own = 0;
    for (const Vnode& vnode : vnodes_) own += is_own(vnode) ? std::size_t{1} : 0;
    if (own == 0) return;
    crowd_ = own;
    for (std::size_t step = 0; step < 2 * count; ++step) {
      const std::size_t rank = step % count;
      const std::size_t last = before(rank);
      behind_[rank] = is_own(vnodes_[last]) ? 0 : behind_[last] + width(last);
    }
    for (std::size_t step = 2 * count; step-- > 0;) {
      const std::size_t rank = step % count;
      const std::size_t next = rank + 1 == count ? 0 : rank + 1;
      ahead_[rank] = is_own(vnodes_[rank]) ? 0 : ahead_[next] + width(next);
    }
  }
  bool is_own(const Vnode& vnode) const { return domains_[vnode.owner] == domains_[joiner_]; }

  /// Returns value / unit, in units of 2^-20, between -128 and 128.
  static std::int64_t ratio(std::int64_t value, std::int64_t unit) {
    constexpr std::int64_t most = std::int64_t{1} << 27;
    return (std::min)((std::max)(value / (std::max)(unit >> 20, std::int64_t{1}), -most), most);
  }
  static std::int64_t square(std::int64_t value) { return value * value; }
  /// Returns the cost of a member that is `excess` above its fair share. Steep above 3%, so that
  /// peaks are cut first.
  static std::int64_t cost_of(std::int64_t excess) {
    const std::int64_t high =
        (std::min)((std::max)(excess, std::int64_t{0}), std::int64_t{1} << 22);
    return square(square(high) >> 15) + square(excess);
  }

  /// What a new token would take from each node.
  struct Losses {
    std::array<std::pair<std::size_t, std::int64_t>, 64> entries;
    std::size_t size = 0;

    std::int64_t of(std::size_t node) const {
      for (std::size_t i = 0; i < size; ++i) {
        if (entries[i].first == node) return entries[i].second;
      }
      return 0;
    }
    void add(std::size_t node, std::int64_t loss) {
      for (std::size_t i = 0; i < size; ++i) {
        if (entries[i].first == node) {
          entries[i].second += loss;
          return;
        }
      }
      if (size < entries.size()) entries[size++] = {node, loss};
    }
  };

  Cut best_cut(std::size_t count) const {
    Cut best;
    for (std::size_t rank = 0; rank < vnodes_.size(); ++rank) {
      const Cut cut = cut_in(rank, count);
      if (cut.found && (!best.found || cut.cost < best.cost)) best = cut;
    }
    if (best.found) return best;
    std::size_t widest = 0;  // no node would lose anything: take the widest arc
    for (std::size_t rank = 1; rank < vnodes_.size(); ++rank) {
      if (width(rank) > width(widest)) widest = rank;
    }
    best.position = position_in(widest, width(widest) / 2);
    return best;
  }

  std::uint64_t position_in(std::size_t rank, std::int64_t offset) const {
    return vnodes_[before(rank)].position + (static_cast<std::uint64_t>(offset) << unit_bits);
  }

  /// Returns the cheapest cut in one arc (a, b]. For any cut p, (a, p] goes to the joiner. So do
  /// the arcs before it, as long as the new token is the first of its domain, and that domain among
  /// the nearest.
  Cut cut_in(std::size_t rank, std::size_t count) const {
    const std::int64_t room = width(rank);
    const std::size_t loser = displaced_[rank];
    if (room < 16 || loser == joiner_) return {};

    Losses losses;
    std::int64_t gained = owned_[joiner_];
    std::array<std::size_t, 16> domains_between;
    std::size_t between = 0;
    for (std::size_t arc = before(rank); arc != rank; arc = before(arc)) {
      const std::size_t domain = domains_[vnodes_[arc].owner];
      if (domain == domains_[joiner_] || displaced_[arc] == joiner_) break;
      const auto end = domains_between.begin() + static_cast<std::ptrdiff_t>(between);
      if (std::find(domains_between.begin(), end, domain) == end) {
        if (between + 1 >= replicas_ || between == domains_between.size()) break;
        domains_between[between++] = domain;
      }
      gained += width(arc);
      losses.add(displaced_[arc], width(arc));
    }

    const std::int64_t target = targets_[joiner_];
    const std::int64_t goal = target - target / static_cast<std::int64_t>(count) *
                                           static_cast<std::int64_t>(tokens_left_ - 1);
    const std::int64_t best = best_offset(loser, losses.of(loser), gained - goal);
    const std::int64_t offset = (std::min)((std::max)(best, room / 10), room - room / 10);
    losses.add(loser, offset);

    std::int64_t cost = square(ratio(gained + offset - goal, target));
    for (std::size_t i = 0; i < losses.size; ++i) {
      const auto [node, loss] = losses.entries[i];
      const std::int64_t excess = owned_[node] - targets_[node];
      cost +=
          cost_of(ratio(excess - loss, targets_[node])) - cost_of(ratio(excess, targets_[node]));
      const std::int64_t taken = taken_from(node);
      cost += (square(ratio(taken + loss, targets_[node])) - square(ratio(taken, targets_[node]))) *
              3 / 10;
    }
    const std::int64_t left = behind_[rank] + offset;
    const std::int64_t right = room - offset + ahead_[rank];
    cost += (crowding(left) + crowding(right) - crowding(left + right)) / 256;
    return {position_in(rank, offset), cost, true};
  }

  /// Returns the offset with the least sum of squares of the loser's excess, the joiner's deficit,
  /// and what the loser inherits from the joiner. `gap`: the joiner's excess without this arc.
  std::int64_t best_offset(std::size_t loser, std::int64_t loss, std::int64_t gap) const {
    const std::int64_t target = targets_[joiner_];
    const std::int64_t own = targets_[loser];
    // In ratios of the joiner's target; `scale`, in units of 2^-8, converts the loser's.
    const std::int64_t scale =
        (std::max)((std::min)((target << 8) / own, std::int64_t{1} << 14), std::int64_t{1});
    const std::int64_t excess = ratio(owned_[loser] - loss - own, own);
    const std::int64_t taken = ratio(taken_from(loser) + loss, own);
    const std::int64_t pull = (scale * (excess - taken * 3 / 10) >> 8) - ratio(gap, target);
    const std::int64_t weight = (scale * scale * 13 / 10 >> 8) + (1 << 8);
    return (pull << 8) / weight * (target >> 20);
  }

  std::int64_t taken_from(std::size_t node) const {
    return (std::max)(owned_before_[node] - owned_[node], std::int64_t{0});
  }
  std::int64_t crowding(std::int64_t gap) const {
    const std::int64_t mean = whole / static_cast<std::int64_t>(crowd_ + tokens_left_);
    return square(ratio(gap - mean, mean));
  }

  std::size_t tokens_left_;  // still to be chosen, including the present one
  std::size_t wanted_replicas_;
  std::size_t replicas_ = 0;
  std::size_t joiner_ = 0;
  std::size_t domain_count_ = 0;
  std::vector<std::size_t> domains_;      // by member
  std::vector<std::int64_t> targets_;     // by member
  std::vector<Vnode> vnodes_;             // by position
  std::vector<std::uint64_t> elsewhere_;  // positions in other datacenters
  std::vector<std::int64_t> owned_;       // by member
  std::vector<std::int64_t> owned_before_;
  std::vector<std::size_t> displaced_;  // by rank: the node that would lose its arc to the joiner
  std::vector<std::int64_t> behind_;    // by rank
  std::vector<std::int64_t> ahead_;
  std::size_t crowd_ = 0;  // tokens among which the joiner's must fit
};

}  // namespace detail

/// Returns tokens for a node that is about to join `ring`: vnode_count(weight, vnodes) of them, as
/// many vnodes as a HashRing would give it, and none that the ring has. They balance, by weight,
/// how much of the circle each member of its datacenter holds a copy of. The tokens are a function
/// of the ring and the options, the same on every platform.
///
/// Throws std::invalid_argument if vnodes or replicas is 0, vnodes is above max_vnodes_per_node, or
/// the weight is negative, NaN or infinite; std::length_error for more than max_vnodes_per_node
/// tokens. O(V R M) for V tokens among M, and more if a rack is rare: meant for few vnodes.
template <detail::Ring R>
std::vector<std::uint64_t> allocate_tokens(const R& ring, NodeOptions joining,
                                           const AllocationOptions& options = {}) {
  if (options.vnodes == 0 || options.vnodes > max_vnodes_per_node) {
    detail::fail_invalid("vnodes must be between 1 and " + std::to_string(max_vnodes_per_node) +
                         ", got " + std::to_string(options.vnodes));
  }
  if (options.replicas == 0) detail::fail_invalid("replicas must be at least 1, got 0");
  joining.weight = detail::checked_weight("(joining)", joining.weight);
  const std::uint64_t count = vnode_count(joining.weight, options.vnodes);
  if (count > max_vnodes_per_node) {
    detail::fail_length("a weight of " + std::to_string(joining.weight) + " needs " +
                        std::to_string(count) + " tokens; the maximum is " +
                        std::to_string(max_vnodes_per_node));
  }
  if (count == 0) return {};
  auto tokens = detail::TokenAllocation(ring, joining, options).tokens();
  std::sort(tokens.begin(), tokens.end());
  return tokens;
}

}  // namespace clockwise

#endif  // CLOCKWISE_TOKEN_ALLOCATOR_HPP
