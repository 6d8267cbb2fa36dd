# SPDX-License-Identifier: MIT
# The doctor passes what keeps the contract, names each breach with step, command and field, outlives
# rules that crash, and never calls passed what it could not check.
. "$SOURCE/tests/cli/say.sh"

# Every game that ships, and the one that people start from.
for game in matchgame peg dixmille garden bee; do
    wants 0 doctor "$game" --games 3
    says "^checked $game 1\.0\.0: [0-9]+ games .*: [0-9]+ clauses passed"
    ! grep -q '^BREACH\|broken' "$HOME/out" || fail "$game: broken"
done
cc -shared -fPIC -fvisibility=hidden -ffp-contract=off -Wl,-z,now -Wl,-z,defs \
    -I"$SOURCE/lib/include" -o mygame.so "$SOURCE/docs/mygame.c"
wants 0 doctor ./mygame.so
says '^check_is_apply          not checked: the rules have no check$'

# Each line of the planted ones; the fields are held by the unit tests.
while read -r library clause step _; do
    case $library in '#'* | '') continue ;; esac
    if [ "$clause" = - ]; then
        wants 0 doctor "$RULES/$library.so" --seed 1 --games 2
        continue
    fi
    wants 1 doctor "$RULES/$library.so" --seed 1 --games 2
    head -1 "$HOME/out" | grep -q "^BREACH $clause, step $step\(:\|$\)" || fail "$library: not at step $step"
    ! grep '^BREACH' "$HOME/out" | grep -v "^BREACH $clause," || fail "$library: more than $clause"
    says "^$clause  *broken: "
done < "$SOURCE/fixtures/rules/doctor.txt"

# What differs from process to process needs a second one.
for way in pid address rand; do
    wants 1 doctor "$RULES/ledger-$way.so"
    says '^BREACH same_again, step 33: '
    says '^    gold      expected [0-9]+, actual [0-9]+$'
    says '^    why       the same game, played in another process$'
    [ "$(grep -c '^BREACH' "$HOME/out")" = 1 ] || fail "ledger-$way: told twice"
done

# All of one answer, and all of one that was not checked.
run doctor "$RULES/ledger-hidden.so" --games 2
run doctor "$RULES/mute.so" --games 1 --max-steps 5

# Rules that break are a finding with its place, and what was found before it stays.
for way in 'crash:CRASHED:the rules crashed .Segmentation fault: SIGSEGV.' 'abort:CRASHED:the rules crashed .Aborted: SIGABRT.' \
    'exit:CRASHED:the rules ended their process .exit status 0.' 'hang:HUNG:the rules hang: one call used more than 0\.3 s of CPU time' \
    'sleeps:HUNG:the rules hang: one call took more than 0\.6 s'; do
    IFS=: read -r name word why <<< "$way"
    limits='--hang-cpu 0.3 --hang-wall 30'
    [ "$name" != sleeps ] || limits='--hang-wall 0.6'
    wants 3 doctor "$RULES/ledger-$name.so" $limits
    says "^$word step 33: "
    says "^    why       $why"
    says '^    game      1, played by random, seed 1$'
    says '^same_again              not checked: the run ended before$'
done
# A sanitizer's shadow cannot be limited.
if ! grep -q __asan_init "$BUILD/deja"; then
    wants 3 doctor "$RULES/eats-memory.so"
    says '^CRASHED step 33: '
fi

# What rules print is no answer of ours.
wants 0 doctor "$RULES/ledger-stdout.so" --games 1 --max-steps 40
[ "$(wc -l < "$HOME/out")" = 12 ] || fail 'the rules printed into our output'
wants 0 doctor "$RULES/ledger-closes-stdout.so" --games 1 --max-steps 40

