/* SPDX-License-Identifier: 0BSD */
/**
 * @file deja/rules.hpp
 * The standard containers for rules in C++17, on top of rules.h. Copy both into a folder deja/
 * beside the game, and include <deja/rules.hpp>; nothing is linked but the C++ library.
 *
 *     struct bee {
 *         std::string name;
 *         int32_t x, y;
 *     };
 *     struct swarm {
 *         std::vector<bee> bees;
 *         std::vector<uint16_t> nectar;
 *         std::optional<uint32_t> queen;
 *         deja_luck luck;
 *     };
 *
 *     static void bee_fields(deja_fields *f, const bee *b)
 *     {
 *         deja_string(f, "name", b->name, 31);
 *         deja_i32(f, "x", &b->x);
 *         deja_i32(f, "y", &b->y);
 *     }
 *     static void swarm_fields(deja_fields *f, const swarm *s)
 *     {
 *         deja_vector(f, "bees", s->bees, 1000, bee_fields);
 *         deja_vector(f, "nectar", s->nectar, 64);
 *         deja_std_optional(f, "queen", s->queen);
 *         deja_rng(f, "luck", &s->luck);
 *     }
 *
 *     constexpr deja_rules_table make_table()
 *     {
 *         deja_rules_table table = deja_table("swarm", "1.0.0");
 *         table.state = deja_type_of<swarm, swarm_fields>();
 *         table.command = deja_type_of<command, command_fields>();
 *         table.event = deja_type_of<event, event_fields>();
 *         table.start = start;
 *         table.apply = apply;
 *         return table;
 *     }
 *     DEJA_RULES = make_table();
 *
 * What goes into a container is described by a function, or a lambda, that takes a pointer to it:
 *
 *     scalars                    none: they describe themselves
 *     structs                    void fields(deja_fields *, const T *): names every field
 *     anything else              the same, and makes one call whose name is nullptr
 *
 * There are deja_string, deja_vector, deja_std_array, deja_std_optional, deja_map and deja_set, and
 * for tagged unions deja_variant and deja_std_kind.
 *
 * So the rows of a field are `deja_vector(f, "rows", s->rows, 20, [](deja_fields *g, const
 * std::vector<uint8_t> *row) { deja_vector(g, nullptr, *row, 40); })`. For strings there is
 * deja_strings(most), which makes such a function.
 *
 * Scalars are bool, the fixed-width integers, float and double. Each count has a most, which is a
 * part of the layout; a container that holds more is reported by the host, field and step named.
 *
 * Rejected: std::vector<bool>, whose items have no address (take uint8_t); the unordered
 * containers, whose order is not the same everywhere (take std::map or std::set, or sort).
 *
 * The host is C. An exception that left a description would go through it; these functions end the
 * process instead, and so should start and apply: mark them noexcept.
 */
#ifndef DEJA_RULES_HPP
#define DEJA_RULES_HPP

#include "rules.h" /* the one beside this file, wherever that is */

#include <array>
#include <cstddef>
#include <cstring>
#include <map>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

/* ---- scalars ---- */

/** What describes one scalar; `kind` is 0 for types that are none. */
template <typename T> struct deja__scalar {
    static constexpr uint32_t kind = 0;
};

#define DEJA__SCALAR_TYPE(type, word, KIND)                                           \
    template <> struct deja__scalar<type> {                                           \
        static constexpr uint32_t kind = KIND;                                        \
        static void one(deja_fields *f, const char *name, const type *value) noexcept \
        {                                                                             \
            deja_##word(f, name, value);                                              \
        }                                                                             \
    };
DEJA__SCALAR_TYPE(bool, bool, DEJA_BOOL)
DEJA__SCALAR_TYPE(uint8_t, u8, DEJA_U8)
DEJA__SCALAR_TYPE(uint16_t, u16, DEJA_U16)
DEJA__SCALAR_TYPE(uint32_t, u32, DEJA_U32)
DEJA__SCALAR_TYPE(uint64_t, u64, DEJA_U64)
DEJA__SCALAR_TYPE(int8_t, i8, DEJA_I8)
DEJA__SCALAR_TYPE(int16_t, i16, DEJA_I16)
DEJA__SCALAR_TYPE(int32_t, i32, DEJA_I32)
DEJA__SCALAR_TYPE(int64_t, i64, DEJA_I64)
DEJA__SCALAR_TYPE(float, f32, DEJA_F32)
DEJA__SCALAR_TYPE(double, f64, DEJA_F64)
#undef DEJA__SCALAR_TYPE

