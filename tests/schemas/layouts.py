# SPDX-License-Identifier: MIT
"""Layouts and columns in plain Python, from schemas/layout.md and schemas/columns.md."""

SCALARS = {
    "bool": 1,
    "u8": 1,
    "i8": 1,
    "u16": 2,
    "i16": 2,
    "u32": 4,
    "i32": 4,
    "f32": 4,
    "u64": 8,
    "i64": 8,
    "f64": 8,
    "rng": 24,
}


class Reader:
    """A layout's text as a tree of tuples: ("scalar", width), ("struct", fields), ..."""

    def __init__(self, text):
        self.text = text
        self.at = 0

    def take(self, word):
        if not self.text.startswith(word, self.at):
            return False
        self.at += len(word)
        return True

    def need(self, word):
        if not self.take(word):
            raise ValueError(f"{word!r} expected at {self.at} of {self.text!r}")

    def until(self, stops):
        start = self.at
        while self.at < len(self.text) and self.text[self.at] not in stops:
            self.at += 1
        return self.text[start : self.at]

    def layout(self):
        if self.text == "-":
            return ("struct", [])
        if self.text.startswith("kind("):
            tree = self.base()
        else:
            tree = ("struct", self.fields())
        if self.at != len(self.text):
            raise ValueError(f"more than a layout: {self.text!r}")
        return tree

    def fields(self):
        fields = []
        while True:
            self.until(":")
            self.need(":")
            fields.append(self.type())
            if not self.take(" "):
                return fields

    def braces(self):
        if not self.take("{"):
            return ("struct", [])
        fields = [] if self.text[self.at] == "}" else self.fields()
        self.need("}")
        return ("struct", fields)

    def count(self):
        number = int(self.until("]"))
        self.need("]")
        return number

    def base(self):
        if self.text[self.at] == "{":
            return self.braces()
        if self.take("kind("):
            kinds = []
            while True:
                self.until("{|)")
                kinds.append(self.braces())
                if not self.take("|"):
                    self.need(")")
                    return ("kind", kinds)
        for word, width in (("enum(", 2), ("flags(", 4)):
            if self.take(word):
                self.until(")")
                self.need(")")
                return ("scalar", width)
        if self.take("section("):
            inner = self.type()
            self.need(")")
            return inner
        if self.take("text[.."):
            self.count()
            return ("text",)
        if self.take("bytes["):
            return ("items", self.count(), [("scalar", 1)])
        if self.take("blocks("):
            inner = self.type()
            self.need(")[")
            return ("items", self.count(), [inner])
        for word, parts in (("map(", 2), ("set(", 1)):
            if self.take(word):
                inner = [self.type()]
                if parts == 2:
                    self.need(" ")
                    inner.append(self.type())
                self.need(")[..")
                self.count()
                return ("list", inner)
        word = self.until(" ?[|)}")
        return ("scalar", SCALARS[word])

    def type(self):
        tree = self.base()
        while True:
            if self.take("?"):
                tree = ("optional", tree)
            elif self.take("[.."):
                self.count()
                tree = ("list", [tree])
            elif self.take("["):
                tree = ("items", self.count(), [tree])
            else:
                return tree


class Columns:
    """The bytes of columns, read from the front."""

    def __init__(self, data):
        self.data = data
        self.at = 0

    def bytes(self, size):
        taken = self.data[self.at : self.at + size]
        if len(taken) != size:
            raise ValueError("columns end too early")
        self.at += size
        return taken

    def column(self, width, items):
        if items == 0:
            return []
        forms = int.from_bytes(self.bytes((width + 3) // 4), "little")
        planes = []
        for plane in range(width):
            form = forms >> 2 * plane & 3
            if form == 0:
                planes.append(bytes(items))
            elif form == 1:
                planes.append(self.bytes(1) * items)
            elif form == 2:
                planes.append(self.bytes(items))
            else:
                raise ValueError("a plane of form 3")
        return [bytes(item) for item in zip(*planes)]

    def numbers(self, width, items):
        return [int.from_bytes(item, "little") for item in self.column(width, items)]

    def values(self, tree, items):
        """The canonical bytes of so many values."""
        what = tree[0]
        if what == "scalar":
            return self.column(tree[1], items)
        if what == "struct":
            fields = [self.values(field, items) for field in tree[1]]
            return [b"".join(field[i] for field in fields) for i in range(items)]
        if what == "kind":
            tags = self.numbers(2, items)
            bodies = [iter(self.values(kind, tags.count(k))) for k, kind in enumerate(tree[1])]
            return [tag.to_bytes(2, "little") + next(bodies[tag]) for tag in tags]
        if what == "optional":
            there = self.numbers(1, items)
            inner = iter(self.values(tree[1], sum(there)))
            return [b"\1" + next(inner) if one else b"\0" for one in there]
        if what == "text":
            sizes = self.numbers(4, items)
            characters = b"".join(self.column(1, sum(sizes)))
            return self.split(sizes, characters)
        if what == "list":
            counts = self.numbers(4, items)
            parts = [iter(self.values(part, sum(counts))) for part in tree[1]]
            return [
                count.to_bytes(4, "little")
                + b"".join(next(part) for _ in range(count) for part in parts)
                for count in counts
            ]
        inner = iter(self.values(tree[2][0], items * tree[1]))
        return [b"".join(next(inner) for _ in range(tree[1])) for _ in range(items)]

    @staticmethod
    def split(sizes, characters):
        at = 0
        found = []
        for size in sizes:
            found.append(size.to_bytes(4, "little") + characters[at : at + size])
            at += size
        return found


def decode(layout, data, items):
    """Values from columns; of a layout "bytes", from sizes and bytes (schemas/store.md)."""
    if layout == "bytes":
        planes = [data[k * items : (k + 1) * items] for k in range(4)]
        sizes = [int.from_bytes(bytes(size), "little") for size in zip(*planes)]
        found = []
        at = 4 * items
        for size in sizes:
            found.append(data[at : at + size])
            at += size
        if at != len(data):
            raise ValueError("values are not of their sizes")
        return found
    columns = Columns(data)
    values = columns.values(Reader(layout).layout(), items)
    if columns.at != len(data):
        raise ValueError("bytes are left over behind the columns")
    return values
