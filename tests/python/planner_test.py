"""The planner of a process: the interpreter ends while a daemon thread is inside of flopcast, and processes are forked while others plan."""

import os
import subprocess
import sys
import unittest

BEGIN = """
import os, signal, sys, threading, time
import numpy as np
import flopcast as fc
entered = threading.Event()
def daemon(work):
    def go():
        while True:
            entered.set()
            work()
    threading.Thread(target=go, daemon=True).start()
    entered.wait()
"""

#: Calls that a daemon thread makes again and again while the interpreter ends.
CALLS = {
    "short executions": "a = np.ones((300, 300)); p = fc.plan('ij,jk->ik', a, a); daemon(lambda: p(a, a))",
    "one long execution": "a = np.ones((1500, 1500)); p = fc.plan('ij,jk->ik', a, a); daemon(lambda: p(a, a)); time.sleep(0.05)",
    "incremental executions": "a = np.ones((200, 200)); p = fc.plan('ij,jk->ik', a, a, effort='incremental'); daemon(lambda: p(a, a))",
    "einsum before the libraries are open": "a = np.ones((100, 100)); daemon(lambda: fc.einsum('ij,jk->ik', a, a))",
    "einsum by plans": "fc.prepare(); a = np.ones((200, 200)); daemon(lambda: fc.einsum('ij,jk->ik', a, a))",
    "einsum by NumPy": "a = np.ones((100, 100), int); daemon(lambda: fc.einsum('ij,jk->ik', a, a))",
    "planning": "fc.prepare(); a = np.ones((40, 40)); daemon(lambda: fc.plan('ij,jk->ik', a, a, effort='microbench', fresh=True))",
    "opening": "daemon(fc.prepare)",
    "a path": "fc.prepare(); a = np.ones((9, 9)); daemon(lambda: fc.einsum_path('ab,bc,cd,de,ef,fg,gh->ah', *[a] * 7))",
    "a request": "daemon(fc.model_list)",
    "tensordot": "fc.prepare(); a = np.ones((300, 300)); daemon(lambda: fc.tensordot(a, a, 1))",
}

FORKS = """
fc.prepare()
a = np.ones((40, 40))
stop = False
def plan(i):
    while not stop:
        fc.plan("ij,jk->ik", np.ones((1 + i % 60, 40)), a, effort="incremental")
        i += 1
threads = [threading.Thread(target=plan, args=(i,)) for i in range(3)]
[thread.start() for thread in threads]
failed = 0
for _ in range(6):
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        fc.plan("ij,jk->ik", a, a)(a, a)
        os._exit(0)
    failed += os.waitpid(child, 0)[1] != 0
stop = True
[thread.join() for thread in threads]
sys.exit(failed)
"""


def ended(program):
    """Returns exit code and standard error of a Python program."""
    done = subprocess.run([sys.executable, "-c", BEGIN + program], capture_output=True, text=True, timeout=120, env=os.environ, check=False)
    return done.returncode, done.stderr


class ProcessEnd(unittest.TestCase):
    def test_daemon_threads(self):
        for name, program in CALLS.items():
            with self.subTest(name):
                self.assertEqual(ended(program), (0, ""))

    def test_exit_code_and_output_stay(self):
        program = CALLS["one long execution"] + "; print('last words'); sys.exit(7)"
        done = subprocess.run([sys.executable, "-c", BEGIN + program], capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (7, "last words\n", ""))

    def test_children_plan_while_other_threads_of_the_parent_plan(self):
        self.assertEqual(ended(FORKS), (0, ""))


if __name__ == "__main__":
    unittest.main()
