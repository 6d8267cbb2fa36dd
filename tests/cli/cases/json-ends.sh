# SPDX-License-Identifier: MIT
# With --json the last line is a summary, also after an error and after an interrupt: a program need
# not guess whether there is more to come.
. "$SOURCE/tests/cli/say.sh"

ends() {
    [ "$(grep -c '"type":"summary"' "$HOME/out")" = 1 ] || fail "$1: not one summary"
    tail -n 1 "$HOME/out" | grep -qE "^\{\"type\":\"summary\",$2" || {
        cat "$HOME/out" >&2
        fail "$1: the last line"
    }
    head -n 1 "$HOME/out" | grep -qxF '{"type":"deja","schema":1}' || fail "$1: the first line"
}

wants 0 record matchgame --games 5 --seed 7 --json
ends record '"sessions":5,'
first=$(ids | head -1)
while read -r status command; do
    wants "$status" $command --json
    ends "$command" ''
done <<CASES
0 ls
129 ls --game chess
128 ls -s none.deja
129 ls --nonsense
0 show $first
129 show 99
129 show $first --step 100
0 verify matchgame
128 verify peg
128 verify matchgame peg -n $first
129 verify
129 verify nogame
128 verify ./none.so
125 verify $RULES/abi2.so
1 verify $RULES/matchgame-older.so
129 record matchgame --bot nobody
129 record matchgame --set rows=0,0
128 record matchgame -s none/x.deja
3 record $RULES/ledger-crash.so --seed 50 --max-steps 60 -s crash.deja
128 import none.replay
0 info matchgame
125 info $RULES/abi2.so
CASES
wants 129 show 99 --json
ends 'show 99' '"status":129\}$'
wants 128 verify peg --json
ends 'verify peg' '"sessions":0,"steps":0,"compared":0,"match":0,'
wants 0 ls --json --help
! grep -q '{' "$HOME/out" || fail 'help is no JSON'

wants 0 record "$RULES/ledger.so" --seed 50 --max-steps 60 -s hang.deja
env --default-signal=INT deja verify "$RULES/ledger-hang.so" -s hang.deja --json > "$HOME/out" 2> "$HOME/err" &
child=$!
sleep 1
kill -INT "$child"
status=0
wait "$child" || status=$?
[ $status = 130 ] || fail "interrupted: $status"
ends 'interrupted' '"sessions":0,"steps":0,'
grep -q '^{"type":"error","status":130,"message":"verify: interrupted: 0 of 1 sessions have a verdict"}$' "$HOME/out" ||
    fail 'no error'
