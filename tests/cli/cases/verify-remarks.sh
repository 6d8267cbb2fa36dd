# SPDX-License-Identifier: MIT
# What is remarkable about sessions that match is said once, with how many there are.
. "$SOURCE/tests/cli/say.sh"

wants 0 record matchgame --games 12 --seed 1
run verify "$RULES/matchgame-added.so"
wants 0 verify "$RULES/matchgame-added.so" --json
[ "$(grep -c '"remarks":\["' "$HOME/out")" = 12 ] || fail 'the remarks of each'
