#!/usr/bin/env python3
"""Check questions.jsonl against the sample history that the binary carries.

    python3 testdata/check_questions.py [QUESTIONS [PROJECTS]]

Standard library only. A question is one JSON object per line: id, query, kind
(exact, paraphrase, multihop, temporal, none), answer, answer_regex, project
(folder name), session, evidence [{session, uuid}], answer_in (uuids whose text
holds the answer), also_in (further accepted uuids), alternatives (three other
wordings) and, where a compaction dropped the evidence, boundary_uuid and
boundary_index. What is demanded of it:

  * every uuid exists, in the session named, and the regex matches its text;
  * neither the question nor its other wordings give the answer away;
  * of a dropped question: the evidence stands before the boundary and was not
    preserved, no summary of the session matches, nor does anything said after;
  * of a paraphrase: at most a third of its words occur in the evidence;
  * of a `none` question: the regex matches nowhere in the whole history.

Exit code 0 when all hold, 1 otherwise, each finding on a line of its own.
"""
import collections
import glob
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
HISTORY = os.path.join(HERE, "..", "cmd", "recall", "demo", "history", "projects")
KINDS = {"exact", "paraphrase", "multihop", "temporal", "none"}
COMMON = set("""a about after all an and any are as at be been before being both but by can could did do does
for from had has have how i if in into is it its long many more most much no not of on one only or other our out
over really should so such than that the their them then there these they this those to up us was we were what
when where which while who why will with would you your made make get got let way""".split())


def record_text(record):
    """Everything a reader could find in a record: words, calls, outputs, attached files."""
    out = []

    def walk(value):
        if isinstance(value, str):
            out.append(value)
        elif isinstance(value, list):
            for item in value:
                walk(item)
        elif isinstance(value, dict):
            for key, item in value.items():
                if key not in ("id", "tool_use_id", "signature", "type"):
                    walk(item)

    if record["type"] in ("user", "assistant"):
        walk(record["message"]["content"])
    elif record.get("attachment", {}).get("type") in ("queued_command", "file"):
        walk(record["attachment"])
    return "\n".join(out)


class Session:
    """The records of one transcript, in file order."""

    def __init__(self):
        self.text = {}  # uuid -> text
        self.line = {}  # uuid -> position
        self.summaries = []  # [(position, text)]
        self.boundaries = {}  # uuid -> (nth, position, preserved uuids)

    def add(self, record):
        at = len(self.line)
        self.line[record["uuid"]] = at
        if record.get("subtype") == "compact_boundary":
            kept = record["compactMetadata"].get("preservedMessages", {}).get("uuids", [])
            self.boundaries[record["uuid"]] = (len(self.boundaries), at, set(kept))
        elif record.get("isCompactSummary"):
            self.summaries.append((at, record_text(record)))
        else:
            self.text[record["uuid"]] = record_text(record)


def load(projects):
    """Sessions by id; a sub-agent's records belong to its parent's session."""
    sessions = collections.defaultdict(Session)
    folders = {}
    for path in sorted(glob.glob(os.path.join(projects, "**", "*.jsonl"), recursive=True)):
        parts = os.path.relpath(path, projects).split(os.sep)
        name = parts[1].removesuffix(".jsonl")
        folders[name] = parts[0]
        with open(path, encoding="utf-8") as f:
            for line in f:
                record = json.loads(line)
                if "uuid" in record:
                    sessions[name].add(record)
    return sessions, folders


def words(text):
    return {w for w in re.findall(r"[a-z0-9]+", text.lower()) if w not in COMMON and len(w) > 2}


def overlap(query, evidence):
    """Share of the query's words that begin with the first five letters of a word of the evidence."""
    stems = {w[:5] for w in words(evidence)}
    asked = words(query)
    return sum(w[:5] in stems for w in asked) / max(1, len(asked))