template <typename T> constexpr void deja__must_be_scalar()
{
    static_assert(deja__scalar<T>::kind != 0,
                  "not bool, a fixed-width integer, float or double: hand over a function that "
                  "describes one item");
}

/** One scalar of any type: deja_u32 and its kin under one name. Also the function for the keys and
 *  the items of containers that need one: deja_item<uint32_t>. */
template <typename T>
inline void deja_scalar(deja_fields *f, const char *name, const T *value) noexcept
{
    deja__must_be_scalar<T>();
    deja__scalar<T>::one(f, name, value);
}

template <typename T> inline void deja_item(deja_fields *f, const T *value) noexcept
{
    deja_scalar(f, nullptr, value);
}

constexpr uint32_t deja__what(uint32_t kind, uint32_t shape, uint32_t size)
{
    return kind | shape << 8 | size << 16;
}

/* A size as a count. One that does not fit is more than any most. */
inline uint32_t deja__count(uint64_t size) noexcept
{
    return size < UINT32_MAX ? static_cast<uint32_t>(size) : UINT32_MAX;
}

/* ---- std::string ---- */

/** UTF-8 of at most `most` bytes, without NUL. */
inline void deja_string(deja_fields *f, const char *name, const std::string &text,
                        uint32_t most) noexcept
{
    constexpr uint32_t growing = deja__what(DEJA_TEXT, DEJA_LIST, 1);
    constexpr uint32_t filling = deja__what(DEJA_TEXT, DEJA_FILL, 1);
    uint32_t count = deja__count(text.size());
    if (std::string *loaded = deja_loading(f, &text)) {
        count = 0;
        const uint32_t size = deja__ask(f, name, text.data(), growing, most, &count, 0);
        loaded->assign(size, ' ');
        if (size != 0)
            deja__ask(f, name, loaded->data(), filling, size, nullptr, 0);
    } else if (count <= most && deja__room(f, uint64_t{ 4 } + count) &&
               std::memchr(text.data(), 0, count) == nullptr) {
        std::memcpy(f->at, &count, 4);
        std::memcpy(f->at + 4, text.data(), count);
        f->at += 4 + count;
    } else {
        deja__ask(f, name, text.data(), growing, most, &count, 0);
    }
}
void deja_string(deja_fields *, const char *, const std::string &&, uint32_t) = delete;

/** The function for strings in containers: deja_vector(f, "names", s->names, 8, deja_strings(31)).
 */
inline auto deja_strings(uint32_t most) noexcept
{
    return [most](deja_fields *f, const std::string *text) noexcept {
        deja_string(f, nullptr, *text, most);
    };
}

/* ---- std::vector ---- */

/** At most `most` items, each described by `item`. */
template <typename T, typename Allocator, typename Item>
inline void deja_vector(deja_fields *f, const char *name, const std::vector<T, Allocator> &items,
                        uint32_t most, Item item) noexcept
{
    static_assert(!std::is_same<T, bool>::value,
                  "std::vector<bool> has no items that could be described: take uint8_t");
    const deja_opened opened = deja_list_open(f, name, deja__count(items.size()), most);
    if (std::vector<T, Allocator> *loaded = deja_loading(f, &items)) {
        loaded->clear();
        loaded->resize(opened.count);
    }
    for (size_t i = 0; i < opened.count; i++)
        item(f, items.data() + i);
    deja_close(f, opened);
}

/** At most `most` scalars. */
template <typename T, typename Allocator>
inline void deja_vector(deja_fields *f, const char *name, const std::vector<T, Allocator> &items,
                        uint32_t most) noexcept
{
    static_assert(!std::is_same<T, bool>::value,
                  "std::vector<bool> has no items that could be described: take uint8_t");
    deja__must_be_scalar<T>();
    if (f->at == f->end) { /* loading, or nothing can be written at once */
        deja_vector(f, name, items, most, deja_item<T>);
        return;
    }
    const uint32_t count = deja__count(items.size());
    deja__list(f, name, items.data(), &count, most,
               deja__what(deja__scalar<T>::kind, DEJA_LIST, sizeof(T)));
}
template <typename T, typename Allocator, typename... More>
void deja_vector(deja_fields *, const char *, const std::vector<T, Allocator> &&, More...) = delete;

