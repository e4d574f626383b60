"""The jobs of flopcast, one function each. Arguments that are None have their defaults.

scripts/make_python_documents writes this file from the schemas that `flopcast schema` publishes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from . import _documents
from ._jobs import Sizes, do, listed


def tune(
    routine: str,
    *,
    n: Sizes | None = None,
    sizes: Mapping[str, Sizes] | None = None,
    flags: Mapping[str, str] | None = None,
    tune_crossover: bool | None = None,
    repetitions: int | None = None,
    seed: int | None = None,
    fresh: bool | None = None,
    nb: Sizes | None = None,
    time_budget: float | None = None,
    validate: bool | None = None,
    validation_budget: float | None = None,
    profile: str | None = None,
    blas: str | None = None,
    lapack: str | None = None,
    kernels: str | None = None,
    threads: int | None = None,
) -> _documents.TuneResult:
    """Choose the block size of a LAPACK routine without running it.

    - routine: LAPACK routine, such as "dgeqrf"
    - n: orders; all sizes that `sizes` doesn't name are equal
    - sizes: sizes by the names of arguments: every combination is a problem
    - flags: flags by the names of arguments: {"uplo": "U"}
    - tune_crossover: choose LAPACK's crossover point nx, too; default: true
    - repetitions: repetitions of long runs in a validation; short ones get more; default: 5
    - seed: seed of the order of measurements; default: 1
    - fresh: use no samples of earlier runs; default: false
    - nb: block sizes to choose from
    - time_budget: seconds for tuning; default: 50.0
    - validate: run the routine with every block size and compare; default: false
    - validation_budget: seconds for the validation; missing: no limit
    - profile: file in which the decisions are kept; empty: none
    """
    request = {
        "routine": routine,
        "n": n,
        "sizes": sizes,
        "flags": flags,
        "tune_crossover": tune_crossover,
        "repetitions": repetitions,
        "seed": seed,
        "fresh": fresh,
        "nb": nb,
        "time_budget": time_budget,
        "validate": validate,
        "validation_budget": validation_budget,
        "profile": profile,
    }
    libraries: dict[str, Any] = {"blas": blas, "lapack": lapack, "kernels": kernels, "threads": threads}
    return cast(_documents.TuneResult, do("tune", request, libraries))


def tune_lapack(
    *,
    precisions: str | None = None,
    time_budget: float | None = None,
    tune_crossover: bool | None = None,
    validate: bool | None = None,
    limits_validation: bool | None = None,
    repetitions: int | None = None,
    seed: int | None = None,
    fresh: bool | None = None,
    profile: str | None = None,
    n: Sizes | None = None,
    nb: Sizes | None = None,
    blas: str | None = None,
    lapack: str | None = None,
    kernels: str | None = None,
    threads: int | None = None,
) -> _documents.TuneLapackResult:
    """Choose the block sizes of all of LAPACK, the most used routines first.

    - precisions: letters of s, d, c and z, the most used first; default: "dzsc"
    - time_budget: seconds for all routines together, without their validation; default: 600.0
    - tune_crossover: choose LAPACK's crossover point nx, too; default: true
    - validate: run every routine with every block size and compare; default: false
    - limits_validation: a routine's validation may take as long as its tuning; default: false
    - repetitions: repetitions of long runs in a validation; short ones get more; default: 5
    - seed: seed of the order of measurements; default: 1
    - fresh: use no samples of earlier runs, and tune again what the profile has; default: false
    - profile: file that keeps each routine's decisions; empty: the default profile
    - n: orders of the problems; default: [150, 300, 600, 1000, 1500, 2200, 3200]
    - nb: block sizes to choose from
    """
    request = {
        "precisions": precisions,
        "time_budget": time_budget,
        "tune_crossover": tune_crossover,
        "validate": validate,
        "limits_validation": limits_validation,
        "repetitions": repetitions,
        "seed": seed,
        "fresh": fresh,
        "profile": profile,
        "n": n,
        "nb": nb,
    }
    libraries: dict[str, Any] = {"blas": blas, "lapack": lapack, "kernels": kernels, "threads": threads}
    return cast(_documents.TuneLapackResult, do("tune_lapack", request, libraries))


def rank(
    family: str,
    *,
    n: Sizes | None = None,
    sizes: Mapping[str, Sizes] | None = None,
    flags: Mapping[str, str] | None = None,
    tune_crossover: bool | None = None,
    repetitions: int | None = None,
    seed: int | None = None,
    fresh: bool | None = None,
    precision: str | None = None,
    variants: Any | None = None,
    nb: Sizes | None = None,
    library: str | None = None,
    time_budget: float | None = None,
    validate: str | None = None,
    validation_budget: float | None = None,
    blas: str | Sequence[str] | None = None,
    threads: Sizes | None = None,
    lapack: str | None = None,
    kernels: str | None = None,
) -> _documents.RankResult:
    """Rank the variants of an algorithm, each at its own best block size, without running them.

    - family: family such as "cholesky", or a LAPACK routine
    - n: orders; all sizes that `sizes` doesn't name are equal
    - sizes: sizes by the names of arguments: every combination is a problem
    - flags: flags by the names of arguments: {"uplo": "U"}
    - tune_crossover: choose LAPACK's crossover point nx, too; default: true
    - repetitions: repetitions of long runs in a validation; short ones get more; default: 5
    - seed: seed of the order of measurements; default: 1
    - fresh: use no samples of earlier runs; default: false
    - precision: precision of a family: s, d, c or z; a routine's name has its own; default: "d"
    - variants: names of the variants to compare; missing: all of the family
    - nb: block sizes to choose from; a recursion ends at nb
    - library: row of the library's own routine; default: "default_blocks"
    - time_budget: seconds for all places together; default: 60.0
    - validate: alternatives that are run and compared; missing: none
    - validation_budget: seconds for all places together; missing: no limit
    - blas: BLAS libraries to compare; empty: the workbench's
    - threads: numbers of threads to compare; empty: the workbench's
    """
    request = {
        "family": family,
        "n": n,
        "sizes": sizes,
        "flags": flags,
        "tune_crossover": tune_crossover,
        "repetitions": repetitions,
        "seed": seed,
        "fresh": fresh,
        "precision": precision,
        "variants": variants,
        "nb": nb,
        "library": library,
        "time_budget": time_budget,
        "validate": validate,
        "validation_budget": validation_budget,
        "blas": listed(blas),
        "threads": threads,
    }
    libraries: dict[str, Any] = {"lapack": lapack, "kernels": kernels}
    return cast(_documents.RankResult, do("rank", request, libraries))


def tune_jointly(
    family: str,
    *,
    n: Sizes | None = None,
    sizes: Mapping[str, Sizes] | None = None,
    flags: Mapping[str, str] | None = None,
    tune_crossover: bool | None = None,
    repetitions: int | None = None,
    seed: int | None = None,
    fresh: bool | None = None,
    precision: str | None = None,
    variants: Any | None = None,
    nb: Sizes | None = None,
    library: str | None = None,
    time_budget: float | None = None,
    validate: str | None = None,
    validation_budget: float | None = None,
    blas: str | Sequence[str] | None = None,
    threads: Sizes | None = None,
    lapack: str | None = None,
    kernels: str | None = None,
) -> _documents.RankResult:
    """Choose variant, block size, threads and library together.

    - family: family such as "cholesky", or a LAPACK routine
    - n: orders; all sizes that `sizes` doesn't name are equal
    - sizes: sizes by the names of arguments: every combination is a problem
    - flags: flags by the names of arguments: {"uplo": "U"}
    - tune_crossover: choose LAPACK's crossover point nx, too; default: true
    - repetitions: repetitions of long runs in a validation; short ones get more; default: 5
    - seed: seed of the order of measurements; default: 1
    - fresh: use no samples of earlier runs; default: false
    - precision: precision of a family: s, d, c or z; a routine's name has its own; default: "d"
    - variants: names of the variants to compare; missing: all of the family
    - nb: block sizes to choose from; a recursion ends at nb
    - library: row of the library's own routine; default: "default_blocks"
    - time_budget: seconds for all places together; default: 60.0
    - validate: alternatives that are run and compared; missing: none
    - validation_budget: seconds for all places together; missing: no limit
    - blas: BLAS libraries to compare; empty: the workbench's
    - threads: numbers of threads to compare; empty: the workbench's
    """
    request = {
        "family": family,
        "n": n,
        "sizes": sizes,
        "flags": flags,
        "tune_crossover": tune_crossover,
        "repetitions": repetitions,
        "seed": seed,
        "fresh": fresh,
        "precision": precision,
        "variants": variants,
        "nb": nb,
        "library": library,
        "time_budget": time_budget,
        "validate": validate,
        "validation_budget": validation_budget,
        "blas": listed(blas),
        "threads": threads,
    }
    libraries: dict[str, Any] = {"lapack": lapack, "kernels": kernels}
    return cast(_documents.RankResult, do("tune_jointly", request, libraries))


def predict(
    routine: str,
    *,
    n: Sizes | None = None,
    sizes: Mapping[str, Sizes] | None = None,
    arguments: Mapping[str, str] | None = None,
    nb: Sizes | None = None,
    nbmin: Sizes | None = None,
    nx: Sizes | None = None,
    cache: str | None = None,
    start: str | None = None,
    capacity_bytes: int | None = None,
    generator: str | None = None,
    time_budget: float | None = None,
    with_calls: bool | None = None,
    blas: str | None = None,
    lapack: str | None = None,
    kernels: str | None = None,
    threads: int | None = None,
) -> _documents.PredictResult:
    """Predict the time of a LAPACK routine without running it.

    - routine: LAPACK routine, such as "dgeqrf"
    - n: orders; all sizes that `sizes` doesn't name are equal
    - sizes: sizes by the names of arguments
    - arguments: flags and other arguments: {"uplo": "L"}
    - nb: block sizes; empty: LAPACK's own
    - nbmin: least block sizes
    - nx: crossover points
    - cache: how the cache is treated: placed, levels, paper, warm or cold; default: "placed"
    - start: what came before: filled, repeated, paper or cold; empty: as `cache` has it
    - capacity_bytes: cache that method paper looks at; 0: the largest measured one; default: 0
    - generator: models for all but placed: refined, levels or demand; default: "refined"
    - time_budget: seconds for sampling kernels that models lack; 0: none; default: 10.0
    - with_calls: also predict every single call; default: false
    """
    request = {
        "routine": routine,
        "n": n,
        "sizes": sizes,
        "arguments": arguments,
        "nb": nb,
        "nbmin": nbmin,
        "nx": nx,
        "cache": cache,
        "start": start,
        "capacity_bytes": capacity_bytes,
        "generator": generator,
        "time_budget": time_budget,
        "with_calls": with_calls,
    }
    libraries: dict[str, Any] = {"blas": blas, "lapack": lapack, "kernels": kernels, "threads": threads}
    return cast(_documents.PredictResult, do("predict", request, libraries))


def predict_trace(
    trace: str,
    *,
    cache: str | None = None,
    start: str | None = None,
    capacity_bytes: int | None = None,
    generator: str | None = None,
    time_budget: float | None = None,
    with_calls: bool | None = None,
    what_if: str | None = None,
    blas: str | None = None,
    lapack: str | None = None,
    kernels: str | None = None,
    threads: int | None = None,
) -> _documents.PredictResult:
    """Predict the trace of a routine, or the threads of a recorded program.

    - trace: file with the trace of a routine or with a recorded program
    - cache: how the cache is treated: placed, levels, paper, warm or cold; default: "placed"
    - start: what came before: filled, repeated, paper or cold; empty: as `cache` has it
    - capacity_bytes: cache that method paper looks at; 0: the largest measured one; default: 0
    - generator: models for all but placed: refined, levels or demand; default: "refined"
    - time_budget: seconds for sampling kernels that models lack; 0: none; default: 10.0
    - with_calls: also predict every single call; default: false
    - what_if: change of a recorded program: same, or blas=NAME,lapack=NAME,threads=N; default: "same"
    """
    request = {
        "trace": trace,
        "cache": cache,
        "start": start,
        "capacity_bytes": capacity_bytes,
        "generator": generator,
        "time_budget": time_budget,
        "with_calls": with_calls,
        "what_if": what_if,
    }
    libraries: dict[str, Any] = {"blas": blas, "lapack": lapack, "kernels": kernels, "threads": threads}
    return cast(_documents.PredictResult, do("predict_trace", request, libraries))


def trace(
    routine: str,
    *,
    n: Sizes | None = None,
    sizes: Mapping[str, Sizes] | None = None,
    arguments: Mapping[str, str] | None = None,
    nb: Sizes | None = None,
    nbmin: Sizes | None = None,
    nx: Sizes | None = None,
    own_algorithm: bool | None = None,
    observe: bool | None = None,
    blas: str | None = None,
    lapack: str | None = None,
    kernels: str | None = None,
    threads: int | None = None,
) -> _documents.TraceResult:
    """Record the kernel calls of a LAPACK routine.

    - routine: LAPACK routine, such as "dgeqrf"
    - n: orders; all sizes that `sizes` doesn't name are equal
    - sizes: sizes by the names of arguments
    - arguments: flags and other arguments: {"uplo": "L"}
    - nb: block sizes; empty: LAPACK's own
    - nbmin: least block sizes
    - nx: crossover points
    - own_algorithm: flopcast's own algorithm, not LAPACK; default: false
    - observe: execute and time the kernels instead of skipping them; default: false
    """
    request = {
        "routine": routine,
        "n": n,
        "sizes": sizes,
        "arguments": arguments,
        "nb": nb,
        "nbmin": nbmin,
        "nx": nx,
        "own_algorithm": own_algorithm,
        "observe": observe,
    }
    libraries: dict[str, Any] = {"blas": blas, "lapack": lapack, "kernels": kernels, "threads": threads}
    return cast(_documents.TraceResult, do("trace", request, libraries))


def record(
    command: str | Sequence[str],
    *,
    blas: str | None = None,
    lapack: str | None = None,
    threads: int | None = None,
    dry_run: bool | None = None,
    output: str | None = None,
    kernels: str | None = None,
) -> _documents.RecordingResult:
    """Run a program and record its BLAS and LAPACK calls.

    - command: program and arguments
    - blas: name or path of the BLAS to load; empty: the program's own
    - lapack: name or path of the LAPACK to load; empty: the program's own
    - threads: threads of BLAS
    - dry_run: skip calls that compute much; default: false
    - output: file of the recording; default: "flopcast.trace"
    """
    request = {
        "command": listed(command),
        "blas": blas,
        "lapack": lapack,
        "threads": threads,
        "dry_run": dry_run,
        "output": output,
    }
    libraries: dict[str, Any] = {"kernels": kernels}
    return cast(_documents.RecordingResult, do("record", request, libraries))


def recording(
    file: str,
    *,
    events: bool | None = None,
    blas: str | None = None,
    lapack: str | None = None,
    kernels: str | None = None,
    threads: int | None = None,
) -> _documents.RecordingResult:
    """Read a recording.

    - file: file of the recording
    - events: list every call; default: false
    """
    request = {
        "file": file,
        "events": events,
    }
    libraries: dict[str, Any] = {"blas": blas, "lapack": lapack, "kernels": kernels, "threads": threads}
    return cast(_documents.RecordingResult, do("recording", request, libraries))


def profile(
    recording: str,
    *,
    with_peak: bool | None = None,
    what_if: str | Sequence[str] | None = None,
    time_budget: float | None = None,
    kernels: str | None = None,
    threads: int | None = None,
    blas: str | None = None,
    lapack: str | None = None,
) -> _documents.ProgramProfileResult:
    """Sum up a recording and predict changes.

    - recording: file of the recording
    - with_peak: measure the peak that rates are compared with; default: true
    - what_if: changes to predict: ["blas=blis,threads=2", "nb"]
    - time_budget: seconds for measuring kernels that the store lacks; default: 30.0
    - kernels: kernels of BLAS: library (its own choice) or auto (the best for this CPU); default: "library"
    - threads: threads of BLAS in the recorded run; missing: as the recording says
    """
    request = {
        "recording": recording,
        "with_peak": with_peak,
        "what_if": listed(what_if),
        "time_budget": time_budget,
        "kernels": kernels,
        "threads": threads,
    }
    libraries: dict[str, Any] = {"blas": blas, "lapack": lapack}
    return cast(_documents.ProgramProfileResult, do("profile", request, libraries))


def run(
    command: str | Sequence[str],
    *,
    profile: str | None = None,
    blas: str | None = None,
    lapack: str | None = None,
    kernels: str | None = None,
    threads: int | None = None,
    other_machine: bool | None = None,
    explain: bool | None = None,
) -> _documents.RunResult:
    """Run a program whose LAPACK uses the tuned block sizes.

    - command: program and arguments
    - profile: file of tuned block sizes; empty: what `flopcast tune --save` keeps
    - blas: BLAS for the program to load, by name or path; empty: its own
    - lapack: LAPACK for the program to load; empty: its own
    - kernels: kernels of BLAS: auto (those found best) or library (its own choice); default: "auto"
    - threads: threads of BLAS
    - other_machine: accept a profile of another machine; default: false
    - explain: say for every tuned routine what happened; default: false
    """
    request = {
        "command": listed(command),
        "profile": profile,
        "blas": blas,
        "lapack": lapack,
        "kernels": kernels,
        "threads": threads,
        "other_machine": other_machine,
        "explain": explain,
    }
    libraries: dict[str, Any] = {}
    return cast(_documents.RunResult, do("run", request, libraries))


def environment(
    *,
    profile: str | None = None,
    blas: str | None = None,
    lapack: str | None = None,
    kernels: str | None = None,
    threads: int | None = None,
    other_machine: bool | None = None,
    links: str | None = None,
) -> _documents.EnvironmentResult:
    """Return the variables that a program is run with.

    - profile: file of tuned block sizes; empty: what `flopcast tune --save` keeps
    - blas: BLAS for programs to load, by name or path; empty: their own
    - lapack: LAPACK for programs to load; empty: their own
    - kernels: kernels of BLAS: auto (those found best) or library (its own choice); default: "auto"
    - threads: threads of BLAS
    - other_machine: accept a profile of another machine; default: false
    - links: folder for links to the libraries; it must remain; empty: in the user's data folder
    """
    request = {
        "profile": profile,
        "blas": blas,
        "lapack": lapack,
        "kernels": kernels,
        "threads": threads,
        "other_machine": other_machine,
        "links": links,
    }
    libraries: dict[str, Any] = {}
    return cast(_documents.EnvironmentResult, do("environment", request, libraries))


def wisdom_list(
    *,
    file: str | None = None,
    profile: str | None = None,
    blas: str | None = None,
    lapack: str | None = None,
    kernels: str | None = None,
    threads: int | None = None,
) -> _documents.WisdomListResult:
    """List the user's wisdom and the system's, or that of a file.

    - file: file of wisdom; empty: the user's own and the system's
    - profile: the user's tuned profile; empty: the default one
    """
    request = {
        "file": file,
        "profile": profile,
    }
    libraries: dict[str, Any] = {"blas": blas, "lapack": lapack, "kernels": kernels, "threads": threads}
    return cast(_documents.WisdomListResult, do("wisdom_list", request, libraries))


def wisdom_export(
    *,
    profile: str | None = None,
    blas: str | None = None,
    lapack: str | None = None,
    kernels: str | None = None,
    threads: int | None = None,
) -> _documents.WisdomResult:
    """Return the user's wisdom.

    - profile: the user's tuned profile; empty: the default one
    """
    request = {
        "profile": profile,
    }
    libraries: dict[str, Any] = {"blas": blas, "lapack": lapack, "kernels": kernels, "threads": threads}
    return cast(_documents.WisdomResult, do("wisdom_export", request, libraries))


def wisdom_import(
    file: str,
    *,
    profile: str | None = None,
    blas: str | None = None,
    lapack: str | None = None,
    kernels: str | None = None,
    threads: int | None = None,
) -> _documents.WisdomImportResult:
    """Add a file's wisdom, as far as it holds on this machine, to the user's.

    - file: file of wisdom
    - profile: the user's tuned profile; empty: the default one
    """
    request = {
        "file": file,
        "profile": profile,
    }
    libraries: dict[str, Any] = {"blas": blas, "lapack": lapack, "kernels": kernels, "threads": threads}
    return cast(_documents.WisdomImportResult, do("wisdom_import", request, libraries))


def wisdom_import_system(
    *,
    profile: str | None = None,
    blas: str | None = None,
    lapack: str | None = None,
    kernels: str | None = None,
    threads: int | None = None,
) -> _documents.WisdomImportResult:
    """Add the system's wisdom, as far as it holds on this machine and the user has none, to the user's.

    - profile: the user's tuned profile; empty: the default one
    """
    request = {
        "profile": profile,
    }
    libraries: dict[str, Any] = {"blas": blas, "lapack": lapack, "kernels": kernels, "threads": threads}
    return cast(_documents.WisdomImportResult, do("wisdom_import_system", request, libraries))


def wisdom_merge(
    files: str | Sequence[str],
    *,
    blas: str | None = None,
    lapack: str | None = None,
    kernels: str | None = None,
    threads: int | None = None,
) -> _documents.WisdomResult:
    """Return the wisdom of several files as one.

    - files: files of wisdom; of entries with one name, that of the later file stays
    """
    request = {
        "files": listed(files),
    }
    libraries: dict[str, Any] = {"blas": blas, "lapack": lapack, "kernels": kernels, "threads": threads}
    return cast(_documents.WisdomResult, do("wisdom_merge", request, libraries))


def wisdom_forget(
    *,
    ids: str | Sequence[str] | None = None,
    kind: str | None = None,
    all: bool | None = None,
    profile: str | None = None,
    blas: str | None = None,
    lapack: str | None = None,
    kernels: str | None = None,
    threads: int | None = None,
) -> _documents.WisdomListResult:
    """Remove entries from the user's wisdom.

    - ids: identifiers of entries to remove, or their beginnings
    - kind: remove all entries of a kind: block-sizes, kernels or plans
    - all: remove all entries; default: false
    - profile: the user's tuned profile; empty: the default one
    """
    request = {
        "ids": listed(ids),
        "kind": kind,
        "all": all,
        "profile": profile,
    }
    libraries: dict[str, Any] = {"blas": blas, "lapack": lapack, "kernels": kernels, "threads": threads}
    return cast(_documents.WisdomListResult, do("wisdom_forget", request, libraries))


def export_ilaenv(
    *,
    profile: str | None = None,
    blas: str | None = None,
    threads: int | None = None,
    language: str | None = None,
    lapack: str | None = None,
    kernels: str | None = None,
) -> _documents.IlaenvResult:
    """Return a source of LAPACK's ilaenv with tuned block sizes.

    - profile: file of tuned block sizes; empty: what `flopcast tune --save` keeps
    - blas: BLAS of the program, by name or path; empty: that of the profile's newest entry
    - threads: threads of BLAS; missing: as the entry has them
    - language: fortran or c; default: "fortran"
    """
    request = {
        "profile": profile,
        "blas": blas,
        "threads": threads,
        "language": language,
    }
    libraries: dict[str, Any] = {"lapack": lapack, "kernels": kernels}
    return cast(_documents.IlaenvResult, do("export_ilaenv", request, libraries))


def machine(
    *,
    refresh: bool | None = None,
    quick: bool | None = None,
    blas: str | None = None,
    lapack: str | None = None,
    kernels: str | None = None,
    threads: int | None = None,
) -> _documents.MachineResult:
    """Report on this machine: cores, caches, clocks, noise, libraries.

    - refresh: measure caches and memory again, which takes up to 15 s; default: false
    - quick: measure caches and memory with a coarser sweep; default: false
    """
    request = {
        "refresh": refresh,
        "quick": quick,
    }
    libraries: dict[str, Any] = {"blas": blas, "lapack": lapack, "kernels": kernels, "threads": threads}
    return cast(_documents.MachineResult, do("machine", request, libraries))


def model(
    routine: str,
    sizes: Mapping[str, Sequence[Sequence[int]]],
    *,
    arguments: Mapping[str, str] | None = None,
    cache: str | None = None,
    method: str | None = None,
    error_bound: float | None = None,
    min_size: int | None = None,
    min_width: int | None = None,
    degree: int | None = None,
    oversampling: int | None = None,
    max_depth: int | None = None,
    measurements: int | None = None,
    max_repetitions: int | None = None,
    seed: int | None = None,
    time_budget: float | None = None,
    fresh: bool | None = None,
    thresholds: bool | None = None,
    blas: str | None = None,
    lapack: str | None = None,
    kernels: str | None = None,
    threads: int | None = None,
) -> _documents.ModelResult:
    """Sample a routine over ranges of its sizes and store the model.

    - routine: routine of the catalogue, such as "dtrsm"
    - sizes: ranges of every size by name: {"m": [[8, 1024]]}; several ranges make several domains
    - arguments: flags, scalars and leading dimensions by name: {"side": "L"}
    - cache: state of the caches: warm, cold, cold:sweep, cold:fresh, or a cache such as L2; default: "warm"
    - method: refine (adaptive refinement) or levels (a polynomial per memory level); default: "refine"
    - error_bound: largest relative error of a piece before it is subdivided, 0 to 1; default: 0.05
    - min_size: least width of a piece, in elements; default: 32
    - min_width: spacing of sampled sizes; default: 8
    - degree: degree of the polynomials; default: 3
    - oversampling: points per size beyond degree + 1; default: 1
    - max_depth: largest number of subdivisions; default: 32
    - measurements: points per memory level, of method levels; default: 6
    - max_repetitions: largest number of executions of each point; default: 7
    - seed: seed of the order of repetitions; default: 1
    - time_budget: seconds after which refinement stops; 0: no limit; default: 0.0
    - fresh: sample anew what the store already has; default: false
    - thresholds: with several threads, look for the work from which on they are used; default: true
    """
    request = {
        "routine": routine,
        "sizes": sizes,
        "arguments": arguments,
        "cache": cache,
        "method": method,
        "error_bound": error_bound,
        "min_size": min_size,
        "min_width": min_width,
        "degree": degree,
        "oversampling": oversampling,
        "max_depth": max_depth,
        "measurements": measurements,
        "max_repetitions": max_repetitions,
        "seed": seed,
        "time_budget": time_budget,
        "fresh": fresh,
        "thresholds": thresholds,
    }
    libraries: dict[str, Any] = {"blas": blas, "lapack": lapack, "kernels": kernels, "threads": threads}
    return cast(_documents.ModelResult, do("model", request, libraries))


def model_plan(
    routine: str,
    sizes: Mapping[str, Sequence[Sequence[int]]],
    *,
    arguments: Mapping[str, str] | None = None,
    cache: str | None = None,
    method: str | None = None,
    error_bound: float | None = None,
    min_size: int | None = None,
    min_width: int | None = None,
    degree: int | None = None,
    oversampling: int | None = None,
    max_depth: int | None = None,
    measurements: int | None = None,
    max_repetitions: int | None = None,
    seed: int | None = None,
    time_budget: float | None = None,
    fresh: bool | None = None,
    thresholds: bool | None = None,
    blas: str | None = None,
    lapack: str | None = None,
    kernels: str | None = None,
    threads: int | None = None,
) -> _documents.ModelPlanResult:
    """Say how many points a model would begin with.

    - routine: routine of the catalogue, such as "dtrsm"
    - sizes: ranges of every size by name: {"m": [[8, 1024]]}; several ranges make several domains
    - arguments: flags, scalars and leading dimensions by name: {"side": "L"}
    - cache: state of the caches: warm, cold, cold:sweep, cold:fresh, or a cache such as L2; default: "warm"
    - method: refine (adaptive refinement) or levels (a polynomial per memory level); default: "refine"
    - error_bound: largest relative error of a piece before it is subdivided, 0 to 1; default: 0.05
    - min_size: least width of a piece, in elements; default: 32
    - min_width: spacing of sampled sizes; default: 8
    - degree: degree of the polynomials; default: 3
    - oversampling: points per size beyond degree + 1; default: 1
    - max_depth: largest number of subdivisions; default: 32
    - measurements: points per memory level, of method levels; default: 6
    - max_repetitions: largest number of executions of each point; default: 7
    - seed: seed of the order of repetitions; default: 1
    - time_budget: seconds after which refinement stops; 0: no limit; default: 0.0
    - fresh: sample anew what the store already has; default: false
    - thresholds: with several threads, look for the work from which on they are used; default: true
    """
    request = {
        "routine": routine,
        "sizes": sizes,
        "arguments": arguments,
        "cache": cache,
        "method": method,
        "error_bound": error_bound,
        "min_size": min_size,
        "min_width": min_width,
        "degree": degree,
        "oversampling": oversampling,
        "max_depth": max_depth,
        "measurements": measurements,
        "max_repetitions": max_repetitions,
        "seed": seed,
        "time_budget": time_budget,
        "fresh": fresh,
        "thresholds": thresholds,
    }
    libraries: dict[str, Any] = {"blas": blas, "lapack": lapack, "kernels": kernels, "threads": threads}
    return cast(_documents.ModelPlanResult, do("model_plan", request, libraries))


def model_list(
    *,
    other_machines: bool | None = None,
    blas: str | None = None,
    lapack: str | None = None,
    kernels: str | None = None,
    threads: int | None = None,
) -> _documents.ModelsResult:
    """List the stored models.

    - other_machines: list models of other machines, too; default: false
    """
    request = {
        "other_machines": other_machines,
    }
    libraries: dict[str, Any] = {"blas": blas, "lapack": lapack, "kernels": kernels, "threads": threads}
    return cast(_documents.ModelsResult, do("model_list", request, libraries))


def model_show(
    name: str,
    *,
    other_machines: bool | None = None,
    blas: str | None = None,
    lapack: str | None = None,
    kernels: str | None = None,
    threads: int | None = None,
) -> _documents.ModelResult:
    """Return a stored model.

    - name: name of the model, or the beginning of one name only
    - other_machines: look among models of other machines, too; default: false
    """
    request = {
        "name": name,
        "other_machines": other_machines,
    }
    libraries: dict[str, Any] = {"blas": blas, "lapack": lapack, "kernels": kernels, "threads": threads}
    return cast(_documents.ModelResult, do("model_show", request, libraries))


def model_check(
    *,
    routines: str | Sequence[str] | None = None,
    time_budget: float | None = None,
    repetitions: int | None = None,
    seed: int | None = None,
    blas: str | None = None,
    lapack: str | None = None,
    kernels: str | None = None,
    threads: int | None = None,
) -> _documents.ModelCheckResult:
    """Measure samples of models again, and replace those that no longer hold.

    - routines: routines whose kernels are checked; empty: all that have samples
    - time_budget: seconds, above 0; default: 10.0
    - repetitions: runs of each point, 3 to 1000; default: 5
    - seed: seed of the choice of points and of the order of runs; default: 1
    """
    request = {
        "routines": listed(routines),
        "time_budget": time_budget,
        "repetitions": repetitions,
        "seed": seed,
    }
    libraries: dict[str, Any] = {"blas": blas, "lapack": lapack, "kernels": kernels, "threads": threads}
    return cast(_documents.ModelCheckResult, do("model_check", request, libraries))


def sample(
    calls: str | Sequence[str],
    *,
    caches: str | Sequence[str] | None = None,
    repetitions: int | None = None,
    interval: float | None = None,
    time_budget: float | None = None,
    batch: int | None = None,
    clock: str | None = None,
    seed: int | None = None,
    normalise: bool | None = None,
    keep: bool | None = None,
    blas: str | None = None,
    lapack: str | None = None,
    kernels: str | None = None,
    threads: int | None = None,
) -> _documents.SamplesResult:
    """Time calls of BLAS and LAPACK routines in stated cache states.

    - calls: calls as texts: ["dgemm m=100:500:100 n=100 k=100"]
    - caches: cache states; each call is sampled in each; default: ["warm"]
    - repetitions: executions of each call; 0: 7, down to 3 for calls over 30 ms; default: 0
    - interval: repeat until the median's 99 % interval lies within +- this fraction; 0: off; default: 0.0
    - time_budget: seconds after which sampling stops; 0: no limit; default: 0.0
    - batch: calls that are timed together; 0: as many as take 20 microseconds; default: 0
    - clock: wall (elapsed time) or cpu (processor time); default: "wall"
    - seed: seed of the random order and of the operands' values; default: 1
    - normalise: divide times by the drift of the reference kernel; default: true
    - keep: keep every repetition in the store; default: true
    """
    request = {
        "calls": listed(calls),
        "caches": listed(caches),
        "repetitions": repetitions,
        "interval": interval,
        "time_budget": time_budget,
        "batch": batch,
        "clock": clock,
        "seed": seed,
        "normalise": normalise,
        "keep": keep,
    }
    libraries: dict[str, Any] = {"blas": blas, "lapack": lapack, "kernels": kernels, "threads": threads}
    return cast(_documents.SamplesResult, do("sample", request, libraries))


def roofline(
    *,
    space: str | None = None,
    m: Sizes | None = None,
    n: Sizes | None = None,
    k: Sizes | None = None,
    affinity: str | None = None,
    tolerance: float | None = None,
    error_probability: float | None = None,
    seed: int | None = None,
    blas: str | Sequence[str] | None = None,
    threads: int | None = None,
    cores: str | None = None,
    searches_gemm: bool | None = None,
    gemm: str | Sequence[str] | None = None,
    stop_at: float | None = None,
    triad_lengths: bool | None = None,
    nominal_hertz: float | None = None,
    fma_units: int | None = None,
    time_budget: float | None = None,
    quick: bool | None = None,
    recordings: str | Sequence[str] | None = None,
    streams: str | Sequence[str] | None = None,
    points: str | Sequence[str] | None = None,
    lapack: str | None = None,
    kernels: str | None = None,
) -> _documents.RooflineResult:
    """Measure the roofs of this machine: peaks, bandwidths of every level, best gemm.

    - space: space of shapes of gemm: brief, reduced or full; default: "brief"
    - m: rows of C in a space of one's own
    - n: columns of C
    - k: columns of A
    - affinity: close fills one socket after the other, spread takes turns; default: "close"
    - tolerance: fraction of its time that the best gemm may lose to another shape; default: 0.02
    - error_probability: probability that the best gemm loses more; default: 0.05
    - seed: seed of random orders; default: 1
    - blas: libraries whose gemm is searched; empty: the workbench's
    - threads: maximum number of threads; 0: one per core; default: 0
    - cores: kind of cores, or all; empty: the fastest kind
    - searches_gemm: false: no gemm is measured; default: true
    - gemm: routines to search: dgemm, sgemm; default: ["dgemm"]
    - stop_at: share of the FMA ceiling at which searches end; 0: no such share; default: 0.0
    - triad_lengths: also measure the triad by the length of its vectors; default: false
    - nominal_hertz: nominal clock; 0: as the CPU tells it; default: 0.0
    - fma_units: FMA units of a core, for the peaks; 0: as measured; default: 0
    - time_budget: seconds for roofs and searches; default: 60.0
    - quick: fewer samples, and 8 rounds of the race of shapes; default: false
    - recordings: files of recorded programs to place on the roofline
    - streams: streams: load, store, copy, scale, add, triad, update; empty: all
    - points: calls to place on the roofline: ["dgemv m=2000 n=2000"]
    """
    request = {
        "space": space,
        "m": m,
        "n": n,
        "k": k,
        "affinity": affinity,
        "tolerance": tolerance,
        "error_probability": error_probability,
        "seed": seed,
        "blas": listed(blas),
        "threads": threads,
        "cores": cores,
        "searches_gemm": searches_gemm,
        "gemm": listed(gemm),
        "stop_at": stop_at,
        "triad_lengths": triad_lengths,
        "nominal_hertz": nominal_hertz,
        "fma_units": fma_units,
        "time_budget": time_budget,
        "quick": quick,
        "recordings": listed(recordings),
        "streams": listed(streams),
        "points": listed(points),
    }
    libraries: dict[str, Any] = {"lapack": lapack, "kernels": kernels}
    return cast(_documents.RooflineResult, do("roofline", request, libraries))


def roofline_plan(
    *,
    space: str | None = None,
    m: Sizes | None = None,
    n: Sizes | None = None,
    k: Sizes | None = None,
    affinity: str | None = None,
    tolerance: float | None = None,
    error_probability: float | None = None,
    seed: int | None = None,
    blas: str | Sequence[str] | None = None,
    threads: int | None = None,
    cores: str | None = None,
    searches_gemm: bool | None = None,
    gemm: str | Sequence[str] | None = None,
    stop_at: float | None = None,
    triad_lengths: bool | None = None,
    nominal_hertz: float | None = None,
    fma_units: int | None = None,
    time_budget: float | None = None,
    quick: bool | None = None,
    recordings: str | Sequence[str] | None = None,
    streams: str | Sequence[str] | None = None,
    points: str | Sequence[str] | None = None,
    lapack: str | None = None,
    kernels: str | None = None,
) -> _documents.RooflinePlanResult:
    """Say what a measurement of roofs would do.

    - space: space of shapes of gemm: brief, reduced or full; default: "brief"
    - m: rows of C in a space of one's own
    - n: columns of C
    - k: columns of A
    - affinity: close fills one socket after the other, spread takes turns; default: "close"
    - tolerance: fraction of its time that the best gemm may lose to another shape; default: 0.02
    - error_probability: probability that the best gemm loses more; default: 0.05
    - seed: seed of random orders; default: 1
    - blas: libraries whose gemm is searched; empty: the workbench's
    - threads: maximum number of threads; 0: one per core; default: 0
    - cores: kind of cores, or all; empty: the fastest kind
    - searches_gemm: false: no gemm is measured; default: true
    - gemm: routines to search: dgemm, sgemm; default: ["dgemm"]
    - stop_at: share of the FMA ceiling at which searches end; 0: no such share; default: 0.0
    - triad_lengths: also measure the triad by the length of its vectors; default: false
    - nominal_hertz: nominal clock; 0: as the CPU tells it; default: 0.0
    - fma_units: FMA units of a core, for the peaks; 0: as measured; default: 0
    - time_budget: seconds for roofs and searches; default: 60.0
    - quick: fewer samples, and 8 rounds of the race of shapes; default: false
    - recordings: files of recorded programs to place on the roofline
    - streams: streams: load, store, copy, scale, add, triad, update; empty: all
    - points: calls to place on the roofline: ["dgemv m=2000 n=2000"]
    """
    request = {
        "space": space,
        "m": m,
        "n": n,
        "k": k,
        "affinity": affinity,
        "tolerance": tolerance,
        "error_probability": error_probability,
        "seed": seed,
        "blas": listed(blas),
        "threads": threads,
        "cores": cores,
        "searches_gemm": searches_gemm,
        "gemm": listed(gemm),
        "stop_at": stop_at,
        "triad_lengths": triad_lengths,
        "nominal_hertz": nominal_hertz,
        "fma_units": fma_units,
        "time_budget": time_budget,
        "quick": quick,
        "recordings": listed(recordings),
        "streams": listed(streams),
        "points": listed(points),
    }
    libraries: dict[str, Any] = {"lapack": lapack, "kernels": kernels}
    return cast(_documents.RooflinePlanResult, do("roofline_plan", request, libraries))


def roofline_compare(
    before: str,
    after: str,
    *,
    blas: str | None = None,
    lapack: str | None = None,
    kernels: str | None = None,
    threads: int | None = None,
) -> _documents.RooflineComparisonResult:
    """Compare the rooflines in two files.

    - before: file with a roofline
    - after: file with a roofline
    """
    request = {
        "before": before,
        "after": after,
    }
    libraries: dict[str, Any] = {"blas": blas, "lapack": lapack, "kernels": kernels, "threads": threads}
    return cast(_documents.RooflineComparisonResult, do("roofline_compare", request, libraries))


def contract_plan(
    notation: str,
    sizes: Mapping[str, int],
    *,
    strides: Mapping[str, Sequence[int]] | None = None,
    precision: str | None = None,
    order: str | None = None,
    effort: str | None = None,
    threads: int | None = None,
    time_budget: float | None = None,
    fresh: bool | None = None,
    tiles: str | None = None,
    blas: str | None = None,
    lapack: str | None = None,
    kernels: str | None = None,
) -> _documents.ContractPlanResult:
    """Plan a contraction of tensors.

    - notation: "ai,ibc->abc", "abc=ai,ibc" or "C_abc := A_ai B_ibc"
    - sizes: elements along each index: {"a": 100, "i": 8}
    - strides: strides of A, B and C in elements; missing: dense tensors in `order`
    - precision: s, d, c or z; default: "d"
    - order: order of dense tensors in memory; default: "row_major"
    - effort: effort with which the plan is chosen; default: "estimate"
    - threads: threads that share the contraction, around a BLAS on one thread; default: 1
    - time_budget: seconds for measuring candidates, or for a run that decides an incremental plan; default: 2.0
    - fresh: measure kernels and choices again that the store already has; default: false
    - tiles: use these tiles, as `flopcast contract --tiles` reads them; empty: choose them
    """
    request = {
        "notation": notation,
        "sizes": sizes,
        "strides": strides,
        "precision": precision,
        "order": order,
        "effort": effort,
        "threads": threads,
        "time_budget": time_budget,
        "fresh": fresh,
        "tiles": tiles,
    }
    libraries: dict[str, Any] = {"blas": blas, "lapack": lapack, "kernels": kernels}
    return cast(_documents.ContractPlanResult, do("contract_plan", request, libraries))


def contract_run(
    notation: str,
    sizes: Mapping[str, int],
    *,
    strides: Mapping[str, Sequence[int]] | None = None,
    precision: str | None = None,
    order: str | None = None,
    effort: str | None = None,
    threads: int | None = None,
    time_budget: float | None = None,
    fresh: bool | None = None,
    tiles: str | None = None,
    blas: str | None = None,
    lapack: str | None = None,
    kernels: str | None = None,
) -> _documents.ContractRunResult:
    """Plan a contraction, execute it on random numbers and time it.

    - notation: "ai,ibc->abc", "abc=ai,ibc" or "C_abc := A_ai B_ibc"
    - sizes: elements along each index: {"a": 100, "i": 8}
    - strides: strides of A, B and C in elements; missing: dense tensors in `order`
    - precision: s, d, c or z; default: "d"
    - order: order of dense tensors in memory; default: "row_major"
    - effort: effort with which the plan is chosen; default: "estimate"
    - threads: threads that share the contraction, around a BLAS on one thread; default: 1
    - time_budget: seconds for measuring candidates, or for a run that decides an incremental plan; default: 2.0
    - fresh: measure kernels and choices again that the store already has; default: false
    - tiles: use these tiles, as `flopcast contract --tiles` reads them; empty: choose them
    """
    request = {
        "notation": notation,
        "sizes": sizes,
        "strides": strides,
        "precision": precision,
        "order": order,
        "effort": effort,
        "threads": threads,
        "time_budget": time_budget,
        "fresh": fresh,
        "tiles": tiles,
    }
    libraries: dict[str, Any] = {"blas": blas, "lapack": lapack, "kernels": kernels}
    return cast(_documents.ContractRunResult, do("contract", request, libraries))


def contract_files(
    notation: str,
    a: str,
    b: str,
    c: str,
    *,
    effort: str | None = None,
    threads: int | None = None,
    time_budget: float | None = None,
    fresh: bool | None = None,
    tiles: str | None = None,
    blas: str | None = None,
    lapack: str | None = None,
    kernels: str | None = None,
) -> _documents.ContractRunResult:
    """Contract two .npy files into a third.

    - notation: "ai,ibc->abc"
    - a: path of the .npy file of A
    - b: path of the .npy file of B
    - c: path of the .npy file that takes the result
    - effort: effort with which the plan is chosen; default: "estimate"
    - threads: threads that share the contraction, around a BLAS on one thread; default: 1
    - time_budget: seconds for measuring candidates, or for a run that decides an incremental plan; default: 2.0
    - fresh: measure kernels and choices again that the store already has; default: false
    - tiles: use these tiles, as `flopcast contract --tiles` reads them; empty: choose them
    """
    request = {
        "notation": notation,
        "a": a,
        "b": b,
        "c": c,
        "effort": effort,
        "threads": threads,
        "time_budget": time_budget,
        "fresh": fresh,
        "tiles": tiles,
    }
    libraries: dict[str, Any] = {"blas": blas, "lapack": lapack, "kernels": kernels}
    return cast(_documents.ContractRunResult, do("contract_files", request, libraries))


def einsum_plan(
    expression: str,
    sizes: Mapping[str, int],
    *,
    strides: Mapping[str, Sequence[int]] | None = None,
    precision: str | None = None,
    order: str | None = None,
    max_bytes: float | None = None,
    effort: str | None = None,
    threads: int | None = None,
    time_budget: float | None = None,
    fresh: bool | None = None,
    tiles: str | None = None,
    blas: str | None = None,
    lapack: str | None = None,
    kernels: str | None = None,
) -> _documents.EinsumPlanResult:
    """Plan an expression of any number of operands and describe the steps.

    - expression: of any number of operands: "ab,bc,cd->ad", "ii->i", "conj(ki),kj->ij"
    - sizes: size of each label: {"i": 100, "j": 8}
    - strides: strides in elements by operand: {"1": [1, 50], "result": [1, 64]}; one or two operands are also A and B, their result is C;
      missing: dense tensors in `order`
    - precision: s, d, c or z; default: "d"
    - order: order of dense tensors in memory; default: "row_major"
    - max_bytes: largest number of bytes of the intermediates of three operands and more; missing: half of the available memory
    - effort: effort with which the plan is chosen; default: "estimate"
    - threads: threads that share the contraction, around a BLAS on one thread; default: 1
    - time_budget: seconds for measuring candidates, or for a run that decides an incremental plan; default: 2.0
    - fresh: measure kernels and choices again that the store already has; default: false
    - tiles: use these tiles, as `flopcast contract --tiles` reads them; empty: choose them
    """
    request = {
        "expression": expression,
        "sizes": sizes,
        "strides": strides,
        "precision": precision,
        "order": order,
        "max_bytes": max_bytes,
        "effort": effort,
        "threads": threads,
        "time_budget": time_budget,
        "fresh": fresh,
        "tiles": tiles,
    }
    libraries: dict[str, Any] = {"blas": blas, "lapack": lapack, "kernels": kernels}
    return cast(_documents.EinsumPlanResult, do("einsum_plan", request, libraries))


def einsum_run(
    expression: str,
    sizes: Mapping[str, int],
    *,
    strides: Mapping[str, Sequence[int]] | None = None,
    precision: str | None = None,
    order: str | None = None,
    max_bytes: float | None = None,
    effort: str | None = None,
    threads: int | None = None,
    time_budget: float | None = None,
    fresh: bool | None = None,
    tiles: str | None = None,
    blas: str | None = None,
    lapack: str | None = None,
    kernels: str | None = None,
) -> _documents.EinsumRunResult:
    """Plan an expression of any number of operands, execute it on random numbers and time it.

    - expression: of any number of operands: "ab,bc,cd->ad", "ii->i", "conj(ki),kj->ij"
    - sizes: size of each label: {"i": 100, "j": 8}
    - strides: strides in elements by operand: {"1": [1, 50], "result": [1, 64]}; one or two operands are also A and B, their result is C;
      missing: dense tensors in `order`
    - precision: s, d, c or z; default: "d"
    - order: order of dense tensors in memory; default: "row_major"
    - max_bytes: largest number of bytes of the intermediates of three operands and more; missing: half of the available memory
    - effort: effort with which the plan is chosen; default: "estimate"
    - threads: threads that share the contraction, around a BLAS on one thread; default: 1
    - time_budget: seconds for measuring candidates, or for a run that decides an incremental plan; default: 2.0
    - fresh: measure kernels and choices again that the store already has; default: false
    - tiles: use these tiles, as `flopcast contract --tiles` reads them; empty: choose them
    """
    request = {
        "expression": expression,
        "sizes": sizes,
        "strides": strides,
        "precision": precision,
        "order": order,
        "max_bytes": max_bytes,
        "effort": effort,
        "threads": threads,
        "time_budget": time_budget,
        "fresh": fresh,
        "tiles": tiles,
    }
    libraries: dict[str, Any] = {"blas": blas, "lapack": lapack, "kernels": kernels}
    return cast(_documents.EinsumRunResult, do("einsum", request, libraries))


def einsum_files(
    expression: str,
    operands: str | Sequence[str],
    result: str,
    *,
    max_bytes: float | None = None,
    effort: str | None = None,
    threads: int | None = None,
    time_budget: float | None = None,
    fresh: bool | None = None,
    tiles: str | None = None,
    blas: str | None = None,
    lapack: str | None = None,
    kernels: str | None = None,
) -> _documents.EinsumRunResult:
    """Compute an expression of .npy files.

    - expression: of any number of operands: "...i,...i->..."
    - operands: paths of the operands' .npy files
    - result: path of the .npy file that takes the result
    - max_bytes: largest number of bytes of the intermediates of three operands and more; missing: half of the available memory
    - effort: effort with which the plan is chosen; default: "estimate"
    - threads: threads that share the contraction, around a BLAS on one thread; default: 1
    - time_budget: seconds for measuring candidates, or for a run that decides an incremental plan; default: 2.0
    - fresh: measure kernels and choices again that the store already has; default: false
    - tiles: use these tiles, as `flopcast contract --tiles` reads them; empty: choose them
    """
    request = {
        "expression": expression,
        "operands": listed(operands),
        "result": result,
        "max_bytes": max_bytes,
        "effort": effort,
        "threads": threads,
        "time_budget": time_budget,
        "fresh": fresh,
        "tiles": tiles,
    }
    libraries: dict[str, Any] = {"blas": blas, "lapack": lapack, "kernels": kernels}
    return cast(_documents.EinsumRunResult, do("einsum_files", request, libraries))


def contract_rank(
    notation: str,
    sizes: Mapping[str, int],
    *,
    strides: Mapping[str, Sequence[int]] | None = None,
    precision: str | None = None,
    order: str | None = None,
    kernels: str | Sequence[str] | None = None,
    algorithm: str | None = None,
    all: bool | None = None,
    stage: str | None = None,
    repetitions: int | None = None,
    prefetched_lines: int | None = None,
    validate: bool | None = None,
    fresh: bool | None = None,
    blas: str | None = None,
    lapack: str | None = None,
    threads: int | None = None,
) -> _documents.ContractResult:
    """Rank the BLAS-based algorithms of a contraction by predicted time.

    - notation: "ai,ibc->abc", "abc=ai,ibc" or "C_abc := A_ai B_ibc"
    - sizes: elements along each index: {"a": 100, "i": 8}
    - strides: strides of A, B and C in elements; missing: dense tensors in `order`
    - precision: s, d, c or z; default: "d"
    - order: order of dense tensors in memory; default: "row_major"
    - kernels: only algorithms of these BLAS kernels
    - algorithm: only the algorithm of this name, such as "c-gemm"; empty: all
    - all: algorithms of all BLAS levels; default: false
    - stage: stage of the prediction, as `flopcast contract --stage` reads it; default: "segments"
    - repetitions: repetitions of each micro-benchmark; default: 10
    - prefetched_lines: cache lines of an operand that prefetching has brought; default: 1
    - validate: execute the algorithms, too, and compare; default: false
    - fresh: measure kernels again that the store already has; default: false
    """
    request = {
        "notation": notation,
        "sizes": sizes,
        "strides": strides,
        "precision": precision,
        "order": order,
        "kernels": listed(kernels),
        "algorithm": algorithm,
        "all": all,
        "stage": stage,
        "repetitions": repetitions,
        "prefetched_lines": prefetched_lines,
        "validate": validate,
        "fresh": fresh,
    }
    libraries: dict[str, Any] = {"blas": blas, "lapack": lapack, "threads": threads}
    return cast(_documents.ContractResult, do("contract_rank", request, libraries))


def contract_list(
    notation: str,
    sizes: Mapping[str, int],
    *,
    strides: Mapping[str, Sequence[int]] | None = None,
    precision: str | None = None,
    order: str | None = None,
    kernels: str | Sequence[str] | None = None,
    blas: str | None = None,
    lapack: str | None = None,
    threads: int | None = None,
) -> _documents.ContractResult:
    """List the BLAS-based algorithms of a contraction.

    - notation: "ai,ibc->abc", "abc=ai,ibc" or "C_abc := A_ai B_ibc"
    - sizes: elements along each index: {"a": 100, "i": 8}
    - strides: strides of A, B and C in elements; missing: dense tensors in `order`
    - precision: s, d, c or z; default: "d"
    - order: order of dense tensors in memory; default: "row_major"
    - kernels: only algorithms of these BLAS kernels
    """
    request = {
        "notation": notation,
        "sizes": sizes,
        "strides": strides,
        "precision": precision,
        "order": order,
        "kernels": listed(kernels),
    }
    libraries: dict[str, Any] = {"blas": blas, "lapack": lapack, "threads": threads}
    return cast(_documents.ContractResult, do("contract_list", request, libraries))


def mpi_run(
    launcher: str | Sequence[str],
    command: str | Sequence[str],
    *,
    policy: str | None = None,
    clock: str | None = None,
    tolerance: float | None = None,
    confidence: float | None = None,
    across_sizes: bool | None = None,
    windows: bool | None = None,
    thread_multiple: bool | None = None,
    tuned_kernels: bool | None = None,
    patience: float | None = None,
    prior_profile: str | None = None,
    blas: str | None = None,
    lapack: str | None = None,
    kernels: str | None = None,
    threads: int | None = None,
) -> _documents.MpiProfileResult:
    """Launch an MPI program and find its critical path.

    - launcher: command that starts the processes: ["mpirun", "-n", "4"]
    - command: program and its arguments
    - policy: kernels that are executed: full, conditional, local, online, a-priori or eager; default: "full"
    - clock: clock of the path: auto, wall or cpu; default: "auto"
    - tolerance: relative half-width of the interval from which on a time is known; default: 0.1
    - confidence: confidence of the interval, 0.5 to 0.9999; default: 0.95
    - across_sizes: predict kernels of sizes never executed from other sizes; default: false
    - windows: execute segments as a whole; default: true
    - thread_multiple: let the program have MPI_THREAD_MULTIPLE; default: true
    - tuned_kernels: use the kernels of BLAS that were found best; default: true
    - patience: seconds without a new kernel after which the program is stopped; 0: for ever; default: 60.0
    - prior_profile: file with a profile whose kernel times are used; empty: none
    """
    request = {
        "launcher": listed(launcher),
        "command": listed(command),
        "policy": policy,
        "clock": clock,
        "tolerance": tolerance,
        "confidence": confidence,
        "across_sizes": across_sizes,
        "windows": windows,
        "thread_multiple": thread_multiple,
        "tuned_kernels": tuned_kernels,
        "patience": patience,
        "prior_profile": prior_profile,
    }
    libraries: dict[str, Any] = {"blas": blas, "lapack": lapack, "kernels": kernels, "threads": threads}
    return cast(_documents.MpiProfileResult, do("mpi_run", request, libraries))


def mpi_tune(
    space: str,
    *,
    policy: str | None = None,
    tolerance: float | None = None,
    confidence: float | None = None,
    min_count: int | None = None,
    self_check: str | None = None,
    prior_profile: str | None = None,
    patience: float | None = None,
    tuned_kernels: bool | None = None,
    min_coverage: float | None = None,
    confirm: int | None = None,
    confirm_ties: bool | None = None,
    across_sizes: bool | None = None,
    windows: bool | None = None,
    thread_multiple: bool | None = None,
    validate: bool | None = None,
    fresh: bool | None = None,
    blas: str | None = None,
    lapack: str | None = None,
    kernels: str | None = None,
    threads: int | None = None,
) -> _documents.MpiTuningResult:
    """Predict every configuration of an MPI program by selective execution.

    - space: file of the space (flopcast-mpi-space-1)
    - policy: full, conditional, local, online, a-priori or eager; default: "local"
    - tolerance: relative half-width of the interval from which on a time is known; default: 0.1
    - confidence: confidence of the interval, 0 to 1; default: 0.95
    - min_count: executions of a kernel that make its time known, at least; default: 3
    - self_check: configurations whose MPI calls are compared with a full execution's; default: "once"
    - prior_profile: file with a profile whose kernel times are used; empty: none
    - patience: seconds without a new kernel after which a program is stopped; 0: for ever; default: 60.0
    - tuned_kernels: use the kernels of BLAS that were found best; default: true
    - min_coverage: share of the path that must lie in kernels, 0 to 1; default: 0.25
    - confirm: configurations that are executed in full at the end; default: 0
    - confirm_ties: confirm the configurations that tie with the best one; default: false
    - across_sizes: predict kernels of sizes never executed from other sizes; default: true
    - windows: execute segments as a whole; default: true
    - thread_multiple: let the program have MPI_THREAD_MULTIPLE; default: true
    - validate: execute each configuration in full as well, before; default: false
    - fresh: use no kernel times and no self-checks of the store; default: false
    """
    request = {
        "space": space,
        "policy": policy,
        "tolerance": tolerance,
        "confidence": confidence,
        "min_count": min_count,
        "self_check": self_check,
        "prior_profile": prior_profile,
        "patience": patience,
        "tuned_kernels": tuned_kernels,
        "min_coverage": min_coverage,
        "confirm": confirm,
        "confirm_ties": confirm_ties,
        "across_sizes": across_sizes,
        "windows": windows,
        "thread_multiple": thread_multiple,
        "validate": validate,
        "fresh": fresh,
    }
    libraries: dict[str, Any] = {"blas": blas, "lapack": lapack, "kernels": kernels, "threads": threads}
    return cast(_documents.MpiTuningResult, do("mpi_tune", request, libraries))


def mpi_simulate(
    command: str | Sequence[str],
    ranks: Sequence[int],
    *,
    machine: str | None = None,
    platform: str | None = None,
    latency: float | None = None,
    bandwidth: float | None = None,
    cores_per_node: int | None = None,
    time_budget: float | None = None,
    tuned_kernels: bool | None = None,
    only_kernels: bool | None = None,
    blas: str | None = None,
    lapack: str | None = None,
    kernels: str | None = None,
    threads: int | None = None,
) -> _documents.MpiSimulationResult:
    """Predict an MPI program on a machine that isn't there, with SimGrid.

    - command: program, built for SMPI, and its arguments
    - ranks: numbers of processes, each simulated by itself
    - machine: file with a description (flopcast-machine-description-1)
    - platform: file in SimGrid's own format
    - latency: seconds of a message between hosts
    - bandwidth: bytes per second between hosts
    - cores_per_node: cores of a host; 0: as the machine is described; default: 0
    - time_budget: seconds for measuring kernels, per number of processes; default: 20.0
    - tuned_kernels: use the kernels of BLAS that were found best; default: true
    - only_kernels: the program's own code takes no time; default: false
    """
    request = {
        "command": listed(command),
        "ranks": ranks,
        "machine": machine,
        "platform": platform,
        "latency": latency,
        "bandwidth": bandwidth,
        "cores_per_node": cores_per_node,
        "time_budget": time_budget,
        "tuned_kernels": tuned_kernels,
        "only_kernels": only_kernels,
    }
    libraries: dict[str, Any] = {"blas": blas, "lapack": lapack, "kernels": kernels, "threads": threads}
    return cast(_documents.MpiSimulationResult, do("mpi_simulate", request, libraries))


def mpi_describe(
    *,
    mpi: str | None = None,
    launcher: str | None = None,
    blas: str | None = None,
    lapack: str | None = None,
    kernels: str | None = None,
    threads: int | None = None,
) -> _documents.MachineDescriptionResult:
    """Measure messages between two processes of this machine.

    - mpi: MPI whose messages are measured; default: "openmpi"
    - launcher: command that starts MPI programs; empty: the MPI's mpirun
    """
    request = {
        "mpi": mpi,
        "launcher": launcher,
    }
    libraries: dict[str, Any] = {"blas": blas, "lapack": lapack, "kernels": kernels, "threads": threads}
    return cast(_documents.MachineDescriptionResult, do("mpi_describe", request, libraries))


__all__ = [
    "tune",
    "tune_lapack",
    "rank",
    "tune_jointly",
    "predict",
    "predict_trace",
    "trace",
    "record",
    "recording",
    "profile",
    "run",
    "environment",
    "wisdom_list",
    "wisdom_export",
    "wisdom_import",
    "wisdom_import_system",
    "wisdom_merge",
    "wisdom_forget",
    "export_ilaenv",
    "machine",
    "model",
    "model_plan",
    "model_list",
    "model_show",
    "model_check",
    "sample",
    "roofline",
    "roofline_plan",
    "roofline_compare",
    "contract_plan",
    "contract_run",
    "contract_files",
    "einsum_plan",
    "einsum_run",
    "einsum_files",
    "contract_rank",
    "contract_list",
    "mpi_run",
    "mpi_tune",
    "mpi_simulate",
    "mpi_describe",
]
