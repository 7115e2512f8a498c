# SPDX-License-Identifier: MIT
# Declares tests. One file per behaviour.

# tests/<name>_test.cpp: Catch2 cases, each a test, in a separate program. A unity build, in which
# compiling all files together takes the least time, has one program per folder instead, except for
# files that are ALONE because they replace operator new or define macros. So each file keeps its
# names in the namespace <name>_test, and no two cases have the same name. Further arguments are more
# sources.
function(clockwise_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "ALONE" "" "")
  if(CMAKE_UNITY_BUILD AND NOT arg_ALONE)
    cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME folder)
    set(target ${folder}_together)
    set(prefix ${folder})
  else()
    set(target ${name}_test)
    set(prefix ${name})
  endif()
  if(NOT TARGET ${target})
    add_executable(${target})
    target_link_libraries(${target} PRIVATE clockwise_strict Catch2::Catch2WithMain)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
    catch_discover_tests(${target} TEST_PREFIX "${prefix}." PROPERTIES LABELS unit)
  endif()
  target_sources(${target} PRIVATE ${name}_test.cpp ${arg_UNPARSED_ARGUMENTS})
endfunction()

# tests/<name>.cpp: a separate program that must return 0. Further arguments are more sources.
function(clockwise_program_test name)
  add_executable(${name} ${name}.cpp ${ARGN})
  target_link_libraries(${name} PRIVATE clockwise_strict)
  add_test(NAME ${name} COMMAND ${name})
endfunction()

# A command that must fail, with a message that matches `pattern`.
function(clockwise_failing_test name pattern)
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -DPATTERN=${pattern}
                                -P ${PROJECT_SOURCE_DIR}/cmake/expect_failure.cmake -- ${ARGN})
endfunction()

# tests/compile_fail/<name>.cpp: the code under `#if CLOCKWISE_TEST_MISUSE` must not compile, and
# the compiler's message must match the file's line "// expect: <regex>". Without that code the file
# must compile, so that no test passes because a header is missing. Further arguments are options of
# the compiler.
function(clockwise_compile_fail_test name)
  set(source ${CMAKE_CURRENT_SOURCE_DIR}/compile_fail/${name}.cpp)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  file(STRINGS ${source} pattern REGEX "^// expect: ")
  string(REGEX REPLACE "^// expect: " "" pattern "${pattern}")
  if(pattern STREQUAL "")
    message(FATAL_ERROR "${source} lacks its line \"// expect: <regex>\"")
  endif()

  set(includes $<TARGET_PROPERTY:clockwise,INTERFACE_INCLUDE_DIRECTORIES>)
  set(compile ${CMAKE_CXX_COMPILER})
  if(MSVC)
    list(APPEND compile /nologo /Zs /EHsc /std:c++20)
  else()
    list(APPEND compile -fsyntax-only -std=c++20)
  endif()
  list(APPEND compile ${ARGN} "-I$<JOIN:${includes},$<SEMICOLON>-I>")

  add_test(NAME compile_fail.${name}.control COMMAND ${compile} ${source} COMMAND_EXPAND_LISTS)
  add_test(NAME compile_fail.${name} COMMAND_EXPAND_LISTS
           COMMAND ${CMAKE_COMMAND} -DPATTERN=${pattern}
                   -P ${PROJECT_SOURCE_DIR}/cmake/expect_failure.cmake -- ${compile}
                   -DCLOCKWISE_TEST_MISUSE=1 ${source})
  set_tests_properties(compile_fail.${name} compile_fail.${name}.control PROPERTIES LABELS
                                                                                   compile_fail)
endfunction()

# The output of `command` must be the file `expected`, byte for byte.
function(clockwise_output_test name expected)
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -DEXPECTED=${expected}
                                -P ${PROJECT_SOURCE_DIR}/cmake/expect_output.cmake -- ${ARGN})
endfunction()

# tests/fuzz/<name>.cpp: a test that replays tests/fuzz/corpus/<name> and `rounds` mutations of it,
# by <name>_mutator.cpp if there is one; a tenth of the rounds without CLOCKWISE_WIDE_TESTS. With
# CLOCKWISE_BUILD_FUZZERS, which needs clang, also the fuzzer fuzz_<name>, which tools/fuzz runs.
function(clockwise_fuzz_test name rounds)
  if(NOT CLOCKWISE_WIDE_TESTS)
    math(EXPR rounds "${rounds} / 10")
  endif()
  set(mutator fuzz/plain_mutator.cpp)
  set(fuzzer fuzz/${name}.cpp fuzz/libfuzzer.cpp)
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/${name}_mutator.cpp)
    set(mutator fuzz/${name}_mutator.cpp)
    list(APPEND fuzzer ${mutator} fuzz/libfuzzer_mutator.cpp)
  endif()
  add_executable(replay_${name} fuzz/${name}.cpp fuzz/replay.cpp ${mutator})
  target_link_libraries(replay_${name} PRIVATE clockwise_strict)
  target_include_directories(replay_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  add_test(NAME fuzz.${name} COMMAND replay_${name} ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/${name}
                                     ${rounds})
  set_tests_properties(fuzz.${name} PROPERTIES LABELS fuzz)
  if(CLOCKWISE_BUILD_FUZZERS)
    add_executable(fuzz_${name} ${fuzzer})
    target_link_libraries(fuzz_${name} PRIVATE clockwise_strict)
    target_include_directories(fuzz_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
    set(sanitizers -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all)
    target_compile_options(fuzz_${name} PRIVATE ${sanitizers})
    target_link_options(fuzz_${name} PRIVATE ${sanitizers})
    set_target_properties(fuzz_${name} PROPERTIES UNITY_BUILD OFF)
    set_property(GLOBAL APPEND PROPERTY clockwise_fuzzers fuzz_${name})
  endif()
endfunction()
