# SPDX-License-Identifier: MIT
# cmake -DBUILD=<dir> -DPREFIX=<dir> -P install.cmake
# Installs, then moves what was installed: a package that works only where it was put would show.
file(REMOVE_RECURSE ${PREFIX} ${PREFIX}.staged)
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX}.staged
                COMMAND_ERROR_IS_FATAL ANY)
file(RENAME ${PREFIX}.staged ${PREFIX})
