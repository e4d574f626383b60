"""Asks which block size and which variant is fastest, and how long a problem will take.

Each step is a cell. Results show themselves as tables in a notebook, and plot() draws them.

  for      scientists with a notebook
  build    cmake --build --preset check
  run      PYTHONPATH=build/check/python python3 examples/python/tuning_notebook.py
  picture  flopcast tune dgeqrf --n 100,200 --nb 16,32,64 --time-budget 5 --figure tune.svg
  read     docs/reference/python.md
"""

import flopcast as fc

# Step 1: tune. No QR factorisation runs; its kernels are timed for a few seconds.
tuning = fc.tune("dgeqrf", n=[100, 200], nb=[16, 32, 64], time_budget=5, tune_crossover=False, blas="openblas-serial")
print(tuning)

# Step 2: the decisions as rows, one per problem. With pandas, to_dataframe() has the same rows.
for row in tuning.rows("decisions"):
    print(f"n = {row['sizes']}: block size {row['chosen.nb']}, {100 * row['gain']:.1f} % faster than by default")

# Step 3: predict a problem that was never timed, with its interval.
(prediction,) = fc.predict("dpotrf", n=300, nb=32, time_budget=2, blas="openblas-serial").predictions
low, high = prediction.interval
print(f"n = 300: {1e3 * prediction.seconds:.2f} ms, between {1e3 * low:.2f} and {1e3 * high:.2f} ms")

# Step 4: keep the result. fc.load() reads it, and so does the program flopcast.
tuning.save("tuning.json")
print("loaded as saved" if fc.load("tuning.json") == tuning else "not as saved")
