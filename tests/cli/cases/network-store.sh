# SPDX-License-Identifier: MIT
# What writes to a store on a network file system says so, once, and keeps all the same; who only
# reads has nothing to do with it.
. "$SOURCE/tests/cli/say.sh"

command -v cc > /dev/null || exit 0
cat > far.c << 'END'
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

int statfs(const char *path, struct statfs *about)
{
    const long result = syscall(SYS_statfs, path, about);
    about->f_type = 0x6969;
    return (int)result;
}
END
cc -shared -fPIC -o far.so far.c

# far STATUS ARGUMENT...: wants(), where every file lies on a network
far() {
    local wanted=$1 status=0
    shift
    LD_PRELOAD=$PWD/far.so ASAN_OPTIONS="$ASAN_OPTIONS:verify_asan_link_order=0" \
        "$BUILD/deja" "$@" > "$HOME/out" 2> "$HOME/err" || status=$?
    [ "$status" = "$wanted" ] || {
        cat "$HOME/out" "$HOME/err" >&2
        fail "deja $* on a network: status $status, expected $wanted"
    }
}
quiet() {
    [ ! -s "$HOME/err" ] || {
        cat "$HOME/err" >&2
        fail "$1 has something to say"
    }
}
told='^deja: plays.deja: is on a network file system \(nfs\): without a write-ahead log each commit'

far 0 record matchgame --games 3 --seed 1
complains "$told"
says '^recorded 3 sessions of matchgame'
far 0 record peg --games 2 --seed 1 --json
complains "$told"
for command in ls 'verify matchgame' "export $(ids | head -1)"; do
    far 0 $command
    quiet "$command"
done
cp "$HOME/out" one.replay
far 0 import one.replay one.replay
complains "$told"
[ "$(ids | wc -l)" = 5 ] || fail 'not five sessions'

# On a disk of this machine there is nothing to say, unless the tests' folder is far away itself.
case $(stat -f -c %T .) in
ext2/ext3 | tmpfs | overlayfs | btrfs | xfs)
    wants 0 record matchgame --seed 9
    quiet record
    ;;
esac
