"""Reads Markdown: the blocks of a document, and the commands that blocks of code show. For the scripts beside this file."""

import dataclasses
import re

FENCE = re.compile(r"\s*(?:```|~~~)\s*(\w*)")
HEADING = re.compile(r"(#{1,6})\s+(.*)")
ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+")


@dataclasses.dataclass
class Block:
    """Part of a document. Kinds: code, heading, row, item, paragraph. Lines are (number, text), those of an item without its mark."""

    kind: str
    lines: list
    language: str = ""  # of code
    before: str = ""  # of code: the paragraph or item before it


def blocks_of(text):
    """Yields the blocks of the Markdown document `text` in order."""
    block, before, fenced = None, "", False
    for number, line in enumerate(text.split("\n"), 1):
        fence = FENCE.match(line)
        if fenced and not fence:
            block.lines.append((number, line))
            continue
        starts = ("fence" if fence else "heading" if HEADING.match(line) else "row" if line.lstrip().startswith("|")
                  else "item" if ITEM.match(line) else "")
        if block and (starts or not line.strip()):
            if block.kind in ("paragraph", "item"):
                before = "\n".join(line for _, line in block.lines)
            yield block
            block = None
        if fence:
            fenced = not fenced
            block = Block("code", [], fence.group(1), before) if fenced else None
        elif starts in ("heading", "row"):
            yield Block(starts, [(number, line)])
        elif line.strip():
            item = ITEM.match(line)
            block = block or Block(starts or "paragraph", [])
            block.lines.append((number, line[item.end():] if item else line))
    if block:
        yield block


def is_open(command):
    """Returns whether `command` goes on in the next line: a backslash ends it, or a quotation is open."""
    text = command.replace('\\"', "").replace("\\'", "")
    quote = ""
    for character in text:
        quote = "" if character == quote else quote or (character if character in "'\"" else "")
    return bool(quote) or text.endswith("\\")


def commands_of(lines):
    """Yields (number, command, lines of output) for the commands behind "$ " in `lines`, which are (number, text)."""
    number, command, output = 0, None, []
    for at, line in lines:
        if command is not None and not output and is_open(command):
            command += "\n" + line
        elif line.startswith("$ "):
            if command is not None:
                yield number, command, output
            number, command, output = at, line[2:], []
        elif command is not None:
            output.append(line)
    if command is not None:
        yield number, command, output


def script_lines(lines):
    """Yields (number, command) for `lines` of a script; lines that go on are joined."""
    number, command = 0, ""
    for at, line in lines:
        number, command = (number, command + "\n" + line) if command else (at, line)
        if not is_open(command):
            yield number, command
            command = ""
    if command:
        yield number, command
