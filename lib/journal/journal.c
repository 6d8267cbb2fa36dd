/* SPDX-License-Identifier: 0BSD */
/*
 * Writing a journal; see journal.h. Normative: schemas/journal.md.
 *
 *     header   64 bytes and a text, to a multiple of 4096
 *     segments 64 bytes, then records of 32 bytes and what they carry
 *
 * One segment is mapped at a time. It is allocated in full before, so that storing into it cannot
 * fail, and touched, so that no step waits for the system to find a page.
 *
 * A record's begun mark is stored behind all that it covers, its done mark last: stores to memory
 * that a file is mapped to survive their process in the order in which it made them.
 *
 * This file is compiled into games, by itself, so it leans on nothing but the C library.
 */
#if !defined(_WIN32) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* for madvise, and for locks; before the first include */
#endif
#if !defined(_WIN32) && !defined(_FILE_OFFSET_BITS)
#define _FILE_OFFSET_BITS 64 /* a journal of more than 2 GiB, on 32 bits */
#endif

#include <deja/journal.h>

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(_WIN32)
#include <windows.h>
#else
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

enum {
    PAGE = 4096,
    HEADER = 64,
    SEGMENT_HEADER = 64,
    RECORD = 32,
    LINE_MAX_SIZE = 1000,
    NAME_MAX_SIZE = 63,
    WORDS_MAX_SIZE = 65536 /* of a version, or of who plays */
};
enum { STEP = 1, PART = 2, MARK = 3, SECTION = 4, REWIND = 5, END = 6, NEXT = 7 };

#define COMMAND_MAX ((size_t)16 << 20)
#define TEXT_MAX ((size_t)16 << 20)
#define SEGMENT_LEAST (1u << 16)
#define SEGMENT_MOST (1u << 28)
#define REFUSALS_MOST 4096u

/* A file of which one piece is mapped. */
typedef struct file {
#if defined(_WIN32)
    HANDLE handle;
    HANDLE mapping;
#else
    int descriptor;
#endif
    unsigned char *memory;
    size_t size;
} file;

struct deja_journal {
    file file;
    unsigned char *alive; /* a page that a forked child finds empty; NULL: the id is asked for */
    uint64_t number;
    uint64_t steps;    /* that count */
    uint64_t finished; /* with those that were taken back */
    uint64_t base;     /* where the segment is in the file */
    uint64_t segment;  /* its number */
    size_t segment_size;
    size_t at;       /* of the next record in the segment */
    size_t begun_at; /* of the step that runs */
    uint64_t begun_sum;
    long owner;        /* process */
    uint32_t refusals; /* that there are */
    bool inside;
    int failed;
};

/* ---- bytes ---- */

/* Written out, as compilers make one store or load of that, and none of a loop. */
static void store32(unsigned char *target, uint32_t value)
{
    target[0] = (unsigned char)value;
    target[1] = (unsigned char)(value >> 8);
    target[2] = (unsigned char)(value >> 16);
    target[3] = (unsigned char)(value >> 24);
}

static void store64(unsigned char *target, uint64_t value)
{
    target[0] = (unsigned char)value;
    target[1] = (unsigned char)(value >> 8);
    target[2] = (unsigned char)(value >> 16);
    target[3] = (unsigned char)(value >> 24);
    target[4] = (unsigned char)(value >> 32);
    target[5] = (unsigned char)(value >> 40);
    target[6] = (unsigned char)(value >> 48);
    target[7] = (unsigned char)(value >> 56);
}

static uint64_t load64(const unsigned char *source)
{
    return (uint64_t)source[0] | (uint64_t)source[1] << 8 | (uint64_t)source[2] << 16 |
           (uint64_t)source[3] << 24 | (uint64_t)source[4] << 32 | (uint64_t)source[5] << 40 |
           (uint64_t)source[6] << 48 | (uint64_t)source[7] << 56;
}

/* The last bytes, less than 8, as a number. */
static uint64_t load_rest(const unsigned char *source, size_t size)
{
    uint64_t value = 0;
    while (size-- > 0)
        value = value << 8 | source[size];
    return value;
}

