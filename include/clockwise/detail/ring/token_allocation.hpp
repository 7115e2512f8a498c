// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_RING_TOKEN_ALLOCATION_HPP
#define CLOCKWISE_DETAIL_RING_TOKEN_ALLOCATION_HPP

// The search for a joining node's tokens.
//
// It balances replicated ownership: the share of the circle that a node holds a replica of. A new
// token takes over a run of arcs that ends at it; on each arc it replaces one node. For every arc
// of the ring, the best position for a cut is computed, and the cost of the cut: how far it leaves
// the joiner and the nodes that lose from their fair shares. The cheapest cut is made, once per
// token. Then each token is removed and placed again at its best position, with all others known.
//
// Two further terms of the cost help later changes: a joiner should take little from each of many
// nodes, because they inherit from it when it leaves, and tokens should not crowd.
//
// All arithmetic is in integers, so every platform chooses the same tokens.

#include <algorithm>  // fill, find, lower_bound, max, min, sort, unique
#include <array>      // array
#include <cstddef>    // ptrdiff_t, size_t
#include <cstdint>    // int64_t, uint32_t, uint64_t
#include <span>       // span
#include <string>     // string
#include <utility>    // pair
#include <vector>     // vector

#include "clockwise/detail/base/fixed_point.hpp"
#include "clockwise/detail/ring/replica_sweep.hpp"
#include "clockwise/node.hpp"
#include "clockwise/replication.hpp"

namespace clockwise::detail {

/// The numbers in which tokens are weighed: widths, in units of 2^-50 of the circle, and ratios of
/// widths, in units of 2^-20. 64 bits hold a width of 2^13 circles, which is what that many
/// replicas own, and the sum of the squares of 2^9 ratios of up to 128.
struct AllocationScale {
  static constexpr int circle_bits = 50;
  static constexpr std::int64_t circle = std::int64_t{1} << circle_bits;  ///< The width of all.
  static constexpr int position_bits = 64 - circle_bits;  ///< From positions to widths.

  static constexpr int ratio_bits = 20;
  static constexpr std::int64_t one = std::int64_t{1} << ratio_bits;  ///< The ratio of 1.
  static constexpr std::int64_t most = 128 * one;

  /// Returns value / unit as a ratio, between -most and most.
  static std::int64_t ratio(std::int64_t value, std::int64_t unit) {
    const std::int64_t one_of_it = (std::max)(unit >> ratio_bits, std::int64_t{1});
    return (std::min)((std::max)(value / one_of_it, -most), most);
  }
  static std::int64_t square(std::int64_t ratio) { return ratio * ratio; }
};

/// The failure domains and fair shares of the members of one datacenter, the joiner last.
class AllocationMembers {
 public:
  struct Member {
    double weight;
    const std::string* rack;
  };

  template <class Members>
  AllocationMembers(const Members& members, std::size_t replicas, Spread spread) {
    number_domains(members, replicas, spread);
    set_targets(members);
  }

  std::size_t size() const { return domains_.size(); }
  std::size_t joiner() const { return size() - 1; }
  std::size_t domain(std::size_t member) const { return domains_[member]; }
  std::size_t domain_count() const { return domain_count_; }
  /// The fair share of a member: a width, and never 0.
  std::int64_t target(std::size_t member) const { return targets_[member]; }
  /// The replicas that are considered.
  std::size_t replicas() const { return replicas_; }

 private:
  /// Weights in proportion, in units of 2^-16 and up to 2^24, so that their sum fits 64 bits.
  static std::uint64_t integer_weight(double weight) {
    constexpr std::uint32_t unit = 1 << 16;
    constexpr std::uint64_t most = std::uint64_t{1} << 40;
    return (std::min)(clockwise::vnode_count(weight, unit), most);
  }

