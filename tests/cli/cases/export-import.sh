# SPDX-License-Identifier: MIT
# Replay texts: there and back, alone and in company, whole or not at all.
. "$SOURCE/tests/cli/say.sh"

wants 0 record matchgame --games 4 --seed 7
wants 0 record "$RULES/ledger.so" --bot clumsy --games 2 --seed 1 --max-steps 100
all=$(ids)
first=$(head -1 <<< "$all")

# To stdout, to a file, into a folder: the same bytes.
deja export "$first" > 1.replay
wants 0 export "$first" -o 2.replay
[ ! -s "$HOME/out" ] || fail 'export -o printed something'
mkdir texts
wants 0 export $all -o texts
[ "$(cat "$HOME/out")" = "$(sed 's|.*|texts/&.replay|' <<< "$all")" ] || fail 'the list of files'
grep -q '^seed: 7$' 1.replay || fail 'an export of nothing'
cmp 1.replay 2.replay || fail 'to a file'
cmp 1.replay "texts/$first.replay" || fail 'into a folder'
deja export "$first" -o - | cmp - 1.replay || fail 'to -'
deja export "$first" -o /dev/stdout | cmp - 1.replay || fail 'to /dev/stdout'
[ -c /dev/null ] && deja export "$first" -o /dev/null && [ -c /dev/null ] || fail '/dev/null'

# A link is followed, and a file is replaced as a whole.
ln -s 2.replay link.replay
echo 'deja-replay: 1' > 2.replay
wants 0 export "$first" -o link.replay
[ -L link.replay ] && cmp 1.replay 2.replay || fail 'the link'
[ "$(stat -c %a 2.replay)" = "$(umask -S > /dev/null; printf '%o' $((0666 & ~0$(umask))))" ] ||
    fail "mode $(stat -c %a 2.replay)"

# Back again: the same sessions, and a second time they are known.
wants 0 import texts/*.replay -s copy.deja
[ "$(ids -s copy.deja | sort)" = "$(sort <<< "$all")" ] || fail 'other ids'
wants 0 verify matchgame "$RULES/ledger.so" -s copy.deja
run import texts/"$first".replay -s copy.deja
run import - -s copy.deja < 1.replay
wants 0 import 1.replay -s copy.deja --json
says "^\{\"type\":\"session\",\"id\":\"$first\",\"file\":\"1.replay\",\"known\":true\}$"
says '^\{"type":"summary","files":1,"sessions":1,"known":1\}$'
for id in $all; do
    deja export "$id" -s copy.deja | cmp - "texts/$id.replay" || fail "$id came back as another"
done

# Line ends, a byte-order mark and a missing last newline do no harm.
{ printf '\357\273\277'; sed 's/$/\r/' 1.replay | head -c -2; } > windows.replay
wants 0 import windows.replay -s windows.deja
[ "$(ids -s windows.deja)" = "$first" ] || fail 'windows'

# Several sessions are several texts.
run export $(head -2 <<< "$all")
run export $(head -2 <<< "$all") -o 3.replay
[ ! -e 3.replay ] || fail 'half an export'
run export 0123456789ab
run export "$first" -o missing/1.replay
run export "$first" -o ''
wants 129 export "$first" --recording 2
complains ": session ${first:0:12}: it has only 1 recording$"
