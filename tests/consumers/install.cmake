# SPDX-License-Identifier: MIT
# cmake -DBUILD=<dir> -DPREFIX=<dir> -P install.cmake
# Installs, then moves the installed files, to catch a package that works only at its prefix.
file(REMOVE_RECURSE ${PREFIX} ${PREFIX}.staged)
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX}.staged
                COMMAND_ERROR_IS_FATAL ANY)
file(RENAME ${PREFIX}.staged ${PREFIX})
