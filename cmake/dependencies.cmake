# SPDX-License-Identifier: MIT
# Every dependency: the installed one, otherwise a pinned release, checked by its hash. The library
# itself needs only xxHash.
include(FetchContent)
if(POLICY CMP0135)
  cmake_policy(SET CMP0135 NEW) # extracted files are as new as the extraction
endif()

# Finds `package`, at least `version`, or downloads it. A macro, so that variables set by the
# package's config reach the caller.
macro(clockwise_dependency package version url sha256)
  find_package(${package} ${version} QUIET CONFIG)
  if(NOT ${package}_FOUND)
    _clockwise_may_fetch("${package} >= ${version}" ${url})
    FetchContent_Declare(${package} URL ${url} URL_HASH SHA256=${sha256})
    FetchContent_MakeAvailable(${package})
  endif()
endmacro()

function(_clockwise_may_fetch what url)
  if(NOT CLOCKWISE_FETCH_DEPENDENCIES)
    message(
      FATAL_ERROR "${what} was not found. Install it (tools/setup does), or let this build download "
                  "it: -DCLOCKWISE_FETCH_DEPENDENCIES=ON")
  endif()
  message(STATUS "${what} was not found: downloading ${url}")
endfunction()

function(clockwise_find_xxhash)
  list(APPEND CMAKE_MODULE_PATH ${PROJECT_SOURCE_DIR}/cmake)
  find_package(xxHashHeader 0.8 QUIET MODULE)
  if(NOT xxHashHeader_FOUND)
    set(url https://github.com/Cyan4973/xxHash/archive/refs/tags/v0.8.2.tar.gz)
    _clockwise_may_fetch("xxHash >= 0.8 (xxhash.h)" ${url})
    FetchContent_Declare(
      xxHash
      URL ${url}
      URL_HASH SHA256=baee0c6afd4f03165de7a4e67988d16f0f2b257b51d0e3cb91909302a26a79c4
      SOURCE_SUBDIR header-only) # no such directory: only the header is needed
    FetchContent_MakeAvailable(xxHash)
    set(xxHashHeader_INCLUDE_DIR ${xxhash_SOURCE_DIR} CACHE PATH "Where xxhash.h is" FORCE)
    find_package(xxHashHeader 0.8 REQUIRED MODULE)
  endif()
endfunction()

macro(clockwise_find_catch2)
  clockwise_dependency(
    Catch2 3 https://github.com/catchorg/Catch2/archive/refs/tags/v3.7.1.tar.gz
    c991b247a1a0d7bb9c39aa35faf0fe9e19764213f28ffba3109388e62ee0269c)
  if(catch2_SOURCE_DIR)
    list(APPEND CMAKE_MODULE_PATH ${catch2_SOURCE_DIR}/extras)
  endif()
  include(Catch)
endmacro()

macro(clockwise_find_cli11)
  clockwise_dependency(
    CLI11 2.1 https://github.com/CLIUtils/CLI11/archive/refs/tags/v2.4.1.tar.gz
    73b7ec52261ce8fe980a29df6b4ceb66243bb0b779451dbd3d014cfec9fdbb58)
endmacro()

macro(clockwise_find_nlohmann_json)
  clockwise_dependency(
    nlohmann_json 3.9 https://github.com/nlohmann/json/releases/download/v3.11.3/json.tar.xz
    d6c65aca6b1ed68e7a182f4757257b107ae403032760ed6ef121c9d55e81757d)
endmacro()

macro(clockwise_find_benchmark)
  set(BENCHMARK_ENABLE_TESTING OFF)
  clockwise_dependency(
    benchmark 1.6 https://github.com/google/benchmark/archive/refs/tags/v1.8.3.tar.gz
    6bc180a57d23d4d9515519f92b0c83d61b05b5bab188961f36ac7b06b0d9e9ce)
endmacro()
