# SPDX-License-Identifier: MIT
# Comparing nothing is no pass; whoever names a session gets that one or a reason.
. "$SOURCE/tests/cli/say.sh"

wants 0 record matchgame --games 5 --seed 1
run verify peg
run verify peg --allow-empty
run verify matchgame peg
run verify matchgame --game peg
run verify matchgame -n 0000000
run verify matchgame -n not-hex
run verify matchgame -n ''
run verify matchgame -n 00112233445566778899aabbccddeeff0
first=$(ids | head -1)

# B77: what is no id is refused by every command, whatever it looks like, and leads nowhere.
mkdir texts
above=$(ls ..)
long=$(printf '%10000s' '' | tr ' ' a)
for word in $'ab\ncd' "$long" ../x "../../$first" "$first/../x" "$first"x ' ' "$first "; do
    for command in 'verify matchgame -n' show 'export -o texts' 'ls -n'; do
        wants 129 $command "$word"
        complains "' is not the beginning of a session's id, which is 32 hex digits; see 'deja ls'$"
        [ "$(wc -c < "$HOME/err")" -lt 400 ] || fail "$command: a line of $(wc -c < "$HOME/err") bytes"
    done
done
[ "$(find . | sort | tr '\n' ' ')" = '. ./plays.deja ./texts ' ] || fail 'a file appeared'
[ "$(ls ..)" = "$above" ] || fail 'a file appeared above'

# One that is named and of another game is unfit, which is said.
wants 125 verify peg -n "$first"
says "^UNFIT ${first:0:12} matchgame"
says 'verified 1 session .*: 0 match, 1 unfit$'

# Each library has to have something to do, also where sessions are named.
wants 128 verify matchgame peg -n "$first"
says 'verified 1 session .*: 1 match$'
complains "^deja: .*/peg.so: no session of its game 'peg' was selected from plays.deja, so it has verified nothing"
wants 128 verify peg matchgame -n "$first"
says 'verified 1 session .*: 1 match$'
complains "^deja: .*/peg.so: no session of its game 'peg' was selected"
wants 0 verify matchgame peg -n "$first" --allow-empty
wants 0 verify matchgame "$GAMES/matchgame.so" -n "$first"
says 'verified 2 sessions .*: 2 match$'

# A prefix that is not enough names what it may be.
for digit in 0 1 2 3 4 5 6 7 8 9 a b c d e f; do
    [ "$(ids | grep -c "^$digit")" -lt 2 ] || twice=$digit
done
if [ -z "${twice-}" ]; then
    wants 0 record matchgame --games 30 --seed 100
    twice=$(ids | cut -c1 | sort | uniq -d | head -1)
fi
for command in 'verify matchgame -n' show export; do
    wants 129 $command "$twice"
    complains "^deja: plays.deja: '$twice' begins both $twice[0-9a-f]{31} and $twice[0-9a-f]{31}"
done