static uint64_t mix(uint64_t sum, uint64_t number)
{
    sum = (sum ^ number) * UINT64_C(0x9e3779b97f4a7c15);
    return sum ^ sum >> 32;
}

static uint64_t mix_bytes(uint64_t sum, const unsigned char *bytes, size_t size)
{
    for (; size >= 8; bytes += 8, size -= 8)
        sum = mix(sum, load64(bytes));
    return size ? mix(sum, load_rest(bytes, size)) : sum;
}

/* Copies bytes, zeros up to a multiple of 8, and mixes them in. Each is read once, so that the sum
 * is of what the file has, and none is read back: a load of what was stored just now waits. */
static uint64_t mix_copy(uint64_t sum, unsigned char *target, const unsigned char *source,
                         size_t size)
{
    for (; size >= 8; target += 8, source += 8, size -= 8) {
        const uint64_t number = load64(source);
        store64(target, number);
        sum = mix(sum, number);
    }
    if (size) {
        const uint64_t number = load_rest(source, size);
        store64(target, number);
        sum = mix(sum, number);
    }
    return sum;
}

static uint32_t mark_of(uint64_t sum)
{
    const uint32_t mark = (uint32_t)(sum ^ sum >> 29);
    return mark ? mark : 1;
}

/* A mark, behind everything that was stored before it. */
static void store_mark(unsigned char *target, uint32_t mark)
{
    unsigned char bytes[4];
    uint32_t word;
    store32(bytes, mark);
    memcpy(&word, bytes, sizeof word);
#if defined(__GNUC__)
    __atomic_store_n((uint32_t *)(void *)target, word, __ATOMIC_RELEASE);
#else
    *(volatile uint32_t *)(void *)target = word;
#endif
}

/* ---- words ---- */

/* Bytes of the character of UTF-8 at `at`, which ends with NUL; 0 where it is none. */
static size_t character(const unsigned char *at)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    const size_t size = *at < 0x80 ? 1 : *at < 0xc0 ? 0 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : 4;
    uint32_t value = size ? *at & (0xffu >> (size == 1 ? 0 : size + 1)) : 0;
    for (size_t i = 1; i < size; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        value = value << 6 | (at[i] & 0x3fu);
    }
    if (size == 0 || value < least[size] || value > 0x10ffff || (value & ~0x7ffu) == 0xd800)
        return 0;
    return size;
}

/* One line of text. */
static bool is_plain(const char *chars)
{
    for (const unsigned char *at = (const unsigned char *)chars; *at;) {
        const size_t size = character(at);
        if (size == 0 || *at < 0x20 || *at == 0x7f)
            return false;
        at += size;
    }
    return true;
}

/* The characters of the name that begins there; 0: none does. */
static size_t name_size(const char *name)
{
    static const char first[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
    static const char rest[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789-";
    if (!*name || !strchr(first, *name))
        return 0;
    const size_t size = strspn(name, rest);
    return size <= NAME_MAX_SIZE ? size : 0;
}

/* Whether a name of that size stands among those between `names` and itself. */
static bool stands_before(const char *names, const char *name, size_t size)
{
    for (size_t other; names < name; names += other + 1) {
        other = name_size(names);
        if (other == size && memcmp(names, name, size) == 0)
            return true;
    }
    return false;
}

/* Names with single separators between. */
static bool count_names(const char *names, char separator, uint32_t *count)
{
    for (*count = 1;; ++*count) {
        const size_t size = name_size(names);
        if (size == 0)
            return false;
        names += size;
        if (!*names)
            return true;
        if (*names++ != separator)
            return false;
    }
}

/* No name twice, for a result names one of them. */
static bool are_refusals(const char *names, uint32_t *count)
{
    if (!count_names(names, ' ', count) || *count > REFUSALS_MOST)
        return false;
    for (const char *name = names; *name; name += *name == ' ') {
        const size_t size = name_size(name);
        if (stands_before(names, name, size))
            return false;
        name += size;
    }
    return true;
}

/* How many refusals headers have. */
static uint32_t refusals_of(const char *headers)
{
    static const char keyword[] = "\nrefusals:";
    const char *line = strstr(headers, keyword);
    uint32_t count = 0;
    if (!line)
        return 0;
    for (const char *at = line + sizeof keyword - 1; *at && *at != '\n'; at++)
        count += at[0] == ' ' && at[1] != ' ' && at[1] != '\r' && at[1] != '\n' && at[1];
    return count;
}

/* ---- the system ---- */

#if defined(_WIN32)

static bool file_create(file *f, const char *path)
{
    const int size = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, NULL, 0);
    WCHAR *wide = size > 0 ? malloc((size_t)size * sizeof *wide) : NULL;
    f->handle = INVALID_HANDLE_VALUE;
    if (wide && MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide, size) == size)
        f->handle = CreateFileW(wide, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ, NULL,
                                CREATE_NEW, FILE_ATTRIBUTE_NORMAL, NULL);
    free(wide);
    return f->handle != INVALID_HANDLE_VALUE;
}

