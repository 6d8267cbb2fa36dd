# SPDX-License-Identifier: MIT
# What a library says of itself.
. "$SOURCE/tests/cli/say.sh"

steady() {
    sed -E 's/^(build  +)[0-9a-f]{32} .*/\1BUILD/; s/"build":"[0-9a-f]{32}"/"build":"BUILD"/;
        s/"compiler":"[^"]*"/"compiler":"COMPILER"/'
}
run info "$RULES/matchgame-older.so" | steady
run info "$RULES/ledger.so" | steady
run info "$RULES/peg-older.so" --json | steady
run info "$RULES/ledger-thread.so" | steady
for library in matchgame peg "$RULES"/ledger-tls.so "$RULES"/ledger-template.so; do
    wants 0 info "$library" --json
    says '^\{"type":"rules",.*"closed":(true|false),.*"isolation":"(restore|fork|exec)"'
done
