# SPDX-License-Identifier: MIT
# A broken text is refused with its line, nothing of it is kept, and it keeps no other out.
. "$SOURCE/tests/cli/say.sh"

wants 0 record matchgame --seed 7 --set rows=3,2,1 -s source.deja
deja export "$(ids -s source.deja)" -s source.deja > good.replay

# broken NAME SED-SCRIPT
broken() {
    sed "$2" good.replay > "$1.replay"
    cmp -s good.replay "$1.replay" && fail "$1 is not broken"
    run import "$1.replay"
}
broken seed-too-large 's/^seed: .*/seed: 18446744073709551616/'
broken seed-negative 's/^seed: .*/seed: -1/'
broken config-misspelt 's/^config: rows/config: rwos/'
broken value-too-large '0,/^take/s/^\(take.*\)n=[0-9]*/\1n=256/'
broken command-unknown '0,/^take/s/^take/tkae/'
broken keyword-unknown 's/^seed:/sede:/'
broken no-end '/^end:/d'
broken trail-short 's/^\(trail: 32 1 0 \)[0-9a-f]\{8\} */\1/'
broken results-short 's/^results: ok\*[0-9]*/results: ok*1/'
broken newer 's/^deja-replay: 1/deja-replay: 2/'
broken not-text '1s/.*/hello/'
broken control-character '0,/^take/s/^take/ta\x1b[31mke/'
: > empty.replay
run import empty.replay
mkdir folder.replay
run import folder.replay
run import missing.replay
run import "$FIXTURES/rules/ledger.c"
head -c 3000 /dev/zero > zeros.replay
run import zeros.replay
run import source.deja
[ ! -e plays.deja ] || fail 'a store was made for nothing'
wants 128 import no-end.replay zeros.replay empty.replay -s new.deja --json
[ "$(echo new.deja*)" = 'new.deja*' ] || fail 'an empty store was left behind'
says '^\{"type":"summary","files":3,"sessions":0,"known":0\}$'

# Nor does it change one that is there.
cp source.deja same.deja
wants 128 import no-end.replay -s same.deja
cmp source.deja same.deja || fail 'the store was touched'

# All that is right is taken.
wants 128 import no-end.replay good.replay newer.replay
says '  good.replay$'
[ "$(wc -l < "$HOME/err")" = 2 ] || fail 'two complaints'
[ "$(ids)" = "$(ids -s source.deja)" ] || fail 'the good one'

# A scenario leaves out what rules can fill in.
printf 'deja-replay: 1\ngame: matchgame 1.0.0\nconfig: rows=2,1\nseed: 5\ntake row=0 n=2\nsee: side=1\n' > scenario.replay
wants 129 import scenario.replay
complains '^deja: scenario.replay:.*--rules'
wants 0 import scenario.replay --rules matchgame
wants 0 verify matchgame
wants 125 import scenario.replay --rules peg
