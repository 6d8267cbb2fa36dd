# SPDX-License-Identifier: MIT
# Help is printed from the rows that the parser works with; all of it is pinned here.
. "$SOURCE/tests/cli/say.sh"

run help
for command in record verify ls show export import info doctor help version; do
    run help "$command"
done

# Every way to ask gives the same.
deja help verify > "$HOME/1"
deja verify --help > "$HOME/2"
deja verify -h > "$HOME/3"
deja verify rules.so --jobs 2 --help > "$HOME/4"
for way in 2 3 4; do
    cmp "$HOME/1" "$HOME/$way" || fail "way $way to ask for help of verify"
done
deja --help > "$HOME/1"
deja help > "$HOME/2"
deja -h > "$HOME/3"
for way in 2 3; do
    cmp "$HOME/1" "$HOME/$way" || fail "way $way to ask for help"
done

# No line is too long for a terminal, and none ends in blanks.
for command in record verify ls show export import info doctor help version; do
    deja help "$command"
done > "$HOME/all"
! grep -nE '.{100,}| $' "$HOME/all" || fail 'a line of help'
