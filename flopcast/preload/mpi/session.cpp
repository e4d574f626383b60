#include "flopcast/preload/mpi/session.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "flopcast/preload/kernels/routine_digest.hpp"
#include "flopcast/preload/kernels/wall_clock.hpp"
#include "flopcast/preload/mpi/losses.hpp"
#include "flopcast/preload/mpi/other_tools.hpp"
#include "flopcast/preload/mpi/piggyback.hpp"
#include "flopcast/preload/mpi/prefixed_names.hpp"
#include "flopcast/preload/mpi/process_values.hpp"
#include "flopcast/preload/mpi/results.hpp"
#include "flopcast/preload/mpi/startup.hpp"
#include "flopcast/preload/mpi/traffic.hpp"

namespace flopcast::preload::mpi {
namespace {

/// Returns whether the process has a stage to report. A process that another one started after its initialisation, and whose environment it
/// inherited, has none.
bool has_stage(const protocol::MpiOptions& options) noexcept {
  struct stat status {};
  return stat(options.profile.c_str(), &status) == 0 && status.st_size > 0;
}

std::unique_ptr<TracingSession> make_session() {
  const char* text = std::getenv(protocol::mpi_options_variable);
  if (text == nullptr) {
    return nullptr;
  }
  try {
    routine_digests();  // takes milliseconds the first time, which must not count as the program's
    auto made = std::make_unique<TracingSession>(protocol::parse_mpi_options(text));
    find_other_tools();
    if (!has_stage(made->options)) {
      const std::string tool = tool_that_hides_the_beginning();
      write_stage(made->options, tool.empty() ? std::string(protocol::mpi_stage_loaded) : std::string(protocol::mpi_stage_hidden) + tool);
    }
    return made;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "flopcast: this program is not traced: %s\n", error.what());
    return nullptr;
  }
}

}  // namespace

TracingSession* current_session = nullptr;

void open_session() noexcept {
  static const std::unique_ptr<TracingSession> only = make_session();
  static const struct Closing {
    Closing() = default;
    Closing(const Closing&) = delete;
    Closing& operator=(const Closing&) = delete;
    ~Closing() { current_session = nullptr; }  // functions that the program calls later pass through
  } closing;
  current_session = only.get();
}

void write_stage(const protocol::MpiOptions& options, std::string_view stage) noexcept {
  const int file = open(options.profile.c_str(), O_WRONLY | O_CLOEXEC | O_TRUNC);
  if (file >= 0) {
    [[maybe_unused]] const ssize_t written = write(file, stage.data(), stage.size());  // only improves a message
    close(file);
  }
}

void TracingSession::note_sessions() noexcept {
  if (!uses_sessions_ && !gate.is_open()) {
    write_stage(options, protocol::mpi_stage_sessions);  // until MPI_Init, if the program calls it
  }
  uses_sessions_ = true;
}

void TracingSession::begin() {
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  const int multiple = of_all(MPI_COMM_WORLD, level == MPI_THREAD_MULTIPLE ? 1 : 0, MPI_MAX);
  rank_ = rank_in(MPI_COMM_WORLD);
  size_ = processes_in(MPI_COMM_WORLD);
  write_stage(options, rank_ != 0      ? protocol::mpi_stage_other
                       : multiple != 0 ? protocol::mpi_stage_multiple
                                       : protocol::mpi_stage_initialised);
  if (multiple != 0) {
    return;
  }
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(MPI_COMM_WORLD, &group);
  PMPI_Comm_create(MPI_COMM_WORLD, group, &world_);
  PMPI_Group_free(&group);
  require_same_options(options, world_);
  make_agreement_type();
  for (const auto& [comm, rank] : {std::pair(MPI_COMM_WORLD, rank_), std::pair(MPI_COMM_SELF, 0)}) {
    attach_channel(comm, agree(comm, {.channel = proposed_channel(rank)}).channel);
  }
  const NodeFacts node = join_node(world_);
  granted_cpus_ = node.granted_cpus;
  clock.choose(options.clock == protocol::MpiClock::cpu || (options.clock == protocol::MpiClock::automatic && node.crowded));
  FastWallClock::calibrate();
  kernels.messages = measure_messages(world_, clock.is_cpu_time());
  read_statistics();
  executions.read(options.executions, world_);
  if (!executions.empty()) {
    begin_execution(0, 0);
  }
  ledger.begin(rank_);
  kernels.begin(rank_, size_);
  set_count_propagation(options.policy == selective::Policy::online);
  skipping.begin(options.progress);
  gate.open();
  PMPI_Barrier(world_);
  clock.start();
  ledger.start_together(options.policy == selective::Policy::full, events_of_process());
  core_time.start();
  clock.return_to_program();
}

