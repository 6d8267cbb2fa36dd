# SPDX-License-Identifier: MIT
# Each store in fixtures/corrupt is refused in the words of its expected.txt, whatever is asked of it,
# and is not touched.
. "$SOURCE/tests/cli/say.sh"

cp "$FIXTURES"/corrupt/*.deja .
sha256sum -- *.deja > "$HOME/before"
lines=0
while IFS='|' read -r store command wanted words; do
    case $store in '#'* | '') continue ;; esac
    wants "$wanted" $command -s "$store"
    grep -qFx -- "$words" "$HOME/out" "$HOME/err" || {
        cat "$HOME/out" "$HOME/err" >&2
        fail "$command -s $store: does not say: $words"
    }
    lines=$((lines + 1))
done < "$FIXTURES/corrupt/expected.txt"
[ $lines -ge 20 ] || fail "only $lines lines"
for store in *.deja; do
    grep -q "^$store|" "$FIXTURES/corrupt/expected.txt" || fail "nothing is expected of $store"
done

# Nor is any of them written to.
for store in *.deja; do
    case $store in bit-of-*) continue ;; esac # what is new does not touch the rows that are damaged
    wants 128 record matchgame --seed 1 -s "$store"
    complains "^deja: $store: "
done
sha256sum -c --quiet "$HOME/before" || fail 'a store was touched'
[ "$(ls)" = "$(ls "$FIXTURES/corrupt" | grep '\.deja$')" ] || fail 'a file appeared'
