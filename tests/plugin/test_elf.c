/* SPDX-License-Identifier: MIT */
/*
 * Reading shared objects that are damaged, or were made to harm: nothing is believed.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

#include "plugin/elf.h"
#include "plugin/image.h"

TestSuite(elf, .timeout = 60);

/* Counts, and looks at every byte that it is shown, so that a sanitizer sees what is out of it. */
struct tally {
    uint64_t bindings, symbols, sections, characters;
};

static bool count_binding(void *user, const deja__elf_binding *binding)
{
    struct tally *tally = user;
    tally->bindings++;
    tally->characters += strlen(binding->name);
    return true;
}

static void count_symbol(void *user, const deja__elf_name *symbol)
{
    struct tally *tally = user;
    tally->symbols++;
    tally->characters += strlen(symbol->name);
}

static void count_section(void *user, const deja__elf_name *section)
{
    struct tally *tally = user;
    tally->sections++;
    tally->characters += strlen(section->name);
}

/* Reads all that can be read of so many bytes, which lie at the end of their memory. */
static deja_code read_all(const unsigned char *bytes, uint64_t size, struct tally *tally,
                          deja_error *err)
{
    deja__elf elf;
    unsigned char *exact = malloc(size ? (size_t)size : 1);
    memcpy(exact, bytes, (size_t)size);
    memset(tally, 0, sizeof *tally);
    deja_code code = deja__elf_open(&elf, (deja_span){ exact, size }, err);
    if (code == DEJA_OK) {
        uint64_t at = 0;
        const char *name;
        while ((name = deja__elf_needed(&elf, &at)) != NULL)
            tally->characters += strlen(name);
        code = deja__elf_bindings(&elf, count_binding, tally, err);
        deja__elf_symbols(&elf, count_symbol, tally);
        deja__elf_sections(&elf, count_section, tally);
    }
    free(exact);
    return code;
}

static bool is_answer(deja_code code)
{
    return code == DEJA_OK || code == DEJA_EUNFIT;
}

Test(elf, is_read)
{
    struct tally tally;
    deja_error err = { 0 };
    image file = image_read("rules/ledger-static.so");
    const deja_code code = read_all(file.bytes, file.size, &tally, &err);
    cr_assert(eq(i32, code, DEJA_OK), "%s", err.message);
    cr_assert(ge(u64, tally.bindings, 3));
    cr_assert(ge(u64, tally.symbols, 20));
    cr_assert(ge(u64, tally.sections, 10));
    image_release(&file);
}

Test(elf, may_be_cut_anywhere)
{
    struct tally tally;
    image file = image_read("rules/ledger-static.so");
    for (uint64_t size = 0; size < file.size; size += size < 4096 ? 1 : 37) {
        deja_error err = { 0 };
        const deja_code code = read_all(file.bytes, size, &tally, &err);
        cr_assert(is_answer(code), "%llu bytes", (unsigned long long)size);
        if (code == DEJA_OK) /* only names for people can be behind the last segment */
            cr_assert(gt(u64, tally.bindings, 0));
    }
    image_release(&file);
}

Test(elf, may_be_wrong_anywhere)
{
    uint64_t seed = 7;
    struct tally tally;
    image file = image_read("rules/ledger-static.so");
    unsigned char *bytes = malloc((size_t)file.size);
    const ElfW(Ehdr) *header = image_header(&file);
    const ElfW(Phdr) *dynamic = image_segment(&file, PT_DYNAMIC, 0);
    const uint64_t places[][2] = {
        { 0, 1024 },
        { header->e_phoff, header->e_phnum * sizeof(ElfW(Phdr)) },
        { dynamic->p_offset, dynamic->p_filesz },
        { header->e_shoff, header->e_shnum * sizeof(ElfW(Shdr)) },
        { 0, file.size },
    };
    for (uint32_t round = 0; round < 10000; round++) {
        memcpy(bytes, file.bytes, (size_t)file.size);
        for (uint32_t change = 0; change < 1 + round % 4; change++) {
            const uint64_t *place = places[round % 5];
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            const uint64_t at = place[0] + (seed >> 20) % place[1];
            bytes[at] = (unsigned char)(round % 3 ? seed >> 56 : 0xff * (seed >> 63));
        }
        const deja_code code = read_all(bytes, file.size, &tally, NULL);
        cr_assert(is_answer(code), "round %u", round);
    }
    free(bytes);
    image_release(&file);
}

