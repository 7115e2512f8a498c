// SPDX-License-Identifier: MIT

// Three replicas over four racks, and where they go while one rack is down.

#include <clockwise/hash_ring.hpp>
#include <iostream>
#include <string>

int main() {
  const clockwise::HashRing<> ring({{"db-1", {.rack = "r1"}},
                                    {"db-2", {.rack = "r1"}},
                                    {"db-3", {.rack = "r2"}},
                                    {"db-4", {.rack = "r2"}},
                                    {"db-5", {.rack = "r3"}},
                                    {"db-6", {.rack = "r3"}},
                                    {"db-7", {.rack = "r4"}},
                                    {"db-8", {.rack = "r4"}}});
  const auto show = [&](const auto& list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      std::cout << "  " << list[i] << " in " << ring.members()[ring.index_of(list[i])].rack
                << (list.is_substitute(i) ? " (substitute)" : "");
    }
    std::cout << '\n';
  };
  // The predicate takes the node or, as here, its whole row.
  const auto is_live = [](const clockwise::Member<std::string>& member) {
    return member.rack != "r2";
  };
  for (const std::string key : {"user:1", "user:2", "user:3"}) {
    std::cout << key << '\n';
    show(ring.preference_list(key, 3));  // racks are named, so no two replicas share one
    show(ring.preference_list(key, 3, is_live));
  }
}
