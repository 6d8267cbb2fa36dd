# SPDX-License-Identifier: MIT
# --same-build: what another build recorded is refused before a step is played, and what differs is
# named; without it builds are compared, which is what verifying is for.
. "$SOURCE/tests/cli/say.sh"

build_of() {
    deja info "$1" --json | sed -n 's/.*"build":"\([0-9a-f]*\)".*/\1/p'
}

wants 0 record garden --games 3 --seed 1

# The build that recorded compares as ever.
wants 0 verify garden --same-build
says '^verified 3 sessions \([0-9]+ steps, [0-9]+ compared\): 3 match$'

# Another one does not.
other=$RULES/garden-free-seeds.so
wants 1 verify "$other"
wants 125 verify "$other" --same-build
says '^verified 3 sessions \([0-9]+ steps, 0 compared\): 0 match, 3 unfit$'
says "^    why       another build recorded it: .*build $(build_of garden), here $(build_of "$other")$"
says '^    again     deja verify .* --same-build$'
! grep -qE '^    (expected|actual|before) ' "$HOME/out" || fail 'a step or a hash of what was refused'
wants 125 verify "$other" --same-build --json
says '"result":"unfit","compared":0,.*"step":null,"command":null,"expected":null,"actual":null,.*"why":"another build recorded it: '

# Versions and layouts are named by what they are.
wants 0 record matchgame --games 2 --seed 1 -s sticks.deja
wants 0 verify "$RULES/matchgame-added.so" -s sticks.deja
wants 125 verify "$RULES/matchgame-added.so" -s sticks.deja --same-build
says 'another build recorded it: version 1.0.0, here 1.1.0; another layout of state, command, event, config; other refusals; build '

# Content is a part of it.
wants 0 record "$RULES/ledger.so" --max-steps 5 --seed 1 -s content.deja --content maps="$SOURCE/LICENSE"
wants 125 verify "$RULES/ledger-305.so" -s content.deja --same-build --content maps="$SOURCE/README.md"
says 'build [0-9a-f]{32}, here [0-9a-f]{32}; it needs content maps=[0-9a-f]{32}, and maps=[0-9a-f]{32} was given$'
