# SPDX-License-Identifier: MIT
# Rules that fork and come back are recorded once, and tell of each session once.
. "$SOURCE/tests/cli/say.sh"

cat > forks.c << 'END'
#include <unistd.h>
#define LEDGER_FAULT fault
#include "ledger.h"
static void fault(ledger *l, const ledger_command *c, deja_out *o)
{
    (void)c;
    (void)o;
    if (l->steps == 5)
        fork();
}
END
cc -O1 -D_GNU_SOURCE -shared -fPIC -I"$SOURCE/lib/include" -I"$SOURCE/fixtures/rules" -o forks.so \
    forks.c
wants 0 record ./forks.so --games 3 --seed 1 --max-steps 30
says '^recorded 3 sessions'
[ "$(ids | wc -l)" = 3 ] || fail 'not three sessions'
wants 0 verify "$RULES/ledger.so"
says '3 match'

# One that dies when it is unloaded does so after the last game.
cat > dies.c << 'END'
#include <stdlib.h>
#include "ledger.h"
static __attribute__((destructor)) void bye(void)
{
    abort();
}
END
cc -O1 -shared -fPIC -I"$SOURCE/lib/include" -I"$SOURCE/fixtures/rules" -o dies.so dies.c
wants 3 record ./dies.so --games 2 --seed 1 --max-steps 30 -s dies.deja
complains 'after the last game; 2 are stored'