def check_dropped(q, session, bad):
    if q["boundary_uuid"] not in session.boundaries:
        return bad("boundary %s is not in the session" % q["boundary_uuid"])
    nth, at, kept = session.boundaries[q["boundary_uuid"]]
    if nth != q["boundary_index"]:
        bad("boundary is number %d, not %d" % (nth, q["boundary_index"]))
    for e in q["evidence"]:
        if session.line[e["uuid"]] >= at or e["uuid"] in kept:
            bad("evidence %s was not dropped" % e["uuid"])
    for _, text in session.summaries:
        if re.search(q["answer_regex"], text):
            bad("a summary holds the answer")
    last = max(b[1] for b in session.boundaries.values())
    live = set().union(*(b[2] for b in session.boundaries.values() if b[1] == last))
    for uuid, text in session.text.items():
        if (session.line[uuid] > last or uuid in live) and re.search(q["answer_regex"], text):
            bad("the answer is still in context, in %s" % uuid)


def check_answerable(q, sessions, folders, bad):
    if q["session"] not in sessions or folders[q["session"]] != q["project"]:
        return bad("no session %s in %s" % (q["session"], q["project"]))
    texts = []
    for e in q["evidence"]:
        text = sessions[e["session"]].text.get(e["uuid"]) if e["session"] in sessions else None
        if text is None:
            return bad("evidence %s is not in session %s" % (e["uuid"], e["session"]))
        texts.append(text)
    if not re.search(q["answer_regex"], "\n".join(texts)):
        bad("the evidence does not hold the answer")
    everywhere = {u: t for s in sessions.values() for u, t in s.text.items()}
    if not q["answer_in"]:
        bad("answer_in is empty")
    for uuid in q["answer_in"] + q["also_in"]:
        if not re.search(q["answer_regex"], everywhere.get(uuid, "")):
            bad("%s does not hold the answer" % uuid)
    if q["kind"] == "paraphrase" and overlap(q["query"], "\n".join(texts)) > 1 / 3:
        bad("shares %.0f%% of its words with the evidence" % (100 * overlap(q["query"], "\n".join(texts))))
    if "boundary_uuid" in q:
        check_dropped(q, sessions[q["session"]], bad)


def check(q, sessions, folders, bad):
    if q["kind"] not in KINDS:
        return bad("unknown kind %r" % q["kind"])
    if len(q["alternatives"]) != 3:
        bad("has %d alternatives, not 3" % len(q["alternatives"]))
    if q["kind"] != "none":
        for wording in [q["query"]] + q["alternatives"]:
            if re.search(q["answer_regex"], wording):
                bad("gives its answer away: %s" % wording)
        return check_answerable(q, sessions, folders, bad)
    for name, s in sessions.items():
        for uuid, text in list(s.text.items()) + [("a summary", t) for _, t in s.summaries]:
            if re.search(q["answer_regex"], text):
                bad("has an answer after all, in %s of %s" % (uuid, name))


def main(argv):
    path = argv[1] if len(argv) > 1 else os.path.join(HERE, "questions.jsonl")
    sessions, folders = load(argv[2] if len(argv) > 2 else HISTORY)
    with open(path, encoding="utf-8") as f:
        questions = [json.loads(line) for line in f]
    findings = []
    for q in questions:
        check(q, sessions, folders, lambda text: findings.append("%s: %s" % (q["id"], text)))
    for qid, n in collections.Counter(q["id"] for q in questions).items():
        if n > 1:
            findings.append("%s: used %d times" % (qid, n))
    print("\n".join(findings + [
        "%d sessions, %d compactions, %d messages" % (
            len(sessions), sum(len(s.boundaries) for s in sessions.values()),
            sum(bool(t) for s in sessions.values() for t in s.text.values())),
        "%d questions: %s; %d about dropped messages; %d findings" % (
            len(questions), ", ".join("%s %d" % kv for kv in sorted(collections.Counter(q["kind"] for q in questions).items())),
            sum("boundary_uuid" in q for q in questions), len(findings))]))
    return 1 if findings or not questions else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
