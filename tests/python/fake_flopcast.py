#!/usr/bin/env python3
"""Stands in for the program flopcast: writes the answer that the file FAKE_ANSWER names, and the request to FAKE_REQUEST.

FAKE_CODE is its exit code. With FAKE_WAITS, it waits for SIGINT first and ends with 130, and FAKE_REMARK goes to standard error.
"""

import os
import shutil
import signal
import sys
import textwrap
import time


def main():
    words = sys.argv[1:]
    if words[0] != "ask":
        print("fake", *words)
        return
    output = words[words.index("--output") + 1]
    shutil.copy(words[1], os.environ["FAKE_REQUEST"])
    if os.environ.get("FAKE_REMARK"):
        width = os.environ.get("COLUMNS")  # which the program heeds
        remark = os.environ["FAKE_REMARK"]
        print(textwrap.fill(remark, int(width)) if width else remark, file=sys.stderr)
    code = int(os.environ.get("FAKE_CODE", "0"))
    if os.environ.get("FAKE_WAITS"):
        interrupted = []
        signal.signal(signal.SIGINT, lambda *_: interrupted.append(1))
        open(os.environ["FAKE_WAITS"], "w").close()
        while not interrupted:
            time.sleep(0.01)
        code = 130
    if os.environ.get("FAKE_ANSWER"):
        shutil.copy(os.environ["FAKE_ANSWER"], output)
    sys.exit(code)


main()
