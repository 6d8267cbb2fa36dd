# SPDX-License-Identifier: MIT
# Steps that are made on a copy, too, show while bots play what the state's fields do not say. Such a
# game is stored all the same, and marked.
. "$SOURCE/tests/cli/say.sh"

run record "$RULES/ledger.so" --seed 1 --games 2 --max-steps 40 --self-check
run record "$RULES/ledger-hidden.so" --seed 1 --games 2 --max-steps 40 --self-check -s hidden.deja
run record "$RULES/ledger-hidden.so" --seed 1 --max-steps 40 --self-check -s json.deja --json
run record "$RULES/ledger.so" --seed 1 --max-steps 5 --self-check -s json.deja --json
echo '# unasked nothing is found'
run record "$RULES/ledger-hidden.so" --seed 1 --max-steps 40 -s unasked.deja
echo '# what is stored'
for id in $(ids -s hidden.deja); do
    deja export "$id" -s hidden.deja | grep '^mark:'
done

# The member without a field is there for all of a game, so a replay of all of it has it too: this is
# what verify does not see. One that starts from a saved state has not, as doctor says.
wants 0 verify "$RULES/ledger-hidden.so" -s hidden.deja
wants 1 doctor "$RULES/ledger-hidden.so" --seed 1 --games 2
says '^BREACH state_in_fields, step 7'

# Many findings are counted, and not all told; in JSON they are. (Two of these games end before.)
wants 1 record "$RULES/ledger-hidden.so" --seed 1 --games 30 --max-steps 10 --self-check -s many.deja
[ "$(grep -c '^FINDING seed ' "$HOME/out")" = 20 ] || fail 'not 20 findings'
says '^recorded 30 sessions of ledger .*; 28 findings$'
wants 1 record "$RULES/ledger-hidden.so" --seed 1 --games 30 --max-steps 10 --self-check -s many.deja --json
[ "$(grep -c '"type":"finding"' "$HOME/out")" = 28 ] || fail 'not 28 findings'

# A finding stays one where the game then crashes.
cat > crash.c <<'END'
#define LEDGER_FAULT count_and_crash
#define LEDGER_MORE uint32_t counted;
#include "ledger.h"
static void count_and_crash(ledger *l, const ledger_command *command, deja_out *out)
{
    (void)command;
    (void)out;
    if (++l->counted == 3)
        l->gold += 100;
    if (l->steps == 9)
        *(volatile int *)0 = 1;
}
END
cc -shared -fPIC -fvisibility=hidden -Wl,-z,now -I"$SOURCE/lib/include" -I"$SOURCE/fixtures/rules" \
    -o crash.so crash.c
wants 1 record ./crash.so --seed 1 --max-steps 40 --self-check -s crash.deja
says '^FINDING seed 1: not reproducible from step 3 by the state.s fields: on a copy gold is '
complains 'crash\.so: the rules crashed \(.*SIGSEGV\) in game 1, seed 1; up to there it is session [0-9a-f]{12}$'
wants 3 record ./crash.so --seed 1 --max-steps 40 -s crash.deja
