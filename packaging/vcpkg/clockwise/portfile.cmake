# SPDX-License-Identifier: MIT
# An overlay port of the checkout that contains it:
#   vcpkg install clockwise --overlay-ports=<checkout>/packaging/vcpkg
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(VCPKG_BUILD_TYPE release) # headers only

vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS -DCLOCKWISE_BUILD_TESTS=OFF -DCLOCKWISE_BUILD_EXAMPLES=OFF -DCLOCKWISE_BUILD_RINGCTL=OFF
          -DCLOCKWISE_FETCH_DEPENDENCIES=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/clockwise)
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/share/doc" "${CURRENT_PACKAGES_DIR}/share/cmake")

vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
