# SPDX-License-Identifier: MIT
# What a killed process has recorded is listed, shown, exported and verified up to its last step,
# and is said to be unfinished (B81, B85); no command waits for a writer to come first.
. "$SOURCE/tests/cli/say.sh"

# witnessed PLACE: a number of what the player told (tests/player/witness.h)
witnessed() {
    od -An -t u8 -j $((8 * $1)) -N 8 "$HOME/witness" | tr -d ' '
}

wants 0 record "$RULES/ledger.so" --games 3 --seed 1
ids > "$HOME/before"
truncate -s 4096 "$HOME/witness"
"$BUILD/tests/player" plays.deja "$HOME/witness" play 77 1 100000000 &
player=$!
until [ "$(witnessed 2)" -gt 20000 ]; do
    kill -0 $player 2> /dev/null || fail "the player ended by itself"
done
kill -9 $player
wait $player 2> /dev/null || true
steps=$(witnessed 2)

wants 0 ls --json
[ "$(ids | head -3)" = "$(cat "$HOME/before")" ] || fail 'an earlier session was lost'
id=$(ids | tail -n +4)
[ "$(echo "$id" | wc -w)" = 1 ] || fail "not one session more: $id"
stored=$(sed -n "s/.*\"id\":\"$id\".*\"steps\":\([0-9]*\),.*/\1/p" "$HOME/out")
[ "$stored" -ge "$steps" ] && [ "$stored" -le $((steps + 1)) ] ||
    fail "$steps steps returned, $stored are stored"
grep -q "\"id\":\"$id\".*\"ended\":\"\(unfinished\|crashed\)\"" "$HOME/out" || fail 'it looks closed'

wants 0 show "$id" --steps "$steps..$steps"
says "^$steps +[0-9a-f]{8}  "
[ ! -s "$HOME/err" ] || fail 'show complains'
wants 0 export "$id"
says "^end: (unfinished|crashed) steps=$stored$"
[ ! -s "$HOME/err" ] || fail 'export complains'
cp "$HOME/out" whole.replay
wants 0 verify "$RULES/ledger.so"
says '^verified 4 sessions .*: 4 match'

# A writer changes none of it, and leaves one file.
wants 0 record "$RULES/ledger.so" --games 1 --seed 50
[ "$(ids | head -4)" = "$(cat "$HOME/before"; echo "$id")" ] || fail 'the next writer changed sessions'
wants 0 export "$id"
cmp -s "$HOME/out" whole.replay || fail 'the next writer changed what is exported'
[ "$(echo plays.deja*)" = plays.deja ] || fail 'files are left beside the store'
