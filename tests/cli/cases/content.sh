# SPDX-License-Identifier: MIT
# Content: what is recorded with a pack is verified and shown with that pack, or not at all.
. "$SOURCE/tests/cli/say.sh"

ledger=$RULES/ledger-balance.so
mkdir files elsewhere
printf 5 > files/balance.txt
printf 6 > files/other.txt
printf hills > files/maps.txt
cp files/balance.txt elsewhere/renamed.txt

# ---- recorded ----

wants 0 record "$ledger" --games 3 --max-steps 40 --seed 7 --content balance=files/balance.txt
id=$(ids | head -n 1)
wants 0 show "$id"
says '^content    balance=[0-9a-f]{32}$'
five=$(sed -n 's/^content    //p' "$HOME/out")
# A pack that no rule looks for is recorded as well: it could have been read.
wants 0 record "$ledger" --max-steps 40 --seed 7 -s two.deja --content maps=files/maps.txt \
    --content balance=files/balance.txt
wants 0 show "$(ids -s two.deja)" -s two.deja
says "^content    $five maps=[0-9a-f]{32}$"
maps=$(sed -n 's/^content    [^ ]* //p' "$HOME/out")
[ "$(ids -s two.deja)" != "$id" ] || fail 'other content, and the same session'
wants 0 ls --json -s two.deja
says "\"content\":\"$five $maps\""

# ---- verified: missing, another, and the right one from another folder (B08) ----

wants 125 verify "$ledger"
says '^verified 3 sessions \(120 steps, 0 compared\): 0 match, 3 unfit$'
says "^    why       it needs content $five, and none of that name was given$"
wants 125 verify "$ledger" --content balance=files/other.txt
six=$(sed -n 's/.* and \(balance=[0-9a-f]*\) was given$/\1/p' "$HOME/out" | head -n 1)
[ -n "$six" ] && [ "$six" != "$five" ] || fail "two digests, not '$five' and '$six'"
says "^    why       it needs content $five, and $six was given$"
says '^    again     deja verify .* --content balance=files/other.txt$'
wants 125 verify "$ledger" --content balance=files/other.txt --json
says "\"result\":\"unfit\",\"compared\":0,.*\"step\":null,.*\"why\":\"it needs content $five, and $six was given\""
wants 0 verify "$ledger" --content balance=elsewhere/renamed.txt
says '^verified 3 sessions \(120 steps, 123 compared\): 3 match$'
for way in restore fork exec; do
    wants 0 verify "$ledger" --content balance=files/balance.txt --isolate "$way" --jobs 2
done

# All that do not fit are named, and a session gets what it names and nothing else.
wants 125 verify "$ledger" -s two.deja --content maps=files/other.txt
says "it needs content $five, and none of that name was given; it needs content $maps, and maps="
wants 0 verify "$ledger" -s two.deja --content maps=files/maps.txt --content balance=files/balance.txt
[ ! -s "$HOME/err" ] || fail 'something to say of content that is used'
wants 0 verify "$ledger" --content maps=files/maps.txt --content balance=files/balance.txt
complains "^deja: verify: --content: 'maps' is of no use here: no session was recorded with it$"
wants 0 verify "$ledger" --content maps=files/maps.txt --content balance=files/balance.txt --json
jq -e . "$HOME/out" > "$HOME/objects" || fail 'what is told of content breaks JSON'

# ---- shown ----

wants 0 show "$id" --rules "$ledger" --content balance=files/balance.txt --steps 0..2
says '^    state .* list=5$'
wants 125 show "$id" --rules "$ledger" --step 0
complains "it needs content $five, and none of that name was given$"
wants 125 show "$id" --rules "$ledger" --step 0 --content balance=files/other.txt
complains "it needs content $five, and $six was given$"
wants 0 show "$id" --rules "$ledger" --step 0 --content balance=files/balance.txt --content x=files/maps.txt
complains "^deja: show: --content: 'x' is of no use here"
wants 129 show "$id" --content balance=files/balance.txt
complains '^deja: show: --content means nothing without --rules'

# ---- checked ----

wants 0 doctor "$ledger" --games 1 --max-steps 40 --content balance=files/balance.txt
says '^checked ledger 1\.5\.0: [0-9]+ games '
[ ! -s "$HOME/err" ] || fail 'something to say of content that is used'
# Of stored sessions those that fit are walked along; of the first of the others it is said why not.
wants 0 doctor "$ledger" --games 0 --stored --content balance=files/balance.txt
says '^checked ledger 1\.5\.0: 3 games, 3 of them stored \(120 steps\), [^;]*$'
wants 0 doctor "$ledger" --games 1 --max-steps 40 --stored --content balance=files/other.txt
says "; 3 stored sessions left out, which cannot be played with these rules \(the first: it needs content $five, and $six was given\): "
wants 125 doctor "$ledger" --games 0 --stored
complains 'doctor: no step was played'
wants 125 doctor "$ledger" --games 0 -s two.deja --content balance=files/balance.txt
says "; 1 stored session left out, which cannot be played with these rules \(it needs content $maps, and none of that name was given\): "
wants 125 doctor "$ledger" --games 0 -s two.deja --content balance=files/balance.txt --json
says "\"left_out\":1,\"left_out_why\":\"it needs content $maps, and none of that name was given\","
wants 0 doctor "$ledger" --games 0 -s two.deja --content maps=files/maps.txt \
    --content balance=files/balance.txt --json
