# SPDX-License-Identifier: MIT
# Little-endian, 32 bits, x87 arithmetic. Debian: g++-i686-linux-gnu. Runs on an x86-64 kernel.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR i686)
set(CMAKE_CXX_COMPILER i686-linux-gnu-g++)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
