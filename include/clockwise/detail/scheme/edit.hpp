// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_SCHEME_EDIT_HPP
#define CLOCKWISE_DETAIL_SCHEME_EDIT_HPP

// The write side of a ring that members join and leave: a change is collected, planned separately
// and merged into the table, all or nothing.

#include <bit>          // bit_cast
#include <concepts>     // unsigned_integral
#include <cstddef>      // size_t
#include <cstdint>      // uint32_t, uint64_t
#include <map>          // map
#include <optional>     // nullopt, optional
#include <span>         // span
#include <string>       // string, to_string
#include <string_view>  // string_view
#include <utility>      // forward, move, move_if_noexcept
#include <vector>       // vector

#include "clockwise/detail/base/error.hpp"
#include "clockwise/detail/base/node_id.hpp"
#include "clockwise/detail/scheme/ring_base.hpp"
#include "clockwise/detail/ring/ring_table.hpp"
#include "clockwise/detail/ring/topology.hpp"
#include "clockwise/hash.hpp"
#include "clockwise/node.hpp"

namespace clockwise::detail {

/// The input of a fingerprint: 64-bit numbers, little-endian, and texts, each after its length.
class FingerprintBytes {
 public:
  explicit FingerprintBytes(std::string head) : bytes_(std::move(head)) {}

  void append(std::uint64_t number) {
    for (int shift = 0; shift < 64; shift += 8) bytes_ += static_cast<char>(number >> shift & 0xff);
  }
  void append(std::string_view text) {
    append(std::uint64_t{text.size()});
    bytes_ += text;
  }
  template <class Members>
  void append_members(const Members& members) {
    append(std::uint64_t{members.size()});
    for (const auto& member : members) {
      append(std::string_view(id_of(member.node)));
      append(std::bit_cast<std::uint64_t>(member.weight));
      append(std::string_view(member.rack));
      append(std::string_view(member.datacenter));
    }
  }

  Fingerprint digest() const { return detail::digest(bytes_); }

 private:
  std::string bytes_;
};

/// For rings that place a member by its row of the node table alone.
struct NoPlacement {};

/// `Placement`: what places a member, in addition to its row of the node table. The ring flavour
/// offers `Edit`, derived from EditBase and constructible from the flavour, and
/// `append_vnodes(std::span<const Step>, Change&)`, which turns members into vnodes.
template <class Ring, class Node, std::unsigned_integral Index, class Lookup,
          class Placement = NoPlacement>
class EditableRing : public RingBase<Ring, Node, Index, Lookup> {
 public:
  using RingBase<Ring, Node, Index, Lookup>::npos;

  /// Removes a node; returns false if absent. `id` is an id or a node.
  template <class Id>
  bool remove(const Id& id) {
    bool removed = false;
    update([&](typename Ring::Edit& edit) { removed = edit.remove(id); });
    return removed;
  }

  /// Applies several changes as one: fn(edit) calls the ring's mutators on edit, each seeing the
  /// earlier ones. If fn or the change throws, the ring is unchanged.
  template <class Fn>
  void update(Fn&& fn) {
    typename Ring::Edit edit(static_cast<const Ring&>(*this));
    std::forward<Fn>(fn)(edit);
    apply(edit);
  }

  void clear() noexcept {
    this->members_.clear();
    this->table_ = {};
    this->topology_ = {};
  }

 protected:
  using Change = typename RingTable<Index, Lookup>::Change;

  /// A member after the change.
  struct Pending {
    Member<Node> member;
    [[no_unique_address]] Placement placement{};
  };

  /// The change of one member.
  struct Step {
    std::string_view id;
    const Member<Node>* before;  ///< nullptr: it joins.
    const Pending* after;        ///< nullptr: it leaves.
    Index old_index;             ///< Its index before, if it was a member,
    Index new_index;             ///< and after, if it is one.
  };

  class EditBase {
   public:
    template <class Id>
    bool remove(const Id& id) {
      std::string text(std::string_view(id_of(id)));
      if (find(text) == nullptr) return false;
      pending_.insert_or_assign(std::move(text), std::nullopt);
      return true;
    }

    template <class Id>
    bool contains(const Id& id) const {
      return find(std::string(std::string_view(id_of(id)))) != nullptr;
    }

   protected:
    explicit EditBase(const EditableRing& ring) : ring_(ring) {}

