// SPDX-License-Identifier: MIT
// Runs the cases of lookup_index_test.cpp on the code path for processors without SSE2.

#define CLOCKWISE_PORTABLE_SCAN 1
#include "lookup_index_test.cpp"
