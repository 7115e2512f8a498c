# SPDX-License-Identifier: MIT
# Not find_dependency: if it found nothing, it would return from this file before the path is
# restored.
list(PREPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_LIST_DIR}")
find_package(xxHashHeader 0.8 QUIET MODULE)
list(POP_FRONT CMAKE_MODULE_PATH)
if(NOT xxHashHeader_FOUND)
  set(clockwise_FOUND FALSE)
  set(clockwise_NOT_FOUND_MESSAGE
      "xxHash >= 0.8 (xxhash.h) was not found: install it, or add its folder to CMAKE_PREFIX_PATH")
  return()
endif()
include("${CMAKE_CURRENT_LIST_DIR}/clockwise-targets.cmake")
