# SPDX-License-Identifier: MIT
# The original's Dix-mille games, as texts with loaded dice: each is imported, verifies by all that
# the original said of it, and can be shown to its end.
. "$SOURCE/tests/cli/say.sh"

# scenarios FILE: writes NAME.replay for each game of a file of fixtures/vectors
scenarios() {
    awk '
        function commas(text) { gsub(/./, "&,", text); return substr(text, 1, length(text) - 1) }
        function list(from,   i, text) {
            for (i = from; i <= NF; i++)
                text = text (i > from ? "," : "") $i
            return text
        }
        function say(line) { print line > (name ".replay") }
        function give(command) { say(command); steps++ }
        BEGIN { split("first second third fourth fifth", seats) }
        $1 == "game" { name = $2; players = NF - 2; dice = ""; steps = thrown = begun = 0 }
        $1 == "dice" { dice = dice $2 }
        $1 == "turn" && !begun {
            say("deja-replay: 1\ngame: dixmille 1.0.0")
            say("config: players=" players " loaded=\"" dice "\"\nseed: 3")
            begun = 1
        }
        $1 == "turn" && $3 != "-" {
            say("see: phase=keep side=" $2)
            give($3 == "yes" ? "keep" : "fresh")
        }
        $1 == "throw" { thrown += length($2) }
        $1 == "throw" && $3 > 0 {
            say("see: phase=pick roll=" commas($2) " loaded.thrown=" thrown)
            give("pick n=" $4)
            say("see: phase=bank running=" $6 " dice=" $7)
            give($8 == "yes" ? "bank" : "roll")
        }
        $1 == "cheat" { give("pick n=" $3) }
        $1 == "done" { say("see: banked=" list(3)) }
        $1 == "stop" {
            say("see: running=" $3 " dice=" $4 " side=" $5 " banked=" list(6))
            if ($2 == "won")
                say("end: " seats[$5 + 1] "_wins steps=" steps)
        }' "$1"
}
scenarios "$FIXTURES/vectors/dixmille-flow.txt"
scenarios "$FIXTURES/vectors/dixmille-games.txt"
[ "$(ls ./*.replay | wc -l)" = 23 ] || fail 'not every game is there'

wants 0 import ./*.replay --rules dixmille
wants 0 verify dixmille
says '^verified 23 sessions .*: 23 match$'
ids | while read -r id; do
    wants 0 show "$id" --rules dixmille
    says '^step 0: the start'
done

# What the original did not say is not taken: another number is found at its step.
sed 's/^see: phase=bank running=1250 /see: phase=bank running=1350 /' all_five_fresh_same_turn.replay > wrong.replay
wants 0 import wrong.replay --rules dixmille -s wrong.deja
wants 1 verify dixmille -s wrong.deja
says 'step 3 '

# Played by bots, luck and all: there and back through a text, for more players than bots.
wants 0 record dixmille --seed 18446744073709551615 --set players=8 --set loaded=223461112 --games 3 \
    --bot random,always_bank_never_keep,bank_when_one_dice --max-steps 900 -s bots.deja
ids -s bots.deja | while read -r id; do
    deja export "$id" -s bots.deja > "$id.text"
    wants 0 import "$id.text" -s again.deja
    deja export "$id" -s again.deja | cmp - "$id.text" || fail 'export writes something else'
done
wants 0 verify dixmille -s again.deja
says '^verified 3 sessions .*: 3 match$'
wants 0 verify "$RULES/dixmille-added.so" -s again.deja
says '^remark: state: added: stats, may_pass, phase=lobby, loaded.left '
says ': 3 match$'
wants 1 verify "$RULES/dixmille-older.so" -s again.deja --baseline dixmille
says ' dice +.*5.*4'
