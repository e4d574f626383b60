#include "flopcast/preload/smpi/simulation.hpp"

#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <smpi/smpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <numeric>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/path/aggregate.hpp"
#include "flopcast/preload/common/redirect.hpp"
#include "flopcast/preload/kernels/routine_digest.hpp"

namespace flopcast::preload::smpi {

using mpi::Activity;

namespace {

/// Returns whether a process's calls go into the result as traces. These are the first, second, middle and last processes, which differ in
/// their work on grids.
bool is_traced(int rank, int size) { return rank < 2 || rank == size / 2 || rank == size - 1; }

/// Returns a hash (FNV-1a) of the ranks, so that all processes of a group find the same value without communication. Duplicates of a
/// communicator get the same value. Their messages could be confused only with the same tag and in another order on the other side.
std::uint64_t id_of(const std::vector<int>& world_ranks) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const int rank : world_ranks) {
    hash = (hash ^ static_cast<std::uint32_t>(rank)) * 0x100000001b3U;
  }
  return hash;
}

std::vector<int> world_ranks_of(MPI_Comm comm, int size) {
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::vector<int> all(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Group world = MPI_GROUP_NULL;
  PMPI_Comm_group(comm, &group);
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Group_translate_ranks(group, size, ranks.data(), world, all.data());
  PMPI_Group_free(&group);
  PMPI_Group_free(&world);
  return all;
}

std::unique_ptr<Simulation> made_simulation() noexcept {
  const char* text = std::getenv(protocol::smpi_options_variable);
  if (text == nullptr) {
    return nullptr;
  }
  try {
    return std::make_unique<Simulation>(protocol::parse_smpi_options(text));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "flopcast: the program isn't traced: %s\n", error.what());
    return nullptr;
  }
}

}  // namespace

std::shared_ptr<const Group> SmpiProcess::group(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) {
    return nullptr;
  }
  std::shared_ptr<const Group>& known = groups_[comm];
  if (!known) {
    const auto group = std::make_shared<Group>();
    int size = 0;
    PMPI_Comm_size(comm, &size);
    PMPI_Comm_rank(comm, &group->rank);
    group->world_ranks = world_ranks_of(comm, size);
    group->id = id_of(group->world_ranks);
    group->stride = path::stride_of(group->world_ranks);
    known = group;
  }
  return known;
}

Simulation::Simulation(const protocol::SmpiOptions& options) : options_(options), times_(ModelledTimes::read(options.times)) {
  kernel::catalogue();  // takes milliseconds the first time, which must not count as the program's
}

SmpiProcess* Simulation::current() noexcept {
  const auto number = static_cast<std::size_t>(sg_actor_self_get_pid());
  SmpiProcess* process = number < processes_.size() ? processes_[number].get() : nullptr;
  return process != nullptr && !process->ended ? process : nullptr;
}

void Simulation::begin_process() {
  const auto number = static_cast<std::size_t>(sg_actor_self_get_pid());
  if (number >= processes_.size()) {
    processes_.resize(number + 1);
  }
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &size_);
  processes_[number] = std::make_unique<SmpiProcess>(rank);
  ++begun_;
  smpi_bench_end();
  redirect_new_objects();  // the copies of all processes; else the first process's next dlsym() would do so as its own code
  // Paths begin with the simulation, so that each is as long as its process's clock.
  processes_[number]->path().compute(now());
  processes_[number]->resumed = now();
  smpi_bench_begin();
}

void Simulation::end_process() {
  { const SimulatedCall inside; }
  if (SmpiProcess* process = current(); process != nullptr) {
    process->ended = true;
    if (++ended_ == size_) {
      write_result();
    }
  }
}

std::uint32_t Simulation::computation_kernel(const Call& call, std::size_t routine) {
  SmpiProcess& process = *current();
  const std::uint32_t number = kernels_.number(mpi::routine_digests()[routine].key_of(call));
  const bool first = number >= seconds_.size();
  if (first) {
    selective::KernelRecord& kernel = kernels_[number];
    kernel.flops = flops(call);
    const std::optional<Seconds> seconds = times_.find(kernel.key);
    seconds_.resize(number + 1);
    known_.resize(number + 1, true);
    seconds_[number] = seconds.value_or(ModelledTimes::nominal(kernel.flops));
    known_[number] = seconds.has_value();
  }
  keep_in_trace(process, call, number, first);
  return number;
}

void Simulation::keep_in_trace(SmpiProcess& process, const Call& call, std::uint32_t kernel, bool first) {
  if (options_.max_traced_calls == 0) {
    return;
  }
  if (is_traced(process.rank(), size_) && traced_ < options_.max_traced_calls) {
    ++traced_;
    process.trace.add(call, kernel);
  } else if (first) {
    first_calls_.add(call, kernel);
  }
}

void Simulation::use_first(SmpiProcess& process, const Call& call) {
  if (options_.only_kernels) {
    return;
  }
  Seconds seconds = touch_written_memory(call);
  if (!process.has_called) {
    first_call_ = first_call_ ? first_call_ : first_call_seconds();
    seconds += *first_call_;
    process.has_called = true;
  }
  if (seconds > 0) {
    const Seconds start = now();
    smpi_execute_flops(seconds * options_.flops_per_second);
    process.path().compute(now() - start);
    process.timeline.add(Activity::own_code, start, now());
  }
}

