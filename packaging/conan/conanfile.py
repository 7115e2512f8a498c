# SPDX-License-Identifier: MIT
import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain
from conan.tools.files import copy, load, rmdir

required_conan_version = ">=2.0"

CHECKOUT = os.path.join("..", "..")
SOURCES = ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*")


class ClockwiseConan(ConanFile):
    """Packages the checkout that contains this recipe: conan create packaging/conan."""

    name = "clockwise"
    description = "Consistent hashing: which node owns a key, and what a change of the fleet costs"
    license = "MIT"
    topics = ("consistent-hashing", "sharding", "load-balancing", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    no_copy_source = True

    def set_version(self):
        path = os.path.join(self.recipe_folder, CHECKOUT, "include", "clockwise", "version.hpp")
        numbers = re.findall(r"#define CLOCKWISE_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", load(self, path))
        self.version = ".".join(numbers)

    def export_sources(self):
        for pattern in SOURCES:
            copy(self, pattern, os.path.join(self.recipe_folder, CHECKOUT), self.export_sources_folder)

    def requirements(self):
        # Our headers include xxHash's, inlined, so nothing is linked.
        self.requires("xxhash/[>=0.8 <0.9]", transitive_headers=True, transitive_libs=False)

    def package_id(self):
        self.info.clear()

    def validate(self):
        check_min_cppstd(self, 20)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["CLOCKWISE_BUILD_TESTS"] = False
        toolchain.cache_variables["CLOCKWISE_BUILD_EXAMPLES"] = False
        toolchain.cache_variables["CLOCKWISE_BUILD_RINGCTL"] = False
        toolchain.cache_variables["CLOCKWISE_FETCH_DEPENDENCIES"] = False
        toolchain.generate()

    def build(self):
        CMake(self).configure()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        rmdir(self, os.path.join(self.package_folder, "share"))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "clockwise")
        self.cpp_info.set_property("cmake_target_name", "clockwise::clockwise")
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