static bool file_resize(file *f, uint64_t size)
{
    LARGE_INTEGER end;
    end.QuadPart = (LONGLONG)size;
    return SetFilePointerEx(f->handle, end, NULL, FILE_BEGIN) && SetEndOfFile(f->handle);
}

static bool file_write(file *f, const unsigned char *bytes, size_t size)
{
    DWORD done = 0;
    return WriteFile(f->handle, bytes, (DWORD)size, &done, NULL) && done == size;
}

static void file_unmap(file *f)
{
    if (f->memory)
        UnmapViewOfFile(f->memory);
    if (f->mapping)
        CloseHandle(f->mapping);
    f->memory = NULL;
    f->mapping = NULL;
}

static bool file_map(file *f, uint64_t at, size_t size)
{
    const uint64_t end = at + size;
    if (!file_resize(f, end))
        return false;
    HANDLE mapping =
        CreateFileMappingW(f->handle, NULL, PAGE_READWRITE, (DWORD)(end >> 32), (DWORD)end, NULL);
    unsigned char *memory =
        mapping ? MapViewOfFile(mapping, FILE_MAP_WRITE, (DWORD)(at >> 32), (DWORD)at, size) : NULL;
    if (!memory) {
        if (mapping)
            CloseHandle(mapping);
        return false;
    }
    file_unmap(f);
    f->mapping = mapping;
    f->memory = memory;
    f->size = size;
    return true;
}

static bool file_sync(file *f)
{
    return FlushViewOfFile(f->memory, f->size) && FlushFileBuffers(f->handle);
}

static void file_close(file *f)
{
    file_unmap(f);
    if (f->handle != INVALID_HANDLE_VALUE)
        CloseHandle(f->handle);
}

static void file_remove(const char *path)
{
    (void)path; /* an empty one stays: it is refused as no journal */
}

static long process(void)
{
    return (long)GetCurrentProcessId();
}

#else

static bool file_create(file *f, const char *path)
{
    f->descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (f->descriptor < 0)
        return false;
    /* Held as long as this process lives: who reads a journal can see that it is being written. A
     * file system without locks is no reason not to record. */
    struct flock lock;
    memset(&lock, 0, sizeof lock);
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    (void)fcntl(f->descriptor, F_SETLK, &lock);
    return true;
}

static bool file_resize(file *f, uint64_t size)
{
    return ftruncate(f->descriptor, (off_t)size) == 0;
}

static bool file_write(file *f, const unsigned char *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t done = write(f->descriptor, bytes, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        bytes += done;
        size -= (size_t)done;
    }
    return true;
}

static void file_unmap(file *f)
{
    if (f->memory)
        munmap(f->memory, f->size);
    f->memory = NULL;
}

/* Touches every page, so that the first step on it does not. false: one cannot be had after all,
 * and who touches it dies. */
