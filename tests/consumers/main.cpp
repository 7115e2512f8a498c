// SPDX-License-Identifier: MIT
// A user's program, compiled with the user's warnings.
#include <clockwise/clockwise.hpp>

#ifdef PACKAGE_VERSION
#define TEXT_OF(macro) TEXT(macro)
#define TEXT(text) #text
static_assert(std::string_view(PACKAGE_VERSION) ==
              TEXT_OF(CLOCKWISE_VERSION_MAJOR) "." TEXT_OF(CLOCKWISE_VERSION_MINOR) "." TEXT_OF(
                  CLOCKWISE_VERSION_PATCH));
#endif

int main() {
  const clockwise::HashRing<> ring{"a", "b", "c"};
  const int copies = 0.7 * ring.size();  // an error if the library's own warnings leak
  return ring.preference_list("key", copies).size() == 2 ? 0 : 1;
}
