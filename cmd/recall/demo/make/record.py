#!/usr/bin/env python3
"""Runs the real client through a scenario, in its terminal UI, and leaves what it wrote.

    record.py --client CLAUDE --api FAKE-API.mjs --work DIR SCENARIO.txt [SESSION…]

CLAUDE is the client's own binary, FAKE-API.mjs the harness's model API on
loopback (node, --port --log --scenario). The transcripts end up in
DIR/<scenario>/home/.claude/projects; neutral.py makes the history of them.
Needs root (its own network and mount namespace: loopback only, and a /home
that holds nothing but /home/dev), tmux, node, git and a C compiler. With
SESSIONs named, only these are recorded, beside what is there.
"""
import argparse
import calendar
import glob
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import time

sys.dont_write_bytecode = True
from scenario import Scenario  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
START = "2026-10-19T08:00:00Z"  # of the projects' first commit


class Clock:
    """The file that clock.c reads."""

    def __init__(self, path):
        self.path = path
        if not os.path.exists(path):
            with open(path, "wb") as f:
                f.write(bytes(4096))

    def _offset(self):
        with open(self.path, "rb") as f:
            return struct.unpack("q", f.read(8))[0]

    def _set(self, ms):
        with open(self.path, "r+b") as f:
            f.write(struct.pack("q", int(ms)))

    def forward(self, seconds):
        self._set(self._offset() + seconds * 1000)

    def to(self, text):
        self._set((calendar.timegm(time.strptime(text, "%Y-%m-%d %H:%M")) - time.time()) * 1000)


