# SPDX-License-Identifier: MIT
# For scripts run as `cmake -DVARIABLE=… -P <script> -- command…`: runs the command and sets
# `command`, `result`, `output` and `errors`. LC_ALL=C makes compilers write English.
set(command "")
set(seen FALSE)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE ${last})
  if(seen)
    list(APPEND command "${CMAKE_ARGV${i}}")
  elseif(CMAKE_ARGV${i} STREQUAL "--")
    set(seen TRUE)
  endif()
endforeach()
set(ENV{LC_ALL} C)
execute_process(
  COMMAND ${command}
  RESULT_VARIABLE result
  OUTPUT_VARIABLE output
  ERROR_VARIABLE errors)
list(JOIN command " " command)
