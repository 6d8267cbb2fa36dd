# SPDX-License-Identifier: MIT
# The list of a store, for people and for programs.
. "$SOURCE/tests/cli/say.sh"

# Times and digests of builds are another in each run.
steady() {
    sed -E 's/[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8}/DATE---- TIME----/; s/  [0-9a-f]{12}  /  BUILD-------  /;
        s/"build":"[0-9a-f]{32}"/"build":"BUILD"/; s/"compiler":"[^"]*"/"compiler":"COMPILER"/;
        s/"platform":"[^"]*"/"platform":"PLATFORM"/; s/"recorded":"[^"]*"/"recorded":"TIME"/'
}

wants 0 record matchgame --games 3 --seed 7
wants 0 record matchgame --seed 7 --max-steps 2 --bot depth6
wants 0 record peg --seed 18446744073709551615
run ls | steady
run ls --game peg | steady
run ls --json | steady
run ls --game matchgame --json | tail -2
first=$(ids | head -1)
run ls -n "${first:0:5}" | steady
run ls -n "${first^^}" | steady
run ls --game matchgam
run ls --game chess
run ls -n ffffffffffffffff

# A store without sessions is no mistake.
empty_store none.deja
run ls -s none.deja
run ls -s none.deja --json
DEJA_STORE=none.deja run ls
DEJA_STORE= run ls --game peg | steady

# What a text did not say is a dash, and no line ends in blanks.
wants 0 export "$first" -o said.replay
sed -e '/^made:/d' -e 's/^\(build: [0-9a-f]*\) .*/\1/' said.replay > unsaid.replay
wants 0 import unsaid.replay -s unsaid.deja
wants 0 ls -s unsaid.deja
says '  -$'
! grep ' $' "$HOME/out" || fail 'ls: blanks at the end'
wants 0 show "$first" -s unsaid.deja
says '^build      [0-9a-f]{32} -$'
says '^made       -$'
! grep ' $' "$HOME/out" || fail 'show: blanks at the end'
wants 0 show "$first" --rules matchgame
! grep ' $' "$HOME/out" || fail 'show --rules: blanks at the end'
