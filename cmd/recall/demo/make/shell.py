#!/usr/bin/python3
"""Stands in for the client's shell: a command that the scenario knows prints
what the scenario says, anything else runs in the real bash.

$COMMANDS names a JSON file {command: [{out, rc}, …]}; a command met again takes
the next entry. How often each was met is kept beside it, in $COMMANDS.met.
"""
import fcntl
import json
import os
import re
import sys


def command(argument):
    """The user's command in what the client passes to `bash -c`: eval '…' or eval word."""
    found = re.search(r"""eval '((?:[^']|'"'"'|'\\'')*)'""", argument)
    if found:
        return found[1].replace("""'"'"'""", "'").replace(r"'\''", "'")
    found = re.search(r'eval "((?:[^"\\]|\\.)*)"', argument)
    if found:
        return re.sub(r"\\(.)", r"\1", found[1])
    found = re.search(r"eval (\S+) ", argument)
    return found[1] if found else None


def times_met(table, text):
    fd = os.open(table + ".met", os.O_RDWR | os.O_CREAT, 0o600)
    with os.fdopen(fd, "r+") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        met = json.loads(f.read() or "{}")
        n = met.get(text, 0)
        met[text] = n + 1
        f.seek(0)
        f.truncate()
        json.dump(met, f)
    return n


def main():
    argument, table = " ".join(sys.argv[1:]), os.environ["COMMANDS"]
    with open(table, encoding="utf-8") as f:
        known = json.load(f)
    text = command(argument)
    if text not in known:
        os.environ.pop("LD_PRELOAD", None)
        os.execv("/bin/bash", ["bash"] + sys.argv[1:])
    entry = known[text][min(times_met(table, text), len(known[text]) - 1)]
    sys.stdout.write(entry["out"])
    folder = re.search(r"pwd -P >\| (\S+)", argument)  # the client wants to know where the command ended
    if folder:
        with open(folder[1], "w", encoding="utf-8") as f:
            f.write(os.getcwd() + "\n")
    sys.exit(entry["rc"])


main()
