# SPDX-License-Identifier: MIT
# A hash that a game recorded under a name of its own is stored and shown, and verify says that it
# did not compare it.
. "$SOURCE/tests/cli/say.sh"

wants 0 record matchgame --seed 3 --max-steps 2 -s first.deja
deja export "$(ids -s first.deja)" -s first.deja > plain.replay
sed '0,/^take/s/^take.*/&\nsection: board 00000000000000ff/' plain.replay > with.replay
grep -q '^section: board' with.replay || fail "no section in the text"
wants 0 import with.replay
wants 0 verify matchgame
says '1 section hash was not compared'
wants 0 show "$(ids)"
says 'board.*00000000000000ff'
