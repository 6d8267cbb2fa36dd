# SPDX-License-Identifier: MIT
# B33: in half of the world decimals have a comma. Texts, verdicts and what is shown are the same
# there, also where the rules take the user's locale for their process.
. "$SOURCE/tests/cli/say.sh"

cat > commas <<'LOCALE'
comment_char %
escape_char /
LC_NUMERIC
decimal_point ","
thousands_sep "."
grouping 3;3
END LC_NUMERIC
LC_CTYPE
copy "POSIX"
END LC_CTYPE
LOCALE
localedef -c -i ./commas -f UTF-8 ./commas.UTF-8 > /dev/null 2>&1 || true
unset LC_ALL
export LOCPATH=$PWD
[ "$(LC_NUMERIC=commas.UTF-8 bash -c 'printf %.1f 1,5' 2> /dev/null)" = 1,5 ] ||
    fail 'no locale could be made (package locales)'

cat > decimals.c <<'RULES'
#include <deja/rules.h>
#include <locale.h>

typedef struct game { double x; } game;
typedef struct grow { uint32_t kind; double by; } grow;
typedef struct nothing { uint8_t none; } nothing;

static void game_fields(deja_fields *f, const void *value)
{
    const game *g = value;
    deja_f64(f, "x", &g->x);
}

static void grow_fields(deja_fields *f, const void *value)
{
    static const char *const kinds[] = { "grow" };
    const grow *g = value;
    deja_kind(f, &g->kind, kinds);
    deja_f64(f, "by", &g->by);
}

static void no_fields(deja_fields *f, const void *value)
{
    (void)f;
    (void)value;
}

static uint32_t start(void *state, const void *config, uint64_t seed, const deja_content *content)
{
    (void)config;
    (void)seed;
    (void)content;
    setlocale(LC_ALL, "");
    ((game *)state)->x = 0.5;
    return 0;
}

static uint32_t apply(void *state, const void *command, deja_out *out)
{
    (void)out;
    ((game *)state)->x = ((game *)state)->x * FACTOR + ((const grow *)command)->by;
    return 0;
}

static void legal(const void *state, deja_out *out)
{
    const grow one = { 0, 1.5 }, two = { 0, 1234.0625 };
    (void)state;
    deja_emit(out, &one);
    deja_emit(out, &two);
}

static const nothing defaults;

DEJA_RULES = {
    DEJA_ABI,
    .id = "decimals",
    .version = "1",
    .state = { sizeof(game), game_fields, 0, 0 },
    .command = { sizeof(grow), grow_fields, 0, 0 },
    .event = { sizeof(nothing), no_fields, 0, 0 },
    .config = { sizeof(nothing), no_fields, 0, 0 },
    .config_default = &defaults,
    .start = start,
    .apply = apply,
    .legal = legal,
};
RULES
for factor in 1.0 1.25; do
    gcc -std=c11 -shared -fPIC -I"$SOURCE/lib/include" -DFACTOR=$factor -o "by-$factor.so" decimals.c ||
        fail 'no rules'
done

# all_of WHERE: everything that decimals stand in, recorded and read in this locale.
all_of() {
    mkdir "$1"
    cp by-*.so "$1"
    cd "$1"
    wants 0 record ./by-1.0.so --seed 3 --max-steps 8
    deja ls --json > ls
    deja export "$(ids)" > text.replay
    wants 0 import text.replay -s imported.deja
    deja export "$(ids)" -s imported.deja | cmp - text.replay || fail "$1: another text"
    deja show "$(ids)" --rules ./by-1.0.so > show
    deja show "$(ids)" --rules ./by-1.0.so --json > show.json
    wants 0 verify ./by-1.0.so
    cp "$HOME/out" match
    wants 0 verify ./by-1.0.so -s imported.deja
    wants 1 verify ./by-1.25.so --baseline ./by-1.0.so --json
    cp "$HOME/out" diverged.json
    wants 1 verify ./by-1.25.so --baseline ./by-1.0.so
    cp "$HOME/out" diverged
    printf 'deja-replay: 1\ngame: decimals 1\nseed: 0\ngrow by=-0.125\nsee: x=0.375\n' > see.replay
    wants 0 import see.replay --rules ./by-1.0.so -s see.deja
    wants 0 verify ./by-1.0.so -s see.deja
    wants 1 verify ./by-1.25.so -s see.deja
    cp "$HOME/out" see
    sed -i 's/[0-9]\{4\}-[0-9-]* [0-9:]\{8\}/TIME/' ls show show.json
    rm ./*.so ./*.deja
    cd ..
}
all_of points
export LC_NUMERIC=commas.UTF-8
all_of with-commas
unset LC_NUMERIC
diff -r points with-commas >&2 || fail 'a locale makes a difference'
grep -q '^    x  *expected 1234\.5625 .*, actual 1234\.6875 ' points/diverged || fail 'no values'
grep -q '^grow by=1234\.0625$' points/text.replay || fail 'no decimals in the text'
