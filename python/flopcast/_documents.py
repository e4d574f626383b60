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

    - seconds: [s].
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
    kernel_calls: int
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

    - capacity_bytes: [B].
    - capacity_low_bytes: [B].
    - capacity_high_bytes: [B].
    - reported_bytes: [B].
    - line_bytes: [B].
    - latency_seconds: [s].
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

    - integer_bytes: [B].
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

    - peak_flops: [flop].
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

    - seconds: [s].
    """

    tiles: str
    seconds: float
    basis: str


@dataclass(frozen=True, kw_only=True)
class PlanSummary:
    """Part of a document: plan summary.

    - seconds: [s].
    - workspace_bytes: [B].
    """

    explanation: str
    seconds: float
    workspace_bytes: int
    considered: tuple[ConsideredTiles, ...]
    loops: str
    kept: str


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
    - planning_seconds: [s].
    - flops_per_second: [flop/s].
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


@dataclass(frozen=True, kw_only=True, repr=False)
class EinsumRunResult(Result):
    """An expression that was planned and executed.

    - expression: In einsum's notation, such as "ijx,jk->ik".
    - sizes: Size of each label.
    - flops: Flops of one execution [flop].
    - planning_seconds: Time until the plan was ready, without the time for opening the machine [s].
    - times: Time of each execution.
    - flops_per_second: Rate of the median execution [flop/s].
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
    """Part of a document: machine cpu place."""

    cpu: int
    core: int
    socket: int
    kind: int


@dataclass(frozen=True, kw_only=True)
class MachineReportedCache:
    """Part of a document: machine reported cache.

    - bytes: [B].
    - line_bytes: [B].
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
    huge_pages: str
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

    - max_hertz: [Hz].
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

    - memory_bytes: [B].
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

    - resolution_seconds: [s].
    - overhead_seconds: [s].
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

    - slice_seconds: [s].
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
    huge_pages: str
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

    - dgemm_flops: [flop].
    """

    setting: str
    kernels: str
    dgemm_flops: float


@dataclass(frozen=True, kw_only=True)
class MachineLibraries:
    """Part of a document: machine libraries.

    - dgemm_flops: [flop].
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
    """Part of a document: machine description within host."""

    latency_seconds: float | None = None
    bytes_per_second: float | None = None


@dataclass(frozen=True, kw_only=True)
class MachineDescriptionBetweenHosts:
    """Part of a document: machine description between hosts."""

    latency_seconds: float | None = None
    bytes_per_second: float | None = None


@dataclass(frozen=True, kw_only=True)
class MachineDescriptionMessageClasses:
    """Part of a document: machine description message classes.

    - bytes: Messages of so many bytes and more, up to the next entry.
    """

    bytes: int | None = None
    latency_factor: float | None = None
    bandwidth_factor: float | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class MachineDescriptionResult(Result):
    """Machine that MPI programs are simulated on.

    - core_speed: Speed of a core as a multiple of this machine's.
    - busy_core_speed: Speed of a core while all others are busy, as a multiple.
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
    huge_pages: str
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

    - reference_seconds: [s].
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

    - seconds: [s].
    - interval: Lower and upper end.
    """

    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    held_out: bool
    seconds: float
    interval: tuple[float, ...]
    wall_times: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class KernelCheck:
    """Part of a document: kernel check."""

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

    - seconds: [s].
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
    """Points that a model would begin with."""

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

    - seconds: [s].
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
class MpiProfileProcesses:
    """Part of a document: mpi profile processes.

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
    rank: int
    host: str
    on_path_seconds: float


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

    - flops: [flop].
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

    - clock: Clock of the paths.
    - policy: Policy of selective execution.
    - elapsed_seconds: [s].
    - prediction_error_seconds: [s].
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

    - flops: [flop].
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
    - simulation_seconds: [s].
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
    """Part of a document: simulation failure."""

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
    - half_width_seconds: [s].
    - elapsed_seconds: [s].
    - self_check_seconds: [s].
    - full_path_seconds: [s].
    - full_elapsed_seconds: [s].
    """

    configuration: dict[str, str]
    verdict: str
    predicted_seconds: float | None = None
    half_width_seconds: float | None = None
    coverage: float | None = None
    executed_share: float | None = None
    elapsed_seconds: float | None = None
    self_check_seconds: float | None = None
    selective: bool | None = None
    finalist: bool | None = None
    spent: MpiConfigurationSpent | None = None
    full_path_seconds: float | None = None
    full_elapsed_seconds: float | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class MpiTuningResult(Result):
    """Predicted configurations of an MPI program.

    - launch_seconds: [s].
    - clock: Clock of the paths.
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

    - capacity_bytes: [B].
    - time_budget_seconds: [s].
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

    - flops: [flop].
    - seconds: [s].
    - deviation_seconds: [s].
    - extrapolated_seconds: [s].
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

    - seconds: [s].
    - interval: Lower and upper end.
    - flops: [flop].
    - models_seconds: [s].
    - measured_seconds: [s].
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
    """Predicted times of routines, traces or recorded programs."""

    schema_name: ClassVar[str] = "flopcast-predict-2"
    title: ClassVar[str] = "Predicted times of routines, traces or recorded programs"
    main_table: ClassVar[str] = "predictions"
    environment: Environment
    options: PredictionOptions
    predictions: tuple[Prediction, ...]


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
    """

    m: int
    n: int
    nb: int
    nbmin: int
    nx: int
    ties: tuple[int, ...] | None = None
    regret: float | None = None
    undecided: bool | None = None


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
    """

    m: int
    n: int
    nb: int
    nbmin: int
    nx: int
    ties: tuple[int, ...] | None = None
    regret: float | None = None
    undecided: bool | None = None


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
    """Part of a document: program profile place."""

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

    - flops_per_second: [flop/s].
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
    - longest_seconds: [s].
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

    - default_seconds: [s].
    - chosen_seconds: [s].
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

    - recorded_seconds: [s].
    - models_seconds: [s].
    - predicted_seconds: [s].
    - interval: Lower and upper end.
    - slow_by_numbers_seconds: [s].
    - shape_seconds: [s].
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

    - missing_bytes: [B].
    - seconds: [s].
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
class TuningSettings:
    """Part of a document: tuning settings."""

    time_budget: float
    nb: tuple[int, ...]
    seed: int


