# SPDX-License-Identifier: MIT
#
# For cases to read: source "$SOURCE/tests/cli/say.sh"
#
# From here on a command that fails ends the case. In `a && b` only the last one does, so such a
# list has its `|| fail`.
set -e

# run ARGUMENT...: deja with these arguments; then everything it says, and its status.
run() {
    printf '$ deja'
    local word
    for word in "$@"; do
        case $word in
        '' | *[!A-Za-z0-9_./=,:+-]*) printf " '%s'" "$word" ;;
        *) printf ' %s' "$word" ;;
        esac
    done
    printf '\n'
    local status=0
    deja "$@" 2>&1 || status=$?
    printf '= %d\n' "$status"
}

# fail WHAT...: the case has failed.
fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# wants STATUS ARGUMENT...: deja with these arguments must end so; what it says goes to the files
# out and err of the folder $HOME.
wants() {
    local wanted=$1 status=0
    shift
    deja "$@" > "$HOME/out" 2> "$HOME/err" || status=$?
    [ "$status" = "$wanted" ] || {
        cat "$HOME/out" "$HOME/err" >&2
        fail "deja $*: status $status, expected $wanted"
    }
}

# says PATTERN: the last wants() printed a line that matches; complains PATTERN: on stderr, and that
# was its only line.
says() {
    grep -qE -- "$1" "$HOME/out" || {
        cat "$HOME/out" "$HOME/err" >&2
        fail "nothing on stdout like: $1"
    }
}
complains() {
    [ "$(wc -l < "$HOME/err")" = 1 ] && grep -qE -- "$1" "$HOME/err" || {
        cat "$HOME/out" "$HOME/err" >&2
        fail "stderr is not one line like: $1"
    }
}

# ids: the full ids of the sessions that are listed
ids() {
    deja ls --json "$@" | sed -n 's/.*"id":"\([0-9a-f]*\)".*/\1/p'
}

# as_nobody COMMAND...: as somebody who may not read or write what others keep to themselves. The
# superuser may do everything, and so becomes somebody else; everybody else is that already.
as_nobody() {
    if [ "$(id -u)" = 0 ]; then
        setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
    else
        "$@"
    fi
}

# nobody_wants STATUS ARGUMENT...: wants(), as nobody, with a copy of the command and the games that
# anybody may reach: the build may lie in a folder that is closed.
nobody_wants() {
    local wanted=$1 status=0
    shift
    if [ ! -d "$HOME/public" ]; then
        mkdir "$HOME/public"
        cp -r "$BUILD/deja" "$BUILD/games" "$HOME/public"
        chmod -R a+rX "$HOME/public"
        chmod a+x "$HOME" "$HOME/.." "$HOME/../.."
    fi
    as_nobody "$HOME/public/deja" "$@" > "$HOME/out" 2> "$HOME/err" || status=$?
    [ "$status" = "$wanted" ] || {
        cat "$HOME/out" "$HOME/err" >&2
        fail "deja $* as nobody: status $status, expected $wanted"
    }
}

# empty_store FILE: a store without a session, of rules that do not start once it is there
empty_store() {
    printf '%s\n' '#define LEDGER_START refuse' '#include "ledger.h"' \
        'extern int access(const char *, int);' \
        'static void refuse(ledger *l, const deja_content *content)' \
        "{ (void)l; (void)content; if (access(\"$1\", 0) == 0) __builtin_trap(); }" > empty.c
    cc -shared -fPIC -fvisibility=hidden -I"$SOURCE/lib/include" -I"$SOURCE/fixtures/rules" \
        -o empty.so empty.c
    wants 3 record ./empty.so --seed 1 -s "$1"
    rm empty.c empty.so
}
