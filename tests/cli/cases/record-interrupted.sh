# SPDX-License-Identifier: MIT
# Interrupted, it stops after the game at hand; what was recorded is sound.
. "$SOURCE/tests/cli/say.sh"

interrupt() {
    local signal=$1 wanted=$2 child status=0
    shift 2
    env --default-signal=INT deja "$@" > "$HOME/out" 2> "$HOME/err" &
    child=$!
    for _ in $(seq 100); do
        [ ! -s "$store" ] || break
        sleep 0.05
    done
    kill "-$signal" "$child"
    wait "$child" || status=$?
    [ "$status" = "$wanted" ] || fail "$signal: status $status"
    complains "$complaint"
}
complaint='^deja: record: interrupted: [0-9,]* of 100,000,000 games are recorded$'

store=int.deja
interrupt INT 130 record matchgame --games 100000000 --seed 1 -s int.deja
store=term.deja
interrupt TERM 143 record matchgame --games 100000000 --seed 1 -s term.deja
store=json.deja
interrupt INT 130 record matchgame --games 100000000 --seed 1 -s json.deja --json
tail -n 2 "$HOME/out" | head -n 1 | grep -q '^{"type":"error","status":130,"message":"record: interrupted: ' ||
    fail 'no error as JSON'
tail -n 1 "$HOME/out" | grep -qE '^\{"type":"summary","sessions":[1-9]' || fail 'no summary as JSON'
for store in int.deja term.deja json.deja; do
    [ "$(ids -s $store | wc -l)" -gt 0 ] || fail "$store: nothing was kept"
    wants 0 verify matchgame -s $store
done
[ "$(echo int.deja* term.deja* json.deja*)" = 'int.deja term.deja json.deja' ] || fail 'files were left behind'

# A game that does not come back is not waited for; the games before it are kept.
wants 0 record "$RULES/ledger.so" --seed 1 --games 600 -s all.deja --json
seed=$(sed -n 's/.*"seed":"\([0-9]*\)","steps":\([0-9]*\),.*/\1 \2/p' "$HOME/out" |
    awk '$2 < 33 { run++; next } { if (run >= 1) { print $1 - 1; exit } run = 0 }')
store=hang.deja
env --default-signal=INT deja record "$RULES/ledger-hang.so" --seed "$seed" --games 2 -s hang.deja > "$HOME/out" 2> "$HOME/err" &
child=$!
sleep 1
kill -INT "$child"
status=0
wait "$child" || status=$?
[ "$status" = 130 ] || fail "hang: status $status"
complains '^deja: record: interrupted in game 2 of 2; up to there it is session [0-9a-f]{12}; 1 before it is stored in hang.deja$'
[ "$(ids -s hang.deja | wc -l)" = 2 ] || fail 'not the finished game and the one that hung'
