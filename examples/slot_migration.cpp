// SPDX-License-Identifier: MIT

// One slot moves from its owner to another node while requests arrive: what each node answers.

#include <clockwise/slot_map.hpp>
#include <cstdint>
#include <iostream>
#include <string>

using Map = clockwise::SlotMap<>;

std::string text(const clockwise::SlotAnswer<std::string>& answer) {
  using Kind = clockwise::SlotAnswer<std::string>::Kind;
  if (answer.kind == Kind::serve) return "serve";
  return (answer.kind == Kind::ask ? "ask " : "moved to ") + *answer.node;
}

void show(const char* when, const Map& map, std::uint32_t slot) {
  std::cout << when << "\n  at node-a: key present: " << text(map.answer("node-a", slot, true))
            << "; absent: " << text(map.answer("node-a", slot, false))
            << "\n  at node-b: plain: " << text(map.answer("node-b", slot, false))
            << "; asking: " << text(map.answer("node-b", slot, false, true)) << '\n';
}

int main() {
  Map map({"node-a", "node-b", "node-c"}, {.slots = 64});
  std::uint32_t slot = 0;
  while (map.owner_of(slot) != "node-a") ++slot;
  show("stable", map, slot);

  map.migrate(slot, "node-b");  // node-a hands its keys over, one by one
  std::cout << "migrating: " << (map.state(slot, "node-b") == clockwise::SlotState::importing);
  show("\nmigrating", map, slot);

  map.assign(slot, "node-b");  // node-b has them all
  show("assigned", map, slot);
}
