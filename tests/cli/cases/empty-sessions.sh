# SPDX-License-Identifier: MIT
# A session without commands compares step 0; a store without sessions is no pass.
. "$SOURCE/tests/cli/say.sh"

wants 0 record matchgame --games 1 --seed 7 --set rows=1 -s other.deja
printf 'deja-replay: 1\ngame: ledger 1.5.0\nseed: 3\nend: running steps=0\n' > none.replay
run import none.replay --rules "$RULES/ledger.so"
first=$(ids)
run verify "$RULES/ledger.so"
run show "$first" --step 0
run show "$first" --step 1
run show "$first" --steps 0..1 --rules "$RULES/ledger.so"
run show "$first" --rules "$RULES/ledger.so"

# B79: nothing to verify is no pass, and that is said.
empty_store none.deja
run verify matchgame -s none.deja
run verify matchgame -s none.deja --allow-empty
run verify matchgame -s none.deja --shard 1/2
run verify matchgame -s none.deja --json
run verify matchgame -s none.deja -n "$first"
run show "$first" -s none.deja
