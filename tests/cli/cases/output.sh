# SPDX-License-Identifier: MIT
# stdout is a contract: it takes everything, or that is said; a reader who goes away is not bothered.
. "$SOURCE/tests/cli/say.sh"

wants 0 record matchgame --games 50 --seed 1
first=$(ids | head -1)
for command in 'ls --json' 'verify matchgame' "show $first" "export $first" help \
    'record matchgame --seed 1'; do
    status=0
    deja $command > /dev/full 2> "$HOME/err" || status=$?
    [ $status = 128 ] || fail "$command > /dev/full: $status"
    complains '^deja: standard output: no space left on the device$'
    status=0
    deja $command >&- 2> "$HOME/err" || status=$?
    [ $status = 128 ] || fail "$command >&-: $status"
    complains '^deja: standard output: is closed$'

    status=$(
        set -o pipefail
        {
            sleep 0.2
            status=0
            deja $command 2> "$HOME/err" || status=$?
            echo $status > "$HOME/status"
        } | true
        cat "$HOME/status"
    ) || true
    [ "$(cat "$HOME/status")" = 0 ] || fail "$command | true: $(cat "$HOME/status")"
    [ ! -s "$HOME/err" ] || fail "$command | true: $(cat "$HOME/err")"
done

# The status that was due comes also where nobody reads.
{
    sleep 0.2
    status=0
    deja verify "$RULES/matchgame-older.so" 2> "$HOME/err" || status=$?
    echo $status > "$HOME/status"
} | true
[ "$(cat "$HOME/status")" = 1 ] || fail "the status that was due: $(cat "$HOME/status")"

# Without stdin and stderr there is nothing to fear for the store.
cp plays.deja "$HOME/copy"
deja ls <&- > "$HOME/out" 2>&-
cmp plays.deja "$HOME/copy" || fail 'the store was written to'
[ "$(wc -l < "$HOME/out")" = 51 ] || fail 'the list'

# No colour, no progress where there is no terminal.
wants 1 verify "$RULES/matchgame-older.so"
! grep -q $'\033' "$HOME/out" "$HOME/err" || fail 'an escape sequence'
