# SPDX-License-Identifier: MIT
# What an export would replace must be a replay text: anything else under that name stays, a store
# above all, however the name leads to it.
. "$SOURCE/tests/cli/say.sh"

wants 0 record matchgame --games 3 --seed 7
wants 0 record matchgame --seed 1 -s other.deja
first=$(ids | head -1)
ln -s plays.deja link.replay
ln plays.deja hard.replay
mkdir texts
cp other.deja "texts/$first.replay"
cp "$RULES/ledger.so" rules.so
printf '\211PNG\r\n\032\n and so on' > picture.png
printf 'deja' > short.txt
printf 'x\n' > text.txt
head -c 100 /dev/zero > zeros

sums() {
    find . -type f -exec sha256sum {} + | sort
    find . -printf '%p %y %l\n' | sort
}
sums > "$HOME/before"
for name in plays.deja ./plays.deja "$PWD/plays.deja" texts/../plays.deja link.replay hard.replay \
    other.deja rules.so picture.png short.txt text.txt zeros texts; do
    wants 129 export "$first" -o "$name"
    complains "^deja: [^ ]*: is there already, and is (a deja store|something else), no replay text; name another file$"
done
wants 129 export "$first" -o plays.deja
complains '^deja: plays.deja: is there already, and is a deja store, '

sums | cmp - "$HOME/before" || fail 'something was replaced'
wants 0 ls

# A replay text is replaced, as one with a byte-order mark is, and a file that is empty.
deja export "$first" > wanted.replay
printf 'deja-replay: 1\nand so on' > text.replay
printf '\357\273\277deja-replay: 1\n' > marked.replay
: > empty.replay
for name in text.replay marked.replay empty.replay; do
    wants 0 export "$first" -o "$name"
    cmp "$name" wanted.replay || fail "$name"
done

# A place that is not there, or is no place, is said as such.
wants 128 export "$first" -o missing/1.replay
complains '^deja: missing/1.replay: there is no such folder$'
wants 128 export "$first" -o text.txt/1.replay
complains '^deja: text.txt/1.replay: a part of the path is no folder$'