/* ---- std::array ---- */

/** Scalars, always N. */
template <typename T, std::size_t N>
inline void deja_std_array(deja_fields *f, const char *name, const std::array<T, N> &items) noexcept
{
    deja__must_be_scalar<T>();
    deja__many(f, name, items.data(), N, deja__what(deja__scalar<T>::kind, DEJA_ARRAY, sizeof(T)),
               0);
}

/** Structs, always N. */
template <typename T, std::size_t N, typename Fields>
inline void deja_std_array(deja_fields *f, const char *name, const std::array<T, N> &items,
                           Fields fields) noexcept
{
    const deja_opened opened = deja__open_array(f, name, items.data(), sizeof(T), DEJA_ARRAY, N, 0);
    for (std::size_t i = 0; i < opened.count && i < N; i++)
        fields(f, items.data() + i);
    deja_close(f, opened);
}
template <typename T, std::size_t N, typename... More>
void deja_std_array(deja_fields *, const char *, const std::array<T, N> &&, More...) = delete;

/* ---- std::optional ---- */

/** A value that may be absent and is no struct: `item` describes it by one call without a name. */
template <typename T, typename Item>
inline void deja_std_optional_item(deja_fields *f, const char *name, const std::optional<T> &value,
                                   Item item) noexcept
{
    const bool present = value.has_value();
    std::optional<T> *loaded = deja_loading(f, &value);
    if (!deja_optional(f, name, &present)) {
        if (loaded)
            loaded->reset();
        return;
    }
    if (loaded)
        loaded->emplace();
    item(f, &*value);
}

/** A scalar that may be absent. */
template <typename T>
inline void deja_std_optional(deja_fields *f, const char *name,
                              const std::optional<T> &value) noexcept
{
    deja_std_optional_item(f, name, value, deja_item<T>);
}

/** A struct that may be absent. */
template <typename T, typename Fields>
inline void deja_std_optional(deja_fields *f, const char *name, const std::optional<T> &value,
                              Fields fields) noexcept
{
    deja_std_optional_item(f, name, value, [fields](deja_fields *g, const T *there) noexcept {
        const deja_opened opened = deja__open_struct(g, nullptr, there, sizeof(T));
        fields(g, there);
        deja_close(g, opened);
    });
}
template <typename T, typename... More>
void deja_std_optional(deja_fields *, const char *, const std::optional<T> &&, More...) = delete;

/* ---- std::set and std::map: their keys are integers, bool or strings, in the usual order ---- */

/** At most `most` keys, each described by `key` (deja_item<uint32_t>, deja_strings(31)). */
template <typename K, typename Key>
inline void deja_set(deja_fields *f, const char *name, const std::set<K> &keys, uint32_t most,
                     Key key) noexcept
{
    const deja_opened opened = deja_set_open(f, name, deja__count(keys.size()), most);
    if (std::set<K> *loaded = deja_loading(f, &keys)) {
        loaded->clear();
        for (uint32_t i = 0; i < opened.count; i++) {
            K made{};
            key(f, &made);
            loaded->insert(loaded->end(), made);
        }
    } else {
        auto at = keys.begin();
        for (uint32_t i = 0; i < opened.count; i++, ++at)
            key(f, &*at);
    }
    deja_close(f, opened);
}

/** At most `most` keys with their values: `key` as above, `value` as for a vector's items. */
template <typename K, typename V, typename Key, typename Value>
inline void deja_map(deja_fields *f, const char *name, const std::map<K, V> &pairs, uint32_t most,
                     Key key, Value value) noexcept
{
    const deja_opened opened = deja_map_open(f, name, deja__count(pairs.size()), most);
    if (std::map<K, V> *loaded = deja_loading(f, &pairs)) {
        loaded->clear();
        for (uint32_t i = 0; i < opened.count; i++) {
            K made{};
            key(f, &made);
            value(f, &loaded->emplace_hint(loaded->end(), made, V{})->second);
        }
    } else {
        auto at = pairs.begin();
        for (uint32_t i = 0; i < opened.count; i++, ++at) {
            key(f, &at->first);
            value(f, &at->second);
        }
    }
    deja_close(f, opened);
}

