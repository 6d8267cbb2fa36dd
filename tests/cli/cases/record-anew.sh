# SPDX-License-Identifier: MIT
# Each game that is recorded starts as its replay will: from the library as it was loaded, and in the
# float environment of the first.
. "$SOURCE/tests/cli/say.sh"

wants 0 record "$RULES/ledger-static.so" --games 5 --seed 1 --max-steps 200
wants 0 verify "$RULES/ledger-static.so"
says '5 match'

cat > rounds.c << 'END'
/* Rounds upwards from the third step on, and counts in thirds. */
#include <stdlib.h>
#define LEDGER_FAULT fault
#include "ledger.h"
static void fault(ledger *l, const ledger_command *c, deja_out *o)
{
    (void)c;
    (void)o;
    volatile double third = 1.0;
    third = third / 3.0;
    l->gold += (int64_t)(third * 9007199254740992.0 * 2.0) & 1;
#if defined(__x86_64__)
    if (l->steps == 3)
        __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x4000u);
#endif
}
END
cc -O1 -shared -fPIC -I"$SOURCE/lib/include" -I"$SOURCE/fixtures/rules" -o rounds.so rounds.c
wants 0 record ./rounds.so --games 5 --seed 1 --max-steps 20 -s rounds.deja
wants 0 verify ./rounds.so -s rounds.deja
says '5 match'
