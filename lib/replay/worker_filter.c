/* SPDX-License-Identifier: MIT */
/*
 * System calls that a worker is not to make: those by which what a library starts would get out of
 * the process group that it is taken down with, and those that reach into other processes, such as
 * the host that holds what is expected. They fail with EPERM; everything else is as ever.
 *
 * Where the kernel has no filters, or the machine is not one of these, there is none.
 */
#include "replay/worker.h"

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#define FOREIGN_BIT 0x40000000u /* the same calls once more, for 32-bit pointers */
#else
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#define FOREIGN_BIT 0x80000000u
#endif

static const uint16_t refused[] = {
    SYS_setsid,      SYS_setpgid, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev,
#if defined(SYS_pidfd_getfd)
    SYS_pidfd_getfd,
#endif
};

/* The program: where the machine and the call are looked at, a comparison for each call above, and
 * the two ways out. */
enum {
    MACHINE = 0,
    CALL = 2,
    LIST = 4,
    ALLOW = LIST + sizeof refused / sizeof refused[0],
    REFUSE,
    COUNT
};

/* How many to leave out from behind one on, to get to the refusal. */
static uint8_t to_refuse(uint32_t from)
{
    return (uint8_t)(REFUSE - from - 1);
}

static struct sock_filter load(uint32_t offset)
{
    return (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset);
}

static struct sock_filter answer(uint32_t what)
{
    return (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, what);
}

void deja__guard_calls(void)
{
    struct sock_filter code[COUNT];
    code[MACHINE] = load(offsetof(struct seccomp_data, arch));
    /* Another machine's calls have other numbers; nobody here has any use for them. */
    code[MACHINE + 1] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 0,
                                                     to_refuse(MACHINE + 1));
    code[CALL] = load(offsetof(struct seccomp_data, nr));
    code[CALL + 1] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, FOREIGN_BIT,
                                                  to_refuse(CALL + 1), 0);
    for (uint32_t i = LIST; i < ALLOW; i++)
        code[i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, refused[i - LIST],
                                               to_refuse(i), 0);
    code[ALLOW] = answer(SECCOMP_RET_ALLOW);
    code[REFUSE] = answer(SECCOMP_RET_ERRNO | EPERM);
    const struct sock_fprog program = { COUNT, code };
    prctl(PR_SET_SECCOMP, (unsigned long)SECCOMP_MODE_FILTER, &program);
}

#else

void deja__guard_calls(void)
{
}

#endif