void Simulation::compute(SmpiProcess& process, std::uint32_t kernel) {
  const Seconds start = now();
  smpi_execute_flops(seconds_[kernel] * options_.flops_per_second);
  const Seconds seconds = now() - start;
  process.timeline.add(Activity::computation, start, now());
  selective::KernelRecord& entry = kernels_[kernel];
  ++entry.skipped;
  entry.executed.add(seconds);
  if (process.inside_mpi) {  // the path goes on from the processes for which MPI waited
    process.in_callbacks.emplace_back(kernel, seconds);
    return;
  }
  process.path().add({.time = seconds, .computation = seconds, .flops = entry.flops});
  process.path().add_kernel(kernel, seconds);
  process.resumed = now();
}

std::uint32_t Simulation::communication_kernel(mpi::Routine routine, std::int64_t bytes, const Group& group) {
  const std::uint32_t number =
      kernels_.number({selective::KernelKind::communication, static_cast<std::uint32_t>(routine), {bytes, group.size(), group.stride}});
  if (number >= seconds_.size()) {
    seconds_.resize(number + 1);
    known_.resize(number + 1, true);
  }
  return number;
}

Seconds Simulation::note_callbacks(SmpiProcess& process) {
  Seconds sum = 0;
  for (const auto& [kernel, seconds] : process.in_callbacks) {
    process.path().add({.time = seconds, .computation = seconds, .flops = kernels_[kernel].flops});
    process.path().add_kernel(kernel, seconds);
    sum += seconds;
  }
  process.in_callbacks.clear();
  return sum;
}

void Simulation::communicated(SmpiProcess& process, std::uint32_t kernel, Seconds entered, std::span<const ProcessArrival> others,
                              double bytes) {
  const ProcessArrival* last = nullptr;
  for (const ProcessArrival& other : others) {
    if (other.time > entered && other.time <= now() && (last == nullptr || other.time > last->time)) {
      last = &other;
    }
  }
  Seconds start = entered;
  if (last != nullptr) {
    process.path().wait(last->time - entered);
    process.waited += last->time - entered;
    process.waits.await(kernels_[kernel].key.routine, last->mark.place.rank, last->kind);
    process.waits.add(last->time - entered);
    process.path().follow(last->mark, now());
    start = last->time;
  }
  process.timeline.add(Activity::waiting, entered, start);
  process.timeline.add(Activity::communication, start, now());
  constexpr double word_bytes = 8;
  const Seconds seconds = std::max(now() - start - note_callbacks(process), 0.0);
  kernels_[kernel].executed.add(seconds);
  process.path().add({.time = seconds, .communication = seconds, .supersteps = 1, .words = bytes / word_bytes});
  process.path().add_kernel(kernel, seconds);
}

void Simulation::write_result() {
  ResultFacts facts;
  std::vector<SmpiProcess*> by_rank(static_cast<std::size_t>(size_), nullptr);
  for (const auto& process : processes_) {
    if (process) {
      process->path().name_part();
      by_rank[static_cast<std::size_t>(process->rank())] = process.get();
    }
  }
  facts.processes = std::move(by_rank);
  facts.first_calls = &first_calls_;
  facts.known = known_;
  facts.traces = options_.max_traced_calls > 0;
  write_result_file(options_.result, facts, kernels_);
}

Simulation* simulation() noexcept {
  static const std::unique_ptr<Simulation> made = made_simulation();
  return made.get();
}

Seconds now() noexcept { return simgrid_get_clock(); }

namespace {

/// Begins what the program calls; returns nullptr inside of another such call.
SmpiProcess* enter() noexcept {
  Simulation* all = simulation();
  SmpiProcess* process = all != nullptr ? all->current() : nullptr;
  if (process == nullptr || process->inside) {
    return nullptr;
  }
  process->inside = true;
  smpi_bench_end();  // lets simulated time pass for the program's own code
  const Seconds seconds = now() - process->resumed;
  process->path().compute(seconds);
  process->timeline.add(Activity::own_code, process->resumed, now());
  return process;
}

}  // namespace

SmpiProcess* enter_kernel() noexcept {
  Simulation* all = simulation();
  SmpiProcess* process = all != nullptr ? all->current() : nullptr;
  if (process != nullptr && process->inside_mpi && !process->in_kernel) {
    process->in_kernel = true;
    return process;
  }
  return enter();
}

void leave_kernel(SmpiProcess& process) noexcept {
  if (process.inside_mpi) {
    process.in_kernel = false;
    return;
  }
  process.resumed = now();
  process.inside = false;
  smpi_bench_begin();
}

SimulatedCall::SimulatedCall() noexcept : process_(enter()), entered_(now()) {
  if (process_ != nullptr) {
    process_->inside_mpi = true;
    smpi_bench_begin();  // the simulator's function ends it
  }
}

SimulatedCall::~SimulatedCall() {
  if (process_ != nullptr) {
    simulation()->note_callbacks(*process_);
    process_->resumed = now();
    process_->inside = process_->inside_mpi = false;
  }
}

}  // namespace flopcast::preload::smpi