static bool bring_in(unsigned char *memory, size_t size)
{
#if defined(MADV_POPULATE_WRITE)
    if (madvise(memory, size, MADV_POPULATE_WRITE) != 0 &&
        errno != EINVAL) /* that of a system that does not know it */
        return false;
#endif
    /* Afterwards, too: a virtual machine may find its own page only then. */
    for (size_t i = 0; i < size; i += PAGE)
        *(volatile unsigned char *)(memory + i) = 0;
    return true;
}

/* Writes zeros where the file ends: room on a system that gives none without. */
static bool fill(file *f, uint64_t at, size_t size)
{
    static const unsigned char zeros[16 * PAGE];
    if (lseek(f->descriptor, (off_t)at, SEEK_SET) != (off_t)at)
        return false;
    for (size_t done = 0; done < size; done += sizeof zeros)
        if (!file_write(f, zeros, sizeof zeros))
            return false;
    return true;
}

/* Room on the disk for a segment, behind all that there is. */
static bool reserve(file *f, uint64_t at, size_t size)
{
#if defined(__APPLE__) || defined(__OpenBSD__)
    return fill(f, at, size);
#else
    int failed;
    do
        failed = posix_fallocate(f->descriptor, (off_t)at, (off_t)size);
    while (failed == EINTR);
    if (failed == EINVAL || failed == EOPNOTSUPP)
        return fill(f, at, size);
    errno = failed;
    return failed == 0;
#endif
}

static bool file_map(file *f, uint64_t at, size_t size)
{
    if (!reserve(f, at, size))
        return false;
    unsigned char *memory =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, f->descriptor, (off_t)at);
    if (memory == MAP_FAILED)
        return false;
    if (!bring_in(memory, size)) {
        const int kept = errno;
        munmap(memory, size);
        errno = kept;
        return false;
    }
    file_unmap(f);
    f->memory = memory;
    f->size = size;
    return true;
}

static bool file_sync(file *f)
{
    return (!f->memory || msync(f->memory, f->size, MS_SYNC) == 0) && fsync(f->descriptor) == 0;
}

static void file_close(file *f)
{
    file_unmap(f);
    if (f->descriptor >= 0)
        close(f->descriptor);
}

static void file_remove(const char *path)
{
    (void)unlink(path);
}

static long process(void)
{
    return (long)getpid();
}

#endif

/* ---- forks ---- */

/* A page that the system empties in a child: looked at in each call, without a call. */
static unsigned char *make_alive(void)
{
#if defined(MADV_WIPEONFORK)
    unsigned char *page =
        mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return NULL;
    if (madvise(page, PAGE, MADV_WIPEONFORK) == 0) {
        *page = 1;
        return page;
    }
    munmap(page, PAGE);
#endif
    return NULL;
}

static void drop_alive(unsigned char *page)
{
#if defined(MADV_WIPEONFORK)
    if (page)
        munmap(page, PAGE);
#else
    (void)page;
#endif
}

static bool is_owner(const deja_journal *journal)
{
    return journal->alive ? *(volatile unsigned char *)journal->alive != 0
                          : journal->owner == process();
}

/* ---- opening ---- */

typedef struct text {
    char *chars;
    size_t size, room;
    bool failed;
} text;

static void add(text *t, const char *chars, size_t size)
{
    if (t->failed || size > TEXT_MAX || t->size + size + 1 > t->room) {
        const size_t room = (t->size + size + 1) * 2;
        char *more = t->failed || size > TEXT_MAX ? NULL : realloc(t->chars, room);
        t->failed |= !more;
        if (!more)
            return;
        t->chars = more;
        t->room = room;
    }
    memcpy(t->chars + t->size, chars, size);
    t->size += size;
}

static void add_text(text *t, const char *chars)
{
    add(t, chars, strlen(chars));
}