@dataclass(frozen=True, kw_only=True)
class VariantInfo:
    """Part of a document: variant info."""

    variant: str
    description: str
    lapack: bool


@dataclass(frozen=True, kw_only=True)
class TuningForecast:
    """Part of a document: tuning forecast.

    - seconds: [s].
    - interval: Lower and upper end.
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

    - seconds: [s].
    - interval: Lower and upper end.
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

    - seconds: [s].
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
    """Part of a document: tuning alternative."""

    variant: str | None = None
    nb: int
    nbmin: int | None = None
    nx: int | None = None


@dataclass(frozen=True, kw_only=True)
class TuningOrderCheck:
    """Part of a document: tuning order check."""

    pairs: int
    right: int


@dataclass(frozen=True, kw_only=True)
class TuningRunWarning:
    """Part of a document: tuning run warning."""

    run: str
    text: str


@dataclass(frozen=True, kw_only=True)
class TuningCheck:
    """Part of a document: tuning check.

    - default_seconds: [s].
    - chosen_seconds: [s].
    - best_seconds: [s].
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

    - flops: [flop].
    """

    sizes: tuple[int, ...]
    flops: float | None = None
    default: TuningForecast | None = None
    chosen: TuningForecast
    gain: float
    ties: tuple[int, ...] | None = None
    regret: float
    ranking: tuple[TuningVariantRank, ...] | None = None
    forecasts: tuple[TuningForecast, ...] | None = None
    validation: TuningCheck | None = None


@dataclass(frozen=True, kw_only=True)
class TuningSamplingCost:
    """Part of a document: tuning sampling cost.

    - measuring_seconds: [s].
    """

    segments: int
    timings: int
    measuring_seconds: float


@dataclass(frozen=True, kw_only=True)
class PlaceRanking:
    """Part of a document: place ranking."""

    blas: str | None = None
    threads: int
    environment: Environment
    decisions: tuple[TuningDecision, ...]
    cost: TuningSamplingCost
    complete: bool


@dataclass(frozen=True, kw_only=True)
class TuningJointRank:
    """Part of a document: tuning joint rank.

    - seconds: [s].
    - interval: Lower and upper end.
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
    """Part of a document: tuning joint decision."""

    sizes: tuple[int, ...] | None = None
    ranking: tuple[TuningJointRank, ...]
    regret: float


