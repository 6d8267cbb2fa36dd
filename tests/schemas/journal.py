# SPDX-License-Identifier: MIT
"""
journal.py JOURNAL TEXT: reads a journal by schemas/journal.md alone, and holds its commands,
results, hashes and marks against the replay text that import and export made of it.
"""

import re
import sys

MASK = 2**64 - 1


def little(data, at, size):
    return int.from_bytes(data[at : at + size], "little")


def mix(total, number):
    total = ((total ^ number) * 0x9E3779B97F4A7C15) & MASK
    return total ^ total >> 32


def mix_bytes(total, data):
    for at in range(0, len(data), 8):
        total = mix(total, int.from_bytes(data[at : at + 8], "little"))
    return total


def mark(total):
    return (total ^ total >> 29) & 0xFFFFFFFF or 1


def demand(what, expected, actual):
    if expected != actual:
        sys.exit(f"journal: {what}: expected {expected!r}, not {actual!r}")


class Journal:
    def __init__(self, data):
        self.data = data
        demand("magic", b"dejajrnl", data[:8])
        demand("version", 1, little(data, 8, 4))
        self.segment_size = little(data, 12, 4)
        self.number = little(data, 16, 8)
        self.trail_bits = little(data, 24, 4)
        size = little(data, 28, 4)
        self.every = little(data, 32, 8)
        self.start_hash = little(data, 40, 8)
        self.text = data[64 : 64 + size].decode()
        check = mix_bytes(mix_bytes(0, data[:56]), data[64 : 64 + size])
        demand("header", little(data, 56, 8), check)
        self.first = -(-(64 + size) // 4096) * 4096

    def record(self, at):
        """kind, bytes, hash, event hash or None, result, done; and where the next one is"""
        data = self.data
        size = little(data, at + 8, 4)
        body = data[at + 32 : at + 32 + size]
        total = mix(mix(0, self.number), at)
        total = mix_bytes(mix(total, little(data, at + 8, 5)), body)
        demand(f"begun mark at {at}", little(data, at, 4), mark(total))
        done = little(data, at + 4, 4)
        if done:
            total = mix(mix(total, little(data, at + 16, 8)), little(data, at + 24, 8))
            demand(f"done mark at {at}", done, mark(mix(total, little(data, at + 12, 4))))
        events = little(data, at + 24, 8) if data[at + 13] else None
        own, result = little(data, at + 16, 8), little(data, at + 14, 2)
        return (data[at + 12], body, own, events, result, done != 0), at + 32 + -(-size // 8) * 8

    def records(self):
        at = self.first
        demand("segment", b"dejasegm", self.data[at : at + 8])
        demand("segment's journal", self.number, little(self.data, at + 8, 8))
        demand("segment's number", 0, little(self.data, at + 16, 8))
        check = mix_bytes(0, self.data[at : at + 56])
        demand("segment's check", little(self.data, at + 56, 8), check)
        at += 64
        while at + 32 <= len(self.data) and little(self.data, at, 4):
            record, at = self.record(at)
            yield record
        demand("end of the file", len(self.data), at)


def main(journal_path, text_path):
    with open(journal_path, "rb") as file:
        journal = Journal(file.read())
    with open(text_path, encoding="utf-8") as file:
        text = file.read()
    steps, marks, sections, outcome = [], [], [], None
    for kind, body, own, events, result, done in journal.records():
        if kind == 1:
            steps.append((body.hex() or "-", own, result, done))
        elif kind == 3:
            marks.append((len(steps), body.decode()))
        elif kind == 4:
            sections.append((len(steps), body.decode(), own))
        elif kind == 5:
            marks = [m for m in marks if m[0] <= own]
            sections = [s for s in sections if s[0] <= own]
            marks.append((own, f"{len(steps) - own} steps taken back here"))
            del steps[own:]
        elif kind == 6:
            outcome = body.decode()
        else:
            sys.exit(f"journal: a record of kind {kind}")
    # Export leaves out quotes that a text does not need.
    headers = [line.replace('"1.0"', "1.0") for line in journal.text.splitlines()]
    demand("headers", headers, text.splitlines()[: len(headers)])
    lines = text.splitlines()[len(headers) :]
    commands = [line for line in lines if re.fullmatch("[0-9a-f]+|-", line)]
    demand("commands", [s[0] for s in steps], commands)
    trail = re.search(r"^trail: 64 1 0 (.*)$", text, re.M)[1].split()
    demand("hashes", [f"{h:016x}" for h in [journal.start_hash] + [s[1] for s in steps]], trail)
    names = ["ok"] + re.search(r"^refusals: (.*)$", text, re.M)[1].split()
    runs = re.search(r"^results: (.*)$", text, re.M)[1].split()
    told = [name for name, times in (run.split("*") for run in runs) for _ in range(int(times))]
    demand("results", [names[s[2]] for s in steps], told)
    demand("marks", [m[1] for m in marks], re.findall(r'^mark: "(.*)"$', text, re.M))
    found = re.findall(r"^section: (\S+) ([0-9a-f]{16})$", text, re.M)
    demand("sections", [(s[1], f"{s[2]:016x}") for s in sections], found)
    demand("the end", f"end: {outcome} steps={len(steps)}", re.search("^end: .*$", text, re.M)[0])


if __name__ == "__main__":
    main(*sys.argv[1:])
