/* SPDX-License-Identifier: MIT */
/*
 * Reading a shared object's file.
 *
 *     header ── program headers ── PT_DYNAMIC ── what it needs, its relocations and their symbols
 *        └───── section headers ── .symtab (else .dynsym), names of sections
 *
 * The first line is what the loader goes by, so it must be sound. The second is for people: it may
 * be missing (stripped) or wrong, and then there are fewer names.
 *
 * What is imported is taken from the relocations, not from the symbol table: these are what the
 * loader binds, and an object cannot call what no relocation names. Symbols are numbered there, so
 * nothing has to guess how many there are.
 *
 * libelf would do the same, but a reader of some hundred lines is no reason for one more library in
 * every game that records.
 */
#include "plugin/elf.h"

#include <elf.h>

#if UINTPTR_MAX > 0xffffffffu
#define OWN_CLASS ELFCLASS64
#define SYMBOL_OF(info) ELF64_R_SYM(info)
#define KIND_OF(info) ELF64_R_TYPE(info)
#else
#define OWN_CLASS ELFCLASS32
#define SYMBOL_OF(info) ELF32_R_SYM(info)
#define KIND_OF(info) ELF32_R_TYPE(info)
#endif

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define OWN_ORDER ELFDATA2LSB
#else
#define OWN_ORDER ELFDATA2MSB
#endif

#if defined(__x86_64__)
#define OWN_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define OWN_MACHINE EM_AARCH64
#elif defined(__i386__)
#define OWN_MACHINE EM_386
#elif defined(__riscv)
#define OWN_MACHINE EM_RISCV
#elif defined(__powerpc64__)
#define OWN_MACHINE EM_PPC64
#elif defined(__s390__)
#define OWN_MACHINE EM_S390
#elif defined(__arm__)
#define OWN_MACHINE EM_ARM
#else
#define OWN_MACHINE EM_NONE /* the loader will say */
#endif

enum { SEGMENTS_MAX = 4096, STRING_MAX = 65536 };

/* ---- bytes of the file ---- */

static bool is_inside(const deja__elf *elf, uint64_t offset, uint64_t size)
{
    return offset <= elf->file.size && size <= elf->file.size - offset;
}

/* Copies, as nothing in a hostile file need be aligned. */
static bool read_at(const deja__elf *elf, uint64_t offset, void *target, size_t size)
{
    if (!is_inside(elf, offset, size))
        return false;
    memcpy(target, (const unsigned char *)elf->file.bytes + offset, size);
    return true;
}

/* The NUL-ended name at `offset` of a table of `size` bytes at `table`. */
static const char *string_at(const deja__elf *elf, uint64_t table, uint64_t size, uint64_t offset)
{
    if (!is_inside(elf, table, size) || offset >= size)
        return NULL;
    const char *chars = (const char *)elf->file.bytes + table + offset;
    const uint64_t most = size - offset < STRING_MAX ? size - offset : STRING_MAX;
    return memchr(chars, 0, (size_t)most) ? chars : NULL;
}

ElfW(Phdr) deja__elf_segment(const deja__elf *elf, uint32_t index)
{
    ElfW(Phdr) segment;
    if (!read_at(elf, elf->segments + (uint64_t)index * sizeof segment, &segment, sizeof segment))
        memset(&segment, 0, sizeof segment);
    return segment;
}

/* Where in the file the bytes at an address of the object lie. */
static bool find_offset(const deja__elf *elf, uint64_t address, uint64_t size, uint64_t *offset)
{
    /* From the end: where segments overlap, the loader maps the later over the earlier. */
    for (uint32_t i = elf->segment_count; i-- > 0;) {
        const ElfW(Phdr) segment = deja__elf_segment(elf, i);
        if (segment.p_type != PT_LOAD || address < segment.p_vaddr)
            continue;
        const uint64_t into = address - segment.p_vaddr;
        if (into > segment.p_filesz || size > segment.p_filesz - into)
            continue;
        *offset = segment.p_offset + into;
        return *offset >= into && is_inside(elf, *offset, size);
    }
    return false;
}

/* ---- headers ---- */

static const char *machine_name(uint32_t machine)
{
    static const struct {
        uint32_t machine;
        const char *name;
    } machines[] = {
        { EM_X86_64, "x86-64" }, { EM_AARCH64, "aarch64" }, { EM_386, "x86 of 32 bits" },
        { EM_ARM, "arm" },       { EM_RISCV, "risc-v" },    { EM_PPC64, "powerpc64" },
        { EM_S390, "s390x" },
    };
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
        if (machines[i].machine == machine)
            return machines[i].name;
    return "another machine";
}