    /// Returns a joining node's id. Throws std::invalid_argument if it is empty or a member's.
    std::string joining_id(const Node& node) const {
      std::string id(std::string_view(id_of(node)));
      check_id(id);
      if (find(id) != nullptr) fail_invalid("node " + quoted(id) + " is already a member");
      return id;
    }
    const Member<Node>* find(const std::string& id) const {
      const auto changed = comes_last(id) ? pending_.end() : pending_.find(id);
      if (changed != pending_.end()) {
        return changed->second ? &changed->second->member : nullptr;
      }
      const Index index = ring_.index_of(id);
      return index == npos ? nullptr : &ring_.members_[index];
    }
    /// Returns the member `id` at this point of the edit. `what` names the caller.
    const Member<Node>& present(const std::string& id, std::string_view what) const {
      const Member<Node>* const member = find(id);
      if (member == nullptr) {
        fail_range(std::string(what) + ": " + quoted(id) + " is not a member");
      }
      return *member;
    }
    /// Replaces the entry instead of assigning to it: a node can have const members.
    void put(std::string id, Pending member) {
      if (comes_last(id)) {
        pending_.emplace_hint(pending_.end(), std::move(id), std::move(member));
        return;
      }
      decltype(pending_) entry;
      entry.emplace(std::move(id), std::move(member));
      pending_.erase(entry.begin()->first);
      pending_.merge(entry);
    }

   private:
    friend EditableRing;

    /// Whether `id` is after all ids that change so far, as it is if nodes are added in id order.
    /// Then none of those need be searched.
    bool comes_last(std::string_view id) const {
      return pending_.empty() || pending_.rbegin()->first < id;
    }

    const EditableRing& ring_;
    std::map<std::string, std::optional<Pending>> pending_;  // after the change; empty: removed
  };

  /// True if the members, their racks and datacenters, their positions and the circle are the same.
  bool places_like(const EditableRing& other) const {
    if (static_cast<const Ring&>(*this).circle() != static_cast<const Ring&>(other).circle() ||
        this->size() != other.size() || this->table_ != other.table_) {
      return false;
    }
    for (std::size_t i = 0; i < this->size(); ++i) {
      const Member<Node>& one = this->members_[i];
      const Member<Node>& two = other.members_[i];
      const auto id = id_of(one.node);
      if (!other.is_at(i, id) || one.rack != two.rack || one.datacenter != two.datacenter) {
        return false;
      }
    }
    return true;
  }

 private:
  /// Everything that can fail works on copies; the ring itself changes in the last lines.
  void apply(EditBase& edit) {
    if (edit.pending_.empty()) return;
    Plan plan(*this, edit);
    static_cast<const Ring&>(*this).append_vnodes(plan.steps, plan.change);
    auto table = this->table_.after(std::move(plan.change));
    Topology topology(plan.members);
    std::vector<Member<Node>> members;
    members.reserve(plan.members.size());
    for (Member<Node>* member : plan.members) members.push_back(std::move_if_noexcept(*member));

    this->members_ = std::move(members);
    this->table_ = std::move(table);
    this->topology_ = std::move(topology);
  }

  /// The members after the change, in id order, and the steps of those that change.
  struct Plan {
    Plan(EditableRing& ring, EditBase& edit) : ring_(ring) {
      reserve(edit);
      change.renumber.assign(ring.size(), npos);
      std::size_t old = 0;
      for (auto& [id, pending] : edit.pending_) {
        const std::size_t place = place_of(ring.members_, id);
        keep(old, place);
        old = place;
        const bool was_member = ring.is_at(place, id);
        steps.push_back({id, was_member ? &ring.members_[place] : nullptr,
                         pending ? &*pending : nullptr, static_cast<Index>(place),
                         static_cast<Index>(members.size())});
        if (pending) {
          if (was_member) change.renumber[place] = static_cast<Index>(members.size());
          members.push_back(&pending->member);
        }
        if (was_member) ++old;
      }
      keep(old, ring.size());
    }

    std::vector<Member<Node>*> members;
    std::vector<Step> steps;
    Change change;

   private:
    void keep(std::size_t from, std::size_t to) {
      for (; from < to; ++from) {
        change.renumber[from] = static_cast<Index>(members.size());
        members.push_back(&ring_.members_[from]);
      }
    }

    /// Refuses what does not fit before any allocation for positions, then allocates all at once.
    void reserve(const EditBase& edit) {
      std::uint64_t nodes = ring_.size();
      std::uint64_t positions = ring_.vnode_count();
      std::uint64_t added = 0;
      std::uint64_t dropped = 0;
      for (const auto& [id, pending] : edit.pending_) {
        const Index index = ring_.index_of(id);
        const std::uint32_t before = index == npos ? 0 : ring_.members_[index].vnodes;
        const std::uint32_t after = pending ? pending->member.vnodes : 0;
        nodes = nodes - (index == npos ? 0 : 1) + (pending ? 1 : 0);
        positions = positions - before + after;
        added += after > before ? after - before : 0;
        dropped += before > after ? before - after : 0;
      }
      if (nodes > npos) {
        fail_length("the ring's Index can number up to " + std::to_string(npos) + " members, got " +
                    std::to_string(nodes));
      }
      if (positions > max_positions) {
        fail_length("a ring can have up to " + std::to_string(max_positions) + " positions, got " +
                    std::to_string(positions));
      }
      members.reserve(static_cast<std::size_t>(nodes));
      steps.reserve(edit.pending_.size());
      change.added.reserve(static_cast<std::size_t>(added));
      change.dropped.reserve(static_cast<std::size_t>(dropped));
    }

    EditableRing& ring_;
  };
};

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_SCHEME_EDIT_HPP