  /// The failure domains are the racks, and the nodes without one, if each replica can have its
  /// own; otherwise the nodes.
  template <class Members>
  void number_domains(const Members& members, std::size_t replicas, Spread spread) {
    std::vector<std::string> racks;
    racks.reserve(members.size());
    for (const Member& member : members) racks.push_back(*member.rack);
    std::sort(racks.begin(), racks.end());
    racks.erase(std::unique(racks.begin(), racks.end()), racks.end());
    domains_.resize(members.size());
    std::vector<std::size_t> sizes(racks.size() + members.size());
    const auto number = [&](bool by_rack) {
      std::fill(sizes.begin(), sizes.end(), 0);
      domain_count_ = 0;
      for (std::size_t i = 0; i < members.size(); ++i) {
        const std::string& rack = *members[i].rack;
        const auto place = std::lower_bound(racks.begin(), racks.end(), rack) - racks.begin();
        domains_[i] = by_rack && !rack.empty() ? static_cast<std::size_t>(place) : racks.size() + i;
        if (sizes[domains_[i]]++ == 0) ++domain_count_;
      }
    };
    number(spread != Spread::nodes);
    if (domain_count_ < replicas) number(false);

    // If every domain holds a copy of everything, it does not matter which of them owns what, so
    // fewer replicas are considered.
    replicas_ = (std::min)(replicas, domain_count_);
    if (sizes[domains_[joiner()]] == 1 && domain_count_ == replicas_) {
      replicas_ = (std::max)(domain_count_ - 1, std::size_t{1});
    }
  }

  /// Sets the fair shares: by weight, but no domain above one copy of everything.
  template <class Members>
  void set_targets(const Members& members) {
    std::vector<std::uint64_t> weights;
    std::vector<std::uint64_t> domain_weights;
    for (std::size_t i = 0; i < members.size(); ++i) {
      weights.push_back(integer_weight(members[i].weight));
      if (domains_[i] >= domain_weights.size()) domain_weights.resize(domains_[i] + 1);
      domain_weights[domains_[i]] += weights[i];
    }
    std::vector<std::pair<std::uint64_t, std::size_t>> heaviest;
    std::uint64_t weight_left = 0;
    for (std::size_t domain = 0; domain < domain_weights.size(); ++domain) {
      if (domain_weights[domain] > 0) heaviest.emplace_back(domain_weights[domain], domain);
      weight_left += domain_weights[domain];
    }
    std::sort(heaviest.rbegin(), heaviest.rend());

    constexpr auto circle = static_cast<std::uint64_t>(AllocationScale::circle);
    std::vector<std::uint64_t> shares(domain_weights.size());
    std::uint64_t left = replicas_ * circle;
    for (const auto& [weight, domain] : heaviest) {
      shares[domain] = (std::min)(circle, proportion(left, weight, weight_left));
      left -= shares[domain];
      weight_left -= weight;
    }
    for (std::size_t i = 0; i < members.size(); ++i) {
      const std::uint64_t target =
          proportion(shares[domains_[i]], weights[i], domain_weights[domains_[i]]);
      targets_.push_back((std::max)(static_cast<std::int64_t>(target), AllocationScale::one));
    }
  }

  /// Returns value * part / all, for part <= all.
  static std::uint64_t proportion(std::uint64_t value, std::uint64_t part, std::uint64_t all) {
    return part == all ? value
                       : detail::divide(detail::multiply_high(value, part), value * part, all);
  }

  std::vector<std::size_t> domains_;
  std::vector<std::int64_t> targets_;
  std::size_t domain_count_ = 0;
  std::size_t replicas_ = 0;
};

/// The tokens of one datacenter, including the joiner's as they are chosen.
class TokenAllocation {
 public:
  /// For `count` tokens of a node that joins the ring with these options.
  template <class R>
  TokenAllocation(const R& ring, const NodeOptions& joining, std::size_t count,
                  std::size_t replicas, Spread spread)
      : TokenAllocation(ring, joining, count, replicas, spread, local_members(ring, joining)) {}

  std::vector<std::uint64_t> tokens() {
    std::vector<std::uint64_t> tokens;
    const std::size_t count = tokens_left_;
    if (vnodes_.empty()) {
      const std::uint64_t distance = ~std::uint64_t{0} / count;
      for (std::size_t i = 0; i < count; ++i) tokens.push_back(free_position(distance * i));
      return tokens;
    }
    measure();
    owned_before_ = owned_;
    for (; tokens_left_ > 0; --tokens_left_) tokens.push_back(insert(best_cut(count)));
    for (std::uint64_t& token : tokens) {
      erase(token);
      tokens_left_ = 1;
      token = insert(best_cut(count));
    }
    return tokens;
  }

 private:
  struct Vnode {
    std::uint64_t position;
    std::size_t owner;
  };
  struct Cut {
    std::uint64_t position = 0;
    std::int64_t cost = 0;
    bool found = false;
  };

  // The cuts that are tried.