static deja_code check_header(const deja__elf *elf, ElfW(Ehdr) * header, deja_error *err)
{
    unsigned char ident[EI_NIDENT];
    if (!read_at(elf, 0, ident, sizeof ident) || memcmp(ident, ELFMAG, SELFMAG) != 0)
        return deja__fail(err, DEJA_EUNFIT, "is not a shared library");
    /* The machine stands at the same place in either class. */
    unsigned char two[2];
    if (!read_at(elf, offsetof(ElfW(Ehdr), e_machine), two, sizeof two))
        return deja__fail(err, DEJA_EUNFIT, "is cut short: its header is not whole");
    const uint32_t machine =
        ident[EI_DATA] == ELFDATA2MSB ? (uint32_t)two[0] << 8 | two[1] : deja__load16(two);
    if (OWN_MACHINE != EM_NONE && machine != OWN_MACHINE)
        return deja__fail(err, DEJA_EUNFIT, "is built for %s, this deja runs on %s",
                          machine_name(machine), machine_name(OWN_MACHINE));
    if (ident[EI_CLASS] != OWN_CLASS)
        return deja__fail(err, DEJA_EUNFIT, "is built for %d bits, this deja for %d",
                          ident[EI_CLASS] == ELFCLASS32 ? 32 : 64, (int)sizeof(void *) * 8);
    if (ident[EI_DATA] != OWN_ORDER)
        return deja__fail(err, DEJA_EUNFIT, "is built for the other byte order");
    if (!read_at(elf, 0, header, sizeof *header))
        return deja__fail(err, DEJA_EUNFIT, "is cut short: its header is not whole");
    if (header->e_type == ET_REL)
        return deja__fail(err, DEJA_EUNFIT,
                          "is an object file, not a shared library: link it with -shared");
    if (header->e_type != ET_DYN)
        return deja__fail(err, DEJA_EUNFIT, "is a program, not a shared library");
    return DEJA_OK;
}

static deja_code read_segments(deja__elf *elf, const ElfW(Ehdr) * header, deja_error *err)
{
    elf->segments = header->e_phoff;
    elf->segment_count = header->e_phnum;
    if (header->e_phentsize != sizeof(ElfW(Phdr)) || elf->segment_count > SEGMENTS_MAX ||
        !is_inside(elf, elf->segments, (uint64_t)elf->segment_count * sizeof(ElfW(Phdr))))
        return deja__fail(err, DEJA_EUNFIT, "is cut short: its program headers lie outside of it");
    for (uint32_t i = 0; i < elf->segment_count; i++) {
        const ElfW(Phdr) segment = deja__elf_segment(elf, i);
        if (segment.p_type == PT_TLS && segment.p_memsz > 0)
            elf->has_thread_storage = true;
        if (segment.p_type == PT_DYNAMIC) {
            elf->dynamic = segment.p_offset;
            elf->dynamic_count = segment.p_filesz / sizeof(ElfW(Dyn));
        }
        /* Pages that are mapped past the end of the file would be a SIGBUS in the loader. */
        if (segment.p_type == PT_LOAD && !is_inside(elf, segment.p_offset, segment.p_filesz))
            return deja__fail(err, DEJA_EUNFIT, "is cut short: a segment ends behind its end");
        if (segment.p_filesz > segment.p_memsz && segment.p_type == PT_LOAD)
            return deja__fail(err, DEJA_EUNFIT, "is damaged: a segment is larger than its memory");
    }
    if (!elf->dynamic_count ||
        !is_inside(elf, elf->dynamic, elf->dynamic_count * sizeof(ElfW(Dyn))))
        return deja__fail(err, DEJA_EUNFIT, "is not a shared library: it has no dynamic section");
    return DEJA_OK;
}

/* Entry number `index` of the dynamic section; false behind the last. */
static bool dynamic_at(const deja__elf *elf, uint64_t index, ElfW(Dyn) * entry)
{
    return index < elf->dynamic_count &&
           read_at(elf, elf->dynamic + index * sizeof *entry, entry, sizeof *entry) &&
           entry->d_tag != DT_NULL;
}

/* Where an entry's value is kept; NULL for entries of no interest. */
static uint64_t *place_of(deja__elf *elf, int64_t tag)
{
    switch (tag) {
    case DT_STRTAB:
        return &elf->strings;
    case DT_STRSZ:
        return &elf->strings_size;
    case DT_SYMTAB:
        return &elf->symbols;
    case DT_RELA:
        return &elf->relocations[0].address;
    case DT_RELASZ:
        return &elf->relocations[0].size;
    case DT_REL:
        return &elf->relocations[1].address;
    case DT_RELSZ:
        return &elf->relocations[1].size;
    case DT_JMPREL:
        return &elf->relocations[2].address;
    case DT_PLTRELSZ:
        return &elf->relocations[2].size;
    case DT_INIT:
        return &elf->init;
    case DT_INIT_ARRAY:
        return &elf->init_array;
    case DT_INIT_ARRAYSZ:
        return &elf->init_array_size;
    default:
        return NULL;
    }
}

