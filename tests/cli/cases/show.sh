# SPDX-License-Identifier: MIT
# A session's steps, from the store alone and as rules play them.
. "$SOURCE/tests/cli/say.sh"

steady() {
    sed -E 's/^(recorded +).*/\1TIME/; s/^(build +).*/\1BUILD/; s/^(platform +).*/\1PLATFORM/;
        s/"build":"[0-9a-f]{32}"/"build":"BUILD"/; s/"compiler":"[^"]*"/"compiler":"COMPILER"/;
        s/"platform":"[^"]*"/"platform":"PLATFORM"/; s/"recorded":"[^"]*"/"recorded":"TIME"/'
}

wants 0 record matchgame --seed 7 --set rows=3,2,1
first=$(ids)
run show "$first" | steady
run show "${first:0:8}" --rules matchgame | steady
run show "${first:0:8}" --json | steady
run show "${first:0:8}" --rules matchgame --json --steps 0..1 | steady
run show "${first:0:8}" --step 0
run show "${first:0:8}" --steps 1..2 --rules matchgame

# The valid range is said.
steps=$(deja show "$first" --json | sed -n 's/.*"type":"session".*"steps":\([0-9]*\).*/\1/p')
wants 129 show "$first" --step $((steps + 1))
complains "no step $((steps + 1)); the session has steps 0 to $steps"
wants 129 show "$first" --steps $((steps + 1))..$((steps + 2)) --rules matchgame
wants 129 show "$first" --steps 0..$((steps + 1))
wants 0 show "$first" --step "$steps"
wants 129 show "$first" --recording 2
complains ": session ${first:0:12}: it has only 1 recording$"
wants 125 show "$first" --rules peg

# Commands that were refused, and why.
wants 0 record "$RULES/ledger.so" --bot clumsy --seed 1 --max-steps 12 -s clumsy.deja
run show "$(ids -s clumsy.deja)" -s clumsy.deja --steps 1..12
