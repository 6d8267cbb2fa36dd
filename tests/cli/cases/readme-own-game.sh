# SPDX-License-Identifier: MIT
# What the README tells authors of games to do works as it stands there; the example is a sound game,
# and the program that records it does.
. "$SOURCE/tests/cli/say.sh"

command -v cc > /dev/null || exit 0
DEJA=$SOURCE
sed -n '/<!-- own game/,/<!-- end of own game/s/^    //p' "$SOURCE/README.md" > commands
[ "$(wc -l < commands)" -ge 5 ] || fail 'the README has no commands'
while IFS= read -r command; do
    case $command in DEJA=*) continue ;; esac
    eval "$command" > "$HOME/out" 2>&1 || {
        cat "$HOME/out" >&2
        fail "$command"
    }
done < commands
[ "$(ids | wc -l)" = 100 ] || fail 'not 100 sessions'

wants 0 verify ./mygame.so
says '100 match$'
wants 0 info ./mygame.so
says '^closed +yes$'
wants 0 record ./mygame.so --set target=5 --seed 1
says '^recorded 1 session of pig'

# The same rules with a 2 that costs the turn as well.
sed 's/event.pips > 1 ? /event.pips > 2 ? /' mygame.c > changed.c
cc -shared -fPIC -ffp-contract=off -I. -o changed.so changed.c
wants 1 verify ./changed.so --baseline ./mygame.so
says '^DIVERGED [0-9a-f]{12} pig, step [0-9]+ of [0-9]+: roll$'
says '^    sum  +expected [0-9]+, actual 0$'

# What people play, with the rules linked in, is a session of the same game.
printf 'bank\nroll\nroll\nbank\nroll\n' | (
    mkdir people
    cd people || exit 1
    "$BUILD/docs/recording" 7
) > "$HOME/out"
[ "$(head -n 1 "$HOME/out")" = nothing_to_bank ] || fail 'the refusal'
wants 0 ls -s people/plays.deja
says '^[0-9a-f]{12}  pig +5  running +7 .*  people$'
wants 0 verify ./mygame.so -s people/plays.deja
says '1 match$'

# Both headers of a copy stand together, whatever else is installed.
cp "$SOURCE/lib/include/deja/rules.hpp" deja/
if command -v c++ > /dev/null; then
    printf '#include "deja/rules.hpp"\n' > alone.cpp
    c++ -std=c++17 -fsyntax-only alone.cpp || fail 'rules.hpp wants a path to itself'
fi