/* ---- what is said ---- */

static void be_text(image *file)
{
    memcpy(file->bytes, "#!/bin/sh\n", 10);
}
static void be_foreign(image *file)
{
    image_header(file)->e_machine = EM_AARCH64;
}
static void be_unheard_of(image *file)
{
    image_header(file)->e_machine = 0x7777;
}
static void be_narrow(image *file)
{
    file->bytes[EI_CLASS] = ELFCLASS32;
}
static void be_big(image *file)
{
    file->bytes[EI_DATA] = ELFDATA2MSB;
    image_header(file)->e_machine = EM_X86_64 << 8;
}
static void be_object(image *file)
{
    image_header(file)->e_type = ET_REL;
}
static void be_program(image *file)
{
    image_header(file)->e_type = ET_EXEC;
}
static void be_pie(image *file)
{
    ElfW(Dyn) *free_entry = image_dynamic(file, DT_NULL, 0);
    free_entry->d_tag = DT_FLAGS_1;
    free_entry->d_un.d_val = DF_1_PIE;
}
static void be_short(image *file)
{
    file->size = 60;
}
static void lose_segments(image *file)
{
    image_header(file)->e_phoff = file->size;
}
static void lose_dynamic(image *file)
{
    image_segment(file, PT_DYNAMIC, 0)->p_type = PT_NULL;
}
static void lose_strings(image *file)
{
    image_dynamic(file, DT_STRTAB, 0)->d_un.d_val = 1u << 30;
}
static void lose_symbols(image *file)
{
    image_dynamic(file, DT_SYMTAB, 0)->d_un.d_val = 1u << 30;
}
static void lose_bindings(image *file)
{
    image_dynamic(file, DT_RELA, 0)->d_un.d_val = 1u << 30;
}
static void end_early(image *file)
{
    const ElfW(Phdr) *last = image_segment(file, PT_LOAD, 3);
    file->size = last->p_offset + last->p_filesz - 1;
}
static void overfill(image *file)
{
    ElfW(Phdr) *last = image_segment(file, PT_LOAD, 3);
    last->p_memsz = last->p_filesz - 1;
}

Test(elf, says_what_is_unsound)
{
    static const struct {
        void (*spoil)(image *file);
        const char *message;
    } rows[] = {
        { be_text, "is not a shared library" },
        { be_foreign, "is built for aarch64, this deja runs on x86-64" },
        { be_unheard_of, "is built for another machine, this deja runs on x86-64" },
        { be_narrow, "is built for 32 bits, this deja for 64" },
        { be_big, "is built for the other byte order" },
        { be_object, "is an object file, not a shared library: link it with -shared" },
        { be_program, "is a program, not a shared library" },
        { be_pie, "is a program, not a shared library" },
        { be_short, "is cut short: its header is not whole" },
        { lose_segments, "is cut short: its program headers lie outside of it" },
        { lose_dynamic, "is not a shared library: it has no dynamic section" },
        { lose_strings, "is damaged: its dynamic strings lie outside of it" },
        { lose_symbols, "is damaged: a relocation names symbol " },
        { lose_bindings, "is damaged: its relocations lie outside of it" },
        { end_early, "is cut short: a segment ends behind its end" },
        { overfill, "is damaged: a segment is larger than its memory" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tally tally;
        deja_error err = { 0 };
        image file = image_read("rules/ledger-static.so");
        rows[i].spoil(&file);
        const deja_code code = read_all(file.bytes, file.size, &tally, &err);
        cr_assert(eq(i32, code, DEJA_EUNFIT), "%s: %s", rows[i].message, err.message);
        const size_t size = strlen(rows[i].message);
        if (rows[i].message[size - 1] == ' ')
            err.message[size] = 0;
        cr_assert(eq(str, err.message, (char *)rows[i].message));
        image_release(&file);
    }
}

/* Section headers are for people: without them there are fewer names, and nothing else. */
Test(elf, does_without_section_headers)
{
    struct tally tally;
    image file = image_read("rules/ledger-static.so");
    image_header(&file)->e_shoff = file.size;
    const deja_code code = read_all(file.bytes, file.size, &tally, NULL);
    cr_assert(eq(i32, code, DEJA_OK));
    cr_assert(gt(u64, tally.bindings, 0));
    cr_assert(zero(u64, tally.symbols));
    cr_assert(zero(u64, tally.sections));
    image_release(&file);
}
