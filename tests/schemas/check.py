#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds the pages of schemas/, and real stores, against a second implementation.

    check.py pages FOLDER       the worked examples of columns, digests, hashes, identity, store
    check.py build FILE DIGEST  a rules library that brings nothing along, against digests.md
    check.py store SQL FILE...  stores, against schemas/store.sql and what the pages say

Standard library only, and nothing of deja: what agrees here does so because the pages say it.
"""

import json
import re
import sqlite3
import sys
import zlib

sys.dont_write_bytecode = True

from layouts import decode  # noqa: E402
from xxh3 import M64, xxh3_64, xxh3_128  # noqa: E402

BLOCK = 16384
checked = 0


def check(what, expected, found):
    global checked
    checked += 1
    if expected != found:
        sys.exit(f"schemas: {what}: expected {str(expected):.200}, found {str(found):.200}")


def little(number, size):
    return number.to_bytes(size, "little")


# ---- pages ----


def groups(page):
    """The indented lines "key  value" of a page, a dict for each run of them."""
    group = {}
    for line in page.splitlines() + [""]:
        match = re.fullmatch(r"    ([a-z]+)(?: +(\S.*))?", line)
        if match:
            group[match[1]] = match[2] or ""
        elif group:
            yield group
            group = {}


def rows(page, pattern):
    return [match.groups() for match in re.finditer("(?m)^    " + pattern + "$", page)]


def chain_step(chain, *parts):
    return xxh3_64(b"".join([little(chain, 8), *parts]))


def check_hashes(page):
    found = 0
    for group in groups(page):
        if "hash" in group and "layout" in group:
            data = bytes.fromhex(group.get("hashed", group["bytes"]))
            check(f"hash of {group['value']}", group["hash"], f"{xxh3_64(data):016x}")
            found += 1
    chain = 0
    for step, state, result, said in rows(page, r"(\d+) +([0-9a-f]{16}) +(-|\d+) +([0-9a-f]{16})"):
        state = int(state, 16)
        if step == "0":
            chain = xxh3_64(little(state, 8))
        else:
            chain = chain_step(chain, little(state, 8), little(int(result), 4))
        check(f"chain of step {step}", said, f"{chain:016x}")
        found += 1
    events = {0: xxh3_64(little(0, 4))}
    for data in re.findall(r"bytes ([0-9a-f]{10,})", page):
        data = bytes.fromhex(data)
        events[int.from_bytes(data[:4], "little")] = xxh3_64(data)
    for step, count, one, said in rows(page, r"(\d+) +(\d+) +([0-9a-f]{16}) +([0-9a-f]{16})"):
        check(f"events of step {step}", one, f"{events[int(count)]:016x}")
        if step == "0":
            chain = xxh3_64(little(events[0], 8))
        else:
            chain = chain_step(chain, little(events[int(count)], 8))
        check(f"event chain of step {step}", said, f"{chain:016x}")
        found += 1
    return found


def check_ids(page):
    found = 0
    for group in groups(page):
        if "id" in group and "bytes" in group:
            data = bytes.fromhex(group["bytes"].replace(" ", ""))
            check("id", group["id"], xxh3_128(data).hex())
            found += 1
    return found


def check_checks(page):
    found = 0
    for group in groups(page):
        if "check" in group and "bytes" in group:
            data = bytes.fromhex(group["bytes"].replace(" ", ""))
            check("row check", group["check"], str(signed(xxh3_64(data))))
            found += 1
    return found


def check_digests(page):
    found = 0
    files = []
    packs = []
    for group in groups(page):
        if "pack" in group:
            own = digest(group["bytes"].replace("-", ""))
            check(f"digest of {group['pack']}", group["digest"], own)
            packs.append((group["pack"].encode(), own))
            found += 1
        elif "session" in group:
            said = " ".join(f"{name.decode()}={own}" for name, own in sorted(packs))
            check("content of a session", group["session"], said)
            found += 1
        elif "content" in group:
            check(f"digest of {group['name']}", group["digest"], digest(group["content"]))
            files.append((group["name"].encode(), bytes.fromhex(group["digest"])))
            found += 1
        elif "build" in group:
            said = "".join(group[key] for key in ("bytes", "luck", "maps")).replace(" ", "")
            data = files[0][1]
            for name, own in sorted(files[1:]):
                data += little(len(name), 4) + name + own
            check("bytes of a build", data.hex(), said)
            check("digest of a build", group["build"], digest(said))
            found += 1
    return found


def digest(hex_digits):
    return xxh3_128(bytes.fromhex(hex_digits)).hex()


def check_columns(page):
    """The one example: commands as text, their canonical bytes, and the table of their columns."""
    layout = re.search(r"commands of `(.*)`:", page)[1]
    data = bytes.fromhex("".join(re.findall(r"(?m)^    ([0-9a-f]{4} .*)$", page)))
    table = re.findall(r"(?m)^\| (`[0-9a-f` ]+`) \|", page)
    columns = bytes.fromhex("".join(table).replace("`", "").replace(" ", ""))
    sizes = re.findall(r"(?:canonical bytes|Their columns), (\d+)", page)
    check("sizes of values and columns", [str(len(data)), str(len(columns))], sizes)
    count = len(re.findall(r"(?m)^    (?:take|say|resign)", page))
    check("commands by column", data.hex(), b"".join(decode(layout, columns, count)).hex())
    return 1


def check_pages(folder):
    for name, work, least in (
        ("columns.md", check_columns, 1),
        ("digests.md", check_digests, 7),
        ("hashes.md", check_hashes, 12),
        ("identity.md", check_ids, 3),
        ("store.md", check_checks, 1),
    ):
        with open(f"{folder}/{name}", encoding="utf-8") as file:
            found = work(file.read())
        if found < least:
            sys.exit(f"schemas: {name}: {found} examples were found, and there should be {least}")


# ---- rows ----


def signed(number):
    return number - (1 << 64) if number >> 63 else number


def covered(cell):
    if isinstance(cell, int):
        kind, data = b"i", little(cell & M64, 8)
    elif isinstance(cell, str):
        kind, data = b"t", cell.encode()
    else:
        kind, data = b"b", cell
    return kind + little(len(data), 8) + data


def read_table(db, table):
    """All rows, by key, each a dict; checked, and what the manifest should say of them."""
    found = {}
    total = 0
    cursor = db.execute(f"SELECT * FROM {table}")
    names = [column[0] for column in cursor.description]
    for row in cursor:
        number = xxh3_64(b"".join(map(covered, (table, *row[:-1]))))
        check(f"{table} {row[0]}", row[-1], signed(number))
        total = total + number & M64
        found[row[0]] = dict(zip(names, row))
    return found, total


def check_schema(db, sql):
    text = "".join(line + "\n" for line in sql.splitlines() if not line.startswith("--"))
    said = [statement.strip("\n") for statement in text.split(";\n")]
    said = [statement for statement in said if statement.startswith("CREATE")]
    found = [row[0] for row in db.execute("SELECT sql FROM sqlite_schema ORDER BY rowid")]
    check("schema", said, found)


# ---- packs ----


def unpack(size, data):
    raw = data if len(data) == size else zlib.decompress(data)
    check("raw size", size, len(raw))
    return raw


def column(blob, width, count, rise=0):
    """The numbers of a column; one that stands once goes on by `rise`."""
    numbers = [int.from_bytes(blob[i : i + width], "big") for i in range(0, len(blob), width)]
    if len(blob) == width:
        return [numbers[0] + rise * i & M64 for i in range(count)]
    check("size of a column", width * count, len(blob))
    return numbers


def part_steps(steps, part):
    return min(BLOCK, max(0, steps - part * BLOCK))


def parts_of(steps):
    return max(1, -(-steps // BLOCK))


def text_span(text):
    data = text if isinstance(text, bytes) else text.encode()
    return little(len(data), 4) + data


class Store:
    def __init__(self, path, sql):
        self.db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        check("application id", 0x64656A61, self.db.execute("PRAGMA application_id").fetchone()[0])
        check("version", True, self.db.execute("PRAGMA user_version").fetchone()[0] in (1, 2))
        check_schema(self.db, sql)
        self.tables = {}
        manifest, _ = read_table(self.db, "manifest")
        for row in manifest.values():
            found, total = read_table(self.db, row["name"])
            check(f"rows of {row['name']}", row["row_count"], len(found))
            check(f"sum of {row['name']}", row["check_sum"], signed(total))
            check(f"next of {row['name']}", True, max(found, default=0) < row["next_id"])
            self.tables[row["name"]] = found
        self.steps = {}  # of each session, by key

    def table(self, name):
        return self.tables[name]

    def check_sessions(self):
        for pack in self.table("session_packs").values():
            count, steps = pack["sessions"], pack["steps"]
            layouts = self.table("layouts")[pack["layouts"]]
            lengths = column(pack["lengths"], 2, count) if count > 1 else [steps]
            check("steps of a pack", steps, sum(lengths))
            seeds = column(pack["seeds"], 8, count, 1)
            raw = unpack(pack["config_size"], pack["config_data"])
            if pack["configs"] == 1:
                configs = [raw] * count
            else:
                configs = decode(layouts["config"], raw, count)
            commands = []
            for part in range(parts_of(steps)):
                row = self.table("command_parts")[pack["id"] << 20 | part]
                commands += decode(
                    layouts["command"], unpack(row["size"], row["data"]), part_steps(steps, part)
                )
            start_layout, start = "", b""
            if pack["start"]:
                row = self.table("starts")[pack["id"]]
                start_layout, start = row["layout"], unpack(row["size"], row["data"])
            at = 0
            for place in range(count):
                own = commands[at : at + lengths[place]]
                at += lengths[place]
                data = [b"deja-session\1"]
                data += map(text_span, (layouts["game"], layouts["command"], layouts["config"]))
                data.append(text_span(self.table("words")[pack["content"]]["text"]))
                data += [text_span(configs[place]), little(seeds[place], 8)]
                data += [text_span(start_layout), text_span(start)]
                data += map(text_span, own)
                data.append(little(len(own), 8))
                key = pack["id"] * 1024 + place
                digest = pack["digests"][16 * place : 16 * place + 16]
                check(f"id of session {key}", digest.hex(), xxh3_128(b"".join(data)).hex())
                self.steps[key] = lengths[place]

    def check_recordings(self):
        seen = set()
        for pack in self.table("recording_packs").values():
            count, every = pack["recordings"], pack["trail_every"] & M64
            sessions = column(pack["sessions"], 8, count, 1)
            endings = column(pack["endings"], 2, count)
            chains = column(pack["chains"], 8, count)
            width = pack["trail_bits"] // 8
            seen.update(sessions)
            lengths = [self.steps[key] for key in sessions]
            parts = parts_of(lengths[0]) if count == 1 else 1
            results, trail = [], []
            for part in range(parts):
                row = self.table("result_parts")[pack["id"] << 20 | part]
                here = part_steps(lengths[0], part) if count == 1 else sum(lengths)
                raw = unpack(row["size"], row["data"])
                size = len(raw) // here if raw else 0
                check("width of results", True, size in (0, 1, 2, 4) and size * here == len(raw))
                results += [
                    int.from_bytes(raw[i * size : (i + 1) * size], "little") for i in range(here)
                ]
                if width:
                    cuts = range(0, len(row["trail"]), width)
                    trail += [row["trail"][i : i + width] for i in cuts]
                else:
                    check("hashes of a scenario", 0, len(row["trail"]))
            for place in range(count):
                steps = lengths[place]
                crashed = endings[place] == 2
                due = range(0, steps + 1, every) if width else ()
                hashed = [n for n in due if not (crashed and n == steps)]
                own, trail = trail[: len(hashed)], trail[len(hashed) :]
                own_results, results = results[:steps], results[steps:]
                check("hashes of a recording", len(hashed), len(own))
                if width == 8 and every == 1:
                    chain = xxh3_64(own[0])
                    for result, state in zip(own_results, own[1:]):
                        chain = chain_step(chain, state, little(result, 4))
                    check(f"chain of session {sessions[place]}", chains[place], chain)
            check("hashes left over", 0, len(trail))
        check("sessions with recordings", set(self.steps), seen)

    def check_views(self):
        listed = self.db.execute("SELECT key, steps FROM sessions").fetchall()
        check("the view of sessions", self.steps, dict(listed))
        for row in self.db.execute("SELECT session, chain FROM recordings"):
            check("the view of recordings", True, row[0] in self.steps and len(row[1]) == 16)


def check_store(sql, path):
    with open(sql, encoding="utf-8") as file:
        store = Store(path, file.read())
    store.check_sessions()
    store.check_recordings()
    store.check_views()


def main(arguments):
    if arguments[:1] == ["pages"] and len(arguments) == 2:
        check_pages(arguments[1])
    elif arguments[:1] == ["build"] and len(arguments) == 3:
        with open(arguments[1], "rb") as file:
            check(f"build of {arguments[1]}", arguments[2], xxh3_128(file.read()).hex())
    elif arguments[:1] == ["store"] and len(arguments) > 2:
        for path in arguments[2:]:
            check_store(arguments[1], path)
    else:
        sys.exit(__doc__)
    print(json.dumps({"checked": checked}))


if __name__ == "__main__":
    main(sys.argv[1:])
