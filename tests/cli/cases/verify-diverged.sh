# SPDX-License-Identifier: MIT
# A changed rule is found at its step, and what is said suffices to look into it.
. "$SOURCE/tests/cli/say.sh"

wants 0 record matchgame --games 4 --seed 1
run verify "$RULES/matchgame-older.so"
run verify "$RULES/matchgame-older.so" --baseline matchgame --before 1
run verify "$RULES/matchgame-heals.so" --keep-going -n "$(ids | head -1)"
run verify "$RULES/matchgame-older.so" --baseline peg

# What the first line says to do again gives the same again.
wants 1 verify "$RULES/matchgame-older.so" --baseline matchgame
sed -n '1,/again/p' "$HOME/out" > "$HOME/first"
again=$(sed -n 's/^ *again *deja //p' "$HOME/first")
wants 1 $again
sed -n '1,/again/p' "$HOME/out" | cmp - "$HOME/first" || fail 'the repetition'

# One change breaks many sessions: the first are told at length, each has its line.
wants 0 record matchgame --games 16 --seed 1
wants 1 verify "$RULES/matchgame-older.so"
says '^verified 16 sessions .*: [0-9]+ match, [0-9]+ diverged$'
diverged=$(sed -n 's/.* \([0-9]*\) diverged$/\1/p' "$HOME/out")
[ "$(grep -c '^DIVERGED' "$HOME/out")" = "$diverged" ] || fail 'a line for each'
[ "$(grep -c '^    again' "$HOME/out")" = 10 ] || fail 'ten at length'
says "^$((diverged - 10)) more findings have one line each"

# The same at any number of jobs, and as many in JSON.
for jobs in 1 5; do
    wants 1 verify "$RULES/matchgame-older.so" --jobs $jobs --json
    [ "$(grep -c '"result":"diverged"' "$HOME/out")" = "$diverged" ] || fail "$jobs jobs"
    cp "$HOME/out" "$HOME/$jobs"
done
cmp "$HOME/1" "$HOME/5" || fail 'the order depends on the jobs'

# Findings of other kinds: a refusal, an outcome, the events alone.
wants 0 record "$RULES/ledger.so" --bot clumsy --seed 1 --max-steps 2000 -s ledger.deja
for way in refusal outcome events last 305; do
    run verify "$RULES/ledger-$way.so" -s ledger.deja --before 2
done

# The worst of several is the status.
wants 0 record "$RULES/ledger.so" --seed 1 --max-steps 60
wants 1 verify "$RULES/matchgame-older.so" "$RULES/ledger-crash.so"
wants 3 verify matchgame "$RULES/ledger-crash.so"
