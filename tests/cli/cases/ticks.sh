# SPDX-License-Identifier: MIT
# A game of ticks, played by a bot and by frames that are written down; a garden with seasons.
. "$SOURCE/tests/cli/say.sh"

run record bee --bot mash --max-steps 200 --seed 1
run record bee --seed 1
run verify bee

# Right held for a second, at 30 frames a second and at 60: one session.
printf '%s\n' '# right for a second' '0 +right@0' '33.333334' '* 29' > thirty
{ printf '0\n0 +right'; seq 1 60 | awk '{ printf "\n%.6f", $1 * 1000 / 60 + 0.000001 }'; } > sixty
run record bee --seed 1 --input thirty -s frames.deja
run record bee --seed 1 --input - -s frames.deja < sixty
id=$(deja ls -s frames.deja --json | sed -n 's/.*"id":"\([0-9a-f]*\)".*/\1/p')
run export "$id" -s frames.deja | grep -v '^build:\|^platform:\|^trail:\|^chain:'
run show "$id" -s frames.deja --rules bee --steps 49..51
run verify bee -s frames.deja

# A tap between two steps; a second player; what is too far apart is said.
printf '%s\n' '0' '10 +left@3 -left@4 1:+up' '16.7' '100 1:-up' '1000' > taps
run record bee --seed 1 --input taps -s taps.deja
deja export -s taps.deja "$(deja ls -s taps.deja --json | sed -n 's/.*"id":"\([0-9a-f]*\)".*/\1/p')" |
    sed -n '/^seed/,/^end/p'

# What is wrong with frames is said by line, and no store is made.
for text in '' '0' 'x' '0 right' '0 +rihgt' '0 +' '0 +right@x' '0 2:+right' '10|5' '* 3' '0|* 3' \
    '0|1|* x' '0|1|*' '0 +right@7' '1.1234567' '99999999999999' '-5' '0|16,7'; do
    printf '%s' "$text" | tr '|' '\n' > frames
    echo "-- $text"
    deja record bee --seed 1 --input frames -s none.deja 2>&1 && fail "$text: recorded" || true
done
run record garden --seed 1 --input thirty -s none.deja
run record bee --seed 1 --input thirty --bot mash -s none.deja
run record bee --seed 1 --input thirty --games 2 -s none.deja
run record bee --seed 1 --input nowhere -s none.deja
[ ! -e none.deja ] || fail 'a store was made'

run record garden --seed 3 --set 'seasons={rain=3 can=2}' --set plots=2 -s garden.deja
run record garden --set plots=65 -s none.deja
run record garden --set grow_percent=101 -s none.deja
[ ! -e none.deja ] || fail 'a store was made'
run show "$(deja ls -s garden.deja --json | sed -n 's/.*"id":"\([0-9a-f]*\)".*/\1/p')" \
    -s garden.deja --rules garden --steps 0..3
run verify garden -s garden.deja
