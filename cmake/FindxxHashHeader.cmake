# SPDX-License-Identifier: MIT
# Finds xxhash.h and defines xxHashHeader::xxHashHeader. clockwise inlines the header, so it needs
# neither the library nor upstream's target xxHash::xxhash, which links the library. If the project
# already has that target, its header is used without a check of its version.
if(TARGET xxHash::xxhash)
  if(NOT TARGET xxHashHeader::xxHashHeader)
    add_library(xxHashHeader::xxHashHeader INTERFACE IMPORTED)
    target_include_directories(
      xxHashHeader::xxHashHeader
      INTERFACE $<TARGET_PROPERTY:xxHash::xxhash,INTERFACE_INCLUDE_DIRECTORIES>)
  endif()
  set(xxHashHeader_FOUND TRUE)
  return()
endif()

find_path(xxHashHeader_INCLUDE_DIR xxhash.h DOC "Where xxhash.h is")
mark_as_advanced(xxHashHeader_INCLUDE_DIR)

if(xxHashHeader_INCLUDE_DIR)
  file(STRINGS "${xxHashHeader_INCLUDE_DIR}/xxhash.h" xxHashHeader_VERSION
       REGEX "^#define XXH_VERSION_(MAJOR|MINOR|RELEASE) +[0-9]+")
  list(TRANSFORM xxHashHeader_VERSION REPLACE "^.* ([0-9]+).*$" "\\1")
  list(JOIN xxHashHeader_VERSION "." xxHashHeader_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  xxHashHeader
  REQUIRED_VARS xxHashHeader_INCLUDE_DIR
  VERSION_VAR xxHashHeader_VERSION)

if(xxHashHeader_FOUND AND NOT TARGET xxHashHeader::xxHashHeader)
  add_library(xxHashHeader::xxHashHeader INTERFACE IMPORTED)
  target_include_directories(xxHashHeader::xxHashHeader INTERFACE "${xxHashHeader_INCLUDE_DIR}")
endif()
