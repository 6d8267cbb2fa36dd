# SPDX-License-Identifier: MIT
# Every --json prints objects, one a line: first what this is, last a summary, and numbers that a
# reader of doubles would round are strings.
. "$SOURCE/tests/cli/say.sh"

# holds WHAT FILTER: for all lines of the last wants(), as one array
holds() {
    jq -es "$2" "$HOME/out" > /dev/null || {
        head -c 4000 "$HOME/out" >&2
        fail "$command: not so: $1"
    }
}

wants 0 record matchgame --games 6 --seed 18446744073709551613
wants 0 record peg --games 2 --seed 1 --trail 64
wants 0 record "$RULES/ledger.so" --bot clumsy --seed 1 --max-steps 300 -s ledger.deja
first=$(ids | head -1)
ledger=$(ids -s ledger.deja)
deja export "$first" > text.replay
sed '/^take/,$d' text.replay > cut.replay
awk '/^take/ && !done++ { print "mark: \"one \\\"two\\\" \\\\ three\\u001b[31m\"" } 1' text.replay > marked.replay

count=0
while IFS='|' read -r wanted command; do
    wants "$wanted" $command
    [ "$(wc -l < "$HOME/out")" -ge 2 ] || fail "$command: too little"
    ! grep -v '^{.*}$' "$HOME/out" || fail "$command: a line that is no object"
    holds 'an object a line' "length == $(wc -l < "$HOME/out") and
        all(type == \"object\" and has(\"type\"))"
    holds 'the first line' '.[0] == {"type":"deja","schema":1}'
    holds 'numbers' '[.. | numbers | select(. > 9007199254740992 or . != floor)] == []'
    holds 'hashes, seeds and ids' '[.[] | .id?, .seed?, .hash?, .chain?, .expected?
        | select(. != null) | type] - ["string"] == []'
    case $wanted in
    0 | 1 | 3 | 125) holds 'the last line' '.[-1].type == "summary"' ;;
    *)
        holds 'the error' "[.[] | select(.type == \"error\")] | last |
            .status == $wanted and (.message | length) > 0"
        holds 'the last line' '.[-1].type == "summary"'
        ;;
    esac
    count=$((count + 1))
done <<COMMANDS
0|ls --json
0|ls --json --game peg
0|show $first --json
0|show $first --json --rules matchgame
0|show $first --json --rules $RULES/matchgame-added.so
0|show $ledger --json -s ledger.deja
0|show $ledger --json -s ledger.deja --rules $RULES/ledger.so
0|info matchgame --json
0|info peg --json
0|info $RULES/swarm.so --json
0|info $RULES/ledger-thread.so --json
0|verify matchgame peg --json
0|verify $RULES/matchgame-added.so --json
0|verify peg --json --shard 1/1
1|verify $RULES/matchgame-older.so --json
1|verify $RULES/matchgame-older.so --json --baseline matchgame --keep-going
1|verify $RULES/ledger-events.so --json -s ledger.deja
1|verify $RULES/ledger-refusal.so --json -s ledger.deja
3|verify $RULES/ledger-crash.so --json -s ledger.deja
125|verify $RULES/ledger-pid.so --json -s ledger.deja
125|verify $RULES/ledger-renamed.so --json -s ledger.deja
0|record matchgame --games 2 --seed 18446744073709551615 --json -s other.deja
0|import text.replay marked.replay --json -s other.deja
128|import cut.replay missing.replay --json -s other.deja
128|ls --json -s missing.deja
129|ls --json --game chess
129|verify matchgame --json --jobs 0
128|verify $RULES/swarm.so --json
0|doctor $RULES/mute.so --games 1 --json
1|doctor $RULES/ledger-half-done.so --games 1 --json
3|doctor $RULES/ledger-crash.so --games 1 --json
129|doctor peg --bot solv --json
COMMANDS
[ $count = 32 ] || fail "$count commands"

# What the lines say adds up.
command=doctor
wants 1 doctor "$RULES/ledger-static.so" --json
holds 'a line for each clause, and sums' '.[-1] as $s | [.[] | select(.type == "clause")] |
    length == 11 and $s.passed + $s.broken + $s.not_checked == 11 and
    $s.broken == (map(select(.result == "broken")) | length)'
holds 'findings add up to breaches' '([.[] | select(.type == "finding") | .count] | add) ==
    ([.[] | select(.type == "clause") | .breaches] | add)'
command=verify
wants 1 verify "$RULES/matchgame-older.so" --json
holds 'a line for each session' '[.[] | select(.type == "session")] | length == 6'
holds 'sums' '.[-1] as $s | [.[] | select(.type == "session")] |
    $s.sessions == length and $s.steps == (map(.steps) | add) and
    $s.compared == (map(.compared) | add) and
    $s.diverged == (map(select(.result == "diverged")) | length) and
    $s.match == (map(select(.result == "match")) | length)'
command=ls
wants 0 ls --json
holds 'sums' '.[-1] as $s | [.[] | select(.type == "session")] |
    $s.sessions == length and $s.steps == (map(.steps) | add)'
holds 'seeds to the last digit' '[.[] | .seed?] | index("18446744073709551615") != null'
command=show
wants 0 show "$first" --json --rules matchgame
holds 'a line for each step' '[.[] | select(.type == "step") | .step] ==
    [range(0; ([.[] | select(.type == "session")][0].steps) + 1)]'
holds 'states by name' '.[1:] | map(select(.type == "step")) | all(.state.rows | length == 4)'
