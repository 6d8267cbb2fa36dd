# SPDX-License-Identifier: MIT
# Each text in fixtures/golden is taken in, verifies as a match with today's build, and is written
# again byte for byte. fixtures/golden/README.md says what they are.
. "$SOURCE/tests/cli/say.sh"

count=0
for text in "$FIXTURES"/golden/*.replay; do
    name=$(basename "$text" .replay)
    wants 0 import "$text" -s "$name.deja"
    wants 0 export "$(ids -s "$name.deja")" -s "$name.deja" -o again.replay
    cmp "$text" again.replay || fail "$name: export writes something else"
    case $name in
    matchgame-* | peg-*) rules=${name%%-*} ;;
    ledger-*) rules=$RULES/ledger.so ;;
    bytes*) continue ;; # a game that described nothing, which no rules replay
    *) fail "$name: whose text is this?" ;;
    esac
    wants 0 verify "$rules" -s "$name.deja"
    says '^verified 1 session .*: 1 match$'
    count=$((count + 1))
done
[ $count -ge 11 ] || fail "only $count texts"

# All of them in one store are as many sessions.
wants 0 import "$FIXTURES"/golden/*.replay -s all.deja
[ "$(ids -s all.deja | wc -l)" = $((count + 1)) ] || fail 'a session was taken for another'
wants 0 verify matchgame peg "$RULES/ledger.so" -s all.deja
says "^verified $count sessions .*: $count match$"

# Layouts that only grew verify what was imported, and a changed rule is found in it.
wants 0 verify "$RULES/matchgame-added.so" "$RULES/peg-added.so" -s all.deja
says "^verified $((count - 1)) sessions .*: $((count - 1)) match$"
says '^remark: state: added: stats, may_pass '
says '^remark: command: added: give_up '
wants 1 verify "$RULES/matchgame-older.so" "$RULES/peg-older.so" -s all.deja
says ' 0 match, [0-9]+ diverged$'
