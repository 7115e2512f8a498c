// SPDX-License-Identifier: MIT
// The cases of lookup_index_test.cpp on the path of processors without SSE2.

#define CLOCKWISE_PORTABLE_SCAN 1
#include "lookup_index_test.cpp"
