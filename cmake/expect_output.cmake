# SPDX-License-Identifier: MIT
# cmake -DEXPECTED=<file> -P expect_output.cmake -- command… The command must succeed and print the
# contents of the file. Lines can end with CR LF in either, because Windows prints CR LF and Git can
# check it out.
include(${CMAKE_CURRENT_LIST_DIR}/command_line.cmake)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${command} failed (${result}):\n${output}${errors}")
endif()
file(READ ${EXPECTED} expected)
string(REPLACE "\r\n" "\n" expected "${expected}")
string(REPLACE "\r\n" "\n" output "${output}")
if(NOT output STREQUAL expected)
  message(FATAL_ERROR "${command} printed\n${output}\ninstead of the contents of ${EXPECTED}\n${expected}")
endif()
