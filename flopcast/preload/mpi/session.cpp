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
#include "flopcast/preload/mpi/other_tools.hpp"
#include "flopcast/preload/mpi/prefixed_names.hpp"
#include "flopcast/preload/mpi/results.hpp"
#include "flopcast/preload/mpi/shadow.hpp"
#include "flopcast/preload/mpi/startup.hpp"
#include "flopcast/preload/mpi/traffic.hpp"

namespace flopcast::preload::mpi {
namespace {

/// Returns an upper limit of a communication's own time, for any algorithm: a message for each process, each much slower than those between
/// ranks 0 and 1. A process that waits for a core takes longer, because a time slice lasts milliseconds.
Seconds longest_plausible(const path::MessageModel& messages, std::int64_t bytes, int processes) {
  constexpr double slower = 8;
  constexpr Seconds calls = 5e-5;
  return calls + slower * processes * messages.seconds(path::Pattern::message, static_cast<double>(bytes), processes);
}

/// Returns whether the process has a stage to report. A process that another one started after its initialisation, and whose environment it
/// inherited, has none.
bool has_stage(const protocol::MpiOptions& options) noexcept {
  struct stat status {};
  return stat(options.profile.c_str(), &status) == 0 && status.st_size > 0;
}

std::unique_ptr<Session> make_session() {
  const char* text = std::getenv(protocol::mpi_options_variable);
  if (text == nullptr) {
    return nullptr;
  }
  try {
    routine_digests();  // takes milliseconds the first time, which must not count as the program's
    auto made = std::make_unique<Session>(protocol::parse_mpi_options(text));
    find_other_tools();
    if (!has_stage(made->options())) {
      const std::string tool = tool_that_hides_the_beginning();
      write_stage(made->options(), tool.empty() ? std::string(protocol::mpi_stage_loaded) : std::string(protocol::mpi_stage_hidden) + tool);
    }
    return made;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "flopcast: this program is not followed: %s\n", error.what());
    return nullptr;
  }
}

}  // namespace

Session* current_session = nullptr;

