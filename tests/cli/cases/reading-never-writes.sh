# SPDX-License-Identifier: MIT
# Whatever reads creates nothing and changes nothing; so a store in a folder that cannot be written
# to is as good as any.
. "$SOURCE/tests/cli/say.sh"

mkdir box
wants 0 record matchgame --games 20 --seed 1 -s box/plays.deja
wants 0 record peg --games 5 --seed 1 -s box/plays.deja
first=$(ids -s box/plays.deja | head -1)
cd box

sums() {
    find . -type f -exec sha256sum {} + | sort
    find . -printf '%p %m %T@\n' | sort
}
sums > "$HOME/before"
for command in ls 'ls --json' "show $first" "show $first --rules matchgame" "export $first" \
    'verify matchgame peg' 'verify matchgame --isolate exec' 'info matchgame' version help; do
    wants 0 $command
    sums | cmp - "$HOME/before" || fail "$command"
done
for command in 'show ffffffffffff' 'verify matchgame -n ffffffffffff' 'export ffffffffffff'; do
    wants 129 $command
    sums | cmp - "$HOME/before" || fail "$command"
done
# Where there is no store, none appears.
cd ..
for command in ls 'show 1' 'verify matchgame' 'export 1'; do
    wants 128 $command
    complains '^deja: plays.deja: no such file; record a session first'
done
[ ! -e plays.deja ] || fail 'a store appeared'

# As somebody who may not write there.
chmod 755 . .. ../.. "$HOME"
chmod 444 box/plays.deja
chmod 555 box
cd box
sums > "$HOME/before"
for command in ls 'ls --json' "show $first" "show $first --rules matchgame" "export $first" \
    'verify matchgame peg' 'verify matchgame --isolate exec'; do
    nobody_wants 0 $command
    [ -s "$HOME/out" ] || fail "$command: said nothing"
    [ ! -s "$HOME/err" ] || fail "$command: complained"
    sums | cmp - "$HOME/before" || fail "$command, as nobody"
done
for command in 'record matchgame --seed 1' "import $PWD/none.replay"; do
    nobody_wants 128 $command
    sums | cmp - "$HOME/before" || fail "$command, as nobody"
done
chmod 755 .