/// Returns the number of events for which this process reserves memory: its part of those that are wanted, and more, because processes have
/// different numbers of events.
std::size_t TracingSession::events_of_process() const noexcept {
  constexpr std::int64_t max_events = 1 << 16;
  return static_cast<std::size_t>(std::clamp<std::int64_t>(options.max_events, 0, max_events));
}

/// Reads earlier runs' statistics at rank 0, and broadcasts them.
void TracingSession::read_statistics() {
  PageVector<selective::PriorKernel> known;
  if (rank_ == 0 && !options.prior_profile.empty()) {
    known = read_prior_kernels(options.prior_profile, where_times_hold(size_, clock.is_cpu_time()), regions);
  }
  broadcast_records(world_, known);
  for (const selective::PriorKernel& kernel : known) {
    const bool mine = selective::KernelKeyHash()(kernel.key) % static_cast<std::uint64_t>(size_) == static_cast<std::uint64_t>(rank_);
    kernels.decisions.know(kernels.table.number(kernel.key), kernel, !mine && kernel.key.kind != selective::KernelKind::region);
  }
}

Wait TracingSession::longest_wait() {
  struct Least {
    double seconds;
    int rank;
  };
  constexpr auto routines = static_cast<std::size_t>(Routine::count);
  std::array<Least, routines> least;
  for (std::size_t i = 0; i < routines; ++i) {
    least[i] = {ledger.waits().together(static_cast<std::uint32_t>(i)), rank_};
  }
  PMPI_Allreduce(MPI_IN_PLACE, least.data(), static_cast<int>(routines), MPI_DOUBLE_INT, MPI_MINLOC, world_);
  Wait longest = ledger.waits().longest();
  if (longest.routine < routines && longest.awaited == Wait::nobody) {
    constexpr double much_less = 0.5;
    const Least& last = least[longest.routine];
    longest.awaited = last.rank != rank_ && last.seconds < much_less * longest.seconds ? last.rank : Wait::nobody;
  }
  return longest;
}

