// SPDX-License-Identifier: MIT
// expect: nor plain char or wchar_t, which differ between platforms
#include <clockwise/hash_ring.hpp>

#if CLOCKWISE_TEST_MISUSE
const char key = 'k';
#else
const unsigned char key = 'k';
#endif

const std::string& owner(const clockwise::HashRing<>& ring) { return ring.lookup(key); }
