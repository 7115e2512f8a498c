// SPDX-License-Identifier: MIT
// expect: ketama clients build a ring of the servers left: without
#include <clockwise/compat/ketama.hpp>
#include <string>

bool is_up(const std::string& server) { return server != "10.0.1.2"; }

int main() {
  clockwise::KetamaRing ring({"10.0.1.1", "10.0.1.2", "10.0.1.3"});
  const auto up = ring.without({"10.0.1.2"});
  up.lookup("user:42");
#if CLOCKWISE_TEST_MISUSE
  ring.preference_list("user:42", 2, clockwise::Spread::nodes, is_up);
#endif
}
