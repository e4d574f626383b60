"""Documents of flopcast as frozen dataclasses.

scripts/make_python_documents writes this file from the schemas that `flopcast schema` publishes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from ._results import Recorded, Result


@dataclass(frozen=True, kw_only=True)
class ContractStrides:
    """Part of a document: contract strides."""

    A: tuple[int, ...]
    B: tuple[int, ...]
    C: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class ContractAlgorithmsCopies:
    """Part of a document: contract algorithms copies."""

    operand: str
    inside: str
    depth: int


@dataclass(frozen=True, kw_only=True)
class ContractPart:
    """Part of a document: contract part.

    - seconds: Time of one call [s].
    """

    what: str
    calls: float
    seconds: float


@dataclass(frozen=True, kw_only=True)
class ContractAlgorithms:
    """Part of a document: contract algorithms.

    - loops: Indices of the loops around the kernel, the outermost first.
    - seconds: Predicted time; only in rankings, as the members below [s].
    - interval_95: Lower and upper end.
    - flops_per_cycle: [flop/cycle].
    - tie: Can't be distinguished from the fastest one.
    - measured_seconds: [s].
    """

    name: str
    kernel: str
    kernel_indices: str
    loops: str
    copies: tuple[ContractAlgorithmsCopies, ...]
    kernel_calls: float
    seconds: float | None = None
    interval_95: tuple[float, ...] | None = None
    deviation: float | None = None
    parts: tuple[ContractPart, ...] | None = None
    flops_per_cycle: float | None = None
    tie: bool | None = None
    measured_seconds: float | None = None


@dataclass(frozen=True, kw_only=True)
class CacheLevel:
    """Part of a document: cache level.

    - name: "L1", "L2", "L3".
    - capacity_bytes: Measured: best estimate of the capacity knee; the share of one core if the level is private [B].
    - capacity_low_bytes: Lower end of the interval of the capacity knee [B].
    - capacity_high_bytes: Upper end of the interval of the capacity knee [B].
    - reported_bytes: Capacity that the system reports; 0 if it reports none [B].
    - line_bytes: [B].
    - associativity: Reported; 0 if unknown.
    - bandwidth: Triad, bytes per second, one core.
    - latency_seconds: Latency of a serial pointer chase [s].
    - serial_chase_bytes: [B].
    - parallel_chase_bytes: [B].
    """

    name: str
    capacity_bytes: int
    capacity_low_bytes: int
    capacity_high_bytes: int
    reported_bytes: int
    line_bytes: int
    associativity: int
    bandwidth: float
    latency_seconds: float
    serial_chase_bytes: int | None = None
    parallel_chase_bytes: int | None = None


@dataclass(frozen=True, kw_only=True)
class LibraryIdentity:
    """Part of a document: library identity.

    - name: "openblas", "blis", "reference".
    - path: Resolved path of the loaded file.
    - version: Version that the library reports.
    - kernels: Kernels that the library chose for this CPU, if it reports them ("SkylakeX"); else empty.
    - threading: "serial", "pthread", "openmp", or empty.
    - digest: Digest of the file: tells builds apart.
    - integer_bytes: Bytes of the integers that its routines take: 4 (LP64) or 8 (ILP64) [B].
    """

    name: str
    path: str
    version: str
    kernels: str
    threading: str
    digest: str
    integer_bytes: int | None = None


@dataclass(frozen=True, kw_only=True)
class Environment:
    """Part of a document: environment.

    - cpu: Model name.
    - caches: From L1 outwards.
    - memory_bandwidth: Triad, bytes per second, one core.
    - peak_flops: Best double-precision rate seen on one core (reference dgemm), flops per second [flop].
    - fingerprint: Digest of CPU, classes of the measured caches, and libraries; models hold only where it is equal.
    """

    cpu: str
    cores: int
    caches: tuple[CacheLevel, ...]
    memory_bandwidth: float
    peak_flops: float
    blas: LibraryIdentity
    lapack: LibraryIdentity
    threads: int
    affinity: str
    fingerprint: str


@dataclass(frozen=True, kw_only=True)
class ContractOptions:
    """Part of a document: contract options."""

    stage: str
    repetitions: int
    prefetched_lines: int


@dataclass(frozen=True, kw_only=True)
class ContractCost:
    """Part of a document: contract cost.

    - seconds: [s].
    """

    seconds: float
    benchmarks: int
    shared: int
    known: int


@dataclass(frozen=True, kw_only=True, repr=False)
class ContractResult(Result):
    """BLAS-based algorithms of a contraction, ranked or listed.

    - contraction: Notation, such as "abc=ai,ibc".
    - sizes: Elements along each index.
    - strides: In elements.
    - flops: [flop].
    - mean_error: Mean of |predicted / measured - 1| over executed algorithms.
    - regret: Fraction by which the first algorithm takes longer than the fastest.
    """

    schema_name: ClassVar[str] = "flopcast-contract-1"
    title: ClassVar[str] = "BLAS-based algorithms of a contraction, ranked or listed"
    main_table: ClassVar[str] = "algorithms"
    contraction: str
    sizes: dict[str, int]
    strides: ContractStrides
    precision: str
    flops: float
    algorithms: tuple[ContractAlgorithms, ...]
    environment: Environment | None = None
    options: ContractOptions | None = None
    cost: ContractCost | None = None
    mean_error: float | None = None
    regret: float | None = None


@dataclass(frozen=True, kw_only=True)
class ContractPlanStrides:
    """Part of a document: contract plan strides."""

    A: tuple[int, ...]
    B: tuple[int, ...]
    C: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class ConsideredTiles:
    """Part of a document: considered tiles.

    - seconds: Expected time of one execution [s].
    - basis: Source of the time: "model", "micro-benchmark" or "execution".
    """

    tiles: str
    seconds: float
    basis: str


@dataclass(frozen=True, kw_only=True)
class PlanSummary:
    """Part of a document: plan summary.

    - seconds: Expected time of one execution [s].
    - workspace_bytes: Bytes for packing [B].
    - considered: At most 16, the chosen tiles first.
    - loops: Order of the loops over tiles, such as "nkm".
    - kept: Operands whose packed tiles are kept, such as "AC".
    - decided: The choice is final; false while executions of an incremental plan try candidates.
    """

    explanation: str
    seconds: float
    workspace_bytes: int
    considered: tuple[ConsideredTiles, ...]
    loops: str
    kept: str
    decided: bool | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class ContractPlanResult(Result):
    """Plan of a contraction.

    - contraction: Notation, such as "abc=ai,ibc".
    - sizes: Elements along each index.
    - strides: In elements.
    - flops: [flop].
    """

    schema_name: ClassVar[str] = "flopcast-contract-plan-1"
    title: ClassVar[str] = "Plan of a contraction"
    main_table: ClassVar[str] = "plan.considered"
    contraction: str
    sizes: dict[str, int]
    strides: ContractPlanStrides
    precision: str
    flops: float
    plan: PlanSummary


@dataclass(frozen=True, kw_only=True)
class ContractRunStrides:
    """Part of a document: contract run strides."""

    A: tuple[int, ...]
    B: tuple[int, ...]
    C: tuple[int, ...]


@dataclass(frozen=True, kw_only=True, repr=False)
class ContractRunResult(Result):
    """A contraction that was planned and executed.

    - contraction: Notation, such as "abc=ai,ibc".
    - sizes: Elements along each index.
    - strides: In elements.
    - flops: [flop].
    - planning_seconds: Time until the plan was ready, without the time for opening the machine [s].
    - times: Time of each execution.
    - flops_per_second: Rate of the median execution [flop/s].
    """

    schema_name: ClassVar[str] = "flopcast-contract-run-1"
    title: ClassVar[str] = "A contraction that was planned and executed"
    main_table: ClassVar[str] = "plan.considered"
    contraction: str
    sizes: dict[str, int]
    strides: ContractRunStrides
    precision: str
    flops: float
    plan: PlanSummary
    planning_seconds: float
    times: tuple[float, ...]
    flops_per_second: float


@dataclass(frozen=True, kw_only=True)
class PlannedStep:
    """Part of a document: planned step.

    - step: Such as "t1[ac] := operand1[ab] operand2[bc]".
    - executions: 1, or the number of blocks for which the step is repeated.
    - flops: Flops of all executions [flop].
    - bytes: Elements read and written [B].
    - seconds: Predicted time of all executions [s].
    """

    step: str
    executions: float
    flops: float
    bytes: float
    seconds: float


@dataclass(frozen=True, kw_only=True)
class BlockedLabel:
    """Part of a document: blocked label.

    - size: Elements along the label.
    - block_size: Elements of a block; the last block may be shorter.
    """

    label: str
    size: int
    block_size: int


@dataclass(frozen=True, kw_only=True, repr=False)
class EinsumPlanResult(Result):
    """Plan of an expression with its steps.

    - expression: In einsum's notation, such as "ab,bc,cd->ad".
    - sizes: Size of each label.
    - flops: Flops of one execution [flop].
    - steps: Pairwise contractions, sums and copies in their order.
    - blocks: Labels that are cut into blocks, because intermediates would have no room.
    - is_exhaustive: No other order of the operands was left out of the search.
    """

    schema_name: ClassVar[str] = "flopcast-einsum-plan-1"
    title: ClassVar[str] = "Plan of an expression with its steps"
    main_table: ClassVar[str] = "steps"
    expression: str
    sizes: dict[str, int]
    plan: PlanSummary
    flops: float
    steps: tuple[PlannedStep, ...] | None = None
    blocks: tuple[BlockedLabel, ...] | None = None
    is_exhaustive: bool | None = None
    precision: str


@dataclass(frozen=True, kw_only=True, repr=False)
class EinsumRunResult(Result):
    """An expression that was planned and executed.

    - expression: In einsum's notation, such as "ijx,jk->ik".
    - sizes: Size of each label.
    - flops: Flops of one execution [flop].
    - planning_seconds: Time until the plan was ready, without the time for opening the machine [s].
    - times: Time of each execution.
    - flops_per_second: Rate of the median execution [flop/s].
    - steps: Pairwise contractions, sums and copies in their order.
    - blocks: Labels that are cut into blocks, because intermediates would have no room.
    - is_exhaustive: No other order of the operands was left out of the search.
    """

    schema_name: ClassVar[str] = "flopcast-einsum-run-1"
    title: ClassVar[str] = "An expression that was planned and executed"
    main_table: ClassVar[str] = "plan.considered"
    expression: str
    sizes: dict[str, int]
    plan: PlanSummary
    flops: float
    planning_seconds: float
    times: tuple[float, ...]
    flops_per_second: float
    steps: tuple[PlannedStep, ...] | None = None
    blocks: tuple[BlockedLabel, ...] | None = None
    is_exhaustive: bool | None = None
    precision: str


@dataclass(frozen=True, kw_only=True)
class ProgramEnvironmentChange:
    """Part of a document: program environment change.

    - action: Assign: set the variable; suggest: set the variable unless it is set; prepend: put the value and a colon before the variable's
      value, unless the value is in there.
    """

    name: str
    action: str
    value: str


@dataclass(frozen=True, kw_only=True, repr=False)
class EnvironmentResult(Result):
    """Variables with which programs run as under `flopcast run`.

    - variables: Values that the changes give in the present environment.
    - blas: File that takes the place of the program's BLAS; empty: its own stays.
    - lapack: File that takes the place of the program's LAPACK; empty: its own stays.
    - routines: Routines with tuned block sizes: "dgeqrf", "dpotrf:L".
    """

    schema_name: ClassVar[str] = "flopcast-environment-1"
    title: ClassVar[str] = "Variables with which programs run as under `flopcast run`"
    main_table: ClassVar[str] = "changes"
    changes: tuple[ProgramEnvironmentChange, ...]
    variables: dict[str, str]
    blas: str
    lapack: str
    routines: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, repr=False)
class IlaenvResult(Result):
    """Source of LAPACK's ilaenv with tuned block sizes.

    - cpu: CPU that the block sizes hold for.
    - place: Libraries and threads that the block sizes hold for.
    - routines: Routines with tuned values.
    - left_out: Routines that ilaenv can't tell from another one, because they pass its name.
    """

    schema_name: ClassVar[str] = "flopcast-ilaenv-1"
    title: ClassVar[str] = "Source of LAPACK's ilaenv with tuned block sizes"
    language: str
    cpu: str
    place: str
    source: str
    routines: tuple[str, ...]
    left_out: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class MachineCpuPlace:
    """Part of a document: machine cpu place.

    - kind: 0 is the fastest kind of cores, others follow in the order of their speed.
    """

    cpu: int
    core: int
    socket: int
    kind: int


@dataclass(frozen=True, kw_only=True)
class MachineReportedCache:
    """Part of a document: machine reported cache.

    - bytes: [B].
    - line_bytes: 0 if not told [B].
    - associativity: 0 if not told.
    - cores: Cores that share one instance.
    """

    level: int
    bytes: int
    line_bytes: int
    associativity: int
    cores: int


@dataclass(frozen=True, kw_only=True)
class MachineTopologyKindsMeasuredPatterns:
    """Part of a document: machine topology kinds measured patterns.

    - stream_bytes: [B].
    - parallel_chase_bytes: [B].
    - serial_chase_bytes: [B].
    """

    stream_bytes: int
    parallel_chase_bytes: int
    serial_chase_bytes: int


@dataclass(frozen=True, kw_only=True)
class MachineTopologyKindsMeasuredBandwidthShares:
    """Part of a document: machine topology kinds measured bandwidth shares.

    - cache: Share of one thread's bandwidth that each thread keeps, 0 to 1.
    - memory: Share of one thread's bandwidth that each thread keeps, 0 to 1.
    """

    threads: int
    cache: float
    memory: float


@dataclass(frozen=True, kw_only=True)
class MachineTopologyKindsMeasured:
    """Part of a document: machine topology kinds measured.

    - busy_cores: Cores that other programs kept busy.
    - triad: Working set in bytes, bytes per second.
    - chase: Working set in bytes, seconds per access.
    - parallel_chase: Working set in bytes, seconds per access.
    - memory_bandwidth: Bytes per second.
    - memory_latency_seconds: [s].
    """

    cpu: str
    quick: bool
    busy_cores: float | None = None
    huge_pages: bool
    triad: tuple[tuple[float, ...], ...]
    chase: tuple[tuple[float, ...], ...]
    parallel_chase: tuple[tuple[float, ...], ...] | None = None
    levels: tuple[CacheLevel, ...]
    patterns: tuple[MachineTopologyKindsMeasuredPatterns, ...] | None = None
    memory_bandwidth: float
    memory_latency_seconds: float
    peaks: dict[str, float]
    peak_moments: dict[str, int] | None = None
    dgemm_rates: dict[str, float] | None = None
    bandwidth_shares: tuple[MachineTopologyKindsMeasuredBandwidthShares, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class MachineTopologyKinds:
    """Part of a document: machine topology kinds.

    - name: "performance" and "efficiency"; of more kinds "kind 1", "kind 2", the fastest first.
    - cpus: Usable hardware threads.
    - cores: Cores that these belong to.
    - max_hertz: Highest clock; 0 if not told [Hz].
    - caches: Caches of its first core, from L1 outwards.
    - measured: Of kinds of cores other than the first.
    """

    name: str
    cpus: tuple[int, ...]
    cores: int
    max_hertz: float
    caches: tuple[MachineReportedCache, ...]
    measured: MachineTopologyKindsMeasured | None = None


@dataclass(frozen=True, kw_only=True)
class MachineTopology:
    """Part of a document: machine topology.

    - cpu: Model name with family, model and stepping where they are told: names are masked in virtual machines.
    - cores: Hyperthreads of one core count once.
    - places: Places of the usable hardware threads, in their order.
    - usable_cores: Cores that these belong to.
    - cpu_quota: CPUs' worth of time that the control group grants; 0: no limit.
    - memory_bytes: [B].
    - caches: Caches of the first usable core of the fastest kind, from L1 outwards.
    - this_system: False: read from a file (HWLOC_XMLFILE), so that no thread can be bound to its CPUs.
    """

    cpu: str
    sockets: int
    cores: int
    hardware_threads: int
    numa_nodes: int
    usable_cpus: tuple[int, ...]
    places: tuple[MachineCpuPlace, ...] | None = None
    usable_cores: int
    cpu_quota: float
    memory_bytes: int
    kinds: tuple[MachineTopologyKinds, ...]
    caches: tuple[MachineReportedCache, ...]
    this_system: bool | None = None


@dataclass(frozen=True, kw_only=True)
class MachineClockQuality:
    """Part of a document: machine clock quality.

    - resolution_seconds: Smallest step seen between different readings [s].
    - overhead_seconds: Median difference of two readings with nothing between them [s].
    """

    resolution_seconds: float
    overhead_seconds: float


@dataclass(frozen=True, kw_only=True)
class MachineClock:
    """Part of a document: machine clock."""

    invariant_tsc: bool
    uses_counter: bool | None = None
    ticks_per_second: float
    wall: MachineClockQuality
    thread_cpu: MachineClockQuality


@dataclass(frozen=True, kw_only=True)
class MachineNoise:
    """Part of a document: machine noise.

    - spread: Interquartile range of equal work / its median.
    - disturbed_share: Share of slices that took over 1.5 times the median or lost the CPU.
    - stolen_share: Share of the CPU's time that the hypervisor took.
    - slice_seconds: Median time of one slice of work [s].
    """

    spread: float
    disturbed_share: float
    stolen_share: float
    slice_seconds: float
    judgement: str


@dataclass(frozen=True, kw_only=True)
class MachineMeasuredPatterns:
    """Part of a document: machine measured patterns.

    - stream_bytes: [B].
    - parallel_chase_bytes: [B].
    - serial_chase_bytes: [B].
    """

    stream_bytes: int
    parallel_chase_bytes: int
    serial_chase_bytes: int


@dataclass(frozen=True, kw_only=True)
class MachineMeasuredBandwidthShares:
    """Part of a document: machine measured bandwidth shares.

    - cache: Share of one thread's bandwidth that each thread keeps, 0 to 1.
    - memory: Share of one thread's bandwidth that each thread keeps, 0 to 1.
    """

    threads: int
    cache: float
    memory: float


@dataclass(frozen=True, kw_only=True)
class MachineMeasured:
    """Part of a document: machine measured.

    - busy_cores: Cores that other programs kept busy.
    - triad: Working set in bytes, bytes per second.
    - chase: Working set in bytes, seconds per access.
    - parallel_chase: Working set in bytes, seconds per access.
    - memory_bandwidth: Bytes per second.
    - memory_latency_seconds: [s].
    """

    cpu: str
    quick: bool
    busy_cores: float | None = None
    huge_pages: bool
    triad: tuple[tuple[float, ...], ...]
    chase: tuple[tuple[float, ...], ...]
    parallel_chase: tuple[tuple[float, ...], ...] | None = None
    levels: tuple[CacheLevel, ...]
    patterns: tuple[MachineMeasuredPatterns, ...] | None = None
    memory_bandwidth: float
    memory_latency_seconds: float
    peaks: dict[str, float]
    peak_moments: dict[str, int] | None = None
    dgemm_rates: dict[str, float] | None = None
    bandwidth_shares: tuple[MachineMeasuredBandwidthShares, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class MachineKernelTrial:
    """Part of a document: machine kernel trial.

    - setting: "OPENBLAS_CORETYPE=SkylakeX".
    - dgemm_flops: Flops per second, one thread [flop].
    """

    setting: str
    kernels: str
    dgemm_flops: float


@dataclass(frozen=True, kw_only=True)
class MachineLibraries:
    """Part of a document: machine libraries.

    - dgemm_flops: Flops per second, one thread, with the kernels that it chose; 0 without BLAS [flop].
    - trials: Other kernels, the fastest first.
    - failure: Why it couldn't be inspected; empty if it could.
    - name: Name that open() takes.
    - path: Absolute, with links resolved.
    - expected_dgemm_flops: Flop/s that the library's kernels are known to reach.
    """

    identity: LibraryIdentity
    dgemm_flops: float
    trials: tuple[MachineKernelTrial, ...]
    failure: str
    name: str
    path: str
    has_blas: bool
    has_lapack: bool
    expected_dgemm_flops: float | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class MachineResult(Result):
    """Report on a machine: cores, caches, clocks, noise, libraries.

    - frequency_hertz: [Hz].
    - nominal_hertz: [Hz].
    """

    schema_name: ClassVar[str] = "flopcast-machine-2"
    title: ClassVar[str] = "Report on a machine: cores, caches, clocks, noise, libraries"
    main_table: ClassVar[str] = "libraries"
    fingerprint: str
    topology: MachineTopology
    clock: MachineClock
    frequency_hertz: float
    nominal_hertz: float
    noise: MachineNoise
    measured: MachineMeasured
    findings: tuple[str, ...]
    libraries: tuple[MachineLibraries, ...]


@dataclass(frozen=True, kw_only=True)
class MachineDescriptionWithinHost:
    """Part of a document: machine description within host.

    - latency_seconds: [s].
    - bytes_per_second: [B/s].
    """

    latency_seconds: float | None = None
    bytes_per_second: float | None = None


@dataclass(frozen=True, kw_only=True)
class MachineDescriptionBetweenHosts:
    """Part of a document: machine description between hosts.

    - latency_seconds: [s].
    - bytes_per_second: [B/s].
    """

    latency_seconds: float | None = None
    bytes_per_second: float | None = None


@dataclass(frozen=True, kw_only=True)
class MachineDescriptionMessageClasses:
    """Part of a document: machine description message classes.

    - bytes: Messages of so many bytes and more, up to the next entry [B].
    """

    bytes: int | None = None
    latency_factor: float | None = None
    bandwidth_factor: float | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class MachineDescriptionResult(Result):
    """Machine that MPI programs are simulated on.

    - core_speed: Speed of a core as a multiple of this machine's.
    - busy_core_speed: Speed of a core while all others are busy, as a multiple.
    - eager_bytes: [B].
    """

    schema_name: ClassVar[str] = "flopcast-machine-description-1"
    title: ClassVar[str] = "Machine that MPI programs are simulated on"
    hosts: int | None = None
    cores_per_host: int | None = None
    core_speed: float | None = None
    busy_core_speed: float | None = None
    within_host: MachineDescriptionWithinHost | None = None
    between_hosts: MachineDescriptionBetweenHosts | None = None
    eager_bytes: int | None = None
    message_classes: tuple[MachineDescriptionMessageClasses, ...] | None = None
    disturbances: tuple[str, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class MeasuredMachinePatterns:
    """Part of a document: measured machine patterns.

    - stream_bytes: [B].
    - parallel_chase_bytes: [B].
    - serial_chase_bytes: [B].
    """

    stream_bytes: int
    parallel_chase_bytes: int
    serial_chase_bytes: int


@dataclass(frozen=True, kw_only=True)
class MeasuredMachineBandwidthShares:
    """Part of a document: measured machine bandwidth shares.

    - cache: Share of one thread's bandwidth that each thread keeps, 0 to 1.
    - memory: Share of one thread's bandwidth that each thread keeps, 0 to 1.
    """

    threads: int
    cache: float
    memory: float


@dataclass(frozen=True, kw_only=True, repr=False)
class MeasuredMachineResult(Result):
    """Measured caches and memory.

    - busy_cores: Cores that other programs kept busy.
    - triad: Working set in bytes, bytes per second.
    - chase: Working set in bytes, seconds per access.
    - parallel_chase: Working set in bytes, seconds per access.
    - memory_bandwidth: Bytes per second.
    - memory_latency_seconds: [s].
    """

    schema_name: ClassVar[str] = "flopcast-measured-machine-1"
    title: ClassVar[str] = "Measured caches and memory"
    cpu: str
    quick: bool
    busy_cores: float | None = None
    huge_pages: bool
    triad: tuple[tuple[float, ...], ...]
    chase: tuple[tuple[float, ...], ...]
    parallel_chase: tuple[tuple[float, ...], ...] | None = None
    levels: tuple[CacheLevel, ...]
    patterns: tuple[MeasuredMachinePatterns, ...] | None = None
    memory_bandwidth: float
    memory_latency_seconds: float
    peaks: dict[str, float]
    peak_moments: dict[str, int] | None = None
    dgemm_rates: dict[str, float] | None = None
    bandwidth_shares: tuple[MeasuredMachineBandwidthShares, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class ModelKey:
    """Part of a document: model key.

    - flags: Values of the flag arguments, such as "LNNU".
    - scalars: Classes of the scalar arguments: 0, 1, - for -1, x for other values.
    - strides: Classes of the leading dimensions and increments.
    - cache: State of the caches, such as "placed" or "warm".
    - library: Fingerprint of the environment.
    - zeros: Sizes that are 0.
    """

    routine: str
    flags: str
    scalars: str
    strides: str
    cache: str
    threads: int
    library: str
    zeros: str | None = None


@dataclass(frozen=True, kw_only=True)
class ModelOptions:
    """Part of a document: model options."""

    arguments: dict[str, str]
    complete: bool
    cache: str | None = None
    minimum_width: int | None = None
    grid: str | None = None
    error_bound: float | None = None
    minimum_size: int | None = None
    degree: int | None = None
    oversampling: int | None = None
    error_type: str | None = None
    basis: str | None = None
    reuse: bool | None = None
    maximum_depth: int | None = None
    measurements: int | None = None
    thresholds: tuple[float, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class ModelDomain:
    """Part of a document: model domain."""

    low: tuple[int, ...]
    high: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class ModelPiecesBox:
    """Part of a document: model pieces box."""

    low: tuple[int, ...]
    high: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class ModelPiecesPolynomial:
    """Part of a document: model pieces polynomial.

    - monomials: Exponents of each size.
    """

    centre: tuple[float, ...]
    scale: tuple[float, ...]
    monomials: tuple[tuple[int, ...], ...]
    coefficients: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class ModelPiecesError:
    """Part of a document: model pieces error."""

    maximum: float
    mean: float
    median: float
    deviation: float


@dataclass(frozen=True, kw_only=True)
class ModelPieces:
    """Part of a document: model pieces.

    - floor_seconds: [s].
    - bytes_high: Missing if there is no upper end.
    """

    box: ModelPiecesBox
    polynomial: ModelPiecesPolynomial
    floor_seconds: float
    error: ModelPiecesError
    samples: int
    bytes_low: float
    bytes_high: float | None = None


@dataclass(frozen=True, kw_only=True)
class ModelCost:
    """Part of a document: model cost.

    - seconds: [s].
    """

    samples: int
    seconds: float


@dataclass(frozen=True, kw_only=True)
class ModelFootprintBytes:
    """Part of a document: model footprint bytes.

    - monomials: Exponents of each size.
    """

    centre: tuple[float, ...]
    scale: tuple[float, ...]
    monomials: tuple[tuple[int, ...], ...]
    coefficients: tuple[float, ...]


@dataclass(frozen=True, kw_only=True, repr=False)
class ModelResult(Result):
    """Model of a kernel's time.

    - sizes: Names of the sizes.
    - footprint_bytes: [B].
    - replaced: The store held a model of this key before.
    """

    schema_name: ClassVar[str] = "flopcast-model-1"
    title: ClassVar[str] = "Model of a kernel's time"
    key: ModelKey
    generator: str
    options: ModelOptions
    sizes: tuple[str, ...]
    domain: tuple[ModelDomain, ...]
    pieces: tuple[ModelPieces, ...]
    cost: ModelCost
    footprint_bytes: ModelFootprintBytes | None = None
    replaced: bool | None = None


@dataclass(frozen=True, kw_only=True)
class MachineState:
    """Part of a document: machine state.

    - session: Moment at which the measuring session began, in hours since 1970; 0: not known.
    - reference_seconds: Time of the reference kernel at a drift of 1, which is its median in that session; 0: not known [s].
    - unrest: Relative standard deviation that other programs' load added to a time; 0: the machine was calm.
    """

    session: float
    reference_seconds: float
    unrest: float
    spread: float


@dataclass(frozen=True, kw_only=True)
class KernelCheckKey:
    """Part of a document: kernel check key.

    - flags: Values of the flag arguments, such as "LNNU".
    - scalars: Classes of the scalar arguments: 0, 1, - for -1, x for other values.
    - strides: Classes of the leading dimensions and increments.
    - cache: State of the caches, such as "placed" or "warm".
    - library: Fingerprint of the environment.
    - zeros: Sizes that are 0.
    """

    routine: str
    flags: str
    scalars: str
    strides: str
    cache: str
    threads: int
    library: str
    zeros: str | None = None


@dataclass(frozen=True, kw_only=True)
class CheckedPoint:
    """Part of a document: checked point.

    - sizes: In the order of the interface.
    - strides: Leading dimensions and increments, in the order of the interface.
    - held_out: The prediction didn't use the samples of this place, so that it interpolates.
    - seconds: Predicted wall time [s].
    - interval: 95 % of single runs.
    - wall_times: Every run, disturbed ones included.
    """

    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    held_out: bool
    seconds: float
    interval: tuple[float, ...]
    wall_times: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class KernelCheck:
    """Part of a document: kernel check.

    - samples: Number in the store before the check.
    - retimed: Number of sampled points that were timed first, to learn the session's state.
    - points: Points that were predicted from the samples and the retimed points.
    - runs: Number of runs of all points.
    - within: Number of runs within the intervals.
    - median_error: Median over the points of |predicted / measured - 1|, where measured is the median run.
    - high_error: 95th percentile of these errors.
    - bias: Median over the points of predicted / measured - 1; positive: predicted too slow.
    - suspects: Number of sampled points that seemed to hold no longer in their first runs.
    - retested: Number of suspects that were measured once more.
    - refuted: Number of these for which both series of runs say that the samples no longer hold.
    - removed: Number of samples that were removed from the store.
    - added: Number of samples that were stored in their place.
    """

    key: KernelCheckKey
    samples: int
    retimed: int
    points: tuple[CheckedPoint, ...]
    runs: int
    within: int
    median_error: float
    high_error: float
    bias: float
    suspects: int
    retested: int
    refuted: int
    removed: int
    added: int
    verdict: str


@dataclass(frozen=True, kw_only=True, repr=False)
class ModelCheckResult(Result):
    """Check of models against new measurements.

    - state: State of the machine during the check.
    - busy_cores: Average number of cores that other programs kept busy.
    - restless: The machine was restless: nothing was replaced.
    - complete: False: the check was cancelled, and nothing was replaced.
    - seconds: Time of the check [s].
    - kernels: In the order of their keys; those that there was no time for have no points.
    """

    schema_name: ClassVar[str] = "flopcast-model-check-1"
    title: ClassVar[str] = "Check of models against new measurements"
    main_table: ClassVar[str] = "kernels"
    environment: Environment
    state: MachineState
    busy_cores: float
    restless: bool
    complete: bool
    seconds: float
    kernels: tuple[KernelCheck, ...]


@dataclass(frozen=True, kw_only=True)
class ModelPlanKey:
    """Part of a document: model plan key.

    - flags: Values of the flag arguments, such as "LNNU".
    - scalars: Classes of the scalar arguments: 0, 1, - for -1, x for other values.
    - strides: Classes of the leading dimensions and increments.
    - cache: State of the caches, such as "placed" or "warm".
    - library: Fingerprint of the environment.
    - zeros: Sizes that are 0.
    """

    routine: str
    flags: str
    scalars: str
    strides: str
    cache: str
    threads: int
    library: str
    zeros: str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class ModelPlanResult(Result):
    """Points that a model would begin with.

    - points: Number at first; with method levels the least number per memory level.
    - known: Number of points in the domain whose times the store has.
    """

    schema_name: ClassVar[str] = "flopcast-model-plan-1"
    title: ClassVar[str] = "Points that a model would begin with"
    key: ModelPlanKey
    method: str
    points: int
    known: int


@dataclass(frozen=True, kw_only=True)
class ModelSummaryKey:
    """Part of a document: model summary key.

    - flags: Values of the flag arguments, such as "LNNU".
    - scalars: Classes of the scalar arguments: 0, 1, - for -1, x for other values.
    - strides: Classes of the leading dimensions and increments.
    - cache: State of the caches, such as "placed" or "warm".
    - library: Fingerprint of the environment.
    - zeros: Sizes that are 0.
    """

    routine: str
    flags: str
    scalars: str
    strides: str
    cache: str
    threads: int
    library: str
    zeros: str | None = None


@dataclass(frozen=True, kw_only=True)
class ModelSummaryDomain:
    """Part of a document: model summary domain."""

    low: tuple[int, ...]
    high: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class ModelSummary:
    """Part of a document: model summary.

    - generator: "refined" or "levels".
    - sizes: Names of the sizes.
    - samples: Number of measured points.
    - seconds: Time spent on measuring [s].
    - largest_error: Relative error at a sample.
    - other_machine: The model is of another machine or library than the workbench.
    """

    name: str
    key: ModelSummaryKey
    generator: str
    sizes: tuple[str, ...]
    domain: tuple[ModelSummaryDomain, ...]
    pieces: int
    samples: int
    seconds: float
    largest_error: float
    other_machine: bool


@dataclass(frozen=True, kw_only=True, repr=False)
class ModelsResult(Result):
    """Stored models."""

    schema_name: ClassVar[str] = "flopcast-models-2"
    title: ClassVar[str] = "Stored models"
    main_table: ClassVar[str] = "models"
    models: tuple[ModelSummary, ...]
    hidden: int | None = None


@dataclass(frozen=True, kw_only=True)
class ScaleLink:
    """Part of a document: scale link.

    - latency_seconds: [s].
    - bytes_per_second: [B/s].
    """

    latency_seconds: float
    bytes_per_second: float


@dataclass(frozen=True, kw_only=True)
class MpiProfilePath:
    """Part of a document: mpi profile path.

    - seconds: [s].
    - computation_seconds: [s].
    - communication_seconds: [s].
    - idle_seconds: [s].
    - flops: [flop].
    """

    seconds: float
    computation_seconds: float
    communication_seconds: float
    idle_seconds: float
    supersteps: float
    words: float
    flops: float


@dataclass(frozen=True, kw_only=True)
class MpiProfileLongest:
    """Part of a document: mpi profile longest.

    - seconds: [s].
    - computation_seconds: [s].
    - communication_seconds: [s].
    - idle_seconds: [s].
    - flops: [flop].
    """

    seconds: float
    computation_seconds: float
    communication_seconds: float
    idle_seconds: float
    supersteps: float
    words: float
    flops: float


@dataclass(frozen=True, kw_only=True)
class MpiProfilePerProcess:
    """Part of a document: mpi profile per process.

    - seconds: [s].
    - computation_seconds: [s].
    - communication_seconds: [s].
    - idle_seconds: [s].
    - flops: [flop].
    """

    seconds: float
    computation_seconds: float
    communication_seconds: float
    idle_seconds: float
    supersteps: float
    words: float
    flops: float


@dataclass(frozen=True, kw_only=True)
class MpiProfileVolumetric:
    """Part of a document: mpi profile volumetric.

    - seconds: [s].
    - computation_seconds: [s].
    - communication_seconds: [s].
    - idle_seconds: [s].
    - flops: [flop].
    """

    seconds: float
    computation_seconds: float
    communication_seconds: float
    idle_seconds: float
    supersteps: float
    words: float
    flops: float


@dataclass(frozen=True, kw_only=True)
class MpiWait:
    """Part of a document: mpi wait.

    - awaited_rank: The other process; missing or null if there are several.
    - seconds: [s].
    """

    routine: str
    awaited_rank: int | None = None
    seconds: float


@dataclass(frozen=True, kw_only=True)
class MpiProfileProcesses:
    """Part of a document: mpi profile processes.

    - seconds: [s].
    - computation_seconds: [s].
    - communication_seconds: [s].
    - idle_seconds: [s].
    - flops: [flop].
    - cpu_seconds: CPU time of all threads [s].
    - without_core_seconds: Ready to run, but without a core [s].
    - program_without_core_seconds: The part of that outside of MPI [s].
    - blocked_seconds: Outside of MPI neither computing nor ready to run: asleep, or waiting for a file [s].
    """

    seconds: float
    computation_seconds: float
    communication_seconds: float
    idle_seconds: float
    supersteps: float
    words: float
    flops: float
    rank: int
    host: str
    on_path_seconds: float
    cpu_seconds: float | None = None
    without_core_seconds: float | None = None
    program_without_core_seconds: float | None = None
    blocked_seconds: float | None = None
    longest_wait: MpiWait | None = None


@dataclass(frozen=True, kw_only=True)
class SelectiveRunTimeRatio:
    """Part of a document: selective run time ratio.

    - taken_seconds: [s].
    - expected_seconds: [s].
    """

    taken_seconds: float
    expected_seconds: float


@dataclass(frozen=True, kw_only=True)
class MpiProfileSpent:
    """Part of a document: mpi profile spent.

    - always_seconds: [s].
    - brief_seconds: [s].
    - window_seconds: [s].
    - unseen_seconds: [s].
    - unsure_seconds: [s].
    - preparing_seconds: [s].
    - leaving_out_seconds: [s].
    - messages_seconds: [s].
    - waiting_seconds: [s].
    - calls_seconds: [s].
    - program_seconds: [s].
    - system_seconds: [s].
    """

    always_seconds: float | None = None
    brief_seconds: float | None = None
    window_seconds: float | None = None
    unseen_seconds: float | None = None
    unsure_seconds: float | None = None
    preparing_seconds: float | None = None
    leaving_out_seconds: float | None = None
    messages_seconds: float | None = None
    waiting_seconds: float | None = None
    calls_seconds: float | None = None
    program_seconds: float | None = None
    system_seconds: float | None = None
    page_faults: float | None = None


@dataclass(frozen=True, kw_only=True)
class MpiTraffic:
    """Part of a document: mpi traffic.

    - bytes: [B].
    - largest_bytes: [B].
    """

    messages: float
    bytes: float
    largest_bytes: float


@dataclass(frozen=True, kw_only=True)
class MpiOtherTool:
    """Part of a document: mpi other tool.

    - library: File; empty for the program itself.
    - functions: Functions that the program calls first, and that call flopcast's.
    - unseen_functions: Functions that don't call flopcast's.
    """

    library: str
    functions: tuple[str, ...] | None = None
    unseen_functions: tuple[str, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class MpiKernelAlong:
    """Part of a document: mpi kernel along.

    - mean: Null: infinite.
    - variance: Null: infinite.
    - seconds: Null: infinite [s].
    """

    count: int
    mean: float | None
    variance: float | None = None
    seconds: float | None = None


@dataclass(frozen=True, kw_only=True)
class MpiKernelExecuted:
    """Part of a document: mpi kernel executed.

    - mean: Null: infinite.
    - variance: Null: infinite.
    - seconds: Null: infinite [s].
    """

    count: int
    mean: float | None
    variance: float | None = None
    seconds: float | None = None


@dataclass(frozen=True, kw_only=True)
class MpiKernelInContext:
    """Part of a document: mpi kernel in context.

    - mean: Null: infinite.
    - variance: Null: infinite.
    - seconds: Null: infinite [s].
    """

    count: int
    mean: float | None
    variance: float | None = None
    seconds: float | None = None


@dataclass(frozen=True, kw_only=True)
class MpiKernel:
    """Part of a document: mpi kernel.

    - kernel: For readers: "dgemm m=64 n=64 k=64".
    - words: Sizes and flags that the time is taken to depend on.
    - size_count: Number of a region's words that are sizes.
    - along: Along the critical path, measured or estimated.
    - executed: All executions.
    - in_context: Executions among their neighbours, if these were told apart.
    - skipped: Executions that were replaced by an estimate.
    - flops: Flops of one execution; 0 if unknown [flop].
    - where: Place for which the times hold, if it isn't the whole document's.
    """

    kernel: str
    kind: str
    routine: str
    words: tuple[int, ...]
    size_count: int | None = None
    along: MpiKernelAlong
    executed: MpiKernelExecuted
    in_context: MpiKernelInContext | None = None
    skipped: int
    flops: float | None = None
    where: str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class MpiProfileResult(Result):
    """Critical path and kernels of an MPI program.

    - mpi: Name and version: "Open MPI v4.1.4".
    - where: Place for which the kernels' times hold.
    - clock: Clock of the paths.
    - granted_cpus: CPUs that a control group grants; 0 if none limits them.
    - policy: Policy of selective execution.
    - elapsed_seconds: [s].
    - path_complete: False if a process had more events than are kept.
    - sessions: The program uses sessions beside MPI_Init.
    - spawned_processes: Processes that aren't followed.
    - message_model: Cost of a message between two processes.
    - path: Along the critical path.
    - longest: The longest path by each metric.
    - per_process: The most of any process, by metric.
    - volumetric: Mean of all processes.
    - prediction_error_seconds: Half-width that predictions across sizes add to the path's time [s].
    - program_variance: Variance of the time of the program's own code along the path, in square seconds.
    - spent: Means of the processes.
    - bypassing_messages: Messages seen at one end only, or at none.
    - prefixed_calls: Calls by names with PMPI_, or by addresses from dlsym.
    - simultaneous_calls: Calls beside another thread's, not followed.
    - other_tools: Other tools in the process that define MPI functions, too.
    """

    schema_name: ClassVar[str] = "flopcast-mpi-profile-1"
    title: ClassVar[str] = "Critical path and kernels of an MPI program"
    main_table: ClassVar[str] = "kernels"
    mpi: str
    ranks: int
    where: str | None = None
    clock: str
    granted_cpus: float | None = None
    policy: str | None = None
    tolerance: float | None = None
    confidence: float | None = None
    elapsed_seconds: float
    path_complete: bool
    sessions: bool | None = None
    spawned_processes: int | None = None
    message_model: ScaleLink
    path: MpiProfilePath
    longest: MpiProfileLongest
    per_process: MpiProfilePerProcess
    volumetric: MpiProfileVolumetric
    processes: tuple[MpiProfileProcesses, ...] | None = None
    prediction_error_seconds: float | None = None
    program_variance: float | None = None
    pace: SelectiveRunTimeRatio | None = None
    spent: MpiProfileSpent | None = None
    own_messages: MpiTraffic | None = None
    calls: tuple[tuple[Any, ...], ...] | None = None
    bypassing_messages: float | None = None
    prefixed_calls: bool | None = None
    simultaneous_calls: int | None = None
    other_tools: tuple[MpiOtherTool, ...] | None = None
    kernels: tuple[MpiKernel, ...]


@dataclass(frozen=True, kw_only=True)
class SimulatedRunPath:
    """Part of a document: simulated run path.

    - seconds: [s].
    - computation_seconds: [s].
    - communication_seconds: [s].
    - idle_seconds: [s].
    - flops: [flop].
    """

    seconds: float
    computation_seconds: float
    communication_seconds: float
    idle_seconds: float
    supersteps: float
    words: float
    flops: float


@dataclass(frozen=True, kw_only=True)
class SimulatedProcess:
    """Part of a document: simulated process.

    - seconds: [s].
    - computation_seconds: [s].
    - communication_seconds: [s].
    - waiting_seconds: [s].
    - message_bytes: [B].
    - flops: [flop].
    """

    seconds: float
    computation_seconds: float
    communication_seconds: float
    waiting_seconds: float
    messages: float
    message_bytes: float
    flops: float


@dataclass(frozen=True, kw_only=True)
class SimulatedKernelAll:
    """Part of a document: simulated kernel all.

    - mean: Null: infinite.
    - variance: Null: infinite.
    - seconds: Null: infinite [s].
    """

    count: int
    mean: float | None
    variance: float | None = None
    seconds: float | None = None


@dataclass(frozen=True, kw_only=True)
class SimulatedKernelAlong:
    """Part of a document: simulated kernel along.

    - mean: Null: infinite.
    - variance: Null: infinite.
    - seconds: Null: infinite [s].
    """

    count: int
    mean: float | None
    variance: float | None = None
    seconds: float | None = None


@dataclass(frozen=True, kw_only=True)
class SimulatedKernel:
    """Part of a document: simulated kernel.

    - kernel: Name for readers.
    - words: Sizes and flags.
    - all: In all processes.
    - along: Along the critical path.
    - known: A model predicts its time; otherwise it is assumed to run with 20 GFLOP/s.
    - flops: Flops of one execution [flop].
    """

    kernel: str
    kind: str
    routine: str
    words: tuple[int, ...]
    all: SimulatedKernelAll
    along: SimulatedKernelAlong
    known: bool | None = None
    flops: float | None = None


@dataclass(frozen=True, kw_only=True)
class SimulatedRun:
    """Part of a document: simulated run.

    - seconds: [s].
    - lapack: File of the program's LAPACK; empty if it has none.
    - path_complete: False if a process had more events than are kept.
    - simulation_seconds: Wall time of the simulation [s].
    """

    ranks: int
    seconds: float
    blas: str
    lapack: str
    path_complete: bool
    path: SimulatedRunPath
    processes: tuple[SimulatedProcess, ...]
    kernels: tuple[SimulatedKernel, ...]
    simulation_seconds: float | None = None


@dataclass(frozen=True, kw_only=True)
class SimulationFailure:
    """Part of a document: simulation failure.

    - exit_code: Number of the error's kind (ExitCode).
    """

    ranks: int
    reason: str
    exit_code: int | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class MpiSimulationResult(Result):
    """Predicted times of an MPI program on another machine."""

    schema_name: ClassVar[str] = "flopcast-mpi-simulation-1"
    title: ClassVar[str] = "Predicted times of an MPI program on another machine"
    main_table: ClassVar[str] = "simulations"
    simulations: tuple[SimulatedRun, ...]
    failures: tuple[SimulationFailure, ...] | None = None
    machine: Any


@dataclass(frozen=True, kw_only=True, repr=False)
class MpiSpaceResult(Result):
    """Configurations of an MPI program.

    - launcher: Command that starts the processes, such as ["mpirun", "-n", "4"].
    - command: Program and its arguments, in which {nb} stands for the value of the parameter nb.
    - parameters: Values of each parameter by its name.
    """

    schema_name: ClassVar[str] = "flopcast-mpi-space-1"
    title: ClassVar[str] = "Configurations of an MPI program"
    name: str
    launcher: tuple[str, ...]
    command: tuple[str, ...]
    parameters: dict[str, tuple[Any, ...]]


@dataclass(frozen=True, kw_only=True)
class MpiConfigurationSpent:
    """Part of a document: mpi configuration spent.

    - always_seconds: [s].
    - brief_seconds: [s].
    - window_seconds: [s].
    - unseen_seconds: [s].
    - unsure_seconds: [s].
    - preparing_seconds: [s].
    - leaving_out_seconds: [s].
    - messages_seconds: [s].
    - waiting_seconds: [s].
    - calls_seconds: [s].
    - program_seconds: [s].
    - system_seconds: [s].
    """

    always_seconds: float | None = None
    brief_seconds: float | None = None
    window_seconds: float | None = None
    unseen_seconds: float | None = None
    unsure_seconds: float | None = None
    preparing_seconds: float | None = None
    leaving_out_seconds: float | None = None
    messages_seconds: float | None = None
    waiting_seconds: float | None = None
    calls_seconds: float | None = None
    program_seconds: float | None = None
    system_seconds: float | None = None
    page_faults: float | None = None


@dataclass(frozen=True, kw_only=True)
class MpiConfiguration:
    """Part of a document: mpi configuration.

    - predicted_seconds: [s].
    - half_width_seconds: Half-width of the interval at about 95 % [s].
    - coverage: Share of the path that lies in kernels, 0 to 1.
    - executed_share: Share of kernels that were executed, 0 to 1.
    - elapsed_seconds: Time of the executions that the prediction is based on, as the program measures itself [s].
    - blocked_seconds: Part of that in which a process neither computed nor was ready to run, outside of MPI; 0 if small [s].
    - self_check_seconds: Time of executions that only served the self-check [s].
    - selective: Kernels were left out.
    - finalist: Executed in full at the end, among those with the least predictions.
    - full_path_seconds: [s].
    - full_elapsed_seconds: Elapsed time of an execution in full [s].
    """

    configuration: dict[str, str]
    verdict: str
    predicted_seconds: float | None = None
    half_width_seconds: float | None = None
    coverage: float | None = None
    executed_share: float | None = None
    elapsed_seconds: float | None = None
    blocked_seconds: float | None = None
    self_check_seconds: float | None = None
    selective: bool | None = None
    finalist: bool | None = None
    spent: MpiConfigurationSpent | None = None
    full_path_seconds: float | None = None
    full_elapsed_seconds: float | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class MpiTuningResult(Result):
    """Predicted configurations of an MPI program.

    - name: Name of the space.
    - configurations: In the space's order.
    - launch_seconds: [s].
    - self_check_remembered: The program passed the self-check in an earlier tuning.
    - clock: Clock of the paths; missing if there is no profile.
    - cores_of_others: Cores that other programs kept busy, in the launch with most of that.
    - drifted_kernels: Kernels whose stored times no longer held.
    - full_seconds: [s].
    - selective_seconds: [s].
    """

    schema_name: ClassVar[str] = "flopcast-mpi-tuning-1"
    title: ClassVar[str] = "Predicted configurations of an MPI program"
    main_table: ClassVar[str] = "configurations"
    name: str
    configurations: tuple[MpiConfiguration, ...]
    launches: int
    launch_seconds: float
    self_check_remembered: bool | None = None
    clock: str | None = None
    cores_of_others: float | None = None
    drifted_kernels: int | None = None
    full_seconds: float | None = None
    selective_seconds: float | None = None


@dataclass(frozen=True, kw_only=True)
class PredictionOptions:
    """Part of a document: prediction options.

    - initial_cache: State of the caches before; missing: filled, for method paper the paper's.
    - capacity_bytes: Cache that method paper looks at; 0: the largest measured one [B].
    - time_budget_seconds: For sampling kernels that models on demand lack; 0: none [s].
    - with_calls: Also predict every single call.
    """

    cache: str
    initial_cache: str | None = None
    capacity_bytes: int | None = None
    generator: str
    time_budget_seconds: float | None = None
    with_calls: bool | None = None


@dataclass(frozen=True, kw_only=True)
class PredictionKernelKey:
    """Part of a document: prediction kernel key.

    - flags: Values of the flag arguments, such as "LNNU".
    - scalars: Classes of the scalar arguments: 0, 1, - for -1, x for other values.
    - strides: Classes of the leading dimensions and increments.
    - cache: State of the caches, such as "placed" or "warm".
    - library: Fingerprint of the environment.
    - zeros: Sizes that are 0.
    """

    routine: str
    flags: str
    scalars: str
    strides: str
    cache: str
    threads: int
    library: str
    zeros: str | None = None


@dataclass(frozen=True, kw_only=True)
class PredictionKernel:
    """Part of a document: prediction kernel.

    - flops: Flops of all calls [flop].
    - seconds: [s].
    - deviation_seconds: Standard deviation of the time [s].
    - extrapolated_seconds: The part outside of the sampled domain [s].
    """

    key: PredictionKernelKey
    calls: int
    flops: float
    seconds: float
    deviation_seconds: float
    extrapolated_seconds: float


@dataclass(frozen=True, kw_only=True)
class PredictionCall:
    """Part of a document: prediction call.

    - seconds: [s].
    - relative_error: One standard deviation.
    """

    routine: str | None = None
    flags: str | None = None
    sizes: tuple[int, ...] | None = None
    seconds: float
    relative_error: float
    extrapolated: bool


@dataclass(frozen=True, kw_only=True)
class Prediction:
    """Part of a document: prediction.

    - algorithm: "dgeqrf"; "program" for a recorded thread.
    - sizes: "1000", "2000x500"; the identifier of a recorded thread.
    - blocks: "64", "64 / 128" with the crossover point; "-" for none.
    - seconds: [s].
    - interval: Confidence 95 %.
    - flops: Flops of the routine [flop].
    - extrapolated_share: Share of the time outside of the sampled domain.
    - kernels: Kernels by falling time.
    - models_seconds: [s].
    - measured_seconds: Recorded time, if the trace has times [s].
    """

    algorithm: str
    parameters: dict[str, int]
    sizes: str | None = None
    blocks: str | None = None
    is_thread: bool | None = None
    seconds: float
    interval: tuple[float, ...]
    flops: float
    extrapolated_share: float
    kernels: tuple[PredictionKernel, ...]
    models_seconds: float | None = None
    measured_seconds: float | None = None
    calls: tuple[PredictionCall, ...] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class PredictResult(Result):
    """Predicted times of routines, traces or recorded programs.

    - own_code_seconds: Recorded time outside of BLAS and LAPACK, which no prediction includes [s].
    - own_code_share: Its share of the recorded run; of a dry run, with the predicted calls in it.
    """

    schema_name: ClassVar[str] = "flopcast-predict-2"
    title: ClassVar[str] = "Predicted times of routines, traces or recorded programs"
    main_table: ClassVar[str] = "predictions"
    environment: Environment
    options: PredictionOptions
    predictions: tuple[Prediction, ...]
    own_code_seconds: float | None = None
    own_code_share: float | None = None


@dataclass(frozen=True, kw_only=True)
class ProfileRoutinesPoints:
    """Part of a document: profile routines points.

    - m: Rows, as the routine passes them to ilaenv.
    - n: Columns; m for routines of one size.
    - nb: Block size.
    - nbmin: Least block size; 0: LAPACK's own.
    - nx: Crossover point; 0: LAPACK's own.
    - ties: Other block sizes that are as good within noise.
    - regret: Greatest possible loss, fraction of the best time.
    - considered: Number of block sizes that were predicted; 0: not known.
    - samples: Measured calls that the predictions rest on; 0: not known.
    """

    m: int
    n: int
    nb: int
    nbmin: int
    nx: int
    ties: tuple[int, ...] | None = None
    regret: float | None = None
    undecided: bool | None = None
    considered: int | None = None
    samples: int | None = None


@dataclass(frozen=True, kw_only=True)
class ProfileRoutines:
    """Part of a document: profile routines."""

    routine: str
    flags: str | None = None
    points: tuple[ProfileRoutinesPoints, ...]


@dataclass(frozen=True, kw_only=True)
class ProfileOthersRoutinesPoints:
    """Part of a document: profile others routines points.

    - m: Rows, as the routine passes them to ilaenv.
    - n: Columns; m for routines of one size.
    - nb: Block size.
    - nbmin: Least block size; 0: LAPACK's own.
    - nx: Crossover point; 0: LAPACK's own.
    - ties: Other block sizes that are as good within noise.
    - regret: Greatest possible loss, fraction of the best time.
    - considered: Number of block sizes that were predicted; 0: not known.
    - samples: Measured calls that the predictions rest on; 0: not known.
    """

    m: int
    n: int
    nb: int
    nbmin: int
    nx: int
    ties: tuple[int, ...] | None = None
    regret: float | None = None
    undecided: bool | None = None
    considered: int | None = None
    samples: int | None = None


@dataclass(frozen=True, kw_only=True)
class ProfileOthersRoutines:
    """Part of a document: profile others routines."""

    routine: str
    flags: str | None = None
    points: tuple[ProfileOthersRoutinesPoints, ...]


@dataclass(frozen=True, kw_only=True)
class ProfileOthers:
    """Part of a document: profile others.

    - settings: Environment variables in force.
    """

    environment: Environment
    settings: dict[str, str] | None = None
    routines: tuple[ProfileOthersRoutines, ...]


@dataclass(frozen=True, kw_only=True, repr=False)
class ProfileResult(Result):
    """Tuned block sizes for programs.

    - settings: Environment variables in force.
    - others: Other libraries and numbers of threads.
    """

    schema_name: ClassVar[str] = "flopcast-profile-1"
    title: ClassVar[str] = "Tuned block sizes for programs"
    environment: Environment
    settings: dict[str, str] | None = None
    routines: tuple[ProfileRoutines, ...]
    others: tuple[ProfileOthers, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class ProgramProfilePlace:
    """Part of a document: program profile place.

    - lapack: LAPACK; empty: not known.
    - threads: Threads of BLAS; missing: not known.
    - kernels: Kernels that BLAS had chosen; empty: not known.
    """

    blas: str
    lapack: str
    cpu: str
    threads: int | None = None
    kernels: str


@dataclass(frozen=True, kw_only=True)
class CallTotals:
    """Part of a document: call totals.

    - seconds: [s].
    - flops: [flop].
    - rate_flops: [flop].
    - rate_seconds: [s].
    - flops_per_second: [flop/s].
    """

    calls: int
    skipped: int | None = None
    seconds: float
    flops: float
    rate_flops: float | None = None
    rate_seconds: float | None = None
    flops_per_second: float | None = None
    of_peak: float | None = None


@dataclass(frozen=True, kw_only=True)
class PeakRate:
    """Part of a document: peak rate.

    - flops_per_second: Rate in double precision [flop/s].
    - what: "the best dgemm of openblas 0.3.21 (kernels SkylakeX) with 1 thread".
    """

    flops_per_second: float
    what: str


@dataclass(frozen=True, kw_only=True)
class ProgramProfileRoutine:
    """Part of a document: program profile routine.

    - seconds: [s].
    - flops: [flop].
    - rate_flops: [flop].
    - rate_seconds: [s].
    - flops_per_second: [flop/s].
    - described: False where only the routine's name is known.
    """

    calls: int
    skipped: int | None = None
    seconds: float
    flops: float
    rate_flops: float | None = None
    rate_seconds: float | None = None
    flops_per_second: float | None = None
    of_peak: float | None = None
    routine: str
    described: bool


@dataclass(frozen=True, kw_only=True)
class ProgramProfileShapes:
    """Part of a document: program profile shapes.

    - seconds: [s].
    - flops: [flop].
    - rate_flops: [flop].
    - rate_seconds: [s].
    - flops_per_second: [flop/s].
    - flags: "NT"; empty where only the name is known.
    - first_calls: The routine's first calls, which are kept apart.
    - longest_seconds: Time of the longest call [s].
    - sizes: Least and largest value.
    """

    calls: int
    skipped: int | None = None
    seconds: float
    flops: float
    rate_flops: float | None = None
    rate_seconds: float | None = None
    flops_per_second: float | None = None
    of_peak: float | None = None
    routine: str
    flags: str
    first_calls: bool
    longest_seconds: float
    sizes: dict[str, tuple[int, ...]]


@dataclass(frozen=True, kw_only=True)
class ProgramProfileThread:
    """Part of a document: program profile thread.

    - seconds: [s].
    - flops: [flop].
    - rate_flops: [flop].
    - rate_seconds: [s].
    - flops_per_second: [flop/s].
    - heaviest: Routine in which the thread spent most time.
    """

    calls: int
    skipped: int | None = None
    seconds: float
    flops: float
    rate_flops: float | None = None
    rate_seconds: float | None = None
    flops_per_second: float | None = None
    of_peak: float | None = None
    pid: int
    tid: int
    heaviest: str


@dataclass(frozen=True, kw_only=True)
class ProgramProfileProcess:
    """Part of a document: program profile process.

    - seconds: [s].
    - flops: [flop].
    - rate_flops: [flop].
    - rate_seconds: [s].
    - flops_per_second: [flop/s].
    - program: File of the program; empty: not known.
    """

    calls: int
    skipped: int | None = None
    seconds: float
    flops: float
    rate_flops: float | None = None
    rate_seconds: float | None = None
    flops_per_second: float | None = None
    of_peak: float | None = None
    pid: int
    program: str | None = None
    threads: int


@dataclass(frozen=True, kw_only=True)
class BlockChoice:
    """Part of a document: block choice.

    - shape: Index into the profile's shapes.
    - routine: Routine that queries ilaenv: the shape's own or, as dgetrf in dgesv, one below it.
    - chosen_nx: Crossover point.
    - default_seconds: Predicted time of the routine in the shape's longest call with the default block size [s].
    - chosen_seconds: [s].
    - regret: Greatest possible loss, as a fraction of the best time.
    - undecided: The measurements show no best one, so that the default is kept.
    - workspace_allows: Largest block size that fits into the program's workspace; 0: any.
    """

    shape: int
    routine: str
    default_nb: int
    chosen_nb: int
    chosen_nx: int
    default_seconds: float
    chosen_seconds: float
    regret: float
    undecided: bool
    workspace_allows: int


@dataclass(frozen=True, kw_only=True)
class ProgramProfileWhatIf:
    """Part of a document: program profile what if.

    - place: "blis 0.9.0 with 2 threads, LAPACK reference 3.11.0".
    - environment: Environment of the prediction.
    - recorded_seconds: Recorded time of the calls that are predicted [s].
    - models_seconds: Time that the models alone expect [s].
    - predicted_seconds: [s].
    - interval: Lower and upper end.
    - gain: Recorded / predicted - 1, so that larger is better; missing for dry runs, which have no times.
    - extrapolated_share: Share of the time outside of the sampled domain.
    - slow_by_numbers_seconds: Recorded time of calls that NaN or denormal numbers made slow; these calls stay as recorded [s].
    - shape_seconds: Predicted time per shape of the profile; null where calls can't be predicted [s].
    - blocks: Chosen block sizes if the question asks for them.
    - untuned_shapes: Shapes whose block sizes are not tuned because they take too little time.
    - what_if: The change, such as "blas=blis,threads=2,nb".
    - failure: Reason why nothing is predicted.
    - failure_code: Exit code of the failure.
    """

    place: str | None = None
    environment: Environment | None = None
    recorded_seconds: float | None = None
    models_seconds: float | None = None
    predicted_seconds: float | None = None
    interval: tuple[float, ...] | None = None
    gain: float | None = None
    extrapolated_share: float | None = None
    slow_by_numbers_seconds: float | None = None
    shape_seconds: tuple[float | None, ...] | None = None
    blocks: tuple[BlockChoice, ...] | None = None
    untuned_shapes: int | None = None
    what_if: str
    failure: str | None = None
    failure_code: int | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class ProgramProfileResult(Result):
    """Where a recorded program's time went.

    - started: Seconds since 1970; 0: not known.
    - recorded: Where the program was recorded.
    - missing_bytes: [B].
    - warnings: Remarks that the reader must know first.
    - seconds: Time of the whole run [s].
    - own_code_seconds: Time outside of BLAS and LAPACK in the thread with the longest time in calls; no answer includes it [s].
    - thread_count: Threads with calls, also those whose calls can't be read.
    - routines: By falling time, as are shapes; without first calls.
    """

    schema_name: ClassVar[str] = "flopcast-program-profile-2"
    title: ClassVar[str] = "Where a recorded program's time went"
    main_table: ClassVar[str] = "routines"
    command: tuple[str, ...]
    started: int | None = None
    recorded: ProgramProfilePlace
    dry_run: bool
    finished: bool
    damaged: int
    missing_bytes: int
    warnings: tuple[str, ...]
    seconds: float
    own_code_seconds: float | None = None
    thread_count: int | None = None
    all: CallTotals
    first_calls: CallTotals
    peak: PeakRate | None = None
    routines: tuple[ProgramProfileRoutine, ...]
    shapes: tuple[ProgramProfileShapes, ...]
    threads: tuple[ProgramProfileThread, ...]
    processes: tuple[ProgramProfileProcess, ...]
    what_if: tuple[ProgramProfileWhatIf, ...]


@dataclass(frozen=True, kw_only=True)
class ProgramRecordingDocumentMachine:
    """Part of a document: program recording document machine.

    - cores: 0: not known.
    """

    cpu: str | None = None
    cores: int | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class ProgramTraceResult(Result):
    """Beginning of a recording's file, before the calls.

    - folder: Folder in which the program was started.
    - threads: Threads of BLAS, if the recording set them.
    - thread_variables: Variables of the program's environment that set the threads of a BLAS, such as BLIS_NUM_THREADS.
    """

    schema_name: ClassVar[str] = "flopcast-program-trace-1"
    title: ClassVar[str] = "Beginning of a recording's file, before the calls"
    command: tuple[str, ...]
    folder: str | None = None
    dry_run: bool | None = None
    machine: ProgramRecordingDocumentMachine | None = None
    threads: int | None = None
    thread_variables: dict[str, str] | None = None


@dataclass(frozen=True, kw_only=True)
class TuningSettings:
    """Part of a document: tuning settings.

    - nb: Block sizes to choose from.
    """

    time_budget: float
    nb: tuple[int, ...]
    seed: int


@dataclass(frozen=True, kw_only=True)
class VariantInfo:
    """Part of a document: variant info.

    - lapack: LAPACK's own algorithm.
    """

    variant: str
    description: str
    lapack: bool


@dataclass(frozen=True, kw_only=True)
class TuningForecast:
    """Part of a document: tuning forecast.

    - nbmin: ISPEC 2: smallest block size worth using when the workspace is short.
    - nx: ISPEC 3: crossover, the order below which the rest is done unblocked.
    - seconds: [s].
    - interval: Lower and upper end.
    - extrapolated: Share of the time that lies outside of the sampled range.
    """

    variant: str | None = None
    nb: int
    nbmin: int | None = None
    nx: int | None = None
    seconds: float
    interval: tuple[float, ...] | None = None
    extrapolated: float | None = None


@dataclass(frozen=True, kw_only=True)
class TuningVariantRank:
    """Part of a document: tuning variant rank.

    - nbmin: ISPEC 2: smallest block size worth using when the workspace is short.
    - nx: ISPEC 3: crossover, the order below which the rest is done unblocked.
    - seconds: [s].
    - interval: Lower and upper end.
    - extrapolated: Share of the time that lies outside of the sampled range.
    - rank: 1 + the number of variants that are certainly faster; never decreases along the ranking.
    - behind: Predicted time / predicted time of the chosen variant - 1.
    - ties: Other variants that tie with it, in the order of the ranking.
    - block_ties: Its other block sizes that tie with its best one.
    - regret: Upper bound (95 %) of time / time of the best alternative - 1.
    """

    variant: str | None = None
    nb: int
    nbmin: int | None = None
    nx: int | None = None
    seconds: float
    interval: tuple[float, ...] | None = None
    extrapolated: float | None = None
    rank: int
    behind: float
    ties: tuple[str, ...]
    block_ties: tuple[int, ...]
    regret: float


@dataclass(frozen=True, kw_only=True)
class TuningMeasured:
    """Part of a document: tuning measured.

    - nbmin: ISPEC 2: smallest block size worth using when the workspace is short.
    - nx: ISPEC 3: crossover, the order below which the rest is done unblocked.
    - seconds: [s].
    - times: Drift-normalised times of the undisturbed runs.
    - wall_times: Raw times of all runs.
    """

    variant: str | None = None
    nb: int
    nbmin: int | None = None
    nx: int | None = None
    seconds: float
    times: tuple[float, ...]
    error: float
    wall_times: tuple[float, ...] | None = None
    normalised_error: float | None = None
    within: int | None = None


@dataclass(frozen=True, kw_only=True)
class TuningAlternative:
    """Part of a document: tuning alternative.

    - variant: Name in the registry of algorithms; empty: the library's own routine.
    - nbmin: ISPEC 2: smallest block size worth using when the workspace is short.
    - nx: ISPEC 3: crossover, the order below which the rest is done unblocked.
    """

    variant: str | None = None
    nb: int
    nbmin: int | None = None
    nx: int | None = None


@dataclass(frozen=True, kw_only=True)
class TuningOrderCheck:
    """Part of a document: tuning order check.

    - pairs: Number of pairs of variants whose measured medians differ by more than a margin.
    - right: Of these, the pairs that were predicted in this order.
    """

    pairs: int
    right: int


@dataclass(frozen=True, kw_only=True)
class TuningRunWarning:
    """Part of a document: tuning run warning.

    - run: Such as "500 library, nb 64": order, variant, block size.
    """

    run: str
    text: str


@dataclass(frozen=True, kw_only=True)
class TuningCheck:
    """Part of a document: tuning check.

    - measured: The alternatives that were run, in the order of the decision's forecasts.
    - default_seconds: Medians; 0: not run [s].
    - chosen_seconds: [s].
    - best_seconds: [s].
    - best: The fastest one that was run.
    - gain_kept: Best / chosen: share of the best speed that the choice reaches; 1 is perfect (paper 000's yield).
    - regret: Chosen / best - 1: 0 is perfect.
    - repeatability: Median over alternatives of |first half / second half - 1|: how far two measurements of one run differ.
    - order: Check of the ranking.
    """

    measured: tuple[TuningMeasured, ...] | None = None
    default_seconds: float | None = None
    chosen_seconds: float | None = None
    best_seconds: float | None = None
    best: TuningAlternative
    gain_kept: float | None = None
    regret: float | None = None
    repeatability: float
    order: TuningOrderCheck | None = None
    warnings: tuple[TuningRunWarning, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class TuningDecision:
    """Part of a document: tuning decision.

    - sizes: Sizes of the routine, without those that are derived from others.
    - flops: Operations of the routine [flop].
    - default: Forecast without tuning; 0 seconds if the problem has no default.
    - gain: Time of the default / time of the chosen alternative - 1.
    - ties: Other block sizes of the chosen variant that tie with the chosen one.
    - regret: Upper bound (95 %) of time of the chosen / time of the best alternative - 1, over all candidates.
    - candidates: Number of pairs of a variant and a block size that were asked for, with the default; 0: not known.
    - considered: Of these, the pairs that were predicted.
    - samples: Measured calls that the predictions rest on, with those of earlier runs.
    - ranking: Ranking of the variants, the fastest first.
    - forecasts: Forecasts of every alternative, by variant and block size.
    - validation: If the alternatives were run.
    """

    sizes: tuple[int, ...]
    flops: float | None = None
    default: TuningForecast | None = None
    chosen: TuningForecast
    gain: float
    ties: tuple[int, ...] | None = None
    regret: float
    candidates: int | None = None
    considered: int | None = None
    samples: int | None = None
    ranking: tuple[TuningVariantRank, ...] | None = None
    forecasts: tuple[TuningForecast, ...] | None = None
    validation: TuningCheck | None = None


@dataclass(frozen=True, kw_only=True)
class TuningSamplingCost:
    """Part of a document: tuning sampling cost.

    - segments: Number of measured segments.
    - timings: Repetitions of timed calls.
    - measuring_seconds: [s].
    """

    segments: int
    timings: int
    measuring_seconds: float


@dataclass(frozen=True, kw_only=True)
class PlaceRanking:
    """Part of a document: place ranking.

    - blas: As it was asked for; empty: the default.
    """

    blas: str | None = None
    threads: int
    environment: Environment
    decisions: tuple[TuningDecision, ...]
    cost: TuningSamplingCost
    complete: bool


@dataclass(frozen=True, kw_only=True)
class TuningJointRank:
    """Part of a document: tuning joint rank.

    - nbmin: ISPEC 2: smallest block size worth using when the workspace is short.
    - nx: ISPEC 3: crossover, the order below which the rest is done unblocked.
    - seconds: [s].
    - interval: Lower and upper end.
    - extrapolated: Share of the time that lies outside of the sampled range.
    - place: Index of the decision.
    - behind: Predicted time / predicted time of the fastest - 1.
    - tied: The variant ties with the fastest.
    """

    variant: str | None = None
    nb: int
    nbmin: int | None = None
    nx: int | None = None
    seconds: float
    interval: tuple[float, ...] | None = None
    extrapolated: float | None = None
    place: int
    behind: float
    tied: bool


@dataclass(frozen=True, kw_only=True)
class TuningJointDecision:
    """Part of a document: tuning joint decision.

    - ranking: Every variant of every place at its own best block size, the fastest first.
    - regret: Upper bound (95 %) of time of the fastest / time of any other - 1.
    """

    sizes: tuple[int, ...] | None = None
    ranking: tuple[TuningJointRank, ...]
    regret: float


@dataclass(frozen=True, kw_only=True, repr=False)
class RankResult(Result):
    """Variants of an algorithm by predicted time, in one or several places.

    - flags: The routine's, such as "L".
    - joint: For each problem.
    """

    schema_name: ClassVar[str] = "flopcast-rank-3"
    title: ClassVar[str] = "Variants of an algorithm by predicted time, in one or several places"
    main_table: ClassVar[str] = "places.decisions.ranking"
    family: str | None = None
    routine: str
    flags: str | None = None
    options: TuningSettings
    variants: tuple[VariantInfo, ...] | None = None
    places: tuple[PlaceRanking, ...]
    joint: tuple[TuningJointDecision, ...]


@dataclass(frozen=True, kw_only=True)
class RecordingMachine:
    """Part of a document: recording machine.

    - cores: 0: not known.
    """

    cpu: str | None = None
    cores: int | None = None


@dataclass(frozen=True, kw_only=True)
class RecordingFirstCalls:
    """Part of a document: recording first calls.

    - seconds: [s].
    """

    calls: int
    seconds: float


@dataclass(frozen=True, kw_only=True)
class RecordingProcess:
    """Part of a document: recording process."""

    pid: int
    command: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class RecordingThread:
    """Part of a document: recording thread."""

    pid: int
    tid: int


@dataclass(frozen=True, kw_only=True)
class RecordingRoutine:
    """Part of a document: recording routine.

    - seconds: [s].
    - skipped: Calls that a dry run skipped.
    - blind: Calls of a dry run whose operands were never computed.
    - flops: Missing where only the routine's name is known [flop].
    """

    routine: str
    calls: int
    seconds: float
    skipped: int
    blind: int
    flops: float | None = None


@dataclass(frozen=True, kw_only=True)
class RecordingEvent:
    """Part of a document: recording event.

    - thread: Index into `threads`.
    - start: Since the recording began.
    - seconds: 0 where a dry run skipped the call [s].
    - call: "dpotrf", "dpotrf(L, 100, 0x...)".
    - what_happened: "executed", "skipped", "executed blindly", "skipped blindly".
    """

    thread: int
    start: float
    seconds: float
    routine: str
    call: str
    what_happened: str


@dataclass(frozen=True, kw_only=True, repr=False)
class RecordingResult(Recorded):
    """Contents of a recording.

    - bytes: Size of the file [B].
    - finished: False if the recorder was killed or is still running.
    - exit_code: The program's own, or 128 plus the signal that ended it.
    - seconds: From start to end of the program [s].
    - cores_got: CPU time of the program over its seconds; 0: not known.
    - other_cores: Cores that other programs kept busy meanwhile, on average.
    - own_code_seconds: Time outside of BLAS and LAPACK in the thread with the longest time in calls: own code, and waiting [s].
    - skipped: Calls that a dry run skipped.
    - blind: Calls of a dry run whose operands were never computed.
    - routine_names: Number of routines, those with first calls only included.
    - call_seconds: Time in all calls [s].
    - first_calls: Calls in which a library starts, or memory is used for the first time; in no routine's sum.
    - faults: Defects of the recording.
    - remarks: How to read its times.
    - damaged: Pieces of the file that can't be read.
    - missing_bytes: Bytes that are cut off the file's end [B].
    - libraries: Files that define the called routines.
    - processes: Processes that made calls.
    - threads: Threads that made calls.
    - routines: Routines by falling time, without first calls.
    - events: Every call, if read_recording() was asked for them.
    """

    schema_name: ClassVar[str] = "flopcast-recording-1"
    title: ClassVar[str] = "Contents of a recording"
    main_table: ClassVar[str] = "routines"
    file: str | None = None
    bytes: int | None = None
    command: tuple[str, ...]
    machine: RecordingMachine
    dry_run: bool
    finished: bool
    exit_code: int
    seconds: float
    cores_got: float | None = None
    other_cores: float | None = None
    own_code_seconds: float | None = None
    calls: int
    skipped: int | None = None
    blind: int | None = None
    routine_names: int | None = None
    call_seconds: float
    first_calls: RecordingFirstCalls
    faults: tuple[str, ...] | None = None
    remarks: tuple[str, ...]
    dropped: int
    damaged: int
    missing_bytes: int
    libraries: tuple[str, ...]
    processes: tuple[RecordingProcess, ...]
    threads: tuple[RecordingThread, ...]
    routines: tuple[RecordingRoutine, ...]
    events: tuple[RecordingEvent, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class RooflineComputeFlopsPerSecond:
    """Part of a document: roofline compute flops per second.

    - attained: Rate that a quarter of the samples surpass; of ceilings the best sample.
    - interval_95: Interval of the median.
    """

    samples: tuple[float, ...]
    attained: float | None = None
    median: float | None = None
    interval_95: tuple[float, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class RooflineCompute:
    """Part of a document: roofline compute.

    - clocks: Clock of each sample in hertz.
    - flops_per_second: [flop/s].
    """

    name: str
    precision: str
    lanes: int
    fused: bool
    threads: int
    flops_per_lane: float
    clocks: tuple[float, ...]
    flops_per_second: RooflineComputeFlopsPerSecond
    instructions_per_cycle: float


@dataclass(frozen=True, kw_only=True)
class RooflineBandwidthRoofBytesPerSecond:
    """Part of a document: roofline bandwidth roof bytes per second.

    - attained: Rate that a quarter of the samples surpass; of ceilings the best sample.
    - interval_95: Interval of the median.
    """

    samples: tuple[float, ...]
    attained: float | None = None
    median: float | None = None
    interval_95: tuple[float, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class RooflineBandwidthRoof:
    """Part of a document: roofline bandwidth roof.

    - level: "L1", "L2", "L3", "memory".
    - stream: "triad".
    - working_set_bytes: Bytes of all threads together [B].
    - flops_per_byte: Operational intensity of the stream, with counted bytes [flop/B].
    - moved_per_byte: Bytes moved per byte counted, if plain stores first read the line they write (write-allocate).
    - bytes_per_second: Counted bytes per second, all threads together [B/s].
    """

    level: str
    stream: str
    nontemporal: bool
    threads: int
    working_set_bytes: int
    flops_per_byte: float
    moved_per_byte: float
    bytes_per_second: RooflineBandwidthRoofBytesPerSecond


@dataclass(frozen=True, kw_only=True)
class RooflineGemmShape:
    """Part of a document: roofline gemm shape."""

    m: int
    n: int
    k: int


@dataclass(frozen=True, kw_only=True)
class RooflineGemmRoofFlopsPerSecond:
    """Part of a document: roofline gemm roof flops per second.

    - attained: Rate that a quarter of the samples surpass; of ceilings the best sample.
    - interval_95: Interval of the median.
    """

    samples: tuple[float, ...]
    attained: float | None = None
    median: float | None = None
    interval_95: tuple[float, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class RooflineGemmTrialFlopsPerSecond:
    """Part of a document: roofline gemm trial flops per second.

    - attained: Rate that a quarter of the samples surpass; of ceilings the best sample.
    - interval_95: Interval of the median.
    """

    samples: tuple[float, ...]
    attained: float | None = None
    median: float | None = None
    interval_95: tuple[float, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class RooflineGemmTrial:
    """Part of a document: roofline gemm trial.

    - state: "tie", "slower", "unsettled", or the reason why it was dropped.
    - flops_per_second: Flops per second [flop/s].
    """

    shape: RooflineGemmShape
    state: str
    flops_per_second: RooflineGemmTrialFlopsPerSecond


@dataclass(frozen=True, kw_only=True)
class RooflineGemmRoof:
    """Part of a document: roofline gemm roof.

    - routine: "dgemm" or "sgemm".
    - setting: Environment variables that make the library use its present kernels; empty: the library's default.
    - shape: The best shape.
    - flops_per_second: [flop/s].
    - confirmed: The shape was confirmed in fresh processes.
    - ending: Reason why the search ended.
    - possible_gain: Fraction of its time that the best shape may lose to another shape of the space.
    - seconds: Time of the search [s].
    - trials: The best first.
    """

    library: LibraryIdentity
    routine: str | None = None
    setting: str
    threads: int
    shape: RooflineGemmShape
    flops_per_second: RooflineGemmRoofFlopsPerSecond
    confirmed: bool
    ending: str
    possible_gain: float
    error_probability: float
    evaluations: int
    seconds: float
    trials: tuple[RooflineGemmTrial, ...]


@dataclass(frozen=True, kw_only=True)
class RooflinePeakFactor:
    """Part of a document: roofline peak factor."""

    name: str
    value: float
    unit: str
    source: str


@dataclass(frozen=True, kw_only=True)
class RooflineTheoreticalPeak:
    """Part of a document: roofline theoretical peak.

    - name: "nominal", "sustained clock".
    - flops_per_second: Flops per second, the product of the factors [flop/s].
    """

    name: str
    threads: int
    factors: tuple[RooflinePeakFactor, ...]
    flops_per_second: float


@dataclass(frozen=True, kw_only=True)
class RooflinePointFlopsPerSecond:
    """Part of a document: roofline point flops per second.

    - attained: Rate that a quarter of the samples surpass; of ceilings the best sample.
    - interval_95: Interval of the median.
    """

    samples: tuple[float, ...]
    attained: float | None = None
    median: float | None = None
    interval_95: tuple[float, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class RooflinePoint:
    """Part of a document: roofline point.

    - level: Level that holds the operands from call to call: "L2", "memory"; empty: unknown.
    - flops: [flop].
    - bytes: [B].
    - flops_per_second: Flops per second [flop/s].
    """

    level: str | None = None
    precision: str | None = None
    name: str
    flops: float
    bytes: float
    threads: int
    flops_per_second: RooflinePointFlopsPerSecond


@dataclass(frozen=True, kw_only=True)
class RooflineEffectiveOptions:
    """Part of a document: roofline effective options.

    - version: Version of flopcast.
    - cores: Kind of cores; empty: all cores are alike.
    - blas: Libraries given; empty: the default ones.
    - gemm: Routines.
    - k: Sizes of a space of the user's own.
    - enough: Share of the FMA ceiling at which searches end; 0: no such share.
    - nominal_clock_gigahertz: [GHz].
    - time_budget: "60s".
    - huge_pages: Setting of the system.
    """

    version: str | None = None
    threads: int | None = None
    affinity: str | None = None
    cores: str | None = None
    blas: tuple[str, ...] | None = None
    kernels: str | None = None
    gemm: tuple[str, ...] | None = None
    space: str | None = None
    m: str | None = None
    n: str | None = None
    k: str | None = None
    shapes: int | None = None
    tolerance: float | None = None
    error_probability: float | None = None
    enough: float | None = None
    streams: tuple[str, ...] | None = None
    nominal_clock_gigahertz: float | None = None
    fma_units: int | None = None
    time_budget: str | None = None
    seed: int | None = None
    quick: bool | None = None
    huge_pages: str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class RooflineResult(Result):
    """Roofs of a machine: arithmetic, bandwidths, the best gemm.

    - fingerprint: Fingerprint of the hardware.
    - date: UTC, ISO 8601.
    - cpus: CPUs that were used, in order of the threads.
    - levels: Measured capacities.
    - triad_lengths: The plain triad by length, with empty levels.
    - findings: Facts that the user should know.
    - seconds: Time of the measurement [s].
    """

    schema_name: ClassVar[str] = "flopcast-roofline-1"
    title: ClassVar[str] = "Roofs of a machine: arithmetic, bandwidths, the best gemm"
    main_table: ClassVar[str] = "bandwidth"
    cpu: str
    fingerprint: str
    date: str
    cpus: tuple[int, ...]
    affinity: str
    levels: tuple[CacheLevel, ...]
    compute: tuple[RooflineCompute, ...]
    bandwidth: tuple[RooflineBandwidthRoof, ...]
    triad_lengths: tuple[RooflineBandwidthRoof, ...] | None = None
    gemm: tuple[RooflineGemmRoof, ...]
    peaks: tuple[RooflineTheoreticalPeak, ...]
    points: tuple[RooflinePoint, ...]
    findings: tuple[str, ...]
    options: RooflineEffectiveOptions
    seconds: float


@dataclass(frozen=True, kw_only=True)
class RooflineComparisonDifferences:
    """Part of a document: roofline comparison differences.

    - ratio: After / before.
    - interval: Interval of the ratio.
    """

    kind: str
    name: str
    threads: int
    before: float
    after: float
    ratio: float
    interval: tuple[float, ...]
    one_sample: bool | None = None
    beyond_noise: bool


@dataclass(frozen=True, kw_only=True, repr=False)
class RooflineComparisonResult(Result):
    """Comparison of two rooflines."""

    schema_name: ClassVar[str] = "flopcast-roofline-comparison-1"
    title: ClassVar[str] = "Comparison of two rooflines"
    main_table: ClassVar[str] = "differences"
    roofs: int
    lower: int
    higher: int
    undecided: int
    settings: tuple[str, ...]
    wander: float
    wander_by_kind: dict[str, float]
    differences: tuple[RooflineComparisonDifferences, ...]
    only_before: tuple[str, ...]
    only_after: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class RooflinePlanStep:
    """Part of a document: roofline plan step.

    - subject: "dgemm of openblas-serial, 1 thread".
    - method: "race over 48 shapes, matrices of up to 200 MiB".
    """

    subject: str
    method: str


@dataclass(frozen=True, kw_only=True, repr=False)
class RooflinePlanResult(Result):
    """Steps that a measurement of roofs would take.

    - findings: Limits of this machine and of the libraries, as sentences.
    """

    schema_name: ClassVar[str] = "flopcast-roofline-plan-1"
    title: ClassVar[str] = "Steps that a measurement of roofs would take"
    main_table: ClassVar[str] = "steps"
    steps: tuple[RooflinePlanStep, ...]
    findings: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class RunOutcomeRoutine:
    """Part of a document: run outcome routine.

    - queries: Ilaenv queries for the block size.
    - smallest: Smallest order of the problems queried.
    - returned: Largest block size returned.
    - short_workspaces: Times that the program's workspace was too short for it.
    - allowed: Least block size that such a workspace allowed; 0: not known.
    - other_queries: Queries with options for which the profile has nothing.
    - other_options: Options of the first such query.
    - lapack: Library that made the queries or defines the routine; empty: none was seen.
    - what_happened: What happened to the routine, as a clause; empty if nobody asked.
    """

    routine: str
    flags: str
    queries: int
    smallest: int
    largest: int
    returned: int
    short_workspaces: int
    allowed: int
    other_queries: int
    other_options: str
    lapack: str
    what_happened: str


@dataclass(frozen=True, kw_only=True, repr=False)
class RunResult(Result):
    """Outcome of a program that ran with tuned block sizes.

    - exit_code: The program's own, or 128 plus the signal that ended it.
    - processes: Processes into which the preloaded library was loaded.
    - blas: Library that defined dgemm; empty: none was seen.
    - settings: Variables for kernels that were set.
    - routines: In the order of the profile.
    - ended_by: Signal that ended the program, whose queries count up to then; empty: none did.
    - counted: False if queries could not be counted, so that only exit code and settings are known.
    """

    schema_name: ClassVar[str] = "flopcast-run-2"
    title: ClassVar[str] = "Outcome of a program that ran with tuned block sizes"
    main_table: ClassVar[str] = "routines"
    exit_code: int
    processes: int
    blas: str
    settings: dict[str, str]
    routines: tuple[RunOutcomeRoutine, ...]
    ended_by: str | None = None
    counted: bool | None = None


@dataclass(frozen=True, kw_only=True)
class SamplePlanSamples:
    """Part of a document: sample plan samples.

    - call: The call as text, such as "dgemm N N 100 100 100 ...".
    - threads: Threads of BLAS.
    - cache: Cache state before each call.
    - flops: [flop].
    - footprint_bytes: [B].
    - batch: Number of calls that are timed together.
    """

    call: str
    threads: int
    cache: str
    flops: float
    footprint_bytes: float
    batch: int


@dataclass(frozen=True, kw_only=True, repr=False)
class SamplePlanResult(Result):
    """Calls that would be timed."""

    schema_name: ClassVar[str] = "flopcast-sample-plan-1"
    title: ClassVar[str] = "Calls that would be timed"
    main_table: ClassVar[str] = "samples"
    samples: tuple[SamplePlanSamples, ...]


@dataclass(frozen=True, kw_only=True)
class SamplingRule:
    """Part of a document: sampling rule.

    - reference_seconds: Time of the reference kernel that counts as a drift of 1 [s].
    """

    clock: str
    seed: int
    normalise: bool
    reference_seconds: float
    min_repetitions: int
    max_repetitions: int
    relative_interval: float
    confidence: float


@dataclass(frozen=True, kw_only=True)
class SamplesSamplesKey:
    """Part of a document: samples samples key.

    - flags: Values of the flag arguments, such as "LNNU".
    - scalars: Classes of the scalar arguments: 0, 1, - for -1, x for other values.
    - strides: Classes of the leading dimensions and increments.
    - cache: State of the caches, such as "placed" or "warm".
    - library: Fingerprint of the environment.
    - zeros: Sizes that are 0.
    """

    routine: str
    flags: str
    scalars: str
    strides: str
    cache: str
    threads: int
    library: str
    zeros: str | None = None


@dataclass(frozen=True, kw_only=True)
class SamplesSamplesPlacement:
    """Part of a document: samples samples placement.

    - distance_bytes: [B].
    """

    distance_bytes: int
    level: int
    dirty: bool


@dataclass(frozen=True, kw_only=True)
class SamplesSamplesRepetitions:
    """Part of a document: samples samples repetitions.

    - seconds: [s].
    """

    seconds: float
    drift: float
    at: float
    discarded: bool


@dataclass(frozen=True, kw_only=True)
class SamplesSamplesStatistics:
    """Part of a document: samples samples statistics.

    - minimum: Seconds.
    - first_quartile: Seconds.
    - median: Seconds.
    - third_quartile: Seconds.
    - maximum: Seconds.
    - mean: Seconds.
    - standard_deviation: Seconds.
    - median_interval_95: Lower and upper end.
    """

    count: int
    minimum: float
    first_quartile: float
    median: float
    third_quartile: float
    maximum: float
    mean: float
    standard_deviation: float
    median_interval_95: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class SamplesSamples:
    """Part of a document: samples samples.

    - batch: Calls that are timed together.
    - reference_seconds: [s].
    - call: The call as text, such as "dgemm N N 100 100 100 ...".
    - statistics: Missing if nothing was timed.
    """

    key: SamplesSamplesKey
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    placement: tuple[SamplesSamplesPlacement, ...]
    batch: int
    repetitions: tuple[SamplesSamplesRepetitions, ...]
    warnings: tuple[str, ...]
    reference_seconds: float
    session: float
    unrest: float | None = None
    spread: float | None = None
    call: str
    cache: str
    flops: float
    footprint_bytes: float
    statistics: SamplesSamplesStatistics | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class SamplesResult(Result):
    """Timed calls."""

    schema_name: ClassVar[str] = "flopcast-samples-3"
    title: ClassVar[str] = "Timed calls"
    main_table: ClassVar[str] = "samples"
    environment: Environment
    huge_pages: str
    options: SamplingRule
    samples: tuple[SamplesSamples, ...]


@dataclass(frozen=True, kw_only=True)
class TraceAllocations:
    """Part of a document: trace allocations.

    - bytes: [B].
    """

    name: str
    bytes: int


@dataclass(frozen=True, kw_only=True, repr=False)
class TraceResult(Result):
    """Kernel calls of a routine.

    - integer_bytes: [B].
    - measured_seconds: [s].
    """

    schema_name: ClassVar[str] = "flopcast-trace-1"
    title: ClassVar[str] = "Kernel calls of a routine"
    main_table: ClassVar[str] = "calls"
    algorithm: str
    parameters: dict[str, int]
    allocations: tuple[TraceAllocations, ...]
    calls: tuple[tuple[Any, ...], ...]
    integer_bytes: int | None = None
    measured_seconds: tuple[float, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class TraceSummaryKernel:
    """Part of a document: trace summary kernel.

    - flops: Flops of all calls [flop].
    - seconds: If the trace has times [s].
    """

    kernel: str
    calls: int
    flops: float
    seconds: float | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class TraceSummaryResult(Result):
    """Sums of a trace by kernel.

    - kernels: In the order of first use.
    """

    schema_name: ClassVar[str] = "flopcast-trace-summary-1"
    title: ClassVar[str] = "Sums of a trace by kernel"
    main_table: ClassVar[str] = "kernels"
    kernels: tuple[TraceSummaryKernel, ...]
    all: TraceSummaryKernel


@dataclass(frozen=True, kw_only=True)
class QuerySizes:
    """Part of a document: query sizes."""

    m: int
    n: int


@dataclass(frozen=True, kw_only=True)
class RoutineTuning:
    """Part of a document: routine tuning.

    - routine: "dpotrf".
    - flags: Ilaenv's options, such as "L".
    - decisions: For each query.
    - complete: False if the time budget ended sampling before the predictions had their precision.
    """

    routine: str
    flags: str
    queries: tuple[QuerySizes, ...] | None = None
    decisions: tuple[TuningDecision, ...]
    cost: TuningSamplingCost
    complete: bool


@dataclass(frozen=True, kw_only=True, repr=False)
class TuneResult(Result):
    """Block sizes chosen for a routine.

    - settings: Variables in force that select the BLAS's kernels.
    - parts: The routine itself, or the tunable ones below it.
    """

    schema_name: ClassVar[str] = "flopcast-tune-3"
    title: ClassVar[str] = "Block sizes chosen for a routine"
    main_table: ClassVar[str] = "parts.decisions.forecasts"
    routine: str
    environment: Environment
    settings: dict[str, str] | None = None
    options: TuningSettings
    parts: tuple[RoutineTuning, ...]


@dataclass(frozen=True, kw_only=True)
class LapackRoutine:
    """Part of a document: lapack routine.

    - remark: Why it wasn't tuned, or which sizes are undecided; empty: nothing to say.
    - seconds: Time that its tuning took [s].
    """

    routine: str
    flags: str
    remark: str
    seconds: float
    decisions: tuple[TuningDecision, ...]


@dataclass(frozen=True, kw_only=True, repr=False)
class TuneLapackResult(Result):
    """Block sizes chosen for all of LAPACK.

    - profile: File with what was decided.
    - routines: In the order of tuning.
    - left_out: Routines that the time budget didn't reach.
    """

    schema_name: ClassVar[str] = "flopcast-tune-lapack-3"
    title: ClassVar[str] = "Block sizes chosen for all of LAPACK"
    main_table: ClassVar[str] = "routines.decisions"
    environment: Environment
    profile: str
    routines: tuple[LapackRoutine, ...]
    left_out: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class WhatIfAnswers:
    """Part of a document: what if answers.

    - place: "blis 0.9.0 with 2 threads, LAPACK reference 3.11.0".
    - environment: Environment of the prediction.
    - recorded_seconds: Recorded time of the calls that are predicted [s].
    - models_seconds: Time that the models alone expect [s].
    - predicted_seconds: [s].
    - interval: Lower and upper end.
    - gain: Recorded / predicted - 1, so that larger is better; missing for dry runs, which have no times.
    - extrapolated_share: Share of the time outside of the sampled domain.
    - slow_by_numbers_seconds: Recorded time of calls that NaN or denormal numbers made slow; these calls stay as recorded [s].
    - shape_seconds: Predicted time per shape of the profile; null where calls can't be predicted [s].
    - blocks: Chosen block sizes if the question asks for them.
    - untuned_shapes: Shapes whose block sizes are not tuned because they take too little time.
    - what_if: The change, such as "blas=blis,threads=2,nb".
    - failure: Reason why nothing is predicted.
    - failure_code: Exit code of the failure.
    """

    place: str | None = None
    environment: Environment | None = None
    recorded_seconds: float | None = None
    models_seconds: float | None = None
    predicted_seconds: float | None = None
    interval: tuple[float, ...] | None = None
    gain: float | None = None
    extrapolated_share: float | None = None
    slow_by_numbers_seconds: float | None = None
    shape_seconds: tuple[float | None, ...] | None = None
    blocks: tuple[BlockChoice, ...] | None = None
    untuned_shapes: int | None = None
    what_if: str
    failure: str | None = None
    failure_code: int | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class WhatIfResult(Result):
    """Predictions of a recorded program after changes."""

    schema_name: ClassVar[str] = "flopcast-what-if-1"
    title: ClassVar[str] = "Predictions of a recorded program after changes"
    main_table: ClassVar[str] = "answers"
    answers: tuple[WhatIfAnswers, ...]


@dataclass(frozen=True, kw_only=True)
class WisdomProfilesRoutinesPoints:
    """Part of a document: wisdom profiles routines points.

    - m: Rows, as the routine passes them to ilaenv.
    - n: Columns; m for routines of one size.
    - nb: Block size.
    - nbmin: Least block size; 0: LAPACK's own.
    - nx: Crossover point; 0: LAPACK's own.
    - ties: Other block sizes that are as good within noise.
    - regret: Greatest possible loss, fraction of the best time.
    - considered: Number of block sizes that were predicted; 0: not known.
    - samples: Measured calls that the predictions rest on; 0: not known.
    """

    m: int
    n: int
    nb: int
    nbmin: int
    nx: int
    ties: tuple[int, ...] | None = None
    regret: float | None = None
    undecided: bool | None = None
    considered: int | None = None
    samples: int | None = None


@dataclass(frozen=True, kw_only=True)
class WisdomProfilesRoutines:
    """Part of a document: wisdom profiles routines."""

    routine: str
    flags: str | None = None
    points: tuple[WisdomProfilesRoutinesPoints, ...]


@dataclass(frozen=True, kw_only=True)
class WisdomProfilesOthersRoutinesPoints:
    """Part of a document: wisdom profiles others routines points.

    - m: Rows, as the routine passes them to ilaenv.
    - n: Columns; m for routines of one size.
    - nb: Block size.
    - nbmin: Least block size; 0: LAPACK's own.
    - nx: Crossover point; 0: LAPACK's own.
    - ties: Other block sizes that are as good within noise.
    - regret: Greatest possible loss, fraction of the best time.
    - considered: Number of block sizes that were predicted; 0: not known.
    - samples: Measured calls that the predictions rest on; 0: not known.
    """

    m: int
    n: int
    nb: int
    nbmin: int
    nx: int
    ties: tuple[int, ...] | None = None
    regret: float | None = None
    undecided: bool | None = None
    considered: int | None = None
    samples: int | None = None


@dataclass(frozen=True, kw_only=True)
class WisdomProfilesOthersRoutines:
    """Part of a document: wisdom profiles others routines."""

    routine: str
    flags: str | None = None
    points: tuple[WisdomProfilesOthersRoutinesPoints, ...]


@dataclass(frozen=True, kw_only=True)
class WisdomProfilesOthers:
    """Part of a document: wisdom profiles others.

    - settings: Environment variables in force.
    """

    environment: Environment
    settings: dict[str, str] | None = None
    routines: tuple[WisdomProfilesOthersRoutines, ...]


@dataclass(frozen=True, kw_only=True)
class WisdomProfiles:
    """Part of a document: wisdom profiles.

    - settings: Environment variables in force.
    - others: Other libraries and numbers of threads.
    """

    environment: Environment
    settings: dict[str, str] | None = None
    routines: tuple[WisdomProfilesRoutines, ...]
    others: tuple[WisdomProfilesOthers, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class WisdomArtifacts:
    """Part of a document: wisdom artifacts.

    - kind: Kernel-choice or contraction-plan; others are ignored.
    - name: What the decision is about, and for which machine.
    - document_: The decision.
    """

    kind: str
    name: str
    document_: dict[str, Any] = field(metadata={"member": "document"})


@dataclass(frozen=True, kw_only=True, repr=False)
class WisdomResult(Result):
    """Decisions that travel between users and machines.

    - profiles: One for each CPU, pair of libraries and number of threads.
    - environments: Machines and libraries that names of plans refer to.
    """

    schema_name: ClassVar[str] = "flopcast-wisdom-1"
    title: ClassVar[str] = "Decisions that travel between users and machines"
    profiles: tuple[WisdomProfiles, ...]
    environments: tuple[Environment, ...]
    artifacts: tuple[WisdomArtifacts, ...]


@dataclass(frozen=True, kw_only=True)
class WisdomEntry:
    """Part of a document: wisdom entry.

    - id: Names the entry for `flopcast wisdom forget`: eight hexadecimal digits.
    - kind: "block sizes", "kernels" or "plan".
    - subject: "120 routines", the file of a library, or the folded sizes of a contraction.
    - place: Libraries and threads that the entry is for; empty for kernels.
    - misfit: Why the entry doesn't hold on this machine; empty if it holds.
    - file: Where the entry is kept.
    """

    id: str
    kind: str
    subject: str
    place: str
    misfit: str
    file: str


@dataclass(frozen=True, kw_only=True, repr=False)
class WisdomImportResult(Result):
    """Entries of wisdom that were taken and left out.

    - left_out: Entries that don't hold on this machine.
    """

    schema_name: ClassVar[str] = "flopcast-wisdom-import-1"
    title: ClassVar[str] = "Entries of wisdom that were taken and left out"
    main_table: ClassVar[str] = "taken"
    taken: tuple[WisdomEntry, ...]
    left_out: tuple[WisdomEntry, ...]


@dataclass(frozen=True, kw_only=True, repr=False)
class WisdomListResult(Result):
    """Wisdom that the user and the system have, or a file of wisdom.

    - entries: Block sizes, plans, kernels.
    """

    schema_name: ClassVar[str] = "flopcast-wisdom-list-1"
    title: ClassVar[str] = "Wisdom that the user and the system have, or a file of wisdom"
    main_table: ClassVar[str] = "entries"
    entries: tuple[WisdomEntry, ...]


#: Classes of documents by the names of their schemas, without `flopcast-` and the number.
RESULTS: dict[str, type[Result]] = {
    "contract": ContractResult,
    "contract-plan": ContractPlanResult,
    "contract-run": ContractRunResult,
    "einsum-plan": EinsumPlanResult,
    "einsum-run": EinsumRunResult,
    "environment": EnvironmentResult,
    "ilaenv": IlaenvResult,
    "machine": MachineResult,
    "machine-description": MachineDescriptionResult,
    "measured-machine": MeasuredMachineResult,
    "model": ModelResult,
    "model-check": ModelCheckResult,
    "model-plan": ModelPlanResult,
    "models": ModelsResult,
    "mpi-profile": MpiProfileResult,
    "mpi-simulation": MpiSimulationResult,
    "mpi-space": MpiSpaceResult,
    "mpi-tuning": MpiTuningResult,
    "predict": PredictResult,
    "profile": ProfileResult,
    "program-profile": ProgramProfileResult,
    "program-trace": ProgramTraceResult,
    "rank": RankResult,
    "recording": RecordingResult,
    "roofline": RooflineResult,
    "roofline-comparison": RooflineComparisonResult,
    "roofline-plan": RooflinePlanResult,
    "run": RunResult,
    "sample-plan": SamplePlanResult,
    "samples": SamplesResult,
    "trace": TraceResult,
    "trace-summary": TraceSummaryResult,
    "tune": TuneResult,
    "tune-lapack": TuneLapackResult,
    "what-if": WhatIfResult,
    "wisdom": WisdomResult,
    "wisdom-import": WisdomImportResult,
    "wisdom-list": WisdomListResult,
}

__all__ = [
    "ContractResult",
    "ContractPlanResult",
    "ContractRunResult",
    "EinsumPlanResult",
    "EinsumRunResult",
    "EnvironmentResult",
    "IlaenvResult",
    "MachineResult",
    "MachineDescriptionResult",
    "MeasuredMachineResult",
    "ModelResult",
    "ModelCheckResult",
    "ModelPlanResult",
    "ModelsResult",
    "MpiProfileResult",
    "MpiSimulationResult",
    "MpiSpaceResult",
    "MpiTuningResult",
    "PredictResult",
    "ProfileResult",
    "ProgramProfileResult",
    "ProgramTraceResult",
    "RankResult",
    "RecordingResult",
    "RooflineResult",
    "RooflineComparisonResult",
    "RooflinePlanResult",
    "RunResult",
    "SamplePlanResult",
    "SamplesResult",
    "TraceResult",
    "TraceSummaryResult",
    "TuneResult",
    "TuneLapackResult",
    "WhatIfResult",
    "WisdomResult",
    "WisdomImportResult",
    "WisdomListResult",
]
