# SPDX-License-Identifier: MIT
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_DATADIR}/cmake/clockwise)

install(TARGETS clockwise EXPORT clockwise-targets FILE_SET HEADERS)
install(EXPORT clockwise-targets NAMESPACE clockwise:: DESTINATION ${package_dir})

# While the version is 0.x, a minor release can break users, so only patch releases are compatible.
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/clockwise-config-version.cmake COMPATIBILITY SameMinorVersion
  ARCH_INDEPENDENT)
install(
  FILES ${PROJECT_SOURCE_DIR}/cmake/clockwise-config.cmake
        ${PROJECT_SOURCE_DIR}/cmake/FindxxHashHeader.cmake
        ${PROJECT_BINARY_DIR}/clockwise-config-version.cmake
  DESTINATION ${package_dir})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