/* ---- std::variant: the tagged union ---- */

/** What describes an alternative without fields: deja_nothing<std::monostate>. */
template <typename T> inline void deja_nothing(deja_fields *, const T *) noexcept
{
}

template <std::size_t I, typename Variant, typename First, typename... Rest>
inline void deja__alternative(deja_fields *f, const Variant &value, uint32_t place, First first,
                              Rest... rest) noexcept
{
    if (place == I) {
        if (Variant *loaded = deja_loading(f, &value))
            loaded->template emplace<I>();
        if (const auto *there = std::get_if<I>(&value))
            first(f, there);
    } else if constexpr (sizeof...(Rest) != 0) {
        deja__alternative<I + 1>(f, value, place, rest...);
    }
}

/**
 * A variant that is a whole command, event or item of a container: as deja_kind() and what follows
 * from its answer, so it is the first call of its description. `names` is an array with a name for
 * each alternative; `fields` are as many descriptions, each as for a vector's items:
 *
 *     using command = std::variant<rest, send>;
 *     static void command_fields(deja_fields *f, const command *c)
 *     {
 *         deja_std_kind(f, *c, command_names, deja_nothing<rest>, send_fields);
 *     }
 *
 * One that holds no value (valueless_by_exception) is reported by the host.
 */
template <typename... T, std::size_t N, typename... Fields>
inline void deja_std_kind(deja_fields *f, const std::variant<T...> &value,
                          const char *const (&names)[N], Fields... fields) noexcept
{
    static_assert(sizeof...(T) == N, "each alternative has a name, and there is no other");
    static_assert(sizeof...(Fields) == N, "each alternative has a description");
    uint32_t index = deja__count(value.index());
    const uint32_t place = deja__kind(f, &index, sizeof index, names, deja__count(N));
    deja__alternative<0>(f, value, place, fields...);
}
template <typename... T, typename... More>
void deja_std_kind(deja_fields *, const std::variant<T...> &&, More...) = delete;

/** A variant that is a field. */
template <typename... T, std::size_t N, typename... Fields>
inline void deja_variant(deja_fields *f, const char *name, const std::variant<T...> &value,
                         const char *const (&names)[N], Fields... fields) noexcept
{
    const deja_opened opened = deja__open_struct(f, name, &value, sizeof value);
    deja_std_kind(f, value, names, fields...);
    deja_close(f, opened);
}
template <typename... T, typename... More>
void deja_variant(deja_fields *, const char *, const std::variant<T...> &&, More...) = delete;

/* ---- types and the table ---- */

template <typename T> void deja__init(void *value) noexcept
{
    ::new (value) T();
}

template <typename T> void deja__finish(void *value) noexcept
{
    static_cast<T *>(value)->~T();
}

template <typename T, void (*Fields)(deja_fields *, const T *)>
void deja__typed_fields(deja_fields *f, const void *value)
{
    Fields(f, static_cast<const T *>(value));
}

/** A game's type by a description that takes its own pointer type: deja_type_of<swarm,
 *  swarm_fields>(). Objects are made by T() and dropped by ~T(); types without either are bytes. */
template <typename T, void (*Fields)(deja_fields *, const T *)> constexpr deja_type deja_type_of()
{
    static_assert(alignof(T) <= alignof(std::max_align_t), "deja allocates as malloc does");
    static_assert(std::is_default_constructible<T>::value, "deja makes an empty value first");
    constexpr bool is_bytes = std::is_trivially_default_constructible<T>::value &&
                              std::is_trivially_destructible<T>::value;
    deja_type type{};
    type.size = sizeof(T);
    type.fields = deja__typed_fields<T, Fields>;
    type.init = is_bytes ? nullptr : deja__init<T>;
    type.finish = std::is_trivially_destructible<T>::value ? nullptr : deja__finish<T>;
    return type;
}

/** A table that holds nothing yet but what DEJA_ABI says, the game's id and its version. */
constexpr deja_rules_table deja_table(const char *id, const char *version)
{
    deja_rules_table table{};
    table.abi_major = DEJA_ABI_MAJOR;
    table.abi_minor = DEJA_ABI_MINOR;
    table.size = sizeof(deja_rules_table);
    table.compiler = DEJA_COMPILER;
    table.id = id;
    table.version = version;
    return table;
}

#endif
