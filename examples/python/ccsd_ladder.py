"""Contracts the particle-particle ladder of coupled cluster theory, R(abij) := sum over cd of W(abcd) T(cdij).

The contraction is planned once. Each iteration of the amplitude equations then costs its execution only.

  for      chemists
  build    cmake --build --preset check
  run      PYTHONPATH=build/check/python python3 examples/python/ccsd_ladder.py
  read     docs/howto/ccsd.md
"""

import numpy as np

import flopcast as fc

# Step 1: amplitudes and integrals. o occupied and v virtual orbitals are few here, so that the example ends in a moment.
o, v = 8, 24
random = np.random.default_rng(1)
w = random.standard_normal((v, v, v, v)) / v**2
t = random.standard_normal((v, v, o, o))
r = np.empty((v, v, o, o))

# Step 2: a plan. "measure" executes the best candidates for a moment, and other programs find the choice again.
ladder = fc.plan("abcd,cdij->abij", w, t, out=r, effort="measure", time_budget=0.5)
print(ladder)

# Step 3: the iterations. Each execution writes its result into the same array.
for _ in range(5):
    ladder(w, t, out=r)
    t = 0.9 * t + 0.1 * r
print(f"{ladder.flops / 1e9:.2f} GFLOP per iteration, expected in {1e3 * ladder.seconds:.2f} ms")

# Step 4: what it is checked with. numpy.einsum computes the same.
print("NumPy agrees" if np.allclose(ladder(w, t), np.einsum("abcd,cdij->abij", w, t, optimize=True)) else "NumPy disagrees")