static deja_code read_dynamic(deja__elf *elf, deja_error *err)
{
    ElfW(Dyn) entry;
    bool is_rela = sizeof(void *) == 8;
    for (uint64_t i = 0; dynamic_at(elf, i, &entry); i++) {
        uint64_t *place = place_of(elf, entry.d_tag);
        if (place)
            *place = entry.d_un.d_val;
        if (entry.d_tag == DT_INIT)
            elf->has_init = true;
        if (entry.d_tag == DT_PLTREL)
            is_rela = entry.d_un.d_val == DT_RELA;
        if (entry.d_tag == DT_FLAGS_1 && (entry.d_un.d_val & DF_1_PIE))
            return deja__fail(err, DEJA_EUNFIT, "is a program, not a shared library");
    }
    elf->relocations[0].entry_size = sizeof(ElfW(Rela));
    elf->relocations[1].entry_size = sizeof(ElfW(Rel));
    elf->relocations[2].entry_size = is_rela ? sizeof(ElfW(Rela)) : sizeof(ElfW(Rel));
    return DEJA_OK;
}

/* Without sound section headers there are fewer names, no more. */
static void read_sections(deja__elf *elf, const ElfW(Ehdr) * header)
{
    ElfW(Shdr) names;
    if (header->e_shentsize != sizeof(ElfW(Shdr)) || header->e_shstrndx >= header->e_shnum ||
        !is_inside(elf, header->e_shoff, (uint64_t)header->e_shnum * sizeof names) ||
        !read_at(elf, header->e_shoff + (uint64_t)header->e_shstrndx * sizeof names, &names,
                 sizeof names) ||
        !is_inside(elf, names.sh_offset, names.sh_size))
        return;
    elf->sections = header->e_shoff;
    elf->section_count = header->e_shnum;
    elf->section_names = names.sh_offset;
    elf->section_names_size = names.sh_size;
}

deja_code deja__elf_open(deja__elf *elf, deja_span file, deja_error *err)
{
    ElfW(Ehdr) header;
    memset(elf, 0, sizeof *elf);
    elf->file = file;
    deja_code code = check_header(elf, &header, err);
    if (code == DEJA_OK)
        code = read_segments(elf, &header, err);
    if (code == DEJA_OK)
        code = read_dynamic(elf, err);
    if (code != DEJA_OK)
        return code;
    uint64_t offset = 0;
    if (!find_offset(elf, elf->strings, elf->strings_size, &offset))
        return deja__fail(err, DEJA_EUNFIT, "is damaged: its dynamic strings lie outside of it");
    elf->strings = offset; /* from here on, where they are in the file */
    read_sections(elf, &header);
    return DEJA_OK;
}

/* ---- what it needs and what it is bound to ---- */

const char *deja__elf_needed(const deja__elf *elf, uint64_t *at)
{
    ElfW(Dyn) entry;
    while (dynamic_at(elf, *at, &entry)) {
        ++*at;
        const char *name = entry.d_tag == DT_NEEDED
                               ? string_at(elf, elf->strings, elf->strings_size, entry.d_un.d_val)
                               : NULL;
        if (name)
            return name;
    }
    return NULL;
}

/* Relocations by which a place holds an address and nothing else. */
static bool is_address_kind(uint64_t kind)
{
#if defined(__x86_64__)
    return kind == R_X86_64_64 || kind == R_X86_64_GLOB_DAT || kind == R_X86_64_JUMP_SLOT;
#elif defined(__aarch64__)
    return kind == R_AARCH64_ABS64 || kind == R_AARCH64_GLOB_DAT || kind == R_AARCH64_JUMP_SLOT;
#else
    (void)kind;
    return false;
#endif
}

static bool is_thread_kind(uint64_t kind)
{
#if defined(__x86_64__)
    return kind == R_X86_64_DTPMOD64 || kind == R_X86_64_DTPOFF64 || kind == R_X86_64_TPOFF64 ||
           kind == R_X86_64_TLSDESC;
#elif defined(__aarch64__)
    return kind == R_AARCH64_TLS_DTPMOD || kind == R_AARCH64_TLS_DTPREL ||
           kind == R_AARCH64_TLS_TPREL || kind == R_AARCH64_TLSDESC;
#else
    (void)kind;
    return false;
#endif
}

