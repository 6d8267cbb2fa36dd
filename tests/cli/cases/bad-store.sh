# SPDX-License-Identifier: MIT
# A file that is no store, or a damaged one: what it is in one line, status 128, for every command
# that opens one; and nothing is touched.
. "$SOURCE/tests/cli/say.sh"

wants 0 record matchgame --games 30 --seed 1 -s good.deja
first=$(ids -s good.deja | head -1)
deja export "$first" -s good.deja -o good.replay

: > empty.deja
mkdir folder.deja
printf '\211PNG\r\n\032\n and so on' > picture.deja
printf 'deja-replay: 1\n' > text.deja
head -c 5000 /dev/zero > zeros.deja
size=$(stat -c %s good.deja)
head -c 60 good.deja > header.deja
head -c $((size / 2)) good.deja > cut.deja
head -c $((size - 1)) good.deja > shorter.deja
{ cat good.deja; echo more; } > longer.deja
sed 's/$/\r/' good.deja > crlf.deja
python3 - <<'PYTHON'
import sqlite3
other = sqlite3.connect('other.deja')
other.execute('CREATE TABLE t(x)')
other.execute('PRAGMA user_version = 3')
other.close()
data = bytearray(open('good.deja', 'rb').read())
newer = bytearray(data)
newer[60:64] = (99).to_bytes(4, 'big')
open('newer.deja', 'wb').write(newer)
PYTHON

sums() {
    find . -type f -exec sha256sum {} + | sort
    find . | sort
}
sums > "$HOME/before"
for store in missing empty folder picture text zeros header cut shorter longer crlf other newer; do
    run ls -s $store.deja | sed -E 's/[0-9]{4,}/N/g'
    for command in 'verify matchgame' "show $first" "export $first" "export $first -o x.replay"; do
        wants 128 $command -s $store.deja
        complains "^deja: $store.deja: "
    done
done
sums | cmp - "$HOME/before" || fail 'a file was touched'

# Writing touches none of them either, but the one that is missing.
for store in folder picture text zeros header cut shorter longer crlf other newer; do
    for command in 'record matchgame --seed 1' 'import good.replay'; do
        wants 128 $command -s $store.deja
        complains "^deja: $store.deja: "
    done
done
sums | cmp - "$HOME/before" || fail 'a file was touched'

# What may not be read is said too.
cp good.deja secret.deja
chmod 000 secret.deja
chmod 755 . .. ../.. "$HOME"
for command in ls "show $first" "export $first" 'verify matchgame'; do
    nobody_wants 128 $command -s secret.deja
    complains '^deja: secret.deja: .*permission denied'
done

# A new one needs a folder that is there and may be written to.
for command in 'record matchgame --seed 1' 'import good.replay'; do
    wants 128 $command -s nodir/x.deja
    complains '^deja: nodir/x.deja: cannot be made: there is no such folder$'
    wants 128 $command -s good.replay/x.deja
    complains '^deja: good.replay/x.deja: a part of the path is no folder$'
done
mkdir -m 555 locked
nobody_wants 128 record matchgame --seed 1 -s locked/new.deja
complains '^deja: locked/new.deja: cannot be made: permission denied$'
