# SPDX-License-Identifier: MIT
# Big-endian, 64 bits. Debian: g++-s390x-linux-gnu, qemu-user.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR s390x)
set(CMAKE_CXX_COMPILER s390x-linux-gnu-g++)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static) # so that qemu needs no library path
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-s390x)
