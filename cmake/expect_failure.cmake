# SPDX-License-Identifier: MIT
# cmake -DPATTERN=<regex> -P expect_failure.cmake -- command…
# The command must fail, with a message that matches the pattern.
include(${CMAKE_CURRENT_LIST_DIR}/command_line.cmake)
if(result EQUAL 0)
  message(FATAL_ERROR "succeeded, but should have failed: ${command}")
endif()
if(NOT "${output}${errors}" MATCHES "${PATTERN}")
  message(FATAL_ERROR "failed as it should (${result}), but without a message that matches\n  ${PATTERN}\n"
                      "it said\n${output}${errors}")
endif()