void open_session() noexcept {
  static const std::unique_ptr<Session> only = make_session();
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

void Session::note_sessions() noexcept {
  if (!uses_sessions_ && !gate_.is_open()) {
    write_stage(options_, protocol::mpi_stage_sessions);  // until MPI_Init, if the program calls it
  }
  uses_sessions_ = true;
}

InterceptGuard::InterceptGuard() noexcept {
  Session* all = session();
  followed_ = all != nullptr && CallGate::enter_function() && all->gate().is_open() && all->enter_call();
}

InterceptGuard::~InterceptGuard() {
  Session* all = session();
  if (all == nullptr) {
    return;
  }
  CallGate::leave_function();
  if (followed_) {
    all->leave_call();
  }
}

bool Session::enter_call() noexcept {
  if (!CallGate::is_main_thread() && gate_.succeed_main_thread()) {
    return_to_program();
  }
  if (!gate_.take_for_call()) {
    return false;
  }
  if (CallGate::is_main_thread()) {
    leave_program();
    const Seconds wall = clock_.wall_of_call();
    if (core_time_.enter_mpi(wall)) {
      clock_.leave_out_since(clock_.called(), clock_.called());
    }
    waits_.enter(wall);
  } else {
    clock_.stop_estimating();
    clock_.enter_library();
  }
  return true;
}

void Session::leave_call() noexcept {
  const bool own = CallGate::is_main_thread();
  own ? clock_.end_call() : clock_.end_call_of_other_thread();
  if (const Seconds wall = clock_.wall_of_return(); own) {
    if (measures_ && clock_.is_cpu_time()) {
      waits_.add_until(wall);
    }
    if (core_time_.leave_mpi(wall)) {
      clock_.return_to_program();
    }
  }
  polling_.end_call(measures_ && own && !clock_.is_cpu_time() ? clock_.in_call() : 0);
  if (measures_) {
    spent_.calls += clock_.in_call();
  }
  gate_.give_back();
}

void Session::leave_program() noexcept {
  if (!measures_) {
    return;
  }
  clock_.enter_library();
  const Seconds taken = clock_.in_program();
  spent_.program += taken;
  const Seconds seconds = decisions_.has_windows() ? gaps_.counted(taken, decisions_.is_in_context()) : taken;
  path_.compute(seconds);
  region_.compute(seconds);
}

void Session::begin() {
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  int multiple = level == MPI_THREAD_MULTIPLE ? 1 : 0;
  PMPI_Allreduce(MPI_IN_PLACE, &multiple, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  PMPI_Comm_size(MPI_COMM_WORLD, &size_);
  write_stage(options_, rank_ != 0      ? protocol::mpi_stage_other
                        : multiple != 0 ? protocol::mpi_stage_multiple
                                        : protocol::mpi_stage_initialised);
  if (multiple != 0) {
    return;
  }
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(MPI_COMM_WORLD, &group);
  PMPI_Comm_create(MPI_COMM_WORLD, group, &world_);
  PMPI_Group_free(&group);
  require_same_options(options_, world_);
  make_agreement_type();
  for (const auto& [comm, rank] : {std::pair(MPI_COMM_WORLD, rank_), std::pair(MPI_COMM_SELF, 0)}) {
    attach_channel(comm, agree(comm, {.channel = proposed_channel(rank)}).channel);
  }
  const NodeFacts node = join_node(world_);
  granted_cpus_ = node.granted_cpus;
  clock_.choose(options_.clock == protocol::MpiClock::cpu || (options_.clock == protocol::MpiClock::automatic && node.crowded));
  WallClock::calibrate();
  messages_ = measure_messages(world_, clock_.is_cpu_time());
  read_statistics();
  executions_.read(options_.executions, world_);
  if (!executions_.empty()) {
    begin_execution(0, 0);
  }
  path_ = path::CriticalPath(rank_);
  path_.reserve_log();
  decisions_.seed(static_cast<std::uint32_t>(rank_) + 1);
  eager_ = selective::EagerPropagation(rank_, size_);
  set_count_propagation(options_.policy == selective::Policy::online);
  skipping_.begin(options_.progress);
  gate_.open();
  PMPI_Barrier(world_);
  clock_.start();
  core_time_.start();
  return_to_program();
}

std::uint32_t Session::communication_kernel(Routine routine, std::int64_t bytes, int processes, int stride) {
  const auto index = static_cast<std::uint32_t>(routine);
  LatestKernel& latest = latest_kernels_[index % latest_kernels_.size()];
  if (latest.routine != index || latest.bytes != bytes || latest.processes != processes || latest.stride != stride) {
    latest = {index, processes, stride, bytes, kernels_.number({selective::KernelKind::communication, index, {bytes, processes, stride}})};
    decisions_.expect_at_most(latest.number, longest_plausible(messages_, bytes, processes));
  }
  return latest.number;
}

void Session::computed(std::uint32_t kernel, Seconds seconds, bool executed) {
  if (!measures_) {
    return;
  }
  const selective::PathContribution counted = note_time(kernel, seconds, executed);
  path_.add({.time = counted.seconds, .computation = counted.seconds, .flops = kernels_[kernel].flops});
  note_on_path(kernel, counted);
}

void Session::communicated(std::uint32_t kernel, Seconds seconds, double bytes, bool executed, Seconds idle) {
  constexpr double bytes_per_word = 8;
  region_.note_communication();
  if (!measures_) {
    return;
  }
  spent_.messages += executed ? seconds : 0;
  const selective::PathContribution counted = note_time(kernel, seconds, executed);
  path_.add(
      {.time = counted.seconds + idle, .communication = counted.seconds, .idle = idle, .supersteps = 1, .words = bytes / bytes_per_word});
  note_on_path(kernel, counted);
}

selective::PathContribution Session::note_time(std::uint32_t kernel, Seconds seconds, bool executed) {
  selective::Kernel& known = kernels_[kernel];
  skipping_.note_kernel(known.executed.count + known.skipped == 0);
  if (executed) {
    known.executed.add(seconds);
    return decisions_.executed(kernel, known, seconds);
  }
  ++known.skipped;
  skipping_.set(true);
  return decisions_.left_out(kernel, seconds);
}

void Session::note_on_path(std::uint32_t kernel, const selective::PathContribution& counted) {
  path_.add_kernel(kernel, counted.expected, counted.estimated);
  gaps_.note_kernel(kernel);
  if (options_.policy == selective::Policy::online) {
    counts_.add(selective::KernelKeyHash()(kernels_[kernel].key));
  }
}

bool Session::wants_execution(std::uint32_t kernel) {
  if (!measures_) {
    return true;
  }
  const selective::KernelKey& key = kernels_[kernel].key;
  const std::int64_t along = options_.policy == selective::Policy::online ? counts_.count(selective::KernelKeyHash()(key)) : 0;
  const bool wants = decisions_.wants_execution(kernel, kernels_[kernel], {along, path_.length()});
  if (options_.policy == selective::Policy::eager &&
      key.kind != selective::KernelKind::region) {  // only processes that have executed a region know whether it communicates
    if (const std::optional<selective::KernelStatistics> times = decisions_.predictable(kernel)) {
      eager_.offer(kernel, key, *times);
    }
  }
  return wants;
}

void Session::note_call(Routine routine, std::int64_t first, std::int64_t second, std::int64_t third) noexcept {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15U;  // as in selective::KernelKeyHash, which takes three times as long
  std::uint64_t hash = calls_.hash + static_cast<std::uint64_t>(routine);
  for (const std::int64_t word : {first, second, third}) {
    hash = (hash ^ static_cast<std::uint64_t>(word)) * odd;
    hash ^= hash >> 29U;
  }
  calls_.hash = hash;
  ++calls_.calls;
  note_awaited(routine);
}

void Session::acknowledge(Channel& channel, int source, std::int64_t bytes) {
  if (in_full() && bytes >= min_acknowledged && channel.has(source) && channel.may_acknowledge(source)) {
    mpi::acknowledge(path_, envelope(bytes, 0, false), channel.world_rank(source));
    collect_acknowledgements(bytes);
  }
}

void Session::collect_acknowledgements(std::int64_t bytes) {
  constexpr std::uint32_t rarely = 16;
  if (!in_full() || bytes < min_acknowledged || ++acknowledged_messages_ % rarely != 0) {
    return;
  }
  while (const Arrival* arrival = next_acknowledgement()) {
    if (!acknowledgement_ || acknowledgement_->epoch != arrival->epoch || acknowledgement_->mark.along.time < arrival->mark.along.time) {
      acknowledgement_ = *arrival;
    }
  }
}

Seconds Session::settle_polling(Seconds since, Seconds usual) noexcept {
  const Polling::Settled settled = polling_.settle(since, usual);
  waited(settled.waited);
  return settled.under_way;
}

/// Acknowledgements are sent before the receive, but an MPI may let another of its own messages overtake them.
Seconds Session::explain_wait(Seconds surplus, bool expects_word) {
  constexpr Seconds max_polling = 2e-5;  // the acknowledgement was sent earlier, so a few polls are enough
  constexpr double share = 0.25;
  if (!in_full()) {
    waited(clock_.is_cpu_time() ? 0 : surplus);
    return 0;
  }
  bool explained = false;
  if (surplus > 0 && acknowledgement_) {
    follow(*acknowledgement_);
    acknowledgement_.reset();
    explained = true;
  }
  const Seconds end = SessionClock::wall() + (expects_word ? std::min(share * surplus, max_polling) : 0);
  while (surplus > 0) {
    if (const Arrival* acknowledgement = next_acknowledgement()) {
      follow(*acknowledgement);
      explained = true;
    } else if (explained || SessionClock::wall() >= end) {
      break;
    }
  }
  if (explained) {
    waited(clock_.is_cpu_time() ? 0 : surplus);
  }
  return explained ? 0 : surplus;
}

Seconds Session::estimate(std::uint32_t kernel, path::Pattern pattern, std::int64_t bytes, int processes) {
  const Seconds known = estimate(kernel);
  return known > 0 ? known : messages_.seconds(pattern, static_cast<double>(bytes), processes);
}

/// Reads earlier runs' statistics at rank 0, and broadcasts them.
void Session::read_statistics() {
  PageVector<selective::PriorKernel> known;
  if (rank_ == 0 && !options_.prior_profile.empty()) {
    known = read_prior_kernels(options_.prior_profile, where_times_hold(size_, clock_.is_cpu_time()), regions_);
  }
  broadcast_records(world_, known);
  for (const selective::PriorKernel& kernel : known) {
    const bool mine = selective::KernelKeyHash()(kernel.key) % static_cast<std::uint64_t>(size_) == static_cast<std::uint64_t>(rank_);
    decisions_.know(kernels_.number(kernel.key), kernel, !mine && kernel.key.kind != selective::KernelKind::region);
  }
}

void Session::note_contexts() {
  for (std::uint32_t i = 0; i < kernels_.kernels().size(); ++i) {
    kernels_[i].in_context = decisions_.in_context(i);
  }
}

Wait Session::longest_wait() const {
  struct Least {
    double seconds;
    int rank;
  };
  constexpr auto routines = static_cast<std::size_t>(Routine::count);
  std::array<Least, routines> least;
  for (std::size_t i = 0; i < routines; ++i) {
    least[i] = {waits_.together(static_cast<std::uint32_t>(i)), rank_};
  }
  PMPI_Allreduce(MPI_IN_PLACE, least.data(), static_cast<int>(routines), MPI_DOUBLE_INT, MPI_MINLOC, world_);
  Wait longest = waits_.longest();
  if (longest.routine < routines && longest.awaited == Wait::nobody) {
    constexpr double much_less = 0.5;
    const Least& last = least[longest.routine];
    longest.awaited = last.rank != rank_ && last.seconds < much_less * longest.seconds ? last.rank : Wait::nobody;
  }
  return longest;
}

ProfileFacts Session::conclude() {
  ProfileFacts facts;
  core_time_.stop();
  waited_on_path(settle_polling(0, 0));
  note_system_time();
  facts.ranks = size_;
  facts.cpu_clock = clock_.is_cpu_time();
  facts.granted_cpus = granted_cpus_;
  PMPI_Allreduce(MPI_IN_PLACE, &facts.granted_cpus, 1, MPI_DOUBLE, MPI_MAX, world_);
  facts.messages = messages_;
  facts.elapsed = clock_.measured(measures_);
  PMPI_Allreduce(MPI_IN_PLACE, &facts.elapsed, 1, MPI_DOUBLE, MPI_MAX, world_);
  PMPI_Allreduce(&spawned_, &facts.spawned, 1, MPI_INT, MPI_SUM, world_);
  int sessions = uses_sessions_ ? 1 : 0;
  PMPI_Allreduce(MPI_IN_PLACE, &sessions, 1, MPI_INT, MPI_MAX, world_);
  facts.sessions = sessions != 0;
  collect_traffic(world_);
  facts.bypassing = count_bypassing(world_);
  facts.prefixed = names_are_passed_by() ? 1 : 0;
  PMPI_Allreduce(MPI_IN_PLACE, &facts.prefixed, 1, MPI_INT, MPI_MAX, world_);
  facts.simultaneous = gate_.refused_calls();
  PMPI_Allreduce(MPI_IN_PLACE, &facts.simultaneous, 1, MPI_INT, MPI_SUM, world_);
  facts.longest = channel_of(MPI_COMM_WORLD)->agree(agreement(false)).mark;
  constexpr int metrics = static_cast<int>(sizeof(path::Costs) / sizeof(double));
  PMPI_Reduce(&path_.own(), &facts.max, metrics, MPI_DOUBLE, MPI_MAX, 0, world_);
  PMPI_Reduce(&path_.own(), &facts.sum, metrics, MPI_DOUBLE, MPI_SUM, 0, world_);
  spent_.waiting = path_.own().idle;
  PMPI_Reduce(&spent_, &facts.spent, static_cast<int>(selective::spent_parts.size()), MPI_DOUBLE, MPI_SUM, 0, world_);
  int complete = path_.log().complete() ? 1 : 0;
  PMPI_Allreduce(MPI_IN_PLACE, &complete, 1, MPI_INT, MPI_MIN, world_);
  facts.complete = complete != 0;
  PathParts parts = visit_critical_path(world_, path_, facts.longest, kernels_, [this](std::uint32_t kernel) { return estimate(kernel); });
  PMPI_Allreduce(MPI_IN_PLACE, &parts.correction, metrics, MPI_DOUBLE, MPI_SUM, world_);
  facts.longest.along += parts.correction;
  facts.longest.longest = path::greatest(facts.longest.longest, facts.longest.along);
  facts.program_variance = gaps_.variance_along(kernels_.kernels());
  PMPI_Allreduce(MPI_IN_PLACE, &facts.program_variance, 1, MPI_DOUBLE, MPI_SUM, world_);
  facts.pace = decisions_.run_time_ratio();
  PMPI_Allreduce(MPI_IN_PLACE, &facts.pace, 2, MPI_DOUBLE, MPI_SUM, world_);
  note_contexts();
  collect_kernels(world_, kernels_);
  collect_region_names(world_, regions_);
  facts.calls = gather_values(world_, calls_);
  ProcessFacts mine{path_.own(), parts.kernels, {}, core_time_.lost(), longest_wait()};
  gethostname(mine.host.data(), mine.host.size() - 1);
  facts.processes = gather_values(world_, mine);
  facts.prediction_error = decisions_.prediction_error();
  PMPI_Allreduce(MPI_IN_PLACE, &facts.prediction_error, 1, MPI_DOUBLE, MPI_MAX, world_);
  return facts;
}

void Session::end() {
  leave_program();
  gate_.close();
  if (!executions_.empty() && executions_.progress() != LaunchExecutions::Progress::finished) {
    finish_execution();
  } else if (executions_.empty()) {
    const ProfileFacts facts = conclude();
    if (rank_ == 0) {
      write_profile_file(options_, facts, kernels_.kernels(), regions_);
    }
  }
  PMPI_Barrier(world_);
  detach_channel(MPI_COMM_WORLD);
  detach_channel(MPI_COMM_SELF);
  disconnect_shadows();
  PMPI_Comm_free(&world_);
  free_agreement_type();
  skipping_.end();
}

}  // namespace flopcast::preload::mpi