MpiProfile TracingSession::conclude() {
  MpiProfile profile;
  const path::CriticalPath& path = ledger.path();
  core_time.stop();
  ledger.count_until_now();
  profile.granted_cpus = of_all(world_, granted_cpus_, MPI_MAX);
  profile.message_model = kernels.messages;
  profile.elapsed = of_all(world_, clock.measured(ledger.measures()), MPI_MAX);
  profile.spawned_processes = of_all(world_, spawned, MPI_SUM);
  profile.sessions = of_all(world_, uses_sessions_ ? 1 : 0, MPI_MAX) != 0;
  profile.own_messages = {of_all(world_, own_traffic.messages, MPI_SUM), of_all(world_, own_traffic.bytes, MPI_SUM),
                          of_all(world_, own_traffic.largest_bytes, MPI_MAX)};
  profile.bypassing_messages = count_bypassing(world_);
  profile.prefixed_calls = of_all(world_, names_are_passed_by() ? 1 : 0, MPI_MAX) != 0;
  profile.simultaneous_calls = of_all(world_, gate.refused_calls(), MPI_SUM);
  const path::PathMark longest = channel_of(MPI_COMM_WORLD)->agree(propagation.agreement(false)).mark;
  profile.per_process = of_all(world_, path.own(), MPI_MAX);
  profile.volumetric = mean_of_all(world_, path.own());
  profile.spent = mean_of_all(world_, ledger.spent());
  profile.path_complete = of_all(world_, path.log().complete() ? 1 : 0, MPI_MIN) != 0;
  const Seconds end = ledger.since_start();
  const PathParts parts = visit_critical_path(
      world_, path, {longest.place, end}, kernels.table, [this](std::uint32_t kernel) { return kernels.estimate(kernel); },
      ledger.timeline(), &ledger.path_parts());
  profile.timeline = collect_timelines(world_, ledger.timeline(), end);
  profile.critical_path = longest.along;
  profile.critical_path += of_all(world_, parts.correction, MPI_SUM);
  profile.longest = path::greatest(longest.longest, profile.critical_path);
  profile.program_variance = of_all(world_, ledger.gaps().variance_along(kernels.table.kernels()), MPI_SUM);
  profile.pace = of_all(world_, kernels.decisions.run_time_ratio(), MPI_SUM);
  for (std::uint32_t i = 0; i < kernels.table.kernels().size(); ++i) {
    kernels.table[i].in_context = kernels.decisions.in_context(i);
  }
  collect_kernels(world_, kernels.table);
  collect_region_names(world_, regions);
  profile.waits = collect_waits(world_, ledger.waits(), regions);
  if (profile.timeline) {
    collect_events(world_, ledger, kernels.table, regions, static_cast<std::size_t>(options.max_events), *profile.timeline);
  }
  if (!clock.is_cpu_time() && options.policy == selective::Policy::full) {  // otherwise waiting has no time
    profile.regions = collect_region_loads(world_, ledger.region_loads(), regions);
  }
  ProcessFacts mine{path.own(), parts.kernels, parts.own_code, {}, core_time.lost(), longest_wait()};
  gethostname(mine.host.data(), mine.host.size() - 1);
  const std::vector<CallSequence> all_calls = gather_values(world_, calls);
  const std::vector<ProcessFacts> processes = gather_values(world_, mine);
  profile.prediction_error = of_all(world_, kernels.decisions.prediction_error(), MPI_MAX);
  if (rank_ == 0) {
    describe_run(options, clock.is_cpu_time(), processes, all_calls, profile);
  }
  return profile;
}

void TracingSession::measure(bool on) {
  if (on == ledger.measures()) {
    return;
  }
  ledger.leave_program();
  ledger.measure(on);
  on ? core_time.start() : core_time.stop();
  clock.return_to_program();
}

void TracingSession::count_anew() {
  PMPI_Barrier(world_);
  for (std::uint32_t i = 0; i < kernels.table.kernels().size(); ++i) {
    selective::KernelRecord& kernel = kernels.table[i];
    kernel.executed = kernel.in_context = kernel.along = {};
    kernel.skipped = 0;
  }
  ledger.begin(rank_);
  clock.note_system_time(nullptr);
  kernels.counts = {};
  calls = {};
  own_traffic = {};
  skipping.begin_epoch();
  PMPI_Barrier(world_);
  clock.restart();
  ledger.start_together(options.policy == selective::Policy::full, events_of_process());
  core_time.restart();
}

void TracingSession::reset() {
  kernels.decisions.begin_anew();
  count_anew();
  clock.return_to_program();
}

void TracingSession::end() {
  ledger.leave_program();
  gate.close();
  if (!executions.empty() && executions.progress() != LaunchExecutions::Progress::finished) {
    finish_execution();
  } else if (executions.empty()) {
    const MpiProfile profile = conclude();
    if (rank_ == 0) {
      write_profile_file(options, profile, kernels.table.kernels(), regions);
    }
  }
  PMPI_Barrier(world_);
  detach_channel(MPI_COMM_WORLD);
  detach_channel(MPI_COMM_SELF);
  disconnect_piggyback();
  PMPI_Comm_free(&world_);
  free_agreement_type();
  skipping.end();
}

}  // namespace flopcast::preload::mpi