/* What relocation says, or false where its symbol is unsound. */
static bool read_binding(const deja__elf *elf, const ElfW(Rela) * relocation,
                         deja__elf_binding *binding)
{
    ElfW(Sym) symbol;
    uint64_t offset = 0;
    const uint64_t number = SYMBOL_OF(relocation->r_info);
    if (!find_offset(elf, elf->symbols, (number + 1) * sizeof symbol, &offset) ||
        !read_at(elf, offset + number * sizeof symbol, &symbol, sizeof symbol))
        return false;
    memset(binding, 0, sizeof *binding);
    binding->place = relocation->r_offset;
    binding->addend = (uint64_t)relocation->r_addend;
    binding->is_address = is_address_kind(KIND_OF(relocation->r_info));
    binding->symbol_type = symbol.st_info & 15u;
    binding->symbol_binding = (uint32_t)symbol.st_info >> 4;
    binding->is_thread =
        is_thread_kind(KIND_OF(relocation->r_info)) || binding->symbol_type == STT_TLS;
    binding->is_undefined = symbol.st_shndx == SHN_UNDEF;
    binding->name = string_at(elf, elf->strings, elf->strings_size, symbol.st_name);
    return binding->name != NULL;
}

deja_code deja__elf_bindings(const deja__elf *elf,
                             bool (*visit)(void *user, const deja__elf_binding *binding),
                             void *user, deja_error *err)
{
    for (size_t table = 0; table < 3; table++) {
        const uint64_t size = elf->relocations[table].size;
        const uint64_t step = elf->relocations[table].entry_size;
        uint64_t offset = 0;
        if (size && !find_offset(elf, elf->relocations[table].address, size, &offset))
            return deja__fail(err, DEJA_EUNFIT, "is damaged: its relocations lie outside of it");
        for (uint64_t at = 0; at + step <= size; at += step) {
            ElfW(Rela) relocation = { 0 };
            deja__elf_binding binding;
            if (!read_at(elf, offset + at, &relocation, (size_t)step))
                return deja__fail(err, DEJA_EUNFIT, "is damaged: its relocations are cut short");
            if (SYMBOL_OF(relocation.r_info) == 0)
                continue; /* relative: to the object itself */
            if (!read_binding(elf, &relocation, &binding))
                return deja__fail(err, DEJA_EUNFIT,
                                  "is damaged: a relocation names symbol %llu, which is not there",
                                  (unsigned long long)SYMBOL_OF(relocation.r_info));
            if (!visit(user, &binding))
                return DEJA_OK;
        }
    }
    return DEJA_OK;
}

/* ---- names for people ---- */

static bool section_at(const deja__elf *elf, uint32_t index, ElfW(Shdr) * section)
{
    return index < elf->section_count &&
           read_at(elf, elf->sections + (uint64_t)index * sizeof *section, section,
                   sizeof *section);
}

static void visit_symbols(const deja__elf *elf, const ElfW(Shdr) * table,
                          void (*visit)(void *user, const deja__elf_name *symbol), void *user)
{
    ElfW(Shdr) strings;
    if (!section_at(elf, table->sh_link, &strings) ||
        !is_inside(elf, table->sh_offset, table->sh_size))
        return;
    for (uint64_t at = 0; at + sizeof(ElfW(Sym)) <= table->sh_size; at += sizeof(ElfW(Sym))) {
        ElfW(Sym) symbol;
        if (!read_at(elf, table->sh_offset + at, &symbol, sizeof symbol) ||
            symbol.st_shndx == SHN_UNDEF)
            continue;
        const deja__elf_name found = {
            .address = symbol.st_value,
            .size = symbol.st_size,
            .type = symbol.st_info & 15u,
            .name = string_at(elf, strings.sh_offset, strings.sh_size, symbol.st_name),
        };
        if (found.name && *found.name)
            visit(user, &found);
    }
}

bool deja__elf_symbols(const deja__elf *elf,
                       void (*visit)(void *user, const deja__elf_name *symbol), void *user)
{
    static const uint32_t wanted[] = { SHT_SYMTAB, SHT_DYNSYM };
    for (size_t k = 0; k < 2; k++) {
        ElfW(Shdr) section;
        for (uint32_t i = 0; section_at(elf, i, &section); i++) {
            if (section.sh_type != wanted[k])
                continue;
            visit_symbols(elf, &section, visit, user);
            return k == 0;
        }
    }
    return false;
}

void deja__elf_sections(const deja__elf *elf,
                        void (*visit)(void *user, const deja__elf_name *section), void *user)
{
    ElfW(Shdr) section;
    for (uint32_t i = 0; section_at(elf, i, &section); i++) {
        if (!(section.sh_flags & SHF_ALLOC) || (section.sh_flags & SHF_TLS))
            continue;
        const deja__elf_name found = {
            .address = section.sh_addr,
            .size = section.sh_size,
            .is_writable = (section.sh_flags & SHF_WRITE) != 0,
            .name = string_at(elf, elf->section_names, elf->section_names_size, section.sh_name),
        };
        if (found.name && *found.name)
            visit(user, &found);
    }
}
