# SPDX-License-Identifier: MIT
# Rules that crash, leave or print while bots play take nothing along: what was finished is stored,
# also what was not committed yet when it happened, and the game that crashed, up to its crash.
. "$SOURCE/tests/cli/say.sh"

# The first of these games are short; then comes one that reaches the fault at step 33.
wants 0 record "$RULES/ledger.so" --seed 1 --games 600 -s all.deja --json
steps=$(sed -n 's/.*"seed":"\([0-9]*\)","steps":\([0-9]*\),.*/\1 \2/p' "$HOME/out")
first=$(awk '$2 < 33 { run++; next } { if (run >= 2) { print $1 - run, run; exit } run = 0 }' <<< "$steps")
read -r seed short <<< "$first"
[ -n "$seed" ] || fail 'no two short games in a row'

for way in crash abort exit; do
    wants 3 record "$RULES/ledger-$way.so" --seed "$seed" --games 50 -s "$way.deja"
    [ "$(ids -s "$way.deja" | wc -l)" = $((short + 1)) ] || fail "$way: not $short sessions and one"
    [ -z "$(ls | grep journal)" ] || fail "$way: a journal is left"
    id=$(ids -s "$way.deja" | tail -n 1)
    complains "up to there it is session ${id:0:12}; $short before it (is|are) stored in $way.deja"
    says "^recorded $short sessions of ledger"
done
wants 3 record "$RULES/ledger-crash.so" --seed "$seed" --games 50 -s crash.deja
complains "ledger-crash.so: the rules crashed \(Segmentation fault: SIGSEGV\) in game $((short + 1)), seed $((seed + short)); up to there it is session [0-9a-f]{12}; $short before it (is|are) stored in crash.deja"
wants 3 record "$RULES/ledger-abort.so" --seed "$seed" --games 50 -s abort.deja
complains 'the rules crashed \(Aborted: SIGABRT\)'
wants 3 record "$RULES/ledger-exit.so" --seed "$seed" --games 50 -s exit.deja
complains 'the rules ended their process \(exit status 0\)'

# That session replays to the crash, and with rules that do not crash there, past it.
id=$(ids -s crash.deja | tail -n 1)
wants 3 verify "$RULES/ledger-crash.so" -s crash.deja -n "$id"
says '^CRASHED [0-9a-f]* ledger, step 33 of 33:'
wants 0 verify "$RULES/ledger.so" -s crash.deja -n "$id"
wants 0 show "$id" -s crash.deja
says '^ended  *crashed'

# The very first game is kept as well.
wants 3 record "$RULES/ledger-crash.so" --seed $((seed + short)) -s none.deja
complains "^deja: $RULES/ledger-crash.so: the rules crashed \(Segmentation fault: SIGSEGV\) in game 1, seed $((seed + short)); up to there it is session [0-9a-f]{12}$"
[ "$(ids -s none.deja | wc -l)" = 1 ] || fail 'not the one session'

# What rules print is no answer of ours, and a closed stdout is theirs alone.
wants 0 record "$RULES/ledger-stdout.so" --seed 3 --games 2 --max-steps 40 -s out.deja
[ "$(wc -c < "$HOME/out")" -lt 1000 ] || fail 'the rules printed into our output'
says '^recorded 2 sessions of ledger \(80 steps\) into out.deja, seed 3 to 4; 2 ended by --max-steps 40$'
wants 0 record "$RULES/ledger-closes-stdout.so" --seed 3 --games 2 --max-steps 40 -s shut.deja
says '^recorded 2 sessions of ledger'

# A start that is not the same twice is seen before anything is stored. Variables that are put back
# before each session may be what they like.
# counts KIND HOOK PARAMETERS BODY: a ledger with a variable of this kind, `calls`, and this hook
counts() {
    printf '%s\n' "#define $2 count" '#include "ledger.h"' "static $1 int64_t calls;" \
        "static void count($3)" "{ $4 }" > counts.c
    cc -shared -fPIC -fvisibility=hidden -Wl,-z,now -I"$SOURCE/lib/include" \
        -I"$SOURCE/fixtures/rules" -o counts.so counts.c
}
counts _Thread_local LEDGER_START 'ledger *l, const deja_content *content' \
    '(void)content; l->gold += ++calls;'
wants 3 record ./counts.so --seed 1 -s counted.deja
complains 'counts\.so: the start state differs when the game is started twice, .* \(step 0\)$'
counts '' LEDGER_START 'ledger *l, const deja_content *content' '(void)content; l->gold += ++calls;'
wants 0 record ./counts.so --seed 1 --games 3 --max-steps 5 -s put-back.deja
wants 0 verify ./counts.so -s put-back.deja
counts '' LEDGER_AND 'deja_fields *f, const ledger *l' \
    '((ledger *)(uintptr_t)l)->gold = ++calls; (void)f;'
wants 3 record ./counts.so --seed 1 -s counted.deja
complains "counts\.so: the start state's hash changes when it is taken twice: .* \(step 0\)\$"
wants 3 record "$RULES/ledger-marks.so" --seed 1 -s counted.deja
complains "ledger-marks\.so: the start state's hash changes"
# And so is a hash that is another in each process, as one that starts from its number.
counts '' LEDGER_AND 'deja_fields *f, const ledger *l' \
    'extern int getpid(void); (void)l; calls = getpid(); deja_i64(f, "salt", &calls);'
wants 3 record ./counts.so --seed 1 -s counted.deja
complains "counts\.so: the start state differs from process to process, with the same config"
[ ! -e counted.deja ] || fail 'a store was made'

# A map that is not walked in the order of its keys is no value, and its key is named.
wants 3 record "$RULES/shelf-unordered.so" --seed 1 --max-steps 300 -s unordered.deja
complains 'the state: jars\[[0-9]+\]: its key does not rise \(step [0-9]+\)$'
wants 0 record "$RULES/shelf.so" --seed 1 --max-steps 300 -s ordered.deja

# A description that makes other calls for other values is a broken contract, not damage: at the step
# where the size of a value shows it, else at the end of the game at the latest.
for way in breach-calls:33 breach-calls-list:60; do
    rules=$RULES/${way%:*}.so
    wants 3 record "$rules" --seed 50 --max-steps 60 -s breach.deja
    complains "^deja: $rules: the state: the description makes different calls for different values: .* \(step ${way#*:}\)$"
done
wants 0 record "$RULES/ledger.so" --seed 50 --max-steps 60 -s sound.deja
for way in breach-calls breach-calls-list; do
    wants 3 verify "$RULES/$way.so" -s sound.deja
    says '^CRASHED [0-9a-f]* ledger, step 33 of 60:'
    says "why  *broke the rules' contract: the description makes different calls for different values"
    wants 3 show "$(ids -s sound.deja)" -s sound.deja --rules "$RULES/$way.so" --steps 32..34
    complains 'step 33: the rules broke their contract: the description makes different calls'
done
