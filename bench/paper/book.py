"""Runs the entries of the book, keeps their results, and writes them as a page."""
import dataclasses
import hashlib
import html
import itertools
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import textwrap
import time

import chart
from entry import Row
from mpi_launch import OPEN_MPI

ROOT = pathlib.Path(__file__).resolve().parents[2]
BEGIN, END = "<!-- The rows up to the end mark are written by bench/paper/all --page. -->", "<!-- end of the rows -->"
MAX_BUSY = 0.2  # cores that other programs may keep busy, on average, if results are to be judged
UNREADABLE = (ValueError, LookupError, TypeError, ZeroDivisionError)  # of outputs that lack what an entry reads


class UsageError(Exception):
    pass


class CommandFailed(Exception):
    pass


def chosen_entries(papers, names):
    """Returns the entries that `names` name: none for all, a paper's key for all of a paper, a key and figures for these. Throws UsageError."""
    if not names:
        return [entry for paper in papers for entry in paper.entries]
    paper = next((p for p in papers if p.key == names[0]), None)
    if paper is None:
        raise UsageError(f"unknown paper '{names[0]}'. There are: {', '.join(p.key for p in papers)}")
    if len(names) == 1:
        return paper.entries
    found = []
    for name in names[1:]:
        entry = next((e for e in paper.entries if name in (e.name, *e.aliases)), None)
        if entry is None:
            known = ", ".join(n for e in paper.entries for n in (e.name, *e.aliases))
            raise UsageError(f"{paper.key} has no '{name}' in this book. There are: {known}")
        if entry not in found:
            found.append(entry)
    return found


def listing(entries):
    lines = []
    for entry in entries:
        if entry is entry.paper.entries[0] or entry is entries[0]:
            lines += ["", f"{entry.paper.key}: {entry.paper.cited()}"]
        lines.append(f"  {entry.name:9} {entry.title}  ({entry.minutes[0]:g} min; --short {60 * entry.minutes[1]:.0f} s)\n{'':12}{entry.shows}")
    total = [sum(e.minutes[form] for e in entries) for form in (0, 1)]
    return "\n".join(lines[1:] + ["", f"{len(entries)} entries: {total[0]:.0f} min; --short {total[1]:.0f} min"])


def machine_ticks():
    """Returns the time that the machine's cores were busy so far, in seconds."""
    values = list(map(int, open("/proc/stat", encoding="utf-8").readline().split()[1:9]))
    return (sum(values) - values[3] - values[4]) / os.sysconf("SC_CLK_TCK")


def children_seconds():
    times = os.times()
    return times.children_user + times.children_system


def duration(seconds):
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.1f} min"


