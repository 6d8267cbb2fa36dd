# SPDX-License-Identifier: MIT
# What is not a command line that makes sense is refused by name, with status 129.
. "$SOURCE/tests/cli/say.sh"

run
run recrod matchgame
run xyzzy
run --frobnicate
run --json ls
run help vreify
run verify
run ls something
run info one.so two.so

run verify --gam x rules.so
run verify --jbos 3 rules.so
run verify --keep rules.so
run verify -x rules.so
run verify -kx rules.so
run verify --json=1 rules.so
run verify rules.so --shard
run record --bot random --bot depth6 rules.so
run show 1234 --jobs 3
run show --recording 1 --rules rules.so 1234
run show 1234 --step 1 --steps 1..2
run export --json 1234

run verify rules.so --jobs 0
run verify rules.so --shard 0/4
run verify rules.so --shard 5/4
run verify rules.so --shard 1
run verify rules.so --isolate well
run verify rules.so --confirm some
run verify rules.so --hang-cpu 1e3
run verify rules.so --hang-wall -5
run record rules.so --games 0
run record rules.so --trail 12
run record rules.so --max-steps many
run show 1234 --steps 8..3
run show 1234 --step -1
run ls -s ''

run record rules.so --seed 18446744073709551616
run record rules.so --seed -1
run record rules.so --seed 0x10
run record rules.so --seed 1e3
run record rules.so --seed 007
run record rules.so --seed ''

run verify exec:'./game --headless'
run verify ''
ls
