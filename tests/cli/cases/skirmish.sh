# SPDX-License-Identifier: MIT
# A game of ticks whose command is a list of orders of several players, each with a result of its
# own: recorded by bots and from a text, verified, shown, exported and imported byte for byte.
. "$SOURCE/tests/cli/say.sh"
game=$RULES/skirmish.so

wants 0 record "$game" --bot rush,hold --games 20 --seed 1
says '^recorded 20 sessions of skirmish '
wants 0 record "$game" --bot rush --games 3 --seed 1 --set players=4 --max-steps 300
wants 0 record "$game" --bot random --games 5 --seed 1 --max-steps 400
wants 0 verify "$game"
says '^verified 28 sessions .* 28 match$'
wants 1 verify "$RULES/skirmish-older.so"
wants 0 verify "$RULES/skirmish-added.so"
says 'orders\[\]=guard'
says 'units.all\[\].past.walked'

# Frames of keys are not what this game reads.
printf '0 +right\n' > frames
wants 129 record "$game" --seed 1 --input frames -s none.deja
complains 'is not the inputs of 1 to'

# Every session goes through a text and back, to the byte.
mkdir texts
for id in $(ids); do
    deja export "$id" -o "texts/$id.replay"
done
wants 0 import texts/*.replay -s again.deja
wants 0 verify "$game" -s again.deja
ids | sort > "$HOME/ids"
ids -s again.deja | sort | cmp - "$HOME/ids" || fail 'ids differ'
for id in $(ids); do
    deja export "$id" -s again.deja | cmp - "texts/$id.replay" || fail "$id: differs"
done

# A tick of several players: each order is answered, in its place, and a tick is never refused.
cat > orders.replay <<'TEXT'
deja-replay: 1
game: skirmish 1.0.0
config: players=2 pikes=3 bows=2 gold=30 woods=0
seed: 7
orders={move player=0 unit=5 x=9 y=2},{move player=0 unit=0 x=9 y=1},{move player=1 unit=1 x=9 y=1},{stop player=1 unit=40}
see: units.all[5].task={go at=41}
orders={train player=0 unit=0 what=pike},{train player=0 unit=0 what=bow},{train player=1 unit=6 what=bow},{attack player=1 unit=7 target=1}
see: players.all[0].gold=5
see: units.all[0].making={kind=pike wait={wait=6 left=5}}
orders=-
* 3
orders={move player=1 unit=10 x=16 y=0},{train player=1 unit=7 what=pike}
see: units.all[12].past.since=7
TEXT
wants 0 import orders.replay --rules "$game" -s orders.deja
wants 0 verify "$game" -s orders.deja
wants 0 show "$(ids -s orders.deja)" --rules "$game" -s orders.deja --json
cp "$HOME/out" shown
answers() {
    jq -sce --argjson step "$1" '[.[] | select(.step? == $step) | .events[].ordered | values | .result]' shown
}
answers 1
answers 2
answers 3
answers 7
jq -sc '[.[] | select(.type == "step") | .result | values] | unique' shown
jq -sc '.[] | select(.step? == 2) | .command.orders[0,3]' shown

# What can be no tick is refused by name: too many orders, an order that there is not.
for orders in "$(printf '{stop player=0 unit=1},%.0s' $(seq 17) | sed 's/,$//')" \
    '{sleep player=0 unit=1}' '{move player=0 unit=1 x=9}' '{stop player=0 unit=65536}'; do
    sed "s/^orders=-\$/orders=$orders/" orders.replay > wrong.replay
    run import wrong.replay --rules "$game" -s none.deja
done
