# SPDX-License-Identifier: MIT
# cmake -DPATTERN=<regex> -P expect_failure.cmake -- command…
# The command must fail and say what the pattern says.
include(${CMAKE_CURRENT_LIST_DIR}/command_line.cmake)
if(result EQUAL 0)
  message(FATAL_ERROR "succeeded, and should not have: ${command}")
endif()
if(NOT "${output}${errors}" MATCHES "${PATTERN}")
  message(FATAL_ERROR "failed as it should (${result}), but not with a message like\n  ${PATTERN}\n"
                      "it said\n${output}${errors}")
endif()
