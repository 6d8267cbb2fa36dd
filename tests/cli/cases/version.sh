# SPDX-License-Identifier: MIT
# What somebody who reports a fault should say is one command away, in stable words.
. "$SOURCE/tests/cli/say.sh"

wants 0 version
says '^deja [0-9]+\.[0-9]+\.[0-9]+$'
says '^built with (gcc|clang)-[0-9.]+$'
says '^sqlite 3\.[0-9.]+, zlib [0-9.]+, xxhash [0-9.]+$'
says '^rules ABI [0-9]+\.[0-9]+, replay text 1, JSON 1$'
deja --version | cmp - "$HOME/out"
