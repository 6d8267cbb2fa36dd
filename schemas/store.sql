-- SPDX-License-Identifier: MIT
--
-- A store, version 2. Normative; schemas/store.md says what each table, column and blob means.
--
-- The library runs this page as it stands to make a store, and afterwards holds sqlite_schema
-- against it byte for byte. A statement ends with a semicolon at the end of a line; outside
-- statements, a line that begins with two dashes is a comment. Tables are made in this order and
-- nothing else is, so the root of the nth table is page n + 1.

PRAGMA application_id = 1684367969;
PRAGMA user_version = 2;

CREATE TABLE manifest (
    id INTEGER PRIMARY KEY, name TEXT, row_count INTEGER, check_sum INTEGER, next_id INTEGER,
    "check" INTEGER);
CREATE TABLE words (id INTEGER PRIMARY KEY, text TEXT, "check" INTEGER);
CREATE TABLE builds (id INTEGER PRIMARY KEY, digest BLOB, compiler TEXT, "check" INTEGER);
CREATE TABLE layouts (
    id INTEGER PRIMARY KEY, game TEXT, version TEXT, state TEXT, command TEXT, event TEXT,
    config TEXT, refusals TEXT, outcomes TEXT, "check" INTEGER);
CREATE TABLE session_packs (
    id INTEGER PRIMARY KEY, layouts INTEGER, content INTEGER, open INTEGER, start INTEGER,
    sessions INTEGER, steps INTEGER, digests BLOB, seeds BLOB, lengths BLOB, configs INTEGER,
    config_size INTEGER, config_data BLOB, "check" INTEGER);
CREATE TABLE command_parts (id INTEGER PRIMARY KEY, size INTEGER, data BLOB, "check" INTEGER);
CREATE TABLE recording_packs (
    id INTEGER PRIMARY KEY, layouts INTEGER, build INTEGER, platform INTEGER, made INTEGER,
    trail_bits INTEGER, trail_every INTEGER, recordings INTEGER, sessions BLOB, endings BLOB,
    outcomes TEXT, recorded_at INTEGER, ages BLOB, chains BLOB, event_chains BLOB, marks INTEGER,
    sections INTEGER, "check" INTEGER);
CREATE TABLE result_parts (
    id INTEGER PRIMARY KEY, size INTEGER, data BLOB, trail BLOB, chain INTEGER,
    event_chain INTEGER, "check" INTEGER);
CREATE TABLE starts (
    id INTEGER PRIMARY KEY, layout TEXT, size INTEGER, data BLOB, "check" INTEGER);
CREATE TABLE marks (
    id INTEGER PRIMARY KEY, place INTEGER, step INTEGER, text TEXT, "check" INTEGER);
CREATE TABLE section_parts (id INTEGER PRIMARY KEY, size INTEGER, data BLOB, "check" INTEGER);

-- For people: what the library never reads. A session's or recording's key is its pack * 1024 +
-- its place in it.

CREATE VIEW sessions AS
WITH RECURSIVE
digit(at, shift) AS (
    VALUES (1, 28), (2, 24), (3, 20), (4, 16), (5, 12), (6, 8), (7, 4), (8, 0)),
member(pack, place, members) AS (
    SELECT id, 0, sessions FROM session_packs
    UNION ALL
    SELECT pack, place + 1, members FROM member WHERE place + 1 < members),
hexed AS (
    SELECT pack, place, members, p.*,
        lower(hex(substr(digests, place * 16 + 1, 16))) AS digest,
        '0000' || hex(substr(lengths, iif(length(lengths) = 2, 0, place) * 2 + 1, 2)) AS length,
        hex(substr(seeds, iif(length(seeds) = 8, 0, place) * 8 + 1, 8)) AS seed
    FROM member JOIN session_packs AS p ON p.id = pack),
number AS (
    SELECT *,
        (SELECT sum(instr('123456789ABCDEF', substr(length, at, 1)) << shift) FROM digit) AS few,
        (SELECT sum(instr('123456789ABCDEF', substr(seed, at, 1)) << shift) FROM digit) AS high,
        (SELECT sum(instr('123456789ABCDEF', substr(seed, at + 8, 1)) << shift) FROM digit) AS low
    FROM hexed)
