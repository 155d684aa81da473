#!/usr/bin/env python3
"""Makes the history of what record.py left: neutral.py OUT RUN…

A RUN is a scenario's folder below record.py's --work. The transcripts are
copied to OUT/projects record by record, in order, with three changes: texts of
the client's own (prompts, tool and skill descriptions, boilerplate) become
`<removed>`; scratch paths and the kernel's version become neutral ones; of the
record types that only repeat, each file keeps the first few. Records of the
conversation tree are all kept.
"""
import collections
import json
import os
import re
import shutil
import sys

X = "<removed>"
FIRST = {"api-request": 2, "api-request-blob": 2, "api-request-shape": 1, "atis-latch": 4, "cost-state": 1,
         "file-history-delta": 3, "file-history-snapshot": 3, "last-prompt": 12, "mode": 4, "permission-mode": 4,
         "tools-used": 4}
POINTER = re.compile(r"If you need specific details from before compaction[^\n]*")


def own_words(text):
    """The text without the client's."""
    if text.startswith("This session is being continued") and (m := POINTER.search(text)):
        text = text[:m.end()] + ("\n<client boilerplate removed>" if len(text) > m.end() else "")
    if text.startswith("Async agent launched successfully."):
        return "Async agent launched successfully. " + X
    text = re.sub(r"<system-reminder>[\s\S]*?</system-reminder>",
                  lambda m: m[0] if "tools-used-before" in m[0] and len(m[0]) <= 200
                  else "<system-reminder>%s</system-reminder>" % X, text)
    for tag in ("local-command-caveat", "note"):
        text = re.sub(r"<%s>[\s\S]*?</%s>" % (tag, tag), "<%s>%s</%s>" % (tag, X, tag), text)
    return text.replace(" (file state is current in your context — no need to Read it back)", "")


def content(value):
    if isinstance(value, str):
        return own_words(value)
    for block in value:
        if block.get("type") == "text":
            block["text"] = own_words(block["text"])
        elif block.get("type") == "tool_result":
            block["content"] = content(block["content"])
    return value


def attachment(a):
    def keep(*names):
        return {k: v if k in names or k == "type" else X for k, v in a.items()}

    kind = a["type"]
    if kind == "prompt_snapshot":
        return {"type": kind, "systemPrompt": [X], "tools": X}
    if kind == "remote_session_change":
        return {"type": kind, "url": None}
    if kind == "skill_listing":
        return {"type": kind, "content": X, "skillCount": a.get("skillCount"), "isInitial": a.get("isInitial")}
    if kind == "agent_listing_delta":
        return {"type": kind, "addedTypes": a.get("addedTypes"), "addedLines": [X]}
    if kind == "deferred_tools_delta":
        return keep("addedNames", "removedNames")
    if kind == "model":
        return {**a, "text": X}
    if kind == "session_context":
        status = a.get("context", {}).get("gitStatus")
        return {**a, "context": {"gitStatus": status[status.find("Current branch"):]} if status else {}}
    if kind == "queued_command" and isinstance(a["prompt"], str):
        return {**a, "prompt": own_words(a["prompt"])}
    return a


def clean(r):
    if r["type"] == "api-request-shape":
        r["shape"] = {"system": [X], "tools": [X]}
    if "message" in r:
        m = r["message"]
        m["content"] = X if m.get("role") == "system" else content(m["content"])
    if r["type"] in ("queue-operation", "system") and isinstance(r.get("content"), str):
        r["content"] = own_words(r["content"])
    if "attachment" in r:
        r["attachment"] = attachment(r["attachment"])
    if "rendered" in r:
        r["rendered"] = X
    return r


def neutral(text):
    text = re.sub(r"Linux \d+\.[0-9.]+[-a-z0-9]*", "Linux 6.1", text)
    text = re.sub(r"(/home/dev)?/tmp/claude-\d+/", "/tmp/claude-1000/", text)
    return re.sub(r'"shell":"[^"]*/bash"', '"shell":"bash"', text)


def transcript(src, dst):
    seen = collections.Counter()
    with open(src, encoding="utf-8") as f, open(dst, "w", encoding="utf-8") as out:
        for line in f:
            r = json.loads(line)
            seen[r["type"]] += 1
            if seen[r["type"]] <= FIRST.get(r["type"], seen[r["type"]]):
                out.write(neutral(json.dumps(clean(r), ensure_ascii=False, separators=(",", ":"))) + "\n")


def main(out, *runs):
    shutil.rmtree(out + "/projects", ignore_errors=True)
    for run in runs:
        root = run + "/home/.claude/projects"
        for folder, _, names in os.walk(root):
            for name in names:
                src, dst = folder + "/" + name, out + "/projects" + (folder + "/" + name).removeprefix(root)
                os.makedirs(os.path.dirname(dst), exist_ok=True)
                if name.endswith(".jsonl"):
                    transcript(src, dst)
                else:
                    shutil.copyfile(src, dst)


main(*sys.argv[1:])
