# SPDX-License-Identifier: MIT
# Rules that crash, leave, hang or print in the middle of a run: the step and its command are named,
# the other sessions are verified as ever, and nothing is left behind.
. "$SOURCE/tests/cli/say.sh"

# Short sessions that no fault reaches, and one that it does, in the middle.
wants 0 record "$RULES/ledger.so" --seed 1 --games 2 --max-steps 20
wants 0 record "$RULES/ledger.so" --seed 50 --max-steps 60
wants 0 record "$RULES/ledger.so" --seed 90 --games 2 --max-steps 20
long=$(ids | sed -n 3p)
command=$(deja show "$long" --step 33 --json | sed -n 's/.*"text":"\([^"]*\)".*/\1/p')
[ -n "$command" ] || fail 'the command of step 33'

# A leak checker cannot work in a worker that has no privileges, and exit() would have it try.
export ASAN_OPTIONS="${ASAN_OPTIONS-}:detect_leaks=0"
for way in crash:SIGSEGV abort:SIGABRT exit:exit; do
    wants 3 verify "$RULES/ledger-${way%:*}.so"
    says "^CRASHED ${long:0:12} ledger, step 33 of 60: $command$"
    says "${way#*:}"
    says 'verified 5 sessions .*: 4 match, 1 crashed$'
    wants 3 verify "$RULES/ledger-${way%:*}.so" --json --jobs 2
    says "\"id\":\"$long\",.*\"result\":\"crashed\",.*\"step\":33,\"command\":\"$command\""
    [ "$(grep -c '"result":"match"' "$HOME/out")" = 4 ] || fail "$way: the others"
    says '^\{"type":"summary","sessions":5,.*"match":4,.*"crashed":1,'
done

# A step that never comes back is ended after the limits, which can be moved.
for rules in ledger-hang:--hang-cpu ledger-sleeps:--hang-wall; do
    wants 3 verify "$RULES/${rules%:*}.so" "${rules#*:}" 1.5
    says "^HUNG ${long:0:12} ledger, step 33 of 60: $command$"
    says 'verified 5 sessions .*: 4 match, 1 hung$'
done

# What rules print or close is not ours.
for way in stdout closes-stdout; do
    wants 0 verify "$RULES/ledger-$way.so"
    [ "$(wc -l < "$HOME/out")" -le 3 ] || fail "$way: the rules printed into our output"
    says 'verified 5 sessions .*: 5 match$'
done

# Interrupted while a step hangs: at once, and no worker stays.
env --default-signal=INT deja verify "$RULES/ledger-hang.so" > "$HOME/out" 2> "$HOME/err" &
child=$!
sleep 1
kill -INT "$child"
status=0
wait "$child" || status=$?
[ $status = 130 ] || fail "interrupted: $status"
env --default-signal=INT deja show "$long" --rules "$RULES/ledger-sleeps.so" > "$HOME/out" 2> "$HOME/err" &
child=$!
sleep 1
kill -TERM "$child"
status=0
wait "$child" || status=$?
[ $status = 143 ] || fail "show, interrupted: $status"