@dataclass(frozen=True, kw_only=True, repr=False)
class RankResult(Result):
    """Variants of an algorithm by predicted time, in one or several places."""

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
    """Part of a document: recording machine."""

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
    - flops: [flop].
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

    - seconds: [s].
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

    - bytes: [B].
    - seconds: [s].
    - call_seconds: [s].
    - missing_bytes: [B].
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

    - working_set_bytes: [B].
    - flops_per_byte: [flop/B].
    - bytes_per_second: [B/s].
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

    - flops_per_second: [flop/s].
    """

    shape: RooflineGemmShape
    state: str
    flops_per_second: RooflineGemmTrialFlopsPerSecond


@dataclass(frozen=True, kw_only=True)
class RooflineGemmRoof:
    """Part of a document: roofline gemm roof.

    - flops_per_second: [flop/s].
    - seconds: [s].
    """

    library: LibraryIdentity
    routine: str | None = None
    setting: str
    threads: int
    shape: RooflineGemmShape
    flops_per_second: RooflineGemmRoofFlopsPerSecond
    confirmed: bool
    search: str
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

    - flops_per_second: [flop/s].
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

    - flops: [flop].
    - bytes: [B].
    - flops_per_second: [flop/s].
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

    - nominal_clock_gigahertz: [GHz].
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
    search: str | None = None
    order: str | None = None
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

    - seconds: [s].
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
    """Part of a document: roofline plan step."""

    subject: str
    method: str


@dataclass(frozen=True, kw_only=True, repr=False)
class RooflinePlanResult(Result):
    """Steps that a measurement of roofs would take."""

    schema_name: ClassVar[str] = "flopcast-roofline-plan-1"
    title: ClassVar[str] = "Steps that a measurement of roofs would take"
    main_table: ClassVar[str] = "steps"
    steps: tuple[RooflinePlanStep, ...]
    findings: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class RooflineStudyRow:
    """Part of a document: roofline study row.

    - found_flops_per_second: [flop/s].
    - flops_per_second: [flop/s].
    - seconds: [s].
    """

    technique: str
    trials: int
    begun: bool | None = None
    finished_shapes: int
    leader: int
    found_flops_per_second: float
    flops_per_second: float
    of_best: float
    success: float
    settled: float
    seconds: float
    evaluations: int
    speedup: float


@dataclass(frozen=True, kw_only=True)
class RooflineStudyRun:
    """Part of a document: roofline study run.

    - seconds: [s].
    """

    technique: str
    trial: int
    finished: tuple[tuple[float, ...], ...]
    leader: int
    rate: float | None = None
    seconds: float
    evaluations: int
    settled: bool | None = None
    complete: bool


@dataclass(frozen=True, kw_only=True)
class GemmSearchStudyState:
    """Part of a document: gemm search study state.

    - judged: Number of the configuration, judged rate.
    """

    runs: tuple[RooflineStudyRun, ...]
    judged: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, kw_only=True)
class GemmSearchStudy:
    """Part of a document: gemm search study."""

    library: str
    threads: int
    settings: dict[str, str]
    rows: tuple[RooflineStudyRow, ...]
    state: GemmSearchStudyState


@dataclass(frozen=True, kw_only=True, repr=False)
class RooflineStudyResult(Result):
    """Comparison of searches of the best gemm.

    - shapes: [m, n, k] of each shape.
    """

    schema_name: ClassVar[str] = "flopcast-roofline-study-2"
    title: ClassVar[str] = "Comparison of searches of the best gemm"
    main_table: ClassVar[str] = "studies"
    tolerance: float | None = None
    judge_space: bool | None = None
    complete: bool | None = None
    studies: tuple[GemmSearchStudy, ...]
    shapes: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, kw_only=True)
class RunOutcomeRoutine:
    """Part of a document: run outcome routine."""

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
    """Outcome of a program that ran with tuned block sizes."""

    schema_name: ClassVar[str] = "flopcast-run-2"
    title: ClassVar[str] = "Outcome of a program that ran with tuned block sizes"
    main_table: ClassVar[str] = "routines"
    exit_code: int
    processes: int
    blas: str
    settings: dict[str, str]
    routines: tuple[RunOutcomeRoutine, ...]
    counted: bool | None = None


@dataclass(frozen=True, kw_only=True)
class SamplingRule:
    """Part of a document: sampling rule.

    - reference_seconds: [s].
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

    - flops: [flop].
    - seconds: [s].
    """

    kernel: str
    calls: int
    flops: float
    seconds: float | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class TraceSummaryResult(Result):
    """Sums of a trace by kernel."""

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
    """Part of a document: routine tuning."""

    routine: str
    flags: str
    queries: tuple[QuerySizes, ...] | None = None
    decisions: tuple[TuningDecision, ...]
    cost: TuningSamplingCost
    complete: bool


@dataclass(frozen=True, kw_only=True, repr=False)
class TuneResult(Result):
    """Block sizes chosen for a routine."""

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

    - seconds: [s].
    """

    routine: str
    flags: str
    remark: str
    seconds: float
    decisions: tuple[TuningDecision, ...]


@dataclass(frozen=True, kw_only=True, repr=False)
class TuneLapackResult(Result):
    """Block sizes chosen for all of LAPACK."""

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

    - recorded_seconds: [s].
    - models_seconds: [s].
    - predicted_seconds: [s].
    - interval: Lower and upper end.
    - slow_by_numbers_seconds: [s].
    - shape_seconds: [s].
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
    """

    m: int
    n: int
    nb: int
    nbmin: int
    nx: int
    ties: tuple[int, ...] | None = None
    regret: float | None = None
    undecided: bool | None = None


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
    """

    m: int
    n: int
    nb: int
    nbmin: int
    nx: int
    ties: tuple[int, ...] | None = None
    regret: float | None = None
    undecided: bool | None = None


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
    "rank": RankResult,
    "recording": RecordingResult,
    "roofline": RooflineResult,
    "roofline-comparison": RooflineComparisonResult,
    "roofline-plan": RooflinePlanResult,
    "roofline-study": RooflineStudyResult,
    "run": RunResult,
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
    "RankResult",
    "RecordingResult",
    "RooflineResult",
    "RooflineComparisonResult",
    "RooflinePlanResult",
    "RooflineStudyResult",
    "RunResult",
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
