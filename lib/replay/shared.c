/* SPDX-License-Identifier: MIT */
/*
 * The memory that a host and a worker share: made, sealed, and brought in.
 *
 * A page that is touched for the first time costs a fault, in each of the two processes: several
 * microseconds in a virtual machine, and hundreds of pages. Asked for all at once, a page costs a
 * tenth of that. So both bring in what every session uses, while they would wait for each other.
 */
#include "replay/protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

int deja__shared_memory(const char *name, uint64_t size, unsigned char **memory, deja_error *err)
{
    const int descriptor = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (descriptor < 0) {
        deja__fail(err, DEJA_EIO, "cannot make shared memory (system error %d)", errno);
        return -1;
    }
    /* Memory that a worker could cut short would be a SIGBUS in its host. */
    void *mapped = MAP_FAILED;
    if (ftruncate(descriptor, (off_t)size) == 0 &&
        fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0)
        mapped = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (mapped == MAP_FAILED) {
        deja__fail(err, DEJA_EIO, "cannot map shared memory (system error %d)", errno);
        close(descriptor);
        return -1;
    }
    *memory = mapped;
    return descriptor;
}

deja_code deja__shared_memory_guard(int descriptor, deja_error *err)
{
#if !defined(F_SEAL_FUTURE_WRITE)
#define F_SEAL_FUTURE_WRITE 0x0010
#endif
    if (fcntl(descriptor, F_ADD_SEALS, F_SEAL_FUTURE_WRITE | F_SEAL_SEAL) == 0)
        return DEJA_OK;
    return deja__fail(err, DEJA_EIO, "cannot seal shared memory (system error %d)", errno);
}

/* ---- bringing in ---- */

/* Bytes of commands that a job is likely to have. */
enum { LIKELY_BYTES = 8 * DEJA__JOB_ROWS };

/* Where the system cannot do it, each page comes when it is touched. */
static void bring_in(const unsigned char *memory, uint64_t size, bool writes)
{
#if !defined(MADV_POPULATE_READ)
#define MADV_POPULATE_READ 22
#define MADV_POPULATE_WRITE 23
#endif
    const int kept = errno;
    madvise((void *)(uintptr_t)memory, (size_t)size,
            writes ? MADV_POPULATE_WRITE : MADV_POPULATE_READ);
    errno = kept;
}

void deja__shared_bring_in(const unsigned char *in, unsigned char *out, bool writes_in)
{
    const uint64_t pages = (sizeof(deja__job) + LIKELY_BYTES + DEJA__PAGE - 1) / DEJA__PAGE;
    bring_in(in, DEJA__PAGE, writes_in);
    for (uint64_t i = 0; i < DEJA__SLOTS; i++)
        bring_in(in + DEJA__PAGE + i * DEJA__IN_SLOT, pages * DEJA__PAGE, writes_in);
    bring_in(out, DEJA__OUT_SIZE, true);
}