class Book:
    """The folder of results: outputs of commands, entries' records, pictures, and flopcast's store."""

    def __init__(self, output, build, short, fresh):
        self.folder = pathlib.Path(output).resolve()
        self.bin = pathlib.Path(build).resolve() / "bin"
        self.form = "short" if short else "full"
        self.fresh = fresh
        self.repeated = set()
        for part in ("outputs", "records", "pictures", "files", "home"):
            (self.folder / part).mkdir(parents=True, exist_ok=True)

    def make(self, entries):
        """Makes the entries one after the other; returns the names of those that failed."""
        failed = []
        if not (self.bin / "flopcast").exists():
            raise UsageError(f"{self.bin} has no flopcast. Build it (cmake --build --preset check), or name the build folder with --build")
        for i, entry in enumerate(entries):
            left = duration(60 * sum(e.minutes[self.form == "short"] for e in entries[i:]))
            print(f"[{i + 1}/{len(entries)}] {entry.paper.key} {entry.name}: {entry.title} (about {left} to the end)", file=sys.stderr, flush=True)
            try:
                self.make_entry(entry)
            except (CommandFailed, *UNREADABLE) as error:
                failed.append(f"{entry.paper.key} {entry.name}")
                reason = f"the outputs lack {error}" if isinstance(error, LookupError) else str(error)
                print(f"  failed: {reason}", file=sys.stderr, flush=True)
        if failed:
            print(f"not made: {', '.join(failed)}", file=sys.stderr)
        return failed

    def make_entry(self, entry):
        values = {**getattr(entry, self.form)}
        stem = f"{entry.paper.key}-{entry.name}-{self.form}"
        places = {**values, "bin": self.bin, "form": self.form, "picture": f"pictures/{stem}.svg", "folder": f"files/{stem}"}
        places["picture"] = (entry.picture or places["picture"]).format(**places)
        (self.folder / "files" / stem).mkdir(exist_ok=True)
        for name, content in entry.files.items():
            (self.folder / "files" / stem / name).write_text(content(values, self.bin))
        commands = {name: filled(template, places) for name, template in entry.commands.items()}
        outputs = {name: [self.output_of(command) for command in of_name] for name, of_name in commands.items()}
        documents = {name: [document_of(output["output"]) for output in of_name] for name, of_name in outputs.items()}
        try:
            rows, figure = entry.read({name: of_name if "{each" in entry.commands[name] else of_name[0] for name, of_name in documents.items()}, values)
        except UNREADABLE:
            for command in itertools.chain(*commands.values()):
                self.kept(command).unlink(missing_ok=True)  # the next run repeats what ended too early
            raise
        if figure:
            chart.draw(figure, self.folder / places["picture"])
        every = [output for of_name in outputs.values() for output in of_name]
        seconds = sum(output["seconds"] for output in every)
        record = {"commands": [output["command"] for output in every], "seconds": seconds, "rows": [dataclasses.asdict(row) for row in rows],
                  "busy_cores": sum(o["busy_cores"] * o["seconds"] for o in every) / max(seconds, 1e-9),
                  "picture": places["picture"] if (self.folder / places["picture"]).exists() else ""}
        (self.folder / "records" / f"{stem}.json").write_text(json.dumps(record, indent=1))
        for row in rows:
            print(f"  {row.quantity}: paper {row.paper}, here {row.ours}, {verdict(row, record['busy_cores'])}", file=sys.stderr, flush=True)

    def kept(self, command):
        return self.folder / "outputs" / f"{hashlib.sha256(command.encode()).hexdigest()[:16]}.json"

    def output_of(self, command):
        """Returns the kept output of the command, or that of a run."""
        file = self.kept(command)
        if file.exists() and not (self.fresh and command not in self.repeated):
            return json.loads(file.read_text())
        self.repeated.add(command)
        result = self.execute(command)
        new = file.with_suffix(".new")
        new.write_text(json.dumps(result))
        new.replace(file)  # an interrupt leaves no half of a file
        return result

    def execute(self, command):
        print(f"  {command.replace(str(self.bin) + '/', '')}", file=sys.stderr, flush=True)
        begin, ticks, own = time.monotonic(), machine_ticks(), children_seconds()
        environment = {**os.environ, **OPEN_MPI, "FLOPCAST_HOME": str(self.folder / "home")}
        try:
            process = subprocess.Popen(self.words_of(command), cwd=self.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        except OSError as error:
            raise CommandFailed(f"{error.filename}: {error.strerror}") from error
        try:
            output, errors = process.communicate()
        except KeyboardInterrupt:
            process.send_signal(signal.SIGINT)  # a command that got Ctrl-C itself takes a second one as well
            process.communicate()
            raise
        seconds = time.monotonic() - begin
        if process.returncode == 130:
            raise KeyboardInterrupt
        if process.returncode != 0:
            raise CommandFailed(f"exit code {process.returncode}: {' '.join(errors.strip().splitlines()[-1:])}")
        own = children_seconds() - own
        return {"command": command, "seconds": seconds, "cpu_seconds": own, "busy_cores": max(0.0, machine_ticks() - ticks - own) / max(seconds, 1e-9), "output": output}

    def words_of(self, command):
        words = shlex.split(command)
        if words[0].startswith("bench/"):
            return [sys.executable, str(ROOT / words[0]), *words[1:]]
        return words if words[0].startswith("mpirun") else [str(self.bin / words[0]), *words[1:]]

    def record(self, entry):
        """Returns the form and the record of an entry, the full form's where there is one; nothing if it was never made."""
        for form in ("full", "short"):
            file = self.folder / "records" / f"{entry.paper.key}-{entry.name}-{form}.json"
            if file.exists():
                return form, json.loads(file.read_text())
        return None

    def rows_of(self, entry):
        return [Row(**row) for row in self.record(entry)[1]["rows"]]

    def page_lines(self, entry, pictures):
        """Yields the entry's part of the page: what the paper shows, command and duration, picture, numbers, and where they differ the suspected cause. `pictures` is the
        folder of the page's pictures, relative to the page."""
        form, record = self.record(entry) or ("full", None)
        command = f"`bench/paper/all {entry.paper.key} {entry.name}{' --short' if form == 'short' else ''}`"
        yield from ["", f"#### {entry.name}: {entry.title}", "", entry.shows, ""]
        if not record:
            yield f"{command}: not run yet"
            return
        busy = f", {record['busy_cores']:.1f} cores busy" if record["busy_cores"] >= 0.05 else ""
        yield f"{command}: {duration(record['seconds'])}{busy}"
        if record["picture"]:
            yield from ["", f"![{entry.title}]({pictures}/{pathlib.Path(record['picture']).name})"]
        yield from ["", "| number | the paper | here | agreement |", "|---|--:|--:|---|"]
        verdicts = [verdict(row, record["busy_cores"]) for row in self.rows_of(entry)]
        yield from (f"| {row.quantity} | {row.paper} | {row.ours} | {text} |" for row, text in zip(self.rows_of(entry), verdicts))
        if "differs" in verdicts:
            yield from ["", f"Suspected cause: {entry.why}"]

    def conditions(self):
        """Yields a sentence on the machine, the libraries and the time of the kept outputs."""
        outputs = sorted((self.folder / "outputs").glob("*.json"), key=lambda file: file.stat().st_mtime)
        known = [e for e in (environment_of(json.loads(file.read_text())["output"]) for file in outputs) if e]
        if known:
            libraries = sorted({f"{kind.upper()} {e[kind]['name']} {e[kind]['version']}" for e in known for kind in ("blas", "lapack")})
            commit = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "--short=8", "HEAD"], stdout=subprocess.PIPE, text=True).stdout.strip()
            when = time.strftime("%d %B %Y", time.gmtime(outputs[-1].stat().st_mtime))
            yield f"Measured on {' '.join(known[-1]['cpu'].split())}, {known[-1]['cores']} cores, with {', '.join(libraries)}, until {when}; the page was written at commit {commit}."

    def write_page(self, papers, page):
        """Replaces the block between the marks of `page` by all entries, and copies the pictures to figures/papers beside its folder."""
        lines, pictures = ["", *self.conditions()], []
        for paper in papers:
            lines += ["", f"### {paper.authors}, {paper.year}", *(["", f"Left out: {paper.left_out}"] if paper.left_out else [])]
            for entry in paper.entries:
                lines += self.page_lines(entry, "../figures/papers")
                found = self.record(entry)
                pictures += [found[1]["picture"]] if found and found[1]["picture"] else []
        write_between(page, BEGIN, END, wrapped(lines))
        figures = pathlib.Path(page).resolve().parent.parent / "figures" / "papers"
        figures.mkdir(parents=True, exist_ok=True)
        for old in figures.glob("*.svg"):
            old.unlink()
        for picture in pictures:
            (figures / pathlib.Path(picture).name).write_text((self.folder / picture).read_text())

    def write_html(self, papers):
        """Writes book.html: what each entry shows, the paper's numbers beside those of this machine, and the picture."""
        parts = ["<!doctype html><meta charset='utf-8'><title>The papers' figures on this machine</title>",
                 "<style>body{font:16px sans-serif;max-width:60em;margin:auto}td,th{padding:.2em .8em;text-align:left}img{max-width:100%}</style>"]
        for paper in papers:
            parts.append(f"<h1>{html.escape(paper.cited())}</h1>")
            for entry in paper.entries:
                parts.append(f"<h2>{entry.name}: {html.escape(entry.title)}</h2><p>{html.escape(entry.shows)}</p>")
                found = self.record(entry)
                if not found:
                    parts.append("<p>Not run yet.</p>")
                    continue
                form, record = found
                lines = [f"<tr><td>{html.escape(r.quantity)}<td>{html.escape(r.paper)}<td>{html.escape(r.ours)}<td>{verdict(r, record['busy_cores'])}" for r in self.rows_of(entry)]
                parts.append(f"<table><tr><th>quantity<th>paper<th>here<th>agreement{''.join(lines)}</table>")
                parts.append(f"<p>Suspected cause where numbers differ: {html.escape(entry.why)}</p><p>{form} form, {duration(record['seconds'])}, {record['busy_cores']:.1f} cores kept busy by others</p>")
                parts.append(f"<img src='{record['picture']}' alt='{html.escape(entry.title)}'>" if record["picture"] else "")
                parts.append("<pre>" + html.escape("\n".join(c.replace(str(self.bin) + "/", "") for c in record["commands"])) + "</pre>")
        (self.folder / "book.html").write_text("\n".join(parts), encoding="utf-8")


