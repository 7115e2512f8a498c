// SPDX-License-Identifier: MIT
#include <clockwise/clockwise.hpp>

#include <cstdio>

int main() {
  const clockwise::HashRing<> ring{"a", "b", "c"};
  std::puts(ring.lookup("key").c_str());
}
