#!/usr/bin/env python3
"""Finds the records that questions.txt asks about and writes questions.jsonl.

    questions.py [PROJECTS] > ../../../../testdata/questions.jsonl

A question of questions.txt: `kind session`, then Q: question, A: answer, X: a
regex that the answer's text matches, F: (or F@session:) a regex that finds the
record with the evidence, 1: to 3: other wordings. Sessions go by the name that
the scenario gives them. What the lines of questions.jsonl mean, and the check
of them, is in testdata/check_questions.py.
"""
import glob
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, *[".."] * 4, "testdata"))
from check_questions import load  # noqa: E402
from scenario import Scenario  # noqa: E402

PROJECTS = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "..", "history", "projects")
SESSIONS, FOLDERS = load(PROJECTS)


def ids_by_name():
    """Scenario session -> ids of its transcripts (more than one after /clear), by the prompts typed in it."""
    names = {}
    for path in glob.glob(HERE + "/*.txt"):
        if os.path.basename(path) == "questions.txt":
            continue
        for s in Scenario(path).sessions:
            typed = {step["text"] for step in s.steps if step["do"] == "prompt"}
            names[s.name] = [i for i, t in SESSIONS.items() if typed & set(t.text.values())]
    return names


def find(ids, pattern):
    for i in ids:
        for uuid, text in SESSIONS[i].text.items():
            if re.search(pattern, text, re.M):
                return {"session": i, "uuid": uuid}
    raise SystemExit("no record matches " + pattern)


def dropped_at(session, evidence, answer):
    """(uuid, index) of the boundary that dropped the evidence; None while an answer is still in context."""
    last = max((b[1] for b in session.boundaries.values()), default=-1)
    live = {u for _, at, kept in session.boundaries.values() if at == last for u in kept}
    if any(answer.search(t) and (session.line[u] > last or u in live) for u, t in session.text.items()):
        return None
    after = [(at, uuid, nth) for uuid, (nth, at, kept) in session.boundaries.items()
             if all(session.line.get(e["uuid"], at) < at and e["uuid"] not in kept for e in evidence)]
    return min(after)[1:] if after else None


def answerable(fields, name, names):
    answer = re.compile(fields["X"][0])
    evidence = [find(names[key[2:] or name], p) for key, ps in fields.items() if key[0] == "F" for p in ps]
    home, places = evidence[0]["session"], [e["uuid"] for e in evidence]
    holds = [u for s in SESSIONS.values() for u, t in s.text.items() if answer.search(t)]
    q = {"project": FOLDERS[home], "session": home, "evidence": evidence,
         "answer_in": [u for u in places if u in holds], "also_in": [u for u in holds if u not in places]}
    boundary = dropped_at(SESSIONS[home], evidence, answer)
    if boundary:
        q["boundary_uuid"], q["boundary_index"] = boundary
    return q


def question(number, block, names):
    head, *rest = block.strip().split("\n")
    kind, name = head.split()
    fields = {}
    for line in rest:
        key, _, value = line.partition(": ")
        fields.setdefault(key, []).append(value)
    none = kind == "none"
    q = {"id": "s-%03d" % number, "kind": kind, "query": fields["Q"][0], "answer": "" if none else fields["A"][0],
         "answer_regex": ("(?i)" if none else "") + fields["X"][0]}
    q.update({"project": "", "session": "", "evidence": [], "answer_in": [], "also_in": []} if none
             else answerable(fields, name, names))
    q["alternatives"] = [fields[n][0] for n in "123"]
    return q


def main():
    names = ids_by_name()
    with open(HERE + "/questions.txt", encoding="utf-8") as f:
        for number, block in enumerate(f.read().strip().split("\n\n"), 1):
            print(json.dumps(question(number, block, names), ensure_ascii=False))


main()
