# SPDX-License-Identifier: MIT
# Shards are disjoint and complete, whatever else the store holds.
. "$SOURCE/tests/cli/say.sh"

wants 0 record matchgame --games 30 --seed 1
ids | sort > "$HOME/all"
: > "$HOME/parts"
for part in 1 2 3 4; do
    wants 0 verify matchgame --shard $part/4 --json
    says "\"shard\":\"$part/4\"\\}$"
    sed -n 's/.*"type":"session","id":"\([0-9a-f]*\)".*/\1/p' "$HOME/out" > "$HOME/part$part"
    [ -s "$HOME/part$part" ] || fail "part $part is empty"
    cat "$HOME/part$part" >> "$HOME/parts"
done
sort "$HOME/parts" | cmp - "$HOME/all" || fail 'the parts are not the whole'

wants 0 verify matchgame --shard 2/4
says '^shard 2/4: verified [0-9]+ sessions .*: [0-9]+ match$'

# A session stays in its shard when others come.
wants 0 record matchgame --games 30 --seed 1000
wants 0 verify matchgame --shard 3/4 --json
sed -n 's/.*"type":"session","id":"\([0-9a-f]*\)".*/\1/p' "$HOME/out" | sort > "$HOME/later"
[ -z "$(comm -13 "$HOME/later" <(sort "$HOME/part3"))" ] || fail 'a session changed its shard'

# A part of which there is nothing is no pass.
wants 0 record matchgame --seed 5 -s one.deja
empty=0
for part in 1 2; do
    deja verify matchgame -s one.deja --shard $part/2 > "$HOME/out" 2> "$HOME/err" && continue
    empty=$((empty + 1))
    complains "no session falls to shard $part/2; --allow-empty lets that pass"
    wants 0 verify matchgame -s one.deja --shard $part/2 --allow-empty
done
[ $empty = 1 ] || fail "$empty empty parts"
