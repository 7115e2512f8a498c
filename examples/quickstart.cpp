// SPDX-License-Identifier: MIT
#include <clockwise/clockwise.hpp>
#include <iostream>

int main() {
  clockwise::HashRing ring({"cache-a", "cache-b", "cache-c"});
  std::cout << "user:42 is on " << ring.lookup("user:42") << "; with two copies, on";
  for (const auto& node : ring.preference_list("user:42", 2)) std::cout << ' ' << node;

  const auto before = ring;
  ring.add("cache-d");
  std::cout << "\nA fourth cache takes over " << 100 * movement(before, ring).fraction()
            << "% of the keys; hash mod N would move "
            << 100 * clockwise::theory::mod_n_movement(3, 4) << "%\n";
}
