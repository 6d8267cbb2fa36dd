# SPDX-License-Identifier: MIT
# Bots play; what came of it is one line a game, and a summary that can be repeated.
. "$SOURCE/tests/cli/say.sh"

run record matchgame --seed 7 --games 3
echo '# once more: nothing new'
run record "$GAMES/matchgame.so" --seed 7 --games 3
echo '# other bots are other sessions'
run record matchgame --bot depth6,random --seed 7
echo '# many games have no line each'
run record peg --games 25 --seed 100
echo '# seeds go round at 2^64'
run record matchgame --games 3 --seed 18446744073709551615 -s round.deja
run record matchgame --seed 3 --max-steps 2 --trail 8 --json -s short.deja
ls

# A drawn seed is told, and brings the same session.
wants 0 record matchgame -s drawn.deja
seed=$(sed -n 's/.* seed \([0-9]*\)$/\1/p' "$HOME/out")
wants 0 record matchgame -s again.deja --seed "$seed"
[ "$(ids -s drawn.deja)" = "$(ids -s again.deja)" ] || fail "seed $seed"
wants 0 record matchgame -s drawn.deja
[ "$(ids -s drawn.deja | wc -l)" = 2 ] || fail 'the same seed was drawn twice'
