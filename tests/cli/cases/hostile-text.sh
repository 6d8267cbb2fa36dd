# SPDX-License-Identifier: MIT
# Nothing that a text or a store holds can steer a terminal, forge a line or break the JSON.
. "$SOURCE/tests/cli/say.sh"

wants 0 record matchgame --seed 7 --set rows=1,1 -s source.deja
deja export "$(ids -s source.deja)" -s source.deja > good.replay
esc=$(printf '\033')
bidi=$(printf '\342\200\256')
separator=$(printf '\342\200\250')
c1=$(printf '\302\233')
# Marks are quoted text, whose own escapes may say anything.
sed "0,/^take/s/^\(take.*\)/\1\nmark: \"one\\\\nDIVERGED forged $bidi and $separator $c1\"/; s/^made: .*/made: \"$bidi nobody\"/" \
    good.replay > marked.replay
run import marked.replay | sed -E 's/^[0-9a-f]{12}/ID/'
for command in "show $(ids)" "show $(ids) --json" ls 'ls --json'; do
    deja $command > "$HOME/seen"
    ! grep -q "[$esc]\|$bidi\|$separator\|$c1" "$HOME/seen" || fail "$command: it got through"
    ! grep -q '^DIVERGED' "$HOME/seen" || fail "$command: a forged line"
done
deja show "$(ids)" | grep mark

# A name of a file as well.
name=$(printf 'evil\n\033[31mname.replay')
cp good.replay "$name"
run import "$name" | sed -E 's/^[0-9a-f]{12}/ID/'
run import "no$name"
run info "./$name"
run ls -s "$name"
