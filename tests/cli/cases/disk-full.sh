# SPDX-License-Identifier: MIT
# A disk that fills up while bots play is trouble that is named; what was committed before is sound,
# and recording goes on when there is room again.
. "$SOURCE/tests/cli/say.sh"

wants 0 record peg --games 20 --seed 1
ids > "$HOME/before"
status=0
(
    ulimit -f 800 # the journal has 768 KiB
    deja record "$RULES/ledger.so" --games 4000 --trail 64 --seed 1 > "$HOME/out" 2> "$HOME/err"
) || status=$?
[ $status = 128 ] || { cat "$HOME/err"; fail "status $status"; }
complains '^deja: (seed [0-9]+: )?plays.deja: '
ids > "$HOME/after"
[ "$(head -20 "$HOME/after")" = "$(cat "$HOME/before")" ] || fail 'a session was lost'
stored=$(($(wc -l < "$HOME/after") - 20))
cut=$(deja ls --json | grep -c '"ended":"unfinished"') || true
[ "$cut" -le 1 ] || fail 'more than one is unfinished'
says "^recorded $((stored - cut)) sessions? of ledger"
wants 0 verify peg
wants 0 record peg --games 5 --seed 100
[ "$(ids | wc -l)" = $((25 + stored)) ] || fail 'it does not go on'
[ "$(echo plays.deja*)" = plays.deja ] || fail 'files were left behind'

# A text that does not fit leaves nothing, or what was there before.
wants 0 record "$RULES/ledger.so" --games 20 --seed 1 -s long.deja
long=$(deja ls -s long.deja --json | sed -n 's/.*"id":"\([0-9a-f]*\)".*"steps":\([0-9]*\),.*/\2 \1/p' |
    sort -n | tail -1 | cut -d' ' -f2)
[ "$(deja export "$long" -s long.deja | wc -c)" -gt 8192 ] || fail 'the text is too short'
echo 'deja-replay: old' > old.replay
for text in old.replay new.replay; do
    status=0
    (
        ulimit -f 4
        deja export "$long" -s long.deja -o $text 2> "$HOME/err"
    ) || status=$?
    [ $status = 128 ] || fail "export: status $status"
    complains "^deja: $text: larger than files may be here$"
done
[ "$(cat old.replay)" = 'deja-replay: old' ] && [ "$(echo *.replay*)" = old.replay ] || fail 'half a text'

# Of what was recorded, that is told which is stored.
status=0
(
    ulimit -f 800
    deja record "$RULES/ledger.so" --json --games 4000 --trail 64 --seed 1 -s told.deja \
        > "$HOME/out" 2> "$HOME/err"
) || status=$?
[ $status = 128 ] || fail "status $status"
told=$(sed -n 's/.*"type":"session","id":"\([0-9a-f]*\)".*/\1/p' "$HOME/out")
[ -n "$told" ] || fail 'nothing was stored'
stored=$(deja ls -s told.deja --json | sed -n '/"unfinished"/d; s/.*"type":"session","id":"\([0-9a-f]*\)".*/\1/p')
[ "$told" = "$stored" ] || fail 'it told of others than it stored'