  /// A width; narrower arcs are not cut.
  static constexpr std::int64_t narrowest_arc = 16;
  /// A cut leaves at least a tenth of the arc on each side.
  static constexpr std::int64_t margin_divisor = 10;

  // The cost of a cut: a sum of squares of ratios. Other weights would choose other tokens, so they
  // never change.

  /// A node's excess counts steeply above 2^-5, which is 3%, so that peaks are cut first.
  static constexpr int steep_bits = 5;
  /// Above an excess of 4, which is beyond repair, it stops getting steeper, so it fits 64 bits.
  static constexpr std::int64_t most_steep = 4 * AllocationScale::one;
  /// The share that a node would inherit from the joiner counts 3/10 of its excess: it matters only
  /// later.
  static constexpr std::int64_t inherited_numerator = 3;
  static constexpr std::int64_t inherited_denominator = 10;
  /// Crowding counts 1/256: it decides between cuts that are nearly equal otherwise.
  static constexpr std::int64_t crowding_divisor = 256;

  /// The shares that a new token would take from each node.
  class Losses {
   public:
    std::span<const std::pair<std::size_t, std::int64_t>> all() const {
      return std::span(entries_).first(size_);
    }
    std::int64_t of(std::size_t node) const {
      for (const auto& [loser, loss] : all()) {
        if (loser == node) return loss;
      }
      return 0;
    }
    void add(std::size_t node, std::int64_t loss) {
      for (std::size_t i = 0; i < size_; ++i) {
        if (entries_[i].first == node) {
          entries_[i].second += loss;
          return;
        }
      }
      if (size_ < entries_.size()) entries_[size_++] = {node, loss};
    }

   private:
    std::array<std::pair<std::size_t, std::int64_t>, 64> entries_;  // others are not weighed
    std::size_t size_ = 0;
  };

  struct LocalMembers {
    std::vector<AllocationMembers::Member> members;  // the joiner last
    std::vector<std::size_t> number;                 // by index in the ring
  };

  template <class R>
  static LocalMembers local_members(const R& ring, const NodeOptions& joining) {
    LocalMembers local;
    local.number.resize(ring.members().size());
    for (std::size_t i = 0; i < local.number.size(); ++i) {
      const auto& member = ring.members()[i];
      if (member.vnodes == 0 || member.datacenter != joining.datacenter) continue;
      local.number[i] = local.members.size();
      local.members.push_back({member.weight, &member.rack});
    }
    local.members.push_back({joining.weight, &joining.rack});
    return local;
  }

  template <class R>
  TokenAllocation(const R& ring, const NodeOptions& joining, std::size_t count,
                  std::size_t replicas, Spread spread, const LocalMembers& local)
      : members_(local.members, replicas, spread),
        joiner_(members_.joiner()),
        wanted_replicas_(replicas),
        tokens_left_(count) {
    const auto positions = ring.positions();
    const auto owners = ring.owners();
    for (std::size_t rank = 0; rank < positions.size(); ++rank) {
      if (ring.members()[owners[rank]].datacenter != joining.datacenter) {
        elsewhere_.push_back(positions[rank]);
      } else {
        vnodes_.push_back({positions[rank], local.number[owners[rank]]});
      }
    }
  }

  // --- The ring of the datacenter ----------------------------------------------------------------

  std::size_t before(std::size_t rank) const { return rank == 0 ? vnodes_.size() - 1 : rank - 1; }
  std::int64_t width(std::size_t rank) const {
    if (vnodes_.size() == 1) return AllocationScale::circle;
    return static_cast<std::int64_t>((vnodes_[rank].position - vnodes_[before(rank)].position) >>
                                     AllocationScale::position_bits);
  }
  /// Returns the position `offset` after the start of an arc.
  std::uint64_t position_in(std::size_t rank, std::int64_t offset) const {
    return vnodes_[before(rank)].position +
           (static_cast<std::uint64_t>(offset) << AllocationScale::position_bits);
  }
  std::size_t domain_of(const Vnode& vnode) const { return members_.domain(vnode.owner); }
  bool is_own(const Vnode& vnode) const { return domain_of(vnode) == members_.domain(joiner_); }

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

  // --- Ownership ---------------------------------------------------------------------------------

