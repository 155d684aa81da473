#!/usr/bin/env python3
"""Measures recall on recorded histories that are not part of the project.

    python3 testdata/recorded.py DIR [--keep WORK] [--quick]

DIR holds data/dropped-dev.tar.gz, data/chat-dev.tar.gz and eval/. Builds
recall, indexes both sets, accounts for every line, asks every question and
prints each figure beside its target. Quality below its target and lines
unaccounted for end it with status 1; times are printed, never judged, for
machines differ. --quick leaves the vectors and the questions out. Standard
library only.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time

failed = []


def run(cmd, env, ok=(0,)):
    """Runs cmd; returns its output, CPU seconds and peak memory in MB."""
    out = tempfile.TemporaryFile()
    p = subprocess.Popen(cmd, env=env, stdout=out, stderr=subprocess.PIPE)
    err = p.stderr.read()
    _, status, use = os.wait4(p.pid, 0)
    p.returncode = os.waitstatus_to_exitcode(status)
    out.seek(0)
    if p.returncode not in ok:
        sys.exit("%s\nended with status %d: %s" % (" ".join(cmd), p.returncode, err.decode(errors="replace")[-2000:]))
    return out.read().decode(), use.ru_utime + use.ru_stime, use.ru_maxrss / 1024


def show(what, value, target, unit="", judged=None):
    note = ""
    if judged is False:
        note = "   MISSED"
        failed.append(what)
    print("%-58s %10s %-5s target %s%s" % (what, value, unit, target, note), flush=True)


def environment(home, config):
    return dict(os.environ, XDG_CONFIG_HOME=home, RECALL_HOME=home, CLAUDE_CONFIG_DIR=config, NO_COLOR="1")


def lines_of(config):
    """Counts the lines of every transcript, empty and unfinished ones too."""
    n = {}
    for folder, _, files in os.walk(os.path.join(config, "projects")):
        for f in files:
            if f.endswith(".jsonl"):
                path = os.path.join(folder, f)
                with open(path, "rb") as h:
                    data = h.read()
                n[path] = data.count(b"\n") + (not data.endswith(b"\n") and len(data) > 0)
    return n


def account(recall, env, config):
    out, _, _ = run([recall, "doctor", "--json"], env, ok=(0, 1))
    files = json.loads(out)["records"]["files"]
    want = lines_of(config)
    got = {f["path"]: f["lines"] for f in files}
    wrong = [p for p in want if got.get(p) != want[p]]
    # A line may hold two records; every other line holds one.
    few = [f["path"] for f in files if sum(f["kinds"].values()) < f["lines"]]
    show("files whose lines are all accounted for", "%d/%d" % (len(want) - len(set(wrong + few)), len(want)), "all", judged=not wrong and not few)
    total = {}
    for f in files:
        for k, v in f["kinds"].items():
            total[k.split(":")[0]] = total.get(k.split(":")[0], 0) + v
    print("   " + ", ".join("%s %d" % kv for kv in sorted(total.items(), key=lambda kv: -kv[1])))


def score(shared, queries, runfile):
    out = subprocess.run([sys.executable, os.path.join(shared, "eval", "score.py"), queries, runfile], check=True, stdout=subprocess.PIPE, text=True).stdout
    line = next(l for l in out.splitlines() if l.startswith("ALL "))
    return {k: float(v) for k, v in re.findall(r"([a-z@_0-9]+) (\d+\.\d)", line)}


def ask(shared, recall, config, home, scope, runfile):
    subprocess.run([sys.executable, os.path.join(shared, "eval", "run_recall.py"), recall, config, runfile, "--scope", scope, "--home", home],
                   check=True, env=environment(home, config))
    return score(shared, os.path.join(config, "queries.jsonl"), runfile)


def first_index(recall, config, home):
    env = environment(home, config)
    _, cpu, mem = run([recall, "sync", "--keyword-only"], env)
    show("first keyword index, CPU", "%.1f" % cpu, "<= 12", "s")
    show("first keyword index, peak memory", "%.0f" % mem, "<= 400", "MB")
    noop = statistics.median(run([recall, "sync", "--keyword-only"], env)[1] for _ in range(5))
    show("sync with nothing to do, CPU", "%.0f" % (1000 * noop), "<= 50", "ms")
    account(recall, env, config)


def embed(recall, config, home):
    env = environment(home, config)
    t = time.time()
    _, cpu, mem = run([recall, "sync"], env)
    show("vectors, CPU", "%.0f" % cpu, "", "s")
    show("vectors, wall clock", "%.0f" % (time.time() - t), "", "s")
    show("vectors, peak memory", "%.0f" % mem, "", "MB")
    noop = statistics.median(run([recall, "sync"], env)[1] for _ in range(5))
    show("sync with nothing to read or embed, CPU", "%.0f" % (1000 * noop), "<= 50", "ms")


def one_question(recall, config, home):
    env = environment(home, config)
    cpu = []
    for q in ["why does the exporter fail to bind its port", "which test was flaky", "how long did the build take"]:
        cpu += [run([recall, "search", "--no-sync", "--json", q], env, ok=(0, 1))[1] for _ in range(5)]
    show("a question by a new process, CPU, median", "%.0f" % (1000 * statistics.median(cpu)), "<= 250", "ms")


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("shared")
    ap.add_argument("--keep")
    ap.add_argument("--quick", action="store_true")
    a = ap.parse_args()
    tmp = None if a.keep else tempfile.TemporaryDirectory()
    work = os.path.abspath(a.keep or tmp.name)
    os.makedirs(work, exist_ok=True)
    recall = os.path.join(work, "recall")
    subprocess.run(["go", "build", "-o", recall, "./cmd/recall"], check=True, cwd=os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."), env=dict(os.environ, CGO_ENABLED="0"))
    for name in ["dropped-dev", "chat-dev"]:
        with tarfile.open(os.path.join(a.shared, "data", name + ".tar.gz")) as t:
            t.extractall(work)
    dev, chat = os.path.join(work, "dev"), os.path.join(work, "chat-dev")
    dev_home, chat_home = os.path.join(work, "dev-home"), os.path.join(work, "chat-home")
    first_index(recall, dev, dev_home)
    if not a.quick:
        embed(recall, dev, dev_home)
        one_question(recall, dev, dev_home)
        own = ask(a.shared, recall, dev, dev_home, "session", os.path.join(work, "own.jsonl"))
        show("coding sessions, own session: hit@10", own["hit@10"], ">= 78", judged=own["hit@10"] >= 78)
        every = ask(a.shared, recall, dev, dev_home, "all", os.path.join(work, "all.jsonl"))
        show("coding sessions, all sessions: hit@10", every["hit@10"], ">= 66", judged=every["hit@10"] >= 66)
        loco = ask(a.shared, recall, chat, chat_home, "project", os.path.join(work, "chat.jsonl"))
        show("long chats, own conversation: recall@10", loco["recall@10"], ">= 77", judged=loco["recall@10"] >= 77)
        print("   own session %s\n   all sessions %s\n   long chats %s" % (own, every, loco))
    if failed:
        sys.exit("missed: " + "; ".join(failed))


main()
