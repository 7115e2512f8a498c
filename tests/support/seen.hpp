// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_TESTS_SUPPORT_SEEN_HPP
#define CLOCKWISE_TESTS_SUPPORT_SEEN_HPP

// The results of all queries of a public type, as text: equal for equal subjects, and unchanged by
// a change that failed. A new type is one overload of see().

#include <catch2/catch_test_macros.hpp>
#include <concepts>     // convertible_to, same_as
#include <cstddef>      // size_t
#include <cstdint>      // uint16_t, uint32_t, uint64_t
#include <string>       // string, to_string
#include <string_view>  // string_view
#include <type_traits>  // is_arithmetic_v, is_enum_v
#include <vector>       // vector

#include "clockwise/bounded_load.hpp"
#include "clockwise/compat/redis_slot_map.hpp"
#include "clockwise/fleet.hpp"
#include "clockwise/hot_key.hpp"
#include "clockwise/migration.hpp"
#include "clockwise/movement.hpp"
#include "clockwise/replica_sets.hpp"
#include "clockwise/replica_table.hpp"
#include "clockwise/transition.hpp"
#include "clockwise/wire/membership.hpp"

namespace clockwise_test {

class Seen {
 public:
  template <class T>
  Seen& operator<<(const T& value) {
    if constexpr (std::convertible_to<const T&, std::string_view>) {
      text_ += std::string_view(value);
    } else if constexpr (std::is_enum_v<T>) {
      text_ += std::to_string(static_cast<int>(value));
    } else if constexpr (std::is_arithmetic_v<T>) {
      text_ += std::to_string(value);
    } else if constexpr (std::same_as<T, clockwise::Arc>) {
      *this << value.after << value.last;
    } else if constexpr (requires { to_string(value); }) {
      text_ += to_string(value);
    } else {
      text_ += std::string_view(clockwise::detail::id_of(value));
    }
    text_ += ' ';
    return *this;
  }
  template <class List>
  Seen& all(const List& list) {
    for (const auto& item : list) *this << item;
    return *this << "/";
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

inline std::vector<clockwise::Position> some_positions() {
  std::vector<clockwise::Position> positions;
  for (std::uint64_t i = 1; i <= 24; ++i) {
    positions.push_back(clockwise::Position{i * 0x9e3779b97f4a7c15});
  }
  return positions;
}

/// A scheme.
template <class S>
  requires requires(const S& scheme) { scheme.fingerprint(); }
void see(Seen& seen, const S& scheme) {
  seen << scheme.fingerprint() << scheme.size() << scheme.empty();
  for (const auto& member : scheme.members()) {
    seen << member.node << member.weight << member.rack << member.datacenter << member.vnodes;
    seen << scheme.index_of(member.node) << scheme.contains(member.node);
  }
  for (const auto& [node, share] : scheme.load_shares()) seen << node << share;
  for (const auto position : some_positions()) {
    const auto index = scheme.lookup_index(position);
    if (index == S::npos) {
      seen << "nobody" << (scheme.try_lookup(position) == nullptr);
    } else {
      seen << index << scheme.lookup(position);
    }
    const auto list = scheme.preference_list(position, 3);
    seen.all(list) << list.requested();
    seen.all(scheme.preference_list(position, 3, clockwise::Spread::racks_only));
    if constexpr (requires { scheme.successors(position); }) {
      for (const auto& node : scheme.successors(position)) seen << node;
    }
  }
  if constexpr (requires { scheme.positions(); }) seen.all(scheme.positions()).all(scheme.owners());
  if constexpr (requires { scheme.table(); }) seen.all(scheme.table());
  if constexpr (requires { scheme.servers(); }) {
    for (const auto& server : scheme.servers()) seen << server.name << server.weight;
  }
  if constexpr (requires { scheme.migrating_to(0u); }) {
    seen << scheme.migrations();
    for (std::uint32_t slot = 0; slot < scheme.slot_count(); ++slot) {
      const auto* const target = scheme.migrating_to(slot);
      if (target != nullptr) seen << slot << *target;
    }
  }
  if constexpr (requires { scheme.capacity(); }) seen << scheme.capacity();
}

template <class P>
void see(Seen& seen, const clockwise::Fleet<P>& fleet) {
  see(seen, fleet.ring());
  see(seen, fleet.target());
  seen << fleet.epoch();
  for (const auto& row : fleet.members()) seen << row.node << row.state << row.up;
  for (const auto& node : fleet.overdue(100)) seen << node;
}

template <class R>
void see(Seen& seen, const clockwise::Transition<R>& transition) {
  see(seen, transition.before());
  see(seen, transition.after());
  seen << transition.progress().done.fraction() << transition.progress().total.fraction();
  seen << transition.finished() << transition.aborted() << transition.replication().requested();
  for (const auto position : some_positions()) {
    seen.all(transition.read_from(position)).all(transition.write_to(position));
  }
  for (const auto& member : transition.after().members()) {
    seen.all(transition.pending(member.node));
  }
}

/// A balancer's token.
template <class Token>
  requires requires(const Token& token) { token.probes(); }
void see(Seen& seen, const Token& token) {
  if (token) seen << token.node();
  seen << static_cast<bool>(token) << token.probes();
}

template <class Node>
void see(Seen& seen, const clockwise::ReplicaList<Node>& list) {
  seen.all(list) << list.size() << list.requested() << list.first_substitute() << list.complete();
}

template <class R>
void see(Seen& seen, const clockwise::ReplicaTable<R>& table) {
  see(seen, table.ring());
  seen << table.list_size() << table.requested() << table.replication().requested();
  for (const auto position : some_positions()) seen.all(table.preference_list(position));
}

template <class Node>
void see(Seen& seen, const clockwise::Movement<Node>& movement) {
  seen << movement.size() << movement.replicas() << movement.fraction();
  for (const auto& [arc, from, to] : movement.transfers()) seen << arc << from << to;
  for (const auto& [node, share] : movement.outgoing()) seen << node << share;
  for (const auto& [node, share] : movement.incoming()) seen << node << share;
}

template <class Before, class After>
void see(Seen& seen, const clockwise::KeyMovement<Before, After>& movement) {
  seen << movement.keys() << movement.moved() << movement.fraction() << movement.flows().size();
  std::uint64_t keys = 0;
  for (const auto& flow : movement.flows()) keys += flow.keys;
  seen << keys;
}

template <class Node>
void see(Seen& seen, const clockwise::MigrationPlan<Node>& plan) {
  seen << plan.size() << plan.bytes() << plan.lost_bytes() << plan.seconds();
  for (const auto& step : plan.steps()) seen << step.arc << step.source << step.to << step.bytes;
  for (const auto& load : plan.nodes()) seen << load.node << load.egress_bytes;
}

inline void see(Seen& seen, const clockwise::ReplicaSets& sets) {
  seen << sets.distinct << sets.possible << sets.nodes << sets.replicas;
  for (std::size_t i = 0; i < sets.distinct; ++i) seen.all(sets[i]);
  seen.all(sets.scatter_widths()) << sets.loss_probability(3);
}

inline void see(Seen& seen, const clockwise::HeavyHitters& sketch) {
  seen << sketch.total() << sketch.max_error();
  for (const auto& hot : sketch.above(0)) seen << hot.key << hot.count << hot.error;
}

template <class Node>
void see(Seen& seen, const clockwise::SplitCopies<Node>& copies) {
  for (const auto& copy : copies.all()) seen << copy.name << copy.node;
  if (!copies.all().empty()) seen << copies.one(7).name;
}

inline void see(Seen& seen, const clockwise::RedisSlotMap& map) {
  seen << map.size() << map.complete() << map.load_shares().size();
  for (const auto& node : map.nodes()) {
    seen << node.name << node.master;
    seen.all(node.replicas);
  }
  for (std::uint16_t slot = 0; slot < clockwise::redis_slot_count; ++slot) {
    const std::string* const owner = map.owner_of(slot);
    seen << (owner == nullptr ? -1 : static_cast<int>(owner->back()));
    const std::string* const target = map.migrating_to(slot);
    if (target != nullptr) seen << slot << *target;
  }
  const std::string* const owner = map.try_lookup("key");
  if (owner != nullptr) seen << *owner << map.lookup("key");
  seen.all(map.preference_list("key", 3));
}

inline void see(Seen& seen, const clockwise::Replication& replication) {
  seen << replication.requested();
  if (replication.spread()) seen << *replication.spread();
  if (replication.by_datacenter() == nullptr) return;
  for (const auto& entry : *replication.by_datacenter()) seen << entry.datacenter << entry.replicas;
}

inline void see(Seen& seen, const clockwise::wire::Membership& membership) {
  seen << membership.policy << membership.circle << membership.vnodes;
  for (const auto& [datacenter, rack] : membership.domains) seen << datacenter << rack;
  for (const auto& row : membership.members) seen << row.id << row.weight << row.domain;
}

/// Results of changes: arcs, events of a fleet, keys that must move.
template <class Row>
void see(Seen& seen, const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    if constexpr (requires { row.up; }) {
      seen << row.node << row.up;
    } else if constexpr (requires { row.key; }) {
      seen << row.key << row.from << row.to;
    } else {
      seen << row;
    }
  }
}

template <class Subject>
std::string seen_of(const Subject& subject) {
  Seen seen;
  see(seen, subject);
  return seen.text();
}

/// Shows the place at which texts differ, not the whole texts.
inline void require_same(std::string_view text, std::string_view expected) {
  std::size_t same = 0;
  while (same < text.size() && same < expected.size() && text[same] == expected[same]) ++same;
  if (text == expected) return;
  CHECK(text.substr(same, 60) == expected.substr(same, 60));
  FAIL("at byte " << same);
}

}  // namespace clockwise_test

#endif  // CLOCKWISE_TESTS_SUPPORT_SEEN_HPP
