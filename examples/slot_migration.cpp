// SPDX-License-Identifier: MIT

// One slot moves from node-a to node-b while requests arrive: what each node must answer.

#include <clockwise/slot_map.hpp>
#include <cstdint>
#include <iostream>
#include <string>

using Map = clockwise::SlotMap<>;
using Answer = clockwise::SlotAnswer<std::string>;

std::string text(const Answer& answer) {
  if (answer.kind == Answer::Kind::serve) return "serve";
  return (answer.kind == Answer::Kind::ask ? "ask " : "moved to ") + *answer.node;
}

void show(const Map& map, std::uint32_t slot) {
  const clockwise::SlotRequest lacking{.key_present = false};
  const clockwise::SlotRequest asking{.key_present = false, .asking = true};
  const bool moving = map.state(slot, "node-a") == clockwise::SlotState::migrating;
  std::cout << "owner " << map.owner_of(slot) << (moving ? ", migrating" : "")
            << "\n  node-a has the key: " << text(map.answer("node-a", slot, {}))
            << "\n  node-a lacks it:    " << text(map.answer("node-a", slot, lacking))
            << "\n  node-b:             " << text(map.answer("node-b", slot, lacking))
            << "\n  node-b, asking:     " << text(map.answer("node-b", slot, asking)) << '\n';
}

int main() {
  Map map({"node-a", "node-b", "node-c"}, {.slots = 64});
  std::uint32_t slot = 0;
  while (map.owner_of(slot) != "node-a") ++slot;
  show(map, slot);

  map.migrate(slot, "node-b");  // node-a now sends its keys, one by one
  show(map, slot);

  map.assign(slot, "node-b");  // node-b has them all
  show(map, slot);
}