SELECT pack * 1024 + place AS key, digest AS id, game,
    iif(members = 1, n.steps, few) AS steps,
    printf('%u', (high << 32 | low) + iif(length(seeds) = 8, place, 0)) AS seed,
    iif(configs = 1 AND length(config_data) = config_size, lower(hex(config_data)), NULL) AS config,
    content.text AS content, iif(start, s.layout, '') AS start, iif(open, 'open', '') AS open,
    l.command AS command_layout, l.config AS config_layout
FROM number AS n
LEFT JOIN layouts AS l ON l.id = n.layouts
LEFT JOIN words AS content ON content.id = n.content
LEFT JOIN starts AS s ON s.id = n.pack
ORDER BY key;

CREATE VIEW recordings AS
WITH RECURSIVE
digit(at, shift) AS (
    VALUES (1, 28), (2, 24), (3, 20), (4, 16), (5, 12), (6, 8), (7, 4), (8, 0)),
member(pack, place, members) AS (
    SELECT id, 0, recordings FROM recording_packs
    UNION ALL
    SELECT pack, place + 1, members FROM member WHERE place + 1 < members),
hexed AS (
    SELECT pack, place, p.*,
        '0000' || hex(substr(endings, iif(length(endings) = 2, 0, place) * 2 + 1, 2)) AS ending,
        '0000' || hex(substr(ages, iif(length(ages) = 2, 0, place) * 2 + 1, 2)) AS age,
        hex(substr(sessions, iif(length(sessions) = 8, 0, place) * 8 + 1, 8)) AS session
    FROM member JOIN recording_packs AS p ON p.id = pack),
number AS (
    SELECT *,
        (SELECT sum(instr('123456789ABCDEF', substr(ending, at, 1)) << shift) FROM digit) AS kind,
        (SELECT sum(instr('123456789ABCDEF', substr(age, at, 1)) << shift) FROM digit) AS later,
        (SELECT sum(instr('123456789ABCDEF', substr(session, at, 1)) << shift) FROM digit) AS high,
        (SELECT sum(instr('123456789ABCDEF', substr(session, at + 8, 1)) << shift) FROM digit)
            AS low
    FROM hexed)
SELECT pack * 1024 + place AS key,
    (high << 32 | low) + iif(length(sessions) = 8, place, 0) AS session,
    l.game AS game, l.version AS version, lower(hex(b.digest)) AS build, b.compiler AS compiler,
    platform.text AS platform, made.text AS made,
    CASE n.kind WHEN 0 THEN 'running' WHEN 1 THEN 'unfinished' WHEN 2 THEN 'crashed'
        ELSE json_extract(
            '["' || replace(n.outcomes, ' ', '","') || '"]', '$[' || (n.kind - 3) || ']')
        END AS ended,
    lower(hex(substr(chains, iif(length(chains) = 8, 0, place) * 8 + 1, 8))) AS chain,
    lower(hex(substr(event_chains, iif(length(event_chains) = 8, 0, place) * 8 + 1, 8)))
        AS event_chain,
    trail_bits, printf('%u', trail_every) AS trail_every,
    iif(recorded_at, datetime(recorded_at + later, 'unixepoch'), NULL) AS recorded_at,
    l.state AS state_layout, l.event AS event_layout, l.refusals AS refusals
FROM number AS n
LEFT JOIN layouts AS l ON l.id = n.layouts
LEFT JOIN builds AS b ON b.id = n.build
LEFT JOIN words AS platform ON platform.id = n.platform
LEFT JOIN words AS made ON made.id = n.made
ORDER BY key;

CREATE VIEW recording_marks AS
SELECT (id >> 20) * 1024 + place AS recording, step, text FROM marks ORDER BY recording, step, id;

CREATE VIEW parts AS
SELECT 'commands' AS holds, id >> 20 AS pack, id & 1048575 AS part, size, length(data) AS stored
FROM command_parts
UNION ALL
SELECT 'results', id >> 20, id & 1048575, size, length(data) + length(trail) FROM result_parts
UNION ALL
SELECT 'sections', id >> 20, id & 1048575, size, length(data) FROM section_parts
UNION ALL
SELECT 'start', id, 0, size, length(data) FROM starts;
