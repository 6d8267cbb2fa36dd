# SPDX-License-Identifier: MIT
# The same build replays what it recorded: one line of counts, status 0.
. "$SOURCE/tests/cli/say.sh"

wants 0 record matchgame --games 12 --seed 1
wants 0 record peg --games 4 --seed 1
run verify matchgame peg
run verify matchgame --jobs 1
run verify matchgame --jobs 4 --isolate fork
run verify matchgame --isolate exec --game matchgame
run verify peg "$GAMES/peg.so"
first=$(ids --game matchgame | head -1)
run verify matchgame -n "${first:0:12}" -n "${first:0:6}"

# As JSON: a line for each session, and sums that are those of the lines.
wants 0 verify matchgame peg --json
[ "$(head -1 "$HOME/out")" = '{"type":"deja","schema":1}' ] || fail 'the first line'
says '^\{"type":"summary","sessions":16,"steps":[0-9]+,"compared":[0-9]+,"match":16,"diverged":0,"crashed":0,"hung":0,"unstable":0,"stale":0,"unfit":0,"damaged":0\}$'
[ "$(grep -c '"type":"session".*"result":"match"' "$HOME/out")" = 16 ] || fail 'the sessions'
[ "$(tail -1 "$HOME/out" | cut -c1-17)" = '{"type":"summary"' ] || fail 'the last line'
