# SPDX-License-Identifier: MIT
# --set changes the game's config; what is wrong with it is said before a store is made.
. "$SOURCE/tests/cli/say.sh"

run record matchgame --seed 1 --set rwos=1,2
run record matchgame --seed 1 --set rows
run record matchgame --seed 1 --set rows=1,256
run record matchgame --seed 1 --set rows=1,-1
run record matchgame --seed 1 --set rows=1,2,
run record matchgame --seed 1 --set rows=1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1
run record ledger --set gold=1
run record "$RULES/ledger.so" --set gold=1
run record matchgame --seed 1 --bot nobody
run record matchgame --seed 1 --bot dept6
run record matchgame --seed 1 --bot ''
[ ! -e plays.deja ] || echo 'a store was made'

run record matchgame --seed 1 --set =7
run record matchgame --seed 1 --set ''
run record matchgame --seed 1 --set rows=2,1 --set rows=1,2
run record matchgame --seed 1 --set rows=0,0
[ ! -e plays.deja ] || echo 'a store was made'

# Without a list of the commands nobody can pick one of them; without a command there is no step.
run record "$RULES/mute.so" --seed 1
run record "$RULES/mute.so" --seed 1 --bot random,idler
[ ! -e plays.deja ] || echo 'a store was made'
run record "$RULES/mute.so" --seed 1 --bot idler --games 30 -s mute.deja

run record matchgame --seed 1 --set rows=2,1
deja ls --json | grep -o '"config":"[^"]*"'