def write_between(page, begin, end, lines):
    """Replaces the lines between the marks of `page`. Throws UsageError if a mark is missing."""
    page = pathlib.Path(page)
    text = page.read_text(encoding="utf-8")
    if begin not in text or end not in text:
        raise UsageError(f"{page} lacks the marks of the rows, '{begin}' and '{end}'")
    page.write_text(f"{text[:text.index(begin)]}{begin}\n{chr(10).join(lines)}\n\n{text[text.index(end):]}", encoding="utf-8")


def wrapped(lines):
    """Wraps paragraphs at 100 characters, but not between a number and its %. Tables, headings, pictures and commands stay as they are."""
    for line in lines:
        if not line or line.startswith(("|", "#", "!", "`")):
            yield line
        else:
            yield from (part.replace("\u00a0", " ") for part in textwrap.wrap(line.replace(" %", "\u00a0%"), 100, break_long_words=False, break_on_hyphens=False))


def filled(template, places):
    """Returns the commands of a template: one, or one for each value of the form's list `each`, if the template has the place {each}."""
    return [template.format(**{**places, "each": each}) for each in (places["each"] if "{each" in template else [None])]


def verdict(row, busy_cores):
    """Returns the verdict on a row, where other programs left the machine alone."""
    return "-" if row.agrees is None else "not judged" if busy_cores > MAX_BUSY else "agrees" if row.agrees else "differs"


def environment_of(output):
    """Returns the environment of a document; None where the output has none."""
    document = document_of(output)
    environment = document.get("environment") if isinstance(document, dict) else None
    return environment if environment and "lapack" in environment else None


def document_of(output):
    """Returns the output as a JSON document where it is one, otherwise as text."""
    return json.loads(output) if re.match(r"\s*[{\[]", output) else output