/* A text of a header: in quotes, which all of them may have. */
static void add_quoted(text *t, const char *chars)
{
    static const char digits[] = "0123456789abcdef";
    add(t, "\"", 1);
    for (; *chars; chars++) {
        const unsigned char c = (unsigned char)*chars;
        const char escaped[4] = { '\\', 'x', digits[c >> 4], digits[c & 15] };
        if (c == '"' || c == '\\') {
            add(t, "\\", 1);
            add(t, chars, 1);
        } else if (c < 0x20 || c == 0x7f) {
            add(t, escaped, sizeof escaped);
        } else {
            add(t, chars, 1);
        }
    }
    add(t, "\"", 1);
}

static void add_hex(text *t, const void *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < size; i++) {
        const unsigned char c = ((const unsigned char *)bytes)[i];
        const char two[2] = { digits[c >> 4], digits[c & 15] };
        add(t, two, 2);
    }
    if (size == 0)
        add(t, "-", 1);
}

/* The headers of a game that knows its bytes and nobody else does. */
static void make_headers(text *t, const deja_journal_options *options)
{
    char seed[32];
    add_text(t, "deja-replay: 1\ngame: ");
    add_text(t, options->game);
    if (options->version) {
        add_text(t, " ");
        add_quoted(t, options->version);
    }
    add_text(t, "\nlayout: state bytes\nlayout: command bytes\nlayout: event bytes\n"
                "layout: config bytes\n");
    if (options->refusals && *options->refusals) {
        add_text(t, "refusals: ");
        add_text(t, options->refusals);
        add_text(t, "\n");
    }
    add_text(t, "build: 00000000000000000000000000000000\n");
    if (options->made && *options->made) {
        add_text(t, "made: ");
        add_quoted(t, options->made);
        add_text(t, "\n");
    }
    add_text(t, "config: ");
    add_hex(t, options->config, options->config_size);
    snprintf(seed, sizeof seed, "\nseed: %llu\n", (unsigned long long)options->seed);
    add_text(t, seed);
}

static bool is_power(uint32_t size)
{
    return (size & (size - 1)) == 0;
}

/* How many refusals there are. false: their names are none, or too many. */
static bool learn_refusals(const deja_journal_options *o, uint32_t *count)
{
    *count = 0;
    if (o->headers)
        *count = refusals_of(o->headers);
    else if (o->refusals && *o->refusals && !are_refusals(o->refusals, count))
        return false;
    return *count <= REFUSALS_MOST;
}

static bool are_headers(const char *chars)
{
    static const char first[] = "deja-replay: 1\n";
    return strncmp(chars, first, sizeof first - 1) == 0 && chars[strlen(chars) - 1] == '\n' &&
           strstr(chars, "\nbuild:");
}

static bool is_word(const char *chars)
{
    return !chars || (is_plain(chars) && strlen(chars) <= WORDS_MAX_SIZE);
}

/* What import would refuse as a whole is refused before a step is logged. */
static bool is_sound(const deja_journal_options *o)
{
    const bool size = o->segment_size >= SEGMENT_LEAST && o->segment_size <= SEGMENT_MOST;
    const bool bits = o->trail_bits >= 8 && o->trail_bits <= 64 && is_power(o->trail_bits);
    if (!size || !is_power(o->segment_size) || !bits || o->trail_every == 0 || o->reserved != 0)
        return false;
    if (o->headers)
        return are_headers(o->headers);
    uint32_t parts = 0;
    return o->game && count_names(o->game, '.', &parts) && strlen(o->game) <= NAME_MAX_SIZE &&
           is_word(o->version) && is_word(o->made) && (o->config || o->config_size == 0);
}

