// SPDX-License-Identifier: MIT
// Built with -fno-exceptions -fno-rtti. Without an argument, the library must work; with one, the
// error of that name must end the program with its message.
#include <clockwise/clockwise.hpp>

#if !CLOCKWISE_NO_EXCEPTIONS
#error "this file is to be compiled without exceptions"
#endif

namespace {

int use_everything() {
  clockwise::HashRing<> ring{"a", "b", "c"};
  const clockwise::HashRing<> before = ring;
  ring.add("d", 2.0);
  ring.set_weight("a", 0.5);
  if (!ring.remove("b") || ring.remove("b")) return 1;
  if (ring.lookup("key") != *ring.try_lookup("key")) return 2;
  if (ring.preference_list("key", 3).size() != 3) return 3;
  if (!(clockwise::movement(before, ring).fraction() > 0)) return 4;
  const clockwise::ModN<> mod_n{"a", "b", "c"};
  if (mod_n.try_lookup("key") == nullptr) return 5;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return use_everything();
  const std::string_view error = argv[1];
  clockwise::HashRing<> ring;
  if (error == "duplicate") ring.add_all(std::vector<std::string>{"twin", "twin"});
  if (error == "weight") ring.add("heavy", -1.0);
  if (error == "empty_ring") ring.lookup("key");
  if (error == "unknown") ring.set_weight("stranger", 1.0);
  if (error == "too_many") ring.add("vast", 1e9);
  return 0;
}
