# SPDX-License-Identifier: MIT
# A library that cannot be used: what is wrong with it in one line, and the status by which a
# bisection skips a build that does not load, but stops where there is none.
. "$SOURCE/tests/cli/say.sh"

wants 0 record matchgame --games 2 --seed 1
deja ls > "$HOME/before"
echo 'no library at all' > text.so
: > empty.so
head -c 5000 "$GAMES/matchgame.so" > cut.so
cp /bin/true program.so
mkdir folder.so

for library in ./missing.so missing/matchgame.so folder.so; do
    run info "$library"
    for command in verify record; do
        wants 128 $command "$library"
        complains "^deja: $library: (no such file|is a folder, not a file)$"
    done
done
for library in text.so empty.so cut.so program.so $RULES/noconstant.so $RULES/abi2.so \
    $RULES/constant-is-a-function.so $RULES/short-table.so $RULES/unknown-kind.so; do
    run info "$library"
    for command in verify record; do
        wants 125 $command "$library"
        complains "^deja: $library: "
    done
done

# One that may not be read is no other build: a bisection stops there.
cp "$GAMES/matchgame.so" secret.so
chmod 000 secret.so
chmod 755 . .. ../.. "$HOME"
chmod 644 plays.deja
for command in info verify; do
    nobody_wants 128 $command ./secret.so
    complains '^deja: ./secret.so: .*[Pp]ermission denied'
done
rm -f secret.so

# Of several libraries the others do their work.
wants 125 verify text.so matchgame
complains '^deja: text.so: '
says 'verified 2 sessions .*: 2 match$'
wants 128 verify ./missing.so matchgame text.so
says 'verified 2 sessions .*: 2 match$'

# A name is looked up in the rules path, and never in the folder one is in.
cp "$GAMES/matchgame.so" here.so
run info here
run info matchgam
DEJA_RULES=$PWD run info here | head -2
DEJA_RULES=/nowhere::$RULES run info ledgr
run info here.so | head -2
deja ls | cmp - "$HOME/before"
