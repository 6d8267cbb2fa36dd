#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds lines of JSON against a JSON schema.

    lines.py SCHEMA FILE...     each line of each file must be valid, and each kind of object that
                                the schema knows must have come up among all of them, but for errors

Only what the schemas of schemas/ make use of is known here; anything else is refused, so that no
word of theirs is passed over.
"""

import json
import re
import sys

WORDS = {"$comment", "$schema", "$defs", "title", "required", "additionalProperties", "properties",
         "type", "const", "enum", "pattern", "minimum", "oneOf", "$ref", "items"}
TYPES = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool,
         "null": type(None)}


def is_type(value, name):
    return isinstance(value, TYPES[name]) and not (name == "integer" and isinstance(value, bool))


def problem(value, schema, root, path="$"):
    """Why a value is not valid, or None."""
    unknown = set(schema) - WORDS
    if unknown:
        sys.exit(f"lines: the schema has {sorted(unknown)}, which is not known here")
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/$defs/")
        return problem(value, root["$defs"][name], root, path)
    if "oneOf" in schema:
        whys = [problem(value, one, root, path) for one in schema["oneOf"]]
        if whys.count(None) == 1:
            return None
        return f"{path}: {whys.count(None)} of {len(whys)} fit: " + "; ".join(filter(None, whys))
    names = schema.get("type", [])
    names = [names] if isinstance(names, str) else names
    if names and not any(is_type(value, name) for name in names):
        return f"{path}: {value!r} is no {' or '.join(names)}"
    if "const" in schema and value != schema["const"]:
        return f"{path}: {value!r} is not {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{path}: {value!r} is none of {schema['enum']}"
    if isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
        return f"{path}: {value!r} does not match {schema['pattern']}"
    if is_type(value, "integer") and value < schema.get("minimum", value):
        return f"{path}: {value} is below {schema['minimum']}"
    if isinstance(value, list) and "items" in schema:
        for place, item in enumerate(value):
            why = problem(item, schema["items"], root, f"{path}[{place}]")
            if why:
                return why
    return problem_of_object(value, schema, root, path) if isinstance(value, dict) else None


def problem_of_object(value, schema, root, path):
    properties = schema.get("properties", {})
    for name in schema.get("required", []):
        if name not in value:
            return f"{path}: has no {name}"
    for name, item in value.items():
        if name in properties:
            why = problem(item, properties[name], root, f"{path}.{name}")
            if why:
                return why
        elif schema.get("additionalProperties", True) is False:
            return f"{path}: has {name}, which the schema has not"
    return None


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    titles = {one["title"] for one in schema["oneOf"]}
    lines = 0
    for name in sys.argv[2:]:
        with open(name, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                value = json.loads(line)
                why = problem(value, schema, schema)
                if why:
                    sys.exit(f"lines: {name}:{number}: {why}")
                titles -= {one["title"] for one in schema["oneOf"]
                           if problem(value, one, schema) is None}
                lines += 1
    if titles:
        sys.exit(f"lines: nothing came up of: {sorted(titles)}")
    print(f"schemas: {lines} lines are as {sys.argv[1]} says")


main()