says '"left_out":0,"left_out_why":null,'

# ---- as text ----

wants 0 export "$(ids -s two.deja)" -s two.deja -o two.replay
grep -qx "content: $five $maps" two.replay || fail 'the text names no content'
wants 0 import two.replay -s back.deja
wants 0 export "$(ids -s back.deja)" -s back.deja -o back.replay
cmp two.replay back.replay || fail 'a text with content does not come back as it was'
wants 0 verify "$ledger" -s back.deja --content maps=files/maps.txt --content balance=files/balance.txt
# A scenario may name content too. Importing runs no rules, so it needs none.
printf '%s\n' 'deja-replay: 1' 'game: ledger 1.5.0' "content: $five" 'seed: 1' 'add n=1' \
    'see: gold=6' > scenario.replay
wants 0 import scenario.replay --rules "$ledger" -s scenario.deja
wants 0 verify "$ledger" -s scenario.deja --content balance=files/balance.txt
wants 125 verify "$ledger" -s scenario.deja

# ---- a game that ships ----

printf '// a long row\n( plots: 9,\n  grow_percent: 100 )\n' > garden.txt
printf 'plots: many\n' > no.txt
wants 0 record garden --seed 1 -s garden.deja --content garden=garden.txt
wants 0 show "$(ids -s garden.deja)" -s garden.deja --rules garden --content garden=garden.txt --step 0
says '^    state    plots=(false,){8}false at=0 seeds=9 grow_percent=100 '
wants 0 verify garden -s garden.deja --content garden=garden.txt
wants 129 record garden --seed 1 -s none.deja --content garden=no.txt
complains ': refused to start: bad_numbers$'
[ ! -e none.deja ] || fail 'a store was made for a game that does not start'

# ---- what cannot be ----

# refused STATUS PATTERN OPTION...: by every command that takes content
refused() {
    local status=$1 pattern=$2
    shift 2
    for command in "record $ledger -s none.deja" "verify $ledger" "show $id --rules $ledger" \
        "doctor $ledger"; do
        # shellcheck disable=SC2086
        wants "$status" $command "$@"
        complains "$pattern"
    done
    [ ! -e none.deja ] || fail "a store was made in spite of $*"
}

mkfifo pipe
truncate -s 1073741825 large
refused 129 "^deja: [a-z]+: --content: 'balance' names no file: it takes NAME=FILE$" --content balance
refused 129 "^deja: [a-z]+: --content: 'balance=' names no file: it takes NAME=FILE$" --content balance=
refused 129 "^deja: [a-z]+: --content: '' is no name for content: .*63 at most$" --content =files/balance.txt
refused 129 "^deja: [a-z]+: --content: '9x' is no name for content: " --content 9x=files/balance.txt
refused 129 "^deja: [a-z]+: --content: content 'a' is there twice$" --content a=files/balance.txt --content a=nowhere
refused 129 "^deja: [a-z]+: --content: the name 'a{20,}.*' is longer than 63 characters$" \
    --content "$(printf 'a%.0s' $(seq 64))=files/balance.txt"
refused 128 '^deja: nowhere: no such file$' --content balance=nowhere
refused 128 '^deja: files: is a folder$' --content balance=files
refused 128 '^deja: pipe: is no regular file, and content is read from such$' --content balance=pipe
refused 128 '^deja: large: too large: content has 1 GiB at most, all packs together$' --content balance=large
chmod 000 files/maps.txt
chmod a+rx . files
nobody_wants 128 record matchgame -s none.deja --content maps=files/maps.txt
complains '^deja: files/maps.txt: permission denied$'
# What is empty is content like any other.
: > empty
wants 0 record matchgame -s empty.deja --content maps=empty --seed 1
wants 0 verify matchgame -s empty.deja --content maps=empty
wants 125 verify matchgame -s empty.deja

# ---- rules that write to it ----

cat > scribbles.c << 'END'
#define LEDGER_START scribble
#include "ledger.h"
static void scribble(ledger *l, const deja_content *content)
{
    const deja_content_pack *balance = deja_content_find(content, "balance");
    l->gold = *(const char *)balance->bytes;
    if (l->rng == 2)
        *(volatile char *)(uintptr_t)balance->bytes = 'x';
}
END
cc -shared -fPIC -fvisibility=hidden -Wl,-z,now -I"$SOURCE/lib/include" -I"$SOURCE/fixtures/rules" \
    -o scribbles.so scribbles.c
# The game before is kept, with the bytes that its digest is of.
wants 3 record ./scribbles.so -s scribbled.deja --seed 1 --games 3 --max-steps 5 \
    --content balance=files/balance.txt
complains 'crashed \(.*SIGSEGV\) in game 2, seed 2; 1 before it is stored'
wants 0 verify ./scribbles.so -s scribbled.deja --content balance=files/balance.txt
# The doctor says where.
wants 3 doctor ./scribbles.so --bot random --games 2 --max-steps 5 --content balance=files/balance.txt
says '^CRASHED step 0$'
says '^    why       the rules crashed \(Segmentation fault: SIGSEGV\)$'
says '^    doing     start$'
says '^    game      2, played by random, seed 2$'
