# SPDX-License-Identifier: MIT
# Whatever was typed, an error is one line that a person can read: long words are cut in the middle.
. "$SOURCE/tests/cli/say.sh"

wants 0 record matchgame --seed 1
word=$(printf '%10000s' '' | tr ' ' x)
while read -r wanted command; do
    wants "$wanted" ${command//WORD/$word}
    complains '^deja: .*xxx' || fail "$command"
    [ "$(wc -c < "$HOME/err")" -lt 400 ] || fail "$command: $(wc -c < "$HOME/err") bytes"
    [ ! -s "$HOME/out" ] || fail "$command: printed something"
done <<'COMMANDS'
129 WORD
129 -WORD
129 help WORD
129 show WORD
129 show 12 --WORD
129 show 12 --steps WORD
129 export WORD
128 ls -s WORD
129 ls --game WORD
129 ls -n WORD
129 ls WORD
129 info WORD
129 info exec:WORD
128 info ./WORD
128 import WORD
129 verify WORD
128 verify WORD.so
129 verify matchgame -n WORD
129 verify matchgame --jobs WORD
129 verify matchgame --shard WORD
129 verify matchgame --isolate WORD
129 verify matchgame --hang-cpu WORD
128 verify matchgame --baseline WORD.so
128 record WORD.so
129 record matchgame --bot WORD
129 record matchgame --seed WORD
128 record matchgame -s WORD
COMMANDS
wants 129 record matchgame --set "$word"
[ "$(wc -c < "$HOME/err")" -lt 400 ] || fail '--set'
wants 128 export "$(ids)" -o "$word"
complains '^deja: xxx.*\.\.\.xxx'
[ "$(wc -c < "$HOME/err")" -lt 400 ] || fail 'export -o'

# Both ends are shown, and no character is cut in two.
wants 129 "begin$word"end
complains "^deja: unknown command 'beginx+\.\.\.x+end'"
wide=$(printf '%3000s' '' | sed 's/ /é/g')
for before in '' a; do
    wants 129 "$before$wide"
    complains "^deja: unknown command '[^\\]*'; see"
done
[ "$(echo *)" = plays.deja ] || fail 'a file appeared'
