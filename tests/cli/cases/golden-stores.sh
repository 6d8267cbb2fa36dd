# SPDX-License-Identifier: MIT
# The stores in fixtures/golden open, tell what they told when they were made, and verify; reading
# them changes nothing. fixtures/golden/README.md says what they are.
. "$SOURCE/tests/cli/say.sh"

# told STORE: its rows as the stock shell shows them, then every session and recording as a text.
told() {
    local id number
    for view in sessions recordings recording_marks; do
        echo "-- $view"
        sqlite3 -readonly "$1" "SELECT * FROM $view"
    done
    sqlite3 -readonly "$1" 'SELECT s.id, count(*) FROM sessions s JOIN recordings r
        ON r.session = s.key GROUP BY s.key' > "$HOME/list"
    while IFS='|' read -r id number; do
        for number in $(seq "$number"); do
            echo "-- $id, recording $number"
            deja export "$id" --recording "$number" -s "$1"
        done
    done < "$HOME/list"
}

for name in plays bytes; do
    store=$name.deja
    cp "$FIXTURES/golden/$store" "$store"
    chmod 444 "$store"
    told "$store" > "$name.txt" || fail "$store: cannot be read"
    [ -z "${GOLDEN-}" ] || cp "$name.txt" "$GOLDEN/$name.txt"
    diff "$FIXTURES/golden/$name.txt" "$name.txt" || fail "$store: it tells something else"

    # The command that lists and shows finds the same sessions.
    ids -s "$store" > "$HOME/ids"
    cut -d'|' -f1 "$HOME/list" | cmp - "$HOME/ids" || fail "$store: other sessions are listed"
    for id in $(cat "$HOME/ids"); do
        wants 0 show "$id" -s "$store"
    done
done
wants 0 verify matchgame peg -s plays.deja
says '^verified 12 sessions .*: 12 match$'

# A recorder was killed: who reads sees its session, the store's part and the journal's, and who
# writes makes the same of it.
cp "$FIXTURES"/golden/killed/killed.deja* .
for when in read written; do
    id=$(ids -s killed.deja)
    [ "${id:0:12}" = 62eae2a63dd2 ] || fail "killed.deja, $when: $id"
    wants 0 export "$id" -s killed.deja
    sha256sum < "$HOME/out" | cut -d' ' -f1 | cmp - "$FIXTURES/golden/killed/export.sha256" ||
        fail "killed.deja, $when: it tells something else"
    wants 0 verify "$RULES/matchgame_endless.so" -s killed.deja
    [ $when = written ] || wants 0 import "$FIXTURES/golden/matchgame-cut.replay" -s killed.deja
    [ $when = written ] || deja ls -s killed.deja --game matchgame --json | grep -q '"type":"session"' ||
        fail 'it was not written to'
    [ $when = written ] || ids() { deja ls -s killed.deja --game matchgame_endless --json |
        sed -n 's/.*"id":"\([0-9a-f]*\)".*/\1/p'; }
done
[ "$(echo killed.deja*)" = killed.deja ] || fail 'the journal is left'
unset -f ids
. "$SOURCE/tests/cli/say.sh"

# B37: the bytes of a command and of every number stand as the pages of schemas/ say.
at() {
    local answer
    answer=$(sqlite3 -readonly bytes.deja "SELECT $1 LIMIT 1")
    [ "$answer" = "$2" ] || fail "$1: $answer, expected $2"
}
at "hex(seeds) FROM session_packs" 0102030405060708
at "hex(config_data) FROM session_packs" 0A0B0C0D
at "steps FROM session_packs" 66051
at "hex(substr(sqlar_uncompress(data, size), 65537, 11)) FROM command_parts" 0102030400FF0102030401
at "hex(substr(sqlar_uncompress(data, size), 1, 6)) FROM result_parts" 000002010000
at "hex(substr(trail, 1, 8)) FROM result_parts" 0807060504030201
at "hex(sqlar_uncompress(data, size)) FROM section_parts" \
    0100000000000000010000000000020000000807060504030201
at "printf('%016x', chain) = hex(chains) COLLATE NOCASE FROM recording_packs JOIN result_parts \
    ORDER BY result_parts.id DESC" 1
wants 0 show "$(ids -s bytes.deja)" --steps 1..4 -s bytes.deja
says ' 01020304$'

# The same text makes the same rows today, but for how blocks were compressed.
wants 0 import "$FIXTURES/golden/bytes.replay" -s new.deja
for store in bytes.deja new.deja; do
    for table in words builds layouts manifest; do
        [ $table = manifest ] && columns='id, name, row_count, next_id' || columns='*'
        sqlite3 -readonly "$store" "SELECT $columns FROM $table"
    done
    sqlite3 -readonly "$store" 'SELECT id, layouts, content, open, start, sessions, steps,
        hex(digests), hex(seeds), hex(lengths), configs, config_size, hex(config_data)
        FROM session_packs;
        SELECT id, layouts, build, platform, made, trail_bits, trail_every, recordings,
        hex(sessions), hex(endings), outcomes, recorded_at, hex(ages), hex(chains),
        hex(event_chains), marks, sections FROM recording_packs;
        SELECT id, size, hex(sqlar_uncompress(data, size)) FROM command_parts;
        SELECT id, size, hex(sqlar_uncompress(data, size)), hex(trail), chain, event_chain
        FROM result_parts;
        SELECT id, place, step, text FROM marks'
done > rows
lines=$(($(wc -l < rows) / 2))
head -n $lines rows > old.rows
tail -n $lines rows | cmp old.rows - || fail 'a new store of the same content has other bytes'
