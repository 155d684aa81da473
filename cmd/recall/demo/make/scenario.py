"""Reads a scenario: what is typed, what the model answers, what commands print.

A scenario is a text file; the first characters of a line say what it is.

    @project DIR          working directory of all sessions
    === file NAME         a file of the project, up to `=== end`
    @session NAME         a new run of the client follows
    @clock 2026-11-03 08:41, @gap MINUTES    move the clock
    > words               a prompt; further lines belong to it
    < words               the model's words; further lines belong to them
    %                     an empty thinking block
    $ command ## title    a Bash call; the lines `| …` after it are what it prints, `! N` is its exit code
    R path, E path, W path    Read; Edit and Write with <<< old === new >>> and <<< text >>>
    T kind | title        a sub-agent, its task in lines `: …`; its turns stand between @sub{ and @}
    --                    the next request begins (calls of one turn run in parallel)
    @queue words          typed while the model works on this turn
    @interrupt            the next turn is stopped with Escape
    @rewind N, @upto N    restore, or summarise up to, the Nth prompt from the end
    @shell command        shell mode, output as above
    @clear, @compact words
    @full                 the next turn reports a full context: the client compacts
    @summary … @end       answer to the next request for a summary
    @tokens N, @step N, @reset    size of the context that the model reports
"""
import re


class Session:
    """One run of the client: `steps` for the keyboard, the rest for the model."""

    def __init__(self, name):
        self.name, self.steps, self.turns, self.sub, self.compact = name, [], [], [], []


class Scenario:
    """A parsed file: project, files {name: text}, sessions, commands {command: [{out, rc}]}."""

    def __init__(self, path):
        self.project, self.files, self.sessions, self.commands = "", {}, [], {}
        with open(path, encoding="utf-8") as f:
            self._lines = f.read().split("\n")
        self._path, self._at = path, 0
        self._fresh()
        while self._at < len(self._lines):
            self._line(self._next())
        for s in self.sessions:
            for block in [b for t in s.turns + s.sub for b in t["content"]] + s.steps:
                if "text" in block:
                    block["text"] = block["text"].rstrip("\n")

    def _fresh(self):
        self._turn = self._words = self._out = None
        self._in_sub, self._tokens, self._step, self._full = False, 21000, 2600, False

    def _next(self):
        self._at += 1
        return self._lines[self._at - 1]

    def _until(self, end):
        """The lines up to one that is exactly `end`."""
        got = []
        while (line := self._next()) != end:
            got.append(line)
        return got

    def _fail(self, line):
        raise SystemExit("%s:%d: %s" % (self._path, self._at, line))

    def _line(self, line):
        mark = line[:2]
        if line.startswith("=== file "):
            self.files[line[9:]] = "\n".join(self._until("=== end")) + "\n"
        elif line.startswith("@"):
            self._directive(*line[1:].partition(" ")[::2])
        elif line == "--":
            self._turn = self._words = self._out = None
        elif line == "|" or mark == "| ":
            self._out["out"] += line[2:] + "\n"
        elif mark in self.MARKS:
            self.MARKS[mark](self, line[2:])
        elif self._words is not None:
            self._words["text"] += "\n" + line
        elif line.strip():
            self._fail("stray line: " + line)

    # What is typed.

    def _do(self, what, **more):
        self._turn, self._words, self._out, self._in_sub = None, None, None, False
        step = {"do": what, "turns": 0, **more}
        self.sessions[-1].steps.append(step)
        return step

    def _prompt(self, text):
        self._words = self._do("prompt", text=text)

    def _directive(self, word, rest):
        if word == "project":
            self.project = rest
        elif word == "session":
            self.sessions.append(Session(rest))
            self._fresh()
        elif word in ("clock", "gap", "rewind", "upto"):
            self._do(word, value=rest)
            self._tokens = 30000 if word == "upto" else self._tokens
        elif word == "shell":
            self._do("shell", text=rest)
            self._out = self._command(rest)
        elif word in ("clear", "compact"):
            self._do("slash", text=("/%s %s" % (word, rest)).strip())
            self._tokens = 21000 if word == "clear" else 34000
        elif word == "queue":
            self._last("queue", (len(self.sessions[-1].turns), rest))
            self._turn["delayMs"] = 6000
        elif word == "interrupt":
            self._open()["delayMs"] = 12000
            self._last("interrupt", len(self.sessions[-1].turns))
        elif word in ("sub{", "}"):
            self._turn, self._in_sub = None, word == "sub{"
        elif word == "summary":
            self.sessions[-1].compact.append("\n".join(self._until("@end")))
        elif word == "full":
            self._full = True
        elif word == "reset":
            self._tokens = 34000
        elif word in ("tokens", "step"):
            setattr(self, "_" + word, int(rest))
        else:
            self._fail("unknown directive @" + word)

    def _last(self, key, value):
        self.sessions[-1].steps[-1][key] = value

    # What the model answers.

    def _open(self):
        session = self.sessions[-1]
        self._turn, self._words, self._out = {"content": []}, None, None
        if self._in_sub:
            session.sub.append(self._turn)
            return self._turn
        session.turns.append(self._turn)
        session.steps[-1]["turns"] += 1
        self._tokens += self._step
        size, self._full = 171500 if self._full else self._tokens, False
        self._turn["usage"] = {"input_tokens": 4, "cache_creation_input_tokens": self._step,
                               "cache_read_input_tokens": size - self._step, "output_tokens": 180}
        return self._turn

    def _add(self, block):
        (self._turn or self._open())["content"].append(block)
        self._words = self._out = None
        return block

    def _text(self, text):
        self._words = self._add({"type": "text", "text": text})

    def _thinking(self, text):
        self._add({"type": "thinking", "thinking": text})

    def _tool(self, name, **arguments):
        self._add({"type": "tool_use", "name": name, "input": arguments})

    def _command(self, command):
        self.commands.setdefault(command, []).append({"out": "", "rc": 0})
        return self.commands[command][-1]

    def _bash(self, text):
        command, _, title = text.rpartition(" ## ")
        self._tool("Bash", command=command, description=title)
        self._out = self._command(command)

    def _exit_code(self, text):
        self._out["rc"] = int(text)

    def _file(self, name):
        return self.project + "/" + name.strip()

    def _read(self, name):
        self._tool("Read", file_path=self._file(name))

    def _body(self):
        if self._next() != "<<<":
            self._fail("<<< expected")
        return "\n".join(self._until(">>>"))

    def _edit(self, name):
        old, new = re.split(r"^===$\n?", self._body(), maxsplit=1, flags=re.M)
        self._tool("Edit", file_path=self._file(name), old_string=old.removesuffix("\n"), new_string=new)

    def _write(self, name):
        self._tool("Write", file_path=self._file(name), content=self._body() + "\n")

    def _agent(self, text):
        kind, title = (x.strip() for x in text.split("|"))
        task = []
        while self._lines[self._at].startswith(": "):
            task.append(self._next()[2:])
        self._tool("Agent", description=title, prompt="\n".join(task), subagent_type=kind)

    MARKS = {"> ": _prompt, "< ": _text, "% ": _thinking, "$ ": _bash, "! ": _exit_code,
             "R ": _read, "E ": _edit, "W ": _write, "T ": _agent}
