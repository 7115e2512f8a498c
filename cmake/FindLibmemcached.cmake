# SPDX-License-Identifier: MIT
# Finds libmemcached, the client library that ketama is checked and measured against. Defines
# Libmemcached::Libmemcached.
find_path(Libmemcached_INCLUDE_DIR libmemcached/memcached.h)
find_library(Libmemcached_LIBRARY memcached)
mark_as_advanced(Libmemcached_INCLUDE_DIR Libmemcached_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Libmemcached REQUIRED_VARS Libmemcached_LIBRARY
                                                             Libmemcached_INCLUDE_DIR)
if(Libmemcached_FOUND AND NOT TARGET Libmemcached::Libmemcached)
  add_library(Libmemcached::Libmemcached UNKNOWN IMPORTED)
  set_target_properties(
    Libmemcached::Libmemcached
    PROPERTIES IMPORTED_LOCATION ${Libmemcached_LIBRARY}
               INTERFACE_INCLUDE_DIRECTORIES ${Libmemcached_INCLUDE_DIR})
endif()
