# SPDX-License-Identifier: MIT
# Rules run in the worker that came with the command; without it in the command itself; never in one
# of another build.
. "$SOURCE/tests/cli/say.sh"

wants 0 record matchgame --games 3 --seed 1
mkdir -p moved/games
cp "$BUILD/deja" moved/
cp "$GAMES/matchgame.so" moved/games/

# Without a worker beside it.
moved/deja verify matchgame > "$HOME/out" || fail 'the command is its own worker'
says '3 match$'

# With one.
cp "$BUILD/deja-worker" moved/
moved/deja verify matchgame > "$HOME/out" || fail 'the worker beside it'
says '3 match$'

# With what is none.
printf '#!/bin/sh\nexit 0\n' > moved/deja-worker
moved/deja verify matchgame > "$HOME/out" 2> "$HOME/err" && fail 'a script is a worker'
complains "moved/deja-worker' is not a worker program"

# Installed, it is in libexec, wherever that is.
mkdir -p there/bin there/libexec/deja there/lib/deja/games
mv moved/deja there/bin/
mv moved/games/matchgame.so there/lib/deja/games/
cp moved/deja-worker there/libexec/deja/
there/bin/deja verify matchgame > "$HOME/out" 2> "$HOME/err" && fail 'not the one in libexec'
complains "libexec/deja/deja-worker' is not a worker program"
cp "$BUILD/deja-worker" there/libexec/deja/
there/bin/deja verify matchgame > "$HOME/out" || fail 'the worker in libexec'
says '3 match$'