# Who plays, and with what.
wants 0 doctor peg --bot solver,made --games 2 --seed 18446744073709551615
says '^checked peg 1\.0\.0: 4 games '
wants 0 doctor matchgame --set rows=2,2 --games 2
wants 129 doctor peg --bot solv
complains "doctor: --bot: 'solv' is no bot of 'peg'; did you mean 'solver'\?"
wants 129 doctor peg --set nothing=1
complains 'doctor: --set: nothing: there is no such field'
wants 129 doctor peg --games 0
complains "doctor: --games: '0' is no whole number from 1"
wants 125 doctor "$RULES/noconstant.so"
complains "is not a rules library: it exports no 'deja_rules'"
wants 128 doctor nothing.so
complains 'nothing.so: no such file'

# Nothing checked is no pass.
wants 125 doctor "$RULES/mute.so" --bot idler
complains 'doctor: no step was played, so nothing is known of these rules'

# What was found stays found, whatever comes after it: here a seed that start refuses.
sed -e 's/return NOTHING;/return (void)deja_luck_next(\&game->dice), NOTHING;/' \
    -e 's/(void)content;/if (seed == 3) return OVER;/' "$SOURCE/docs/mygame.c" > picky.c
cc -shared -fPIC -fvisibility=hidden -I"$SOURCE/lib/include" -o picky.so picky.c
wants 129 doctor ./picky.so --seed 1 --games 3
says '^BREACH all_or_nothing, step 1: bank$'
complains 'picky.so: refused to start: over$'
wants 129 doctor ./picky.so --seed 3

# Stored sessions are walked along as well, or alone, and are only read.
wants 0 record "$RULES/ledger.so" --bot clumsy --games 3 --seed 5 --max-steps 50
wants 0 record peg --games 2 --seed 1
cp plays.deja before.deja
wants 0 doctor "$RULES/ledger.so" --stored --games 0
says '^checked ledger 1\.4\.0: 3 games, 3 of them stored \(150 steps\)'
wants 1 doctor "$RULES/ledger-hidden.so" -s plays.deja --games 0
says '^BREACH state_in_fields, step [0-9]+: '
says '^    game      1, session [0-9a-f]{12}, seed 5$'

# B55: what is kept beside the state, and worked out when it is loaded, is right until piece 3 moves, in
# step 40, and counts in step 61: of the saved states those up to 39 are good.
{
    printf '%s\n' 'deja-replay: 1' 'game: ledger 1.5.0' 'seed: 1'
    printf '%s\n' 'add n=1' '* 38' 'move i=3 d=1' 'add n=1' '* 19' spawn 'add n=1' '* 8'
} > stale.replay
wants 0 import stale.replay --rules "$RULES/ledger-stale-sum.so" -s stale.deja
wants 1 doctor "$RULES/ledger-stale-sum.so" -s stale.deja --games 0
[ "$(grep -c '^BREACH state_in_fields, step 61: spawn$' "$HOME/out")" = 2 ] || fail 'not at step 61'
[ "$(grep '^    saved ' "$HOME/out" | tr -s ' ')" = " saved after step 60
 saved after step 40" ] || fail 'not which saves are good'
says '^    why       a state that was saved and loaded earlier goes on otherwise; those saved before it do not$'

wants 0 doctor matchgame --stored --games 1
! grep -q stored "$HOME/out" || fail 'there are no sessions of matchgame'
wants 125 doctor matchgame --stored --games 0
cmp plays.deja before.deja || fail 'the store was changed'
wants 128 doctor peg -s missing.deja
complains 'missing.deja: no such file'
[ ! -e missing.deja ] || fail 'a store was made'

# The same findings, in the same order, every time.
deja doctor "$RULES/ledger-half-done.so" > one || true
deja doctor "$RULES/ledger-half-done.so" > two || true
cmp one two

# Told to stop it stops, and says where.
deja doctor bee --games 100000 > "$HOME/out" 2> "$HOME/err" &
running=$!
sleep 0.5
kill -TERM $running
status=0
wait $running || status=$?
[ $status = 143 ] || fail "interrupted: status $status"
complains '^deja: doctor: interrupted in game [0-9,]+$'