/* A number that no journal beside this one has. */
static uint64_t make_number(const deja_journal *journal)
{
    uint64_t sum = mix((uint64_t)time(NULL), (uint64_t)process());
    sum = mix(sum, (uint64_t)clock());
    sum = mix(sum, (uint64_t)(uintptr_t)journal);
#if !defined(_WIN32)
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    sum = mix(sum, (uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec);
#endif
    return sum;
}

static int write_header(deja_journal *journal, const deja_journal_options *options)
{
    text t = { NULL, 0, 0, false };
    if (options->headers)
        add_text(&t, options->headers);
    else
        make_headers(&t, options);
    const size_t size = (HEADER + t.size + PAGE - 1) / PAGE * PAGE;
    unsigned char *bytes = t.failed || t.size > TEXT_MAX ? NULL : calloc(1, size);
    if (!bytes) {
        free(t.chars);
        return t.failed || t.size <= TEXT_MAX ? DEJA_JOURNAL_ENOMEM : DEJA_JOURNAL_ELIMIT;
    }
    memcpy(bytes, "dejajrnl", 8);
    store32(bytes + 8, 1);
    store32(bytes + 12, options->segment_size);
    store64(bytes + 16, journal->number);
    store32(bytes + 24, options->trail_bits);
    store32(bytes + 28, (uint32_t)t.size);
    store64(bytes + 32, options->trail_every);
    store64(bytes + 40, options->start_hash);
    const time_t now = time(NULL);
    store64(bytes + 48, now > 0 ? (uint64_t)now : 0);
    memcpy(bytes + HEADER, t.chars, t.size);
    const uint64_t sum = mix_bytes(0, bytes, HEADER - 8);
    store64(bytes + 56, mix_bytes(sum, bytes + HEADER, t.size));
    const bool done = file_write(&journal->file, bytes, size);
    free(bytes);
    free(t.chars);
    journal->base = size;
    return done ? DEJA_JOURNAL_OK : DEJA_JOURNAL_EIO;
}

/* Begins the segment at `base`. */
static bool begin_segment(deja_journal *journal)
{
    if (!file_map(&journal->file, journal->base, journal->segment_size))
        return false;
    unsigned char *memory = journal->file.memory;
    store64(memory + 8, journal->number);
    store64(memory + 16, journal->segment);
    store64(memory + 24, journal->finished);
    memcpy(memory, "dejasegm", 8);
    store64(memory + 56, mix_bytes(0, memory, SEGMENT_HEADER - 8));
    journal->at = SEGMENT_HEADER;
    return true;
}

static int set_up(deja_journal *journal, const deja_journal_options *options)
{
    journal->number = make_number(journal);
    journal->segment_size = options->segment_size;
    journal->owner = process();
    journal->alive = make_alive();
    const int code = write_header(journal, options);
    if (code < 0)
        return code;
    return begin_segment(journal) ? DEJA_JOURNAL_OK : DEJA_JOURNAL_EIO;
}

static void destroy(deja_journal *journal)
{
    file_close(&journal->file);
    drop_alive(journal->alive);
    free(journal);
}

int deja_journal_open(deja_journal **out, const char *path, const deja_journal_options *options)
{
    deja_journal_options known = DEJA_JOURNAL_OPTIONS_INIT;
    if (out)
        *out = NULL;
    if (!out || !path || !options || options->struct_size < offsetof(deja_journal_options, headers))
        return DEJA_JOURNAL_EMISUSE;
    /* A caller of an earlier version knows less of them; one of a later version may want more. */
    if (options->struct_size > sizeof known)
        return DEJA_JOURNAL_EMISUSE;
    memcpy(&known, options, options->struct_size);
    uint32_t refusals;
    if (!is_sound(&known) || !learn_refusals(&known, &refusals))
        return DEJA_JOURNAL_EMISUSE;
    deja_journal *journal = calloc(1, sizeof *journal);
    if (!journal)
        return DEJA_JOURNAL_ENOMEM;
    if (!file_create(&journal->file, path)) {
        const int kept = errno;
        free(journal);
        errno = kept;
        return DEJA_JOURNAL_EIO;
    }
    journal->refusals = refusals;
    const int code = set_up(journal, &known);
    if (code < 0) {
        const int kept = errno;
        destroy(journal);
        file_remove(path);
        errno = kept;
        return code;
    }
    *out = journal;
    return DEJA_JOURNAL_OK;
}

/* ---- records ---- */

static int fail(deja_journal *journal, int code)
{
    journal->failed = code;
    return code;
}

static int usable(const deja_journal *journal)
{
    if (!journal || !is_owner(journal))
        return DEJA_JOURNAL_EMISUSE;
    return journal->failed;
}

static size_t left(const deja_journal *journal)
{
    return journal->segment_size - journal->at;
}

/* Stores a record that fits, up to its begun mark; answers the sum that this was made of. */
static uint64_t put(deja_journal *journal, uint32_t kind, const unsigned char *bytes, size_t size)
{
    unsigned char *record = journal->file.memory + journal->at;
    const uint64_t what = (uint64_t)kind << 32 | size;
    uint64_t sum = mix(0, journal->number);
    sum = mix(sum, journal->base + journal->at);
    sum = mix(sum, what);
    store32(record + 4, 0);
    store64(record + 8, what);
    store64(record + 16, 0);
    store64(record + 24, 0);
    sum = mix_copy(sum, record + RECORD, bytes, size);
    store_mark(record, mark_of(sum));
    journal->at += RECORD + (size + 7) / 8 * 8;
    return sum;
}

/* The second half of one. @param what its bytes 12 to 15: the kind, and of a step the rest */
static void finish(unsigned char *record, uint64_t sum, uint32_t what, uint64_t hash,
                   uint64_t event_hash)
{
    store32(record + 12, what);
    store64(record + 16, hash);
    store64(record + 24, event_hash);
    sum = mix(sum, hash);
    sum = mix(sum, event_hash);
    store_mark(record + 4, mark_of(mix(sum, what)));
}

static void put_whole(deja_journal *journal, uint32_t kind, const void *bytes, size_t size,
                      uint64_t hash)
{
    unsigned char *record = journal->file.memory + journal->at;
    finish(record, put(journal, kind, bytes, size), kind, hash, 0);
}

/* Goes on in the next segment. The one behind is left to the system to write. */
static bool next_segment(deja_journal *journal)
{
    unsigned char *last = left(journal) >= RECORD ? journal->file.memory + journal->at : NULL;
    const uint64_t base = journal->base;
    const size_t at = journal->at;
    /* `next` is stored first: behind it nothing else can come, so it does no harm where there is no
     * room for the next segment. */
    if (last)
        put_whole(journal, NEXT, NULL, 0, 0);
    journal->base += journal->segment_size;
    journal->segment++;
    if (begin_segment(journal))
        return true;
    journal->base = base;
    journal->segment--;
    journal->at = at;
    return false;
}

/* Room for a record of that size, in this segment or the next. */
static int make_room(deja_journal *journal, size_t size)
{
    const size_t whole = RECORD + (size + 7) / 8 * 8;
    if (left(journal) >= whole)
        return DEJA_JOURNAL_OK;
    return next_segment(journal) ? DEJA_JOURNAL_OK : fail(journal, DEJA_JOURNAL_EIO);
}

/* What of a command does not fit a segment goes ahead in parts. */
static int put_parts(deja_journal *journal, const unsigned char **command, size_t *size)
{
    const size_t most = journal->segment_size - SEGMENT_HEADER - RECORD;
    while (*size > most) {
        const int code = make_room(journal, most);
        if (code < 0)
            return code;
        put_whole(journal, PART, *command, most, 0);
        *command += most;
        *size -= most;
    }
    return make_room(journal, *size);
}

int deja_journal_begin(deja_journal *journal, const void *command, size_t size)
{
    const unsigned char *bytes = command;
    int code = usable(journal);
    if (code < 0)
        return code;
    if (journal->inside || (!command && size != 0))
        return DEJA_JOURNAL_EMISUSE;
    if (size > COMMAND_MAX)
        return DEJA_JOURNAL_ELIMIT;
    code = put_parts(journal, &bytes, &size);
    if (code < 0)
        return code;
    journal->begun_at = journal->at;
    journal->begun_sum = put(journal, STEP, bytes, size);
    journal->inside = true;
    return DEJA_JOURNAL_OK;
}

static int end(deja_journal *journal, uint32_t result, uint64_t hash, bool has_events,
               uint64_t event_hash)
{
    const int code = usable(journal);
    if (code < 0)
        return code;
    if (!journal->inside || result > journal->refusals)
        return DEJA_JOURNAL_EMISUSE;
    unsigned char *record = journal->file.memory + journal->begun_at;
    finish(record, journal->begun_sum, STEP | (has_events ? 1u << 8 : 0) | result << 16, hash,
           event_hash);
    journal->inside = false;
    journal->steps++;
    journal->finished++;
    return DEJA_JOURNAL_OK;
}

int deja_journal_end(deja_journal *journal, uint32_t result, uint64_t hash)
{
    return end(journal, result, hash, false, 0);
}

int deja_journal_end_events(deja_journal *journal, uint32_t result, uint64_t hash,
                            uint64_t event_hash)
{
    return end(journal, result, hash, true, event_hash);
}

/* A record beside the steps. */
static int log_whole(deja_journal *journal, uint32_t kind, const char *chars, uint64_t hash)
{
    const size_t size = chars ? strlen(chars) : 0;
    int code = usable(journal);
    if (code < 0)
        return code;
    if (journal->inside)
        return DEJA_JOURNAL_EMISUSE;
    if (size > LINE_MAX_SIZE)
        return DEJA_JOURNAL_ELIMIT;
    code = make_room(journal, size);
    if (code == DEJA_JOURNAL_OK)
        put_whole(journal, kind, chars, size, hash);
    return code;
}

int deja_journal_mark(deja_journal *journal, const char *chars)
{
    /* "see: " is what an expectation of a replay text is kept as, and none that a game has. */
    const bool is_mark =
        chars && *chars && is_plain(chars) && strncmp(chars, "see: ", sizeof "see: " - 1) != 0;
    return is_mark ? log_whole(journal, MARK, chars, 0) : DEJA_JOURNAL_EMISUSE;
}

int deja_journal_section(deja_journal *journal, const char *name, uint64_t hash)
{
    return name && name_size(name) && !name[name_size(name)]
               ? log_whole(journal, SECTION, name, hash)
               : DEJA_JOURNAL_EMISUSE;
}

int deja_journal_rewind(deja_journal *journal, uint64_t step)
{
    if (journal && step > journal->steps)
        return usable(journal) < 0 ? usable(journal) : DEJA_JOURNAL_EMISUSE;
    const int code = log_whole(journal, REWIND, NULL, step);
    if (code == DEJA_JOURNAL_OK)
        journal->steps = step;
    return code;
}

uint64_t deja_journal_steps(const deja_journal *journal)
{
    return journal ? journal->steps : 0;
}

/* ---- the end ---- */

int deja_journal_sync(deja_journal *journal)
{
    const int code = usable(journal);
    if (code < 0)
        return code;
    return file_sync(&journal->file) ? DEJA_JOURNAL_OK : DEJA_JOURNAL_EIO;
}

/* A name, and none of those of how a session ends without an outcome. */
static bool is_outcome(const char *name)
{
    const size_t size = name_size(name);
    return size && !name[size] && strcmp(name, "running") != 0 && strcmp(name, "unfinished") != 0 &&
           strcmp(name, "crashed") != 0;
}

int deja_journal_close(deja_journal *journal, const char *outcome)
{
    if (!journal)
        return DEJA_JOURNAL_EMISUSE;
    if (!is_owner(journal)) {
        destroy(journal);
        return DEJA_JOURNAL_EMISUSE;
    }
    if (outcome && !is_outcome(outcome))
        return DEJA_JOURNAL_EMISUSE;
    int code = journal->failed;
    /* A step that began and did not end is left as it is: the game closes from within it. */
    if (code == DEJA_JOURNAL_OK && !journal->inside)
        code = log_whole(journal, END, outcome, 0);
    const uint64_t size = journal->base + journal->at;
    bool done = file_sync(&journal->file);
    file_unmap(&journal->file);
    done &= file_resize(&journal->file, size);
    if (code == DEJA_JOURNAL_OK && !done)
        code = DEJA_JOURNAL_EIO;
    destroy(journal);
    return code;
}
