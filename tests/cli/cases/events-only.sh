# SPDX-License-Identifier: MIT
# K08: events are the only way out of a step. A game that prints at each step says on our stdout
# nothing that the game which keeps quiet does not say, in any command that runs it.
. "$SOURCE/tests/cli/say.sh"

# quiet WHAT...: both do it, in a folder of their own, and are told of alike
quiet() {
    local build
    for build in ledger ledger-stdout; do
        mkdir -p "$build"
        deja "${@//RULES/$RULES/$build.so}" -s "$build/plays.deja" < /dev/null |
            sed -e "s|$build/plays.deja|STORE|" -e 's/[0-9a-f]\{32\}/ID/g' \
                -e 's/\<1\.[45]\.0\>/VERSION/' -e 's/\(^recorded   \|"recorded":"\)[0-9 :-]*/\1THEN/' \
                > "$build/out"
    done
    cmp ledger/out ledger-stdout/out || fail "deja $*: the prints come through"
    [ "$(wc -l < ledger/out)" -ge "$lines" ] || fail "deja $*: too little"
}

lines=3
quiet record RULES --seed 3 --games 2 --max-steps 40
quiet record RULES --seed 3 --games 2 --max-steps 40 --json
id=$(ids -s ledger/plays.deja | head -1)
lines=40
quiet show "$id" --rules RULES
quiet show "$id" --rules RULES --json
grep -q '"events":\[{"' ledger-stdout/out || fail 'no event came out'
