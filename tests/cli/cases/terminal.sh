# SPDX-License-Identifier: MIT
# On a terminal: progress that is rubbed out before anything else is said, and a little colour;
# neither where it is not wanted.
. "$SOURCE/tests/cli/say.sh"

command -v python3 > /dev/null || exit 0
wants 0 record matchgame --games 20 --seed 1

# on_terminal NAME=VALUE... -- COMMAND: what it writes to the terminal, stdout and stderr alike
on_terminal() {
    local settings=()
    while [ "$1" != -- ]; do
        settings+=("$1")
        shift
    done
    shift
    env "${settings[@]}" python3 - "$@" <<'PYTHON'
import os, pty, sys
child, terminal = pty.fork()
if child == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
seen = b''
while True:
    try:
        piece = os.read(terminal, 65536)
    except OSError:
        break
    if not piece:
        break
    seen += piece
os.waitpid(child, 0)
sys.stdout.buffer.write(seen)
PYTHON
}

on_terminal TERM=xterm -- deja verify "$RULES/matchgame-older.so" > "$HOME/seen"
grep -q $'\033\[1;31mDIVERGED\033\[0m' "$HOME/seen" || fail 'no colour'
on_terminal TERM=xterm NO_COLOR=1 -- deja verify "$RULES/matchgame-older.so" > "$HOME/seen"
! grep -q $'\033\[1;31m' "$HOME/seen" || fail 'colour in spite of NO_COLOR'
on_terminal TERM=dumb -- deja verify "$RULES/matchgame-older.so" > "$HOME/seen"
! grep -q $'\033' "$HOME/seen" || fail 'an escape sequence on a dumb terminal'
on_terminal TERM=xterm -- deja verify "$RULES/matchgame-older.so" --json > "$HOME/seen"
! grep -q $'\033\[1' "$HOME/seen" || fail 'colour in JSON'

# Recording says how fast it is and how long it will take.
on_terminal TERM=xterm -- timeout -s INT 1 deja record matchgame --games 100000000 --seed 1 -s long.deja > "$HOME/seen"
grep -qE 'recording matchgame: [0-9,]+ of 100,000,000 games, [0-9,]+ steps a second, [0-9,]+ s left' "$HOME/seen" ||
    fail 'no progress of recording'
[ "$(grep -o 'recording matchgame' "$HOME/seen" | wc -l)" -lt 30 ] || fail 'progress is drawn too often'

# A step that sleeps is long enough to see how far it is.
wants 0 record "$RULES/ledger.so" --seed 1 --max-steps 60 -s slow.deja
on_terminal TERM=xterm -- deja verify "$RULES/ledger-sleeps.so" -s slow.deja --hang-wall 1.5 > "$HOME/seen"
grep -q 'verifying: .* of 1 sessions' "$HOME/seen" || fail 'no progress'
tr '\r' '\n' < "$HOME/seen" | grep -v '^$' > "$HOME/lines"
grep -q 'HUNG' "$HOME/lines" || fail 'no finding'
on_terminal TERM=xterm CI=true -- deja verify "$RULES/ledger-sleeps.so" -s slow.deja --hang-wall 1.5 > "$HOME/seen"
! grep -q 'verifying:' "$HOME/seen" || fail 'progress in spite of CI'