  /// Computes from the replica lists of all arcs how much each member owns, and which node would
  /// lose each arc to the joiner; then the distances of the arcs from the tokens of the joiner's
  /// domain.
  void measure() {
    const std::size_t count = vnodes_.size();
    owned_.assign(members_.size(), 0);
    displaced_.assign(count, joiner_);
    ReplicaWindow window(members_.replicas(), Spread::nodes,
                         {members_.domain_count(), members_.domain_count()}, 0);
    for (std::size_t turn = 2 * count; turn-- > 0;) {  // twice round: the first fills the window
      const std::size_t rank = turn % count;
      window.see(static_cast<std::uint32_t>(vnodes_[rank].owner),
                 static_cast<std::uint32_t>(domain_of(vnodes_[rank])));
      if (turn >= count || !window.full()) continue;
      std::size_t last = joiner_;
      bool own_domain = false;
      for (const std::uint32_t node : window.replicas()) {
        owned_[node] += width(rank);
        if (!own_domain) last = node;
        own_domain = own_domain || members_.domain(node) == members_.domain(joiner_);
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
    if (members_.domain_count() > wanted_replicas_) return;
    std::size_t own = 0;
    for (const Vnode& vnode : vnodes_) own += is_own(vnode) ? std::size_t{1} : 0;
    if (own == 0) return;
    crowd_ = own;
    for (std::size_t turn = 0; turn < 2 * count; ++turn) {
      const std::size_t rank = turn % count;
      const std::size_t last = before(rank);
      behind_[rank] = is_own(vnodes_[last]) ? 0 : behind_[last] + width(last);
    }
    for (std::size_t turn = 2 * count; turn-- > 0;) {
      const std::size_t rank = turn % count;
      const std::size_t next = rank + 1 == count ? 0 : rank + 1;
      ahead_[rank] = is_own(vnodes_[rank]) ? 0 : ahead_[next] + width(next);
    }
  }

  std::int64_t excess_of(std::size_t node) const { return owned_[node] - members_.target(node); }
  std::int64_t taken_from(std::size_t node) const {
    return (std::max)(owned_before_[node] - owned_[node], std::int64_t{0});
  }
  /// The width that the joiner should own once the current token is chosen. `count`: all its
  /// tokens.
  std::int64_t goal(std::size_t count) const {
    const std::int64_t target = members_.target(joiner_);
    return target -
           target / static_cast<std::int64_t>(count) * static_cast<std::int64_t>(tokens_left_ - 1);
  }

  // --- The best cut ------------------------------------------------------------------------------

  std::uint64_t best_cut(std::size_t count) const {
    Cut best;
    for (std::size_t rank = 0; rank < vnodes_.size(); ++rank) {
      const Cut cut = cut_in(rank, goal(count));
      if (cut.found && (!best.found || cut.cost < best.cost)) best = cut;
    }
    if (best.found) return best.position;
    std::size_t widest = 0;  // no node would lose anything: take the widest arc
    for (std::size_t rank = 1; rank < vnodes_.size(); ++rank) {
      if (width(rank) > width(widest)) widest = rank;
    }
    return position_in(widest, width(widest) / 2);
  }

  /// Returns the cheapest cut in one arc (a, b]. For any cut p, (a, p] goes to the joiner.
  Cut cut_in(std::size_t rank, std::int64_t goal) const {
    const std::int64_t room = width(rank);
    const std::size_t loser = displaced_[rank];
    if (room < narrowest_arc || loser == joiner_) return {};
    Losses losses;
    const std::int64_t gained = owned_[joiner_] + losses_before(rank, losses);
    const std::int64_t margin = room / margin_divisor;
    const std::int64_t best = best_offset(loser, losses.of(loser), gained - goal);
    const std::int64_t offset = (std::min)((std::max)(best, margin), room - margin);
    losses.add(loser, offset);

    std::int64_t cost = AllocationScale::square(
        AllocationScale::ratio(gained + offset - goal, members_.target(joiner_)));
    for (const auto& [node, loss] : losses.all()) cost += cost_of(node, loss);
    const std::int64_t left = behind_[rank] + offset;
    const std::int64_t right = room - offset + ahead_[rank];
    cost += (crowding(left) + crowding(right) - crowding(left + right)) / crowding_divisor;
    return {position_in(rank, offset), cost, true};
  }

  /// Adds the arcs that the joiner gets, in addition to part of the arc `rank`, if that arc is cut:
  /// the arcs before it, as long as the new token is the first of its domain, and that domain among
  /// the nearest. Returns their width.
  std::int64_t losses_before(std::size_t rank, Losses& losses) const {
    std::int64_t gained = 0;
    std::array<std::size_t, 16>
        domains;  // between the arc and the cut; the run ends if they are more
    std::size_t between = 0;
    for (std::size_t arc = before(rank); arc != rank; arc = before(arc)) {
      if (is_own(vnodes_[arc]) || displaced_[arc] == joiner_) break;
      const std::size_t domain = domain_of(vnodes_[arc]);
      const auto end = domains.begin() + static_cast<std::ptrdiff_t>(between);
      if (std::find(domains.begin(), end, domain) == end) {
        if (between + 1 >= members_.replicas() || between == domains.size()) break;
        domains[between++] = domain;
      }
      gained += width(arc);
      losses.add(displaced_[arc], width(arc));
    }
    return gained;
  }

  /// Returns the offset with the least sum of squares of the loser's excess, the joiner's deficit,
  /// and what the loser inherits from the joiner. `gap`: the joiner's excess without this arc.
  std::int64_t best_offset(std::size_t loser, std::int64_t loss, std::int64_t gap) const {
    // In ratios of the joiner's target; `scale` converts the loser's, in units of 2^-8.
    constexpr int scale_bits = 8;
    constexpr std::int64_t most_scale = std::int64_t{64} << scale_bits;
    const std::int64_t target = members_.target(joiner_);
    const std::int64_t own = members_.target(loser);
    const std::int64_t scale =
        (std::max)((std::min)((target << scale_bits) / own, most_scale), std::int64_t{1});
    const std::int64_t excess = AllocationScale::ratio(excess_of(loser) - loss, own);
    const std::int64_t taken = AllocationScale::ratio(taken_from(loser) + loss, own);
    const std::int64_t pull =
        (scale * (excess - taken * inherited_numerator / inherited_denominator) >> scale_bits) -
        AllocationScale::ratio(gap, target);
    const std::int64_t weight =
        (scale * scale * (inherited_denominator + inherited_numerator) / inherited_denominator >>
         scale_bits) +
        (1 << scale_bits);
    return (pull << scale_bits) / weight * (target >> AllocationScale::ratio_bits);
  }

  /// Returns by how much the cost of a node rises if it loses `loss`.
  std::int64_t cost_of(std::size_t node, std::int64_t loss) const {
    const std::int64_t target = members_.target(node);
    const std::int64_t excess = excess_of(node);
    const std::int64_t taken = taken_from(node);
    return cost_of_excess(AllocationScale::ratio(excess - loss, target)) -
           cost_of_excess(AllocationScale::ratio(excess, target)) +
           (AllocationScale::square(AllocationScale::ratio(taken + loss, target)) -
            AllocationScale::square(AllocationScale::ratio(taken, target))) *
               inherited_numerator / inherited_denominator;
  }
  /// `excess`: above the fair share, as a ratio.
  static std::int64_t cost_of_excess(std::int64_t excess) {
    const std::int64_t high = (std::min)((std::max)(excess, std::int64_t{0}), most_steep);
    return AllocationScale::square(AllocationScale::square(high) >>
                                   (AllocationScale::ratio_bits - steep_bits)) +
           AllocationScale::square(excess);
  }
  std::int64_t crowding(std::int64_t gap) const {
    const std::int64_t mean =
        AllocationScale::circle / static_cast<std::int64_t>(crowd_ + tokens_left_);
    return AllocationScale::square(AllocationScale::ratio(gap - mean, mean));
  }

  AllocationMembers members_;
  std::size_t joiner_;                      // its index in members_
  std::size_t wanted_replicas_;             // members_ can consider fewer
  std::size_t tokens_left_;                 // still to be chosen, including the current one
  std::vector<Vnode> vnodes_;               // by position
  std::vector<std::uint64_t> elsewhere_;    // positions in other datacenters
  std::vector<std::int64_t> owned_;         // by member
  std::vector<std::int64_t> owned_before_;  // the join
  std::vector<std::size_t> displaced_;  // by rank: the node that would lose its arc to the joiner
  std::vector<std::int64_t> behind_;    // by rank
  std::vector<std::int64_t> ahead_;
  std::size_t crowd_ = 0;  // tokens among which the joiner's must fit
};

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_RING_TOKEN_ALLOCATION_HPP