class Run:
    """One scenario, one scratch home."""

    def __init__(self, args):
        self.args, self.scenario = args, Scenario(args.scenario)
        self.dir = os.path.join(os.path.abspath(args.work), os.path.basename(args.scenario).removesuffix(".txt"))
        if not args.session:
            shutil.rmtree(self.dir, ignore_errors=True)
        self.home, self.socket = self.dir + "/home", self.dir + "/tmux.sock"
        os.makedirs(self.home + "/.claude", exist_ok=True)
        self.clock, self.random = Clock(self.dir + "/clock"), random.Random(self.dir)
        self.log, self.seen = "", 0
        # The client takes a shell by its name.
        shutil.copy(HERE + "/shell.py", self.dir + "/bash")
        subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", self.dir + "/clock.so", HERE + "/clock.c"], check=True)
        self._project()
        self._settings()

    def _write(self, name, value):
        with open(name, "w", encoding="utf-8") as f:
            json.dump(value, f)

    def _project(self):
        top = self.home + self.scenario.project.removeprefix("/home/dev")
        if os.path.exists(top):
            return
        for name, text in self.scenario.files.items():
            os.makedirs(os.path.dirname(top + "/" + name), exist_ok=True)
            with open(top + "/" + name, "w", encoding="utf-8") as f:
                f.write(text)
        env = {**os.environ, "GIT_AUTHOR_DATE": START, "GIT_COMMITTER_DATE": START}
        git = ["git", "-C", top, "-c", "user.name=dev", "-c", "user.email=dev@example.invalid"]
        for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "initial import"]):
            subprocess.run(git + words, env=env, check=True)

    def _settings(self):
        self._write(self.dir + "/commands.json", self.scenario.commands)
        self._write(self.home + "/.claude/settings.json", {
            "permissions": {"defaultMode": "acceptEdits", "allow": ["Bash", "Edit", "Write", "Read", "Agent"]},
            "cleanupPeriodDays": 3650})
        self._write(self.home + "/.claude/.claude.json", {
            "hasCompletedOnboarding": True, "theme": "dark",
            "customApiKeyResponses": {"approved": ["sk-ant-dummy"], "rejected": []},
            "projects": {self.scenario.project: {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}}})

    # The terminal.

    def tmux(self, *words, **more):
        return subprocess.run(["tmux", "-S", self.socket, *words], capture_output=True, text=True, **more)

    def screen(self):
        return self.tmux("capture-pane", "-t", "c", "-p").stdout

    def key(self, *names):
        for name in names:
            self.tmux("send-keys", "-t", "c", name)
            time.sleep(.3)

    def type(self, text):
        if len(text) > 600 or "\n" in text:
            self.tmux("load-buffer", "-b", "p", "-", input=text)
            self.tmux("paste-buffer", "-p", "-b", "p", "-t", "c")
        else:
            self.tmux("send-keys", "-t", "c", "-l", text)
        time.sleep(.8)

    # What the client is doing.

    def asked(self, kind):
        return len(glob.glob("%s/*-%s.json" % (self.log, kind)))

    def idle(self):
        for name in glob.glob(self.home + "/.claude/sessions/*.json"):
            try:
                with open(name, encoding="utf-8") as f:
                    return json.load(f).get("status") == "idle"
            except ValueError:  # being written
                pass
        return False

    def wait(self, condition, what):
        end = time.monotonic() + 240
        while not condition():
            if time.monotonic() > end:
                raise SystemExit("%s\ntimeout: %s" % (self.screen(), what))
            n = self.asked("turns") + self.asked("sub")
            if n > self.seen:  # an answer takes the model some seconds
                self.clock.forward((n - self.seen) * self.random.uniform(3, 22))
                self.seen = n
            time.sleep(.15)

    # One session.

    def record(self, session):
        self.log, self.seen = "%s/log-%s" % (self.dir, session.name), 0
        shutil.rmtree(self.log, ignore_errors=True)
        os.makedirs(self.log)
        for name in glob.glob(self.home + "/.claude/sessions/*"):
            os.remove(name)
        plan = "%s/%s.json" % (self.dir, session.name)
        self._write(plan, {"turns": session.turns, "sub": session.sub, "compact": session.compact})
        first = next(s for s in session.steps if s["do"] == "clock")
        self.clock.to(first["value"])
        self.start(plan)
        turns = 0
        try:
            for step in session.steps:
                if step is not first:
                    turns += step["turns"]
                    self.step(step, turns)
        finally:
            self.key("C-d", "C-d")
            time.sleep(3)
            self.tmux("kill-server")
        print("%s: %d answers, %d of sub-agents, %d summaries" % (
            session.name, self.asked("turns"), self.asked("sub"), self.asked("compact")))

    def start(self, plan):
        env = dict(HOME="/home/dev", USER="dev", SHELL=self.dir + "/bash", CLAUDE_CODE_SHELL=self.dir + "/bash",
                   COMMANDS=self.dir + "/commands.json", PATH="/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
                   TERM="xterm-256color", LANG="C.UTF-8", TZ="UTC", CLAUDE_CODE_TMPDIR="/home/dev/tmp",
                   CLAUDE_CONFIG_DIR="/home/dev/.claude", ANTHROPIC_API_KEY="sk-ant-dummy",
                   ANTHROPIC_BASE_URL="http://127.0.0.1:8377", CLAUDE_CODE_AUTO_COMPACT_WINDOW="200000",
                   DISABLE_TELEMETRY="1", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1", DISABLE_AUTOUPDATER="1",
                   CLOCK_FILE=self.clock.path, LD_PRELOAD=self.dir + "/clock.so", GIT_CONFIG_GLOBAL="/dev/null")
        with open(self.dir + "/start.sh", "w", encoding="utf-8") as f:
            f.write("""ip link set lo up
mount -t tmpfs none /home && mkdir -p /home/dev && mount --bind {home} /home/dev
node {api} --port 8377 --log {log} --scenario {plan} > {dir}/api.out 2>&1 & api=$!
for i in $(seq 100); do [ -f {log}/ready ] && break; sleep 0.1; done
cd {project} && env -i {env} {client} --permission-mode acceptEdits
kill $api; sleep 1
""".format(home=self.home, api=os.path.abspath(self.args.api), log=self.log, plan=plan, dir=self.dir,
           project=self.scenario.project, client=os.path.abspath(self.args.client),
           env=" ".join("%s=%s" % kv for kv in env.items())))
        subprocess.run(["env", "-i", "PATH=" + os.environ["PATH"], "TERM=xterm-256color", "LANG=C.UTF-8",
                        "unshare", "-n", "-m", "tmux", "-S", self.socket, "-f", "/dev/null", "new-session", "-d",
                        "-x", "160", "-y", "50", "-s", "c", "bash " + self.dir + "/start.sh"], check=True)
        self.wait(self.idle, "start")
        time.sleep(4)
        if "No, keep accept edits" in self.screen():  # asked at the third start
            while "❯ No, keep" not in self.screen():
                self.key("Down")
            self.key("Enter")

    def step(self, step, turns):
        what = step["do"]
        if what == "clock":
            return self.clock.to(step["value"])
        if what == "gap":
            return self.clock.forward(60 * float(step["value"]))
        self.clock.forward(self.random.randint(40, 420))
        if what in ("rewind", "upto"):
            return self.pick(what, int(step["value"]))
        summaries = self.asked("compact")
        if what == "shell":
            self.type("!")
        self.type(step["text"])
        self.key("Enter")
        self.meanwhile(step)
        if step["text"].startswith("/compact"):
            self.wait(lambda: self.asked("compact") > summaries, "summary")
        if what != "prompt":
            time.sleep(4)
        self.wait(lambda: self.asked("turns") >= turns and self.idle(), "answer to " + step["text"][:60])
        time.sleep(.6)

    def meanwhile(self, step):
        """What is typed or pressed while the model works."""
        if "queue" in step:
            at, text = step["queue"]
            self.wait(lambda: self.asked("turns") >= at, "turn to type into")
            time.sleep(1.5)
            self.type(text)
            self.key("Enter")
        if "interrupt" in step:
            self.wait(lambda: self.asked("turns") >= step["interrupt"], "turn to interrupt")
            time.sleep(2)
            self.key("Escape")
            time.sleep(2)
            self.key("C-u")

    def pick(self, what, up):
        """The rewind menu: the up-th prompt from the end, then its first or third choice."""
        summaries = self.asked("compact")
        self.key("Escape", "Escape")
        time.sleep(1.2)
        self.key(*["Up"] * up, "Enter")
        time.sleep(1.2)
        if what == "rewind":
            self.key("Enter")
        else:
            self.key("3")
            self.wait(lambda: self.asked("compact") > summaries and self.idle(), "summary up to here")
            time.sleep(3)
        time.sleep(1)
        self.key("C-u")  # the chosen prompt is put back into the input line


def main():
    p = argparse.ArgumentParser()
    for name in ("client", "api", "work"):
        p.add_argument("--" + name, required=True)
    p.add_argument("scenario")
    p.add_argument("session", nargs="*")
    run = Run(p.parse_args())
    for session in run.scenario.sessions:
        if not run.args.session or session.name in run.args.session:
            run.record(session)


main()
