# SPDX-License-Identifier: MIT
# The journal that a killed recorder leaves is told of by who takes it in; one that lies elsewhere is
# imported; what is no journal stays and is named.
. "$SOURCE/tests/cli/say.sh"

wants 3 record "$RULES/ledger-crash.so" --seed 1 -s whole.deja
truncate -s 4096 witness
"$BUILD/tests/player" plays.deja witness play 77 1 100000000 &
player=$!
until [ "$(od -An -t u8 -j 16 -N 8 witness | tr -d ' ')" -gt 5000 ]; do
    kill -0 $player 2> /dev/null || fail "the player ended by itself"
done
kill -9 $player
wait $player 2> /dev/null || true
id=$(ids)
[ "$(echo "$id" | wc -w)" = 1 ] || fail "not one session: $id"

# Into another store, by hand.
cp plays.deja-*.journal left.journal
if [ "$(deja show "$id" | sed -n 's/^steps *//p' | tr -d ,)" -lt 30000 ]; then
    wants 0 import left.journal -s other.deja
    [ "$(ids -s other.deja)" = "$id" ] || fail 'import made another session of it'
fi
cp left.journal broken.journal
printf 'x' | dd of=broken.journal bs=1 seek=20 conv=notrunc 2> /dev/null
wants 128 import broken.journal -s other.deja
complains "^deja: broken.journal: its header is damaged: its check does not fit$"

# A file that is none hinders nobody.
echo something > plays.deja-0123456789abcdef.journal
wants 0 ls
grep -q '^deja: plays.deja-0123456789abcdef.journal: not a journal (1 such file)$' "$HOME/err" ||
    { cat "$HOME/err"; fail 'it is not named'; }
rm plays.deja-0123456789abcdef.journal
wants 0 import "$SOURCE/fixtures/golden/peg-random.replay"
grep -q '^deja: took in 1 session of 1 recording that was cut short$' "$HOME/err" ||
    { cat "$HOME/err"; fail 'nothing is said'; }
[ "$(ids | head -1)" = "$id" ] || fail 'another id'
[ "$(echo plays.deja*)" = plays.deja ] || fail 'a file is left'
