"""Computes the overlap of two matrix product states, with the order in which the network is contracted.

  for      physicists
  build    cmake --build --preset check
  run      PYTHONPATH=build/check/python python3 examples/python/tensor_network.py
  read     docs/explanation/contraction_trees.md
"""

import numpy as np

import flopcast as fc

# Step 1: two states of six sites. Each site has two bonds and one physical index.
bond, physical, sites = 12, 3, 6
random = np.random.default_rng(1)
sizes = [1] + [bond] * (sites - 1) + [1]
bra = [random.standard_normal((sizes[i], physical, sizes[i + 1])) for i in range(sites)]
ket = [random.standard_normal((sizes[i], physical, sizes[i + 1])) for i in range(sites)]

# Step 2: the network. Labels: a, b, ... for the bonds of the bra, A, B, ... for those of the ket, s, t, ... for physical indices.
bonds_of_bra, bonds_of_ket, spins = "abcdefg", "ABCDEFG", "stuvwx"
terms = [f"{bonds_of_bra[i]}{spins[i]}{bonds_of_bra[i + 1]}" for i in range(sites)]
terms += [f"{bonds_of_ket[i]}{spins[i]}{bonds_of_ket[i + 1]}" for i in range(sites)]
network = ",".join(terms) + "->"

# Step 3: einsum takes all twelve tensors. The order of the pairs has the shortest predicted time on this machine.
overlap = fc.einsum(network, *bra, *ket)

# Step 4: the same order for other packages. NumPy's report counts its operations.
path, report = fc.einsum_path(network, *bra, *ket, optimize="flopcast")
print(report.splitlines()[3].strip())
print(f"{len(path) - 1} pairs")

# Step 5: a check, site by site.
left = np.ones((1, 1))
for one, other in zip(bra, ket):
    left = np.einsum("ab,asc,bsd->cd", left, one, other)
print("site by site agrees" if np.allclose(left[0, 0], overlap) else "site by site disagrees")
