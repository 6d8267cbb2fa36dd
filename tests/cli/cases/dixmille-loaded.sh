# SPDX-License-Identifier: MIT
# Dix-mille with loaded dice, from a text to what is shown of it.
. "$SOURCE/tests/cli/say.sh"

steady() {
    sed -E '/^(recorded|build|platform|made) /d'
}

# All dice are picked and come back; a bounce; a run that the next player keeps and loses; a turn in
# which nothing falls; and a command that nobody was asked for.
cat > bounce.replay << 'TEXT'
deja-replay: 1
game: dixmille 1.0.0
config: players=2 loaded="11111123462234223464655512"
seed: 12
pick n=7                    # 1 and 1111
see: running=10100 dice=5
roll
pick n=0
bank
see: banked=9800,0 running=10200 dice=4
pick n=0                    # nobody was asked to
keep
see: side=1 turn=3 running=0 dice=5 roll=4,6,5,5,5
pick n=3
TEXT
run import bounce.replay --rules dixmille
run verify dixmille
run show "$(ids)" --rules dixmille | steady

# The shortest game there is, to its end.
printf '%s\n' 'deja-replay: 1' 'game: dixmille 1.0.0' 'config: players=3 loaded="22346111123"' 'seed: 0' \
    'pick n=6' 'bank' 'pick n=0' 'end: second_wins steps=3' > won.replay
run import won.replay --rules dixmille -s won.deja
run verify dixmille -s won.deja
run show "$(ids -s won.deja)" -s won.deja --rules dixmille --json --steps 0..3

# Faces that are none, and players that there are not.
run record dixmille --seed 1 --set loaded=1237
run record dixmille --seed 1 --set players=0
run record dixmille --seed 1 --set players=9
run record dixmille --seed 1 --set 'loaded=12346 5'
run record dixmille --seed 1 --set players=8 --set loaded=66666 --max-steps 1 -s dice.deja
