# SPDX-License-Identifier: MIT
# What a game without anything of deja's but two files logs is a session when it is imported,
# however the game ended.
. "$SOURCE/tests/cli/say.sh"

mkdir deja
cp "$SOURCE/lib/include/deja/journal.h" deja/
cp "$SOURCE/docs/journaling.c" "$SOURCE/lib/journal/journal.c" .
"${CC:-cc}" -std=c11 -Wall -Wextra -Werror -I. -o journaling journaling.c journal.c ||
    fail 'it does not build by itself'

printf 'right\nright\nright\nleft\n\n' | ./journaling played.journal > /dev/null
wants 0 import played.journal
says '^[0-9a-f]{12}  played.journal$'
id=$(ids)
wants 0 ls
says '^[0-9a-f]{12}  ball +5  running +0 '
wants 0 export "$id"
says '^game: ball 1.0$'
says '^7269676874$'
says '^results: ok\*2 too_fast\*1 ok\*2$'
says '^end: running steps=5$'
wants 0 import played.journal
says '\(known\)$'

# No recording is written over.
printf 'left\n' | ./journaling played.journal 2> said > /dev/null
grep -qx 'this game is not recorded' said || fail 'it was recorded over'

# A crash leaves all steps that ended, and the command of the one that did not.
printf 'left\nleft\ncrash\nleft\n' > input
(ulimit -c 0 && ./journaling crashed.journal < input) > /dev/null 2>&1 && fail 'it did not crash'
wants 0 import crashed.journal
complains '^deja: crashed.journal: recording stopped in step 3, whose command is kept$'
wants 0 ls
says '^[0-9a-f]{12}  ball +3  crashed '
wants 0 import crashed.journal --json
says '"file":"crashed.journal","known":true,"steps":3,"ended":"crashed"\}$'

# One that is cut short is taken as far as it is good.
head -c 4250 played.journal > cut.journal
wants 0 import cut.journal -s cut.deja
complains '^deja: cut.journal: complete up to step [0-4]; then its last record is cut off$'
wants 0 ls -s cut.deja
says ' unfinished '

# What is none is refused, and nothing is made for it.
head -c 40 played.journal > stump.journal
wants 128 import stump.journal -s none.deja
complains '^deja: stump.journal: its header is damaged: it is cut short$'
[ ! -e none.deja ] || fail 'a store was made for nothing'

# One whose game still runs is taken as it is, and who writes it is told.
mkfifo input.fifo
./journaling live.journal < input.fifo > live.out &
game=$!
exec 3> input.fifo
printf 'left\nright\n' >&3
until [ -s live.journal ] && deja import live.journal -s live.deja --json 2> said | grep -q '"steps":2,'; do
    sleep 0.1
done
grep -qx "deja: live.journal: is still being written by process $game; taken as it is now" said ||
    fail "nothing of its writer: $(cat said)"
[ "$(wc -l < said)" = 1 ] || fail "more than that: $(cat said)"
wants 0 import - -s live.deja < live.journal
complains '^deja: standard input: recording stopped early, complete up to step 2$'
exec 3>&-
wait "$game"
wants 0 import live.journal -s live.deja
[ ! -s "$HOME/err" ] || fail 'a closed journal has a writer'

# Journals and texts in one go.
deja export "$id" > played.replay
wants 0 import crashed.journal played.replay - -s both.deja < played.journal
[ "$(ids -s both.deja | wc -l)" = 2 ] || fail 'not two sessions'

# One that was once written is read for ever.
wants 0 import "$FIXTURES/golden/counter.journal" -s golden.deja
wants 0 export "$(ids -s golden.deja)" -s golden.deja -o golden.replay
cmp golden.replay "$FIXTURES/golden/counter.journal.txt" || fail 'the golden journal reads differently'
