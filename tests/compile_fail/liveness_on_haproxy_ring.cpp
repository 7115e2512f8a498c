// SPDX-License-Identifier: MIT
// expect: HAProxy takes the nearest point left, not the next: without
#include <clockwise/compat/haproxy.hpp>
#include <string>

bool is_up(const std::string& server) { return server != "web2"; }

int main() {
  clockwise::HaproxyRing ring({"web1", "web2", "web3"});
  const auto up = ring.without({"web2"});
  up.lookup("/index.html");
#if CLOCKWISE_TEST_MISUSE
  ring.preference_list("/index.html", 1, is_up);
#endif
}
