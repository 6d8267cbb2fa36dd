# SPDX-License-Identifier: MIT
# Every seed comes back digit for digit in every output; what is none is refused by name.
. "$SOURCE/tests/cli/say.sh"

for seed in 0 4294967297 9007199254740993 18446744073709551615; do
    rm -f ./*.deja ./*.replay
    wants 0 record matchgame --seed "$seed"
    says ", seed $seed$"
    wants 0 record matchgame --seed "$seed" --json -s json.deja
    says "\"seed\":\"$seed\""
    first=$(ids)
    [ "$first" = "$(ids -s json.deja)" ] || fail "$seed: two ids"
    wants 0 ls
    says "  $seed  "
    wants 0 ls --json
    says "\"seed\":\"$seed\""
    wants 0 show "$first"
    says "^seed +$seed$"
    wants 0 export "$first" -o out.replay
    grep -qx "seed: $seed" out.replay || fail "$seed: export"
    wants 0 import out.replay -s copy.deja
    [ "$first" = "$(ids -s copy.deja)" ] || fail "$seed: import"
    wants 0 verify matchgame -s copy.deja
done
for seed in 18446744073709551616 -1 0x10 1e3 ' 1'; do
    wants 129 record matchgame --seed "$seed" -s no.deja
    complains "record: --seed: '$seed' is no whole number"
done
[ ! -e no.deja ]
