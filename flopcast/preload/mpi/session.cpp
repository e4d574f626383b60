#include "flopcast/preload/mpi/session.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "flopcast/preload/kernels/routine_digest.hpp"
#include "flopcast/preload/kernels/wall_clock.hpp"
#include "flopcast/preload/mpi/shadow.hpp"
#include "flopcast/preload/mpi/traffic.hpp"
#include "flopcast/support/control_group.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::interpose::mpi {
namespace {

constexpr int ping_tag = 2;
constexpr int token_tag = 3;
constexpr int kernels_tag = 4;
constexpr int regions_tag = 5;

thread_local bool main_thread = false;  ///< this thread called MPI_Init
thread_local int depth = 0;             ///< intercepted functions that this thread is in

Seconds cpu_seconds() noexcept {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<Seconds>(time.tv_sec) + 1e-9 * static_cast<Seconds>(time.tv_nsec);
}

/// Waits for all processes without taking a core from those that measure.
void wait_asleep(MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Ibarrier(comm, &request);
  int done = 0;
  PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
  while (done == 0) {
    constexpr useconds_t nap = 200;
    usleep(nap);
    PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
  }
}

/// Returns half the shortest of `repetitions` round trips of `bytes` between ranks 0 and 1.
Seconds ping(MPI_Comm comm, int rank, int bytes, int repetitions) {
  PageVector<char> buffer(static_cast<std::size_t>(bytes));
  Seconds best = 1;
  for (int i = 0; i < repetitions; ++i) {
    const Seconds start = Session::wall();
    if (rank == 0) {
      PMPI_Send(buffer.data(), bytes, MPI_BYTE, 1, ping_tag, comm);
    }
    PMPI_Recv(buffer.data(), bytes, MPI_BYTE, 1 - rank, ping_tag, comm, MPI_STATUS_IGNORE);
    if (rank == 1) {
      PMPI_Send(buffer.data(), bytes, MPI_BYTE, 0, ping_tag, comm);
    }
    best = std::min(best, (Session::wall() - start) / 2);
  }
  return best;
}

/// Sends all processes' records to rank 0 in messages of bounded size, and calls `take` for each.
template <class Records, class Take>
void collect(MPI_Comm world, int tag, const Records& mine, Take take) {
  using Record = typename Records::value_type;
  constexpr std::size_t most = 256;
  int rank = 0;
  int size = 1;
  PMPI_Comm_rank(world, &rank);
  PMPI_Comm_size(world, &size);
  if (rank != 0) {
    for (std::size_t first = 0; first <= mine.size(); first += most) {  // a message that isn't full, perhaps empty, is the last
      const std::size_t count = std::min(most, mine.size() - first);
      PMPI_Send(mine.data() + first, static_cast<int>(count * sizeof(Record)), MPI_BYTE, 0, tag, world);
    }
    return;
  }
  PageVector<Record> part(most);
  for (int other = 1; other < size; ++other) {
    for (std::size_t count = most; count == most;) {
      MPI_Status status;
      int bytes = 0;
      PMPI_Recv(part.data(), static_cast<int>(most * sizeof(Record)), MPI_BYTE, other, tag, world, &status);
      PMPI_Get_count(&status, MPI_BYTE, &bytes);
      count = static_cast<std::size_t>(bytes) / sizeof(Record);
      std::for_each_n(part.begin(), count, take);
    }
  }
}

/// Returns an upper limit of a communication's own time, for any algorithm: a message for each process, each much slower than those between
/// ranks 0 and 1. A process that waits for a core takes longer, because a time slice lasts milliseconds.
Seconds longest_plausible(const path::MessageModel& messages, std::int64_t bytes, int processes) {
  constexpr double slower = 8;
  constexpr Seconds calls = 5e-5;
  return calls + slower * processes * messages.seconds(path::Pattern::message, static_cast<double>(bytes), processes);
}

/// Returns whether the process has a stage to report. A process that another one started after its initialisation, and whose environment it
/// inherited, has none.
bool has_stage(const MpiOptions& options) noexcept {
  struct stat status {};
  return stat(options.profile.c_str(), &status) == 0 && status.st_size > 0;
}

std::unique_ptr<Session> make_session() {
  const char* text = std::getenv(mpi_options_variable);
  if (text == nullptr) {
    return nullptr;
  }
  try {
    routine_digests();  // takes milliseconds the first time, which must not count as the program's
    auto made = std::make_unique<Session>(parse_mpi_options(text));
    if (!has_stage(made->options())) {
      write_stage(made->options(), mpi_stage_loaded);
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

void write_stage(const MpiOptions& options, std::string_view stage) noexcept {
  const int file = open(options.profile.c_str(), O_WRONLY | O_CLOEXEC | O_TRUNC);
  if (file >= 0) {
    [[maybe_unused]] const ssize_t written = write(file, stage.data(), stage.size());  // only improves a message
    close(file);
  }
}

void Session::note_sessions() noexcept {
  if (!uses_sessions_ && !tracking_) {
    write_stage(options_, mpi_stage_sessions);  // until MPI_Init, if the program calls it
  }
  uses_sessions_ = true;
}

InterceptGuard::InterceptGuard() noexcept {
  Session* all = session();
  followed_ = all != nullptr && depth++ == 0 && all->follows_calls();
  if (followed_) {
    all->enter_call();
  }
}

InterceptGuard::~InterceptGuard() {
  Session* all = session();
  if (all == nullptr) {
    return;
  }
  --depth;
  if (followed_) {
    all->leave_call();
  }
}

bool Session::follows_this_thread() const noexcept { return tracking_ && main_thread; }

bool Session::follows_calls() const noexcept { return tracking_ && (main_thread || other_threads_call_); }

void Session::enter_call() noexcept {
  if (other_threads_call_) {
    turns_.lock();
  }
  if (main_thread) {
    leave_program();
  } else {
    called_ = now();
  }
}

void Session::leave_call() noexcept {
  if (main_thread && rest_ != nullptr && !cpu_clock_ && !other_threads_call_) {
    resumed_ = rest_->end(done_, [this] { return now(); });
  } else if (main_thread) {
    return_to_program();
  } else if (!cpu_clock_) {
    resumed_ += now() - called_;  // the other thread's time must not be on the path twice
  }
  rest_ = nullptr;
  if (asks_in_vain_ && measures_ && main_thread && !cpu_clock_) {
    asked_ += std::max(resumed_ - called_, 0.0);
  }
  asks_in_vain_ = false;
  if (measures_) {
    spent_.calls += std::max(resumed_ - called_, 0.0);
  }
  if (other_threads_call_) {
    turns_.unlock();
  }
}

bool Session::follows_program() const noexcept { return follows_this_thread() && depth == 0; }

Seconds Session::wall() noexcept { return WallClock::now(); }
Seconds Session::now() const noexcept { return cpu_clock_ ? cpu_seconds() : WallClock::now(); }

void Session::leave_program() noexcept {
  if (!measures_) {
    return;
  }
  called_ = now();
  spent_.program += std::max(called_ - resumed_, 0.0);
  const Seconds seconds = gap(std::max(called_ - resumed_, 0.0));
  path_.compute(seconds);
  region_.seconds += seconds;
}

/// Returns the time that counts for the program's own code. That code runs faster among kernels that are left out. Short pieces therefore
/// count with their usual time after the same kernel where everything is executed.
Seconds Session::gap(Seconds seconds) {
  constexpr Seconds longest = 2e-5;
  if (!decisions_.has_windows() || seconds > longest) {
    return seconds;
  }
  if (gaps_.size() <= last_kernel_) {
    gaps_.resize(last_kernel_ + std::size_t{1});
  }
  path::KernelStatistics& usual = gaps_[last_kernel_];
  if (decisions_.is_in_context()) {
    usual.add(seconds);
  }
  return usual.count > 0 ? usual.mean : seconds;
}

void Session::note_system_time(bool counts) noexcept {
  rusage used{};
  getrusage(RUSAGE_THREAD, &used);
  const Seconds seconds = static_cast<Seconds>(used.ru_stime.tv_sec) + 1e-6 * static_cast<Seconds>(used.ru_stime.tv_usec);
  const auto faults = static_cast<double>(used.ru_minflt);
  if (counts) {
    spent_.system += seconds - system_seconds_;
    spent_.page_faults += faults - page_faults_;
  }
  system_seconds_ = seconds;
  page_faults_ = faults;
}

/// Ends all programs that were started together with different options. With different policies one would wait for messages that another
/// one doesn't send.
void Session::require_same_options() const {
  MpiOptions shared = options_;
  shared.profile.clear();
  shared.progress.clear();
  const std::uint64_t mine = std::hash<std::string>()(to_text(shared));
  std::array<std::uint64_t, 2> extremes = {mine, ~mine};
  PMPI_Allreduce(MPI_IN_PLACE, extremes.data(), 2, MPI_UINT64_T, MPI_MAX, world_);
  if (extremes[0] == ~extremes[1]) {
    return;
  }
  if (rank_ != 0) {
    PMPI_Barrier(world_);  // until rank 0 has printed the message and ends all processes
  }
  std::fprintf(stderr,
               "flopcast: the programs are followed with different options, and would wait for each other. Give every 'flopcast mpi run' "
               "the same options\n");
  PMPI_Abort(MPI_COMM_WORLD, static_cast<int>(ExitCode::usage));
}

namespace {

/// Returns the number of processes of `node` in this process's control group `group`.
int count_sharing(MPI_Comm node, const std::filesystem::path& group) {
  constexpr std::size_t most = 0x7FFFFFFF;
  MPI_Comm same = MPI_COMM_NULL;
  PMPI_Comm_split(node, static_cast<int>(std::hash<std::string>()(group.string()) & most), 0, &same);
  int sharing = 0;
  PMPI_Comm_size(same, &sharing);
  PMPI_Comm_free(&same);
  return sharing;
}

}  // namespace

/// Shares the node's memory and chooses the clock. The clock is CPU time where the processes of some node outnumber their cores, or the
/// CPUs that a control group grants.
void Session::look_at_node() {
  MPI_Comm node = MPI_COMM_NULL;
  PMPI_Comm_split_type(world_, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int processes = 0;
  PMPI_Comm_size(node, &processes);
  cpu_set_t mine;
  CPU_ZERO(&mine);
  sched_getaffinity(0, sizeof mine, &mine);
  cpu_set_t all;
  PMPI_Allreduce(&mine, &all, static_cast<int>(sizeof mine), MPI_BYTE, MPI_BOR, node);
  const ControlGroupLimits limits = control_group_limits();
  const int sharing = count_sharing(node, limits.cpu_group);
  const bool waits = is_crowded(processes, CPU_COUNT(&all), sharing, limits.cpus);
  granted_cpus_ = waits && processes <= CPU_COUNT(&all) ? limits.cpus : 0;
  int crowded = waits ? 1 : 0;
  connect_shadows(world_, node, crowded != 0);
  PMPI_Comm_free(&node);
  PMPI_Allreduce(MPI_IN_PLACE, &crowded, 1, MPI_INT, MPI_MAX, world_);
  cpu_clock_ = options_.clock == MpiClock::cpu || (options_.clock == MpiClock::automatic && crowded != 0);
}

void Session::measure_messages() {
  if (size_ < 2) {
    return;
  }
  std::array<double, 2> found{};
  if (rank_ < 2) {
    constexpr int large = 1 << 20;
    const int rounds = cpu_clock_ ? 5 : 1;  // with naps between, because a process that shares a core sometimes waits milliseconds for it
    Seconds short_one = 1, long_one = 1;
    for (int i = 0; i < rounds; ++i) {
      if (i > 0) {
        constexpr useconds_t nap = 500;
        usleep(nap);
      }
      short_one = std::min(short_one, ping(world_, rank_, 8, 100));
      long_one = std::min(long_one, ping(world_, rank_, large, 8));
    }
    const Seconds transfer = long_one - short_one;
    constexpr double hardly_possible = 1e12;  // bytes/s
    const bool tells = transfer > large / hardly_possible;
    found = {tells ? short_one : std::min(short_one, path::MessageModel().latency), large / (tells ? transfer : long_one)};
  }
  wait_asleep(world_);
  PMPI_Bcast(found.data(), 2, MPI_DOUBLE, 0, world_);
  messages_ = {found[0], found[1]};
}

void Session::begin() {
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  int multiple = level == MPI_THREAD_MULTIPLE ? 1 : 0;
  PMPI_Allreduce(MPI_IN_PLACE, &multiple, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  PMPI_Comm_size(MPI_COMM_WORLD, &size_);
  write_stage(options_, rank_ != 0 ? mpi_stage_other : multiple != 0 ? mpi_stage_multiple : mpi_stage_initialised);
  if (multiple != 0) {
    return;
  }
  other_threads_call_ = level == MPI_THREAD_SERIALIZED;
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(MPI_COMM_WORLD, &group);
  PMPI_Comm_create(MPI_COMM_WORLD, group, &world_);
  PMPI_Group_free(&group);
  require_same_options();
  make_agreement_type();
  for (const auto& [comm, rank] : {std::pair(MPI_COMM_WORLD, rank_), std::pair(MPI_COMM_SELF, 0)}) {
    attach_channel(comm, agree(comm, {.channel = proposed_channel(rank)}).channel);
  }
  look_at_node();
  WallClock::calibrate();
  measure_messages();
  read_statistics();
  read_executions();
  path_ = path::CriticalPath(rank_);
  path_.reserve_log();
  decisions_.seed(static_cast<std::uint32_t>(rank_) + 1);
  eager_ = path::EagerPropagation(rank_, size_);
  set_count_propagation(options_.policy == path::Policy::online);
  report_.begin(options_.progress);
  main_thread = true;
  tracking_ = true;
  PMPI_Barrier(world_);
  begun_ = wall();
  return_to_program();
}

std::uint32_t Session::communication_kernel(Routine routine, std::int64_t bytes, int processes, int stride) {
  const auto index = static_cast<std::uint32_t>(routine);
  AskedKernel& asked = asked_kernels_[index % asked_kernels_.size()];
  if (asked.routine != index || asked.bytes != bytes || asked.processes != processes || asked.stride != stride) {
    asked = {index, processes, stride, bytes, kernels_.number({path::KernelKind::communication, index, {bytes, processes, stride}})};
    decisions_.expect_at_most(asked.number, longest_plausible(messages_, bytes, processes));
  }
  return asked.number;
}

void Session::computed(std::uint32_t kernel, Seconds seconds, bool executed) {
  if (!measures_) {
    return;
  }
  const path::PathContribution counted = note_time(kernel, seconds, executed);
  path_.add({.time = counted.seconds, .computation = counted.seconds, .flops = kernels_[kernel].flops});
  note_on_path(kernel, counted);
}

void Session::communicated(std::uint32_t kernel, Seconds seconds, double bytes, bool executed, Seconds idle) {
  constexpr double bytes_per_word = 8;
  region_.communicates = true;
  if (!measures_) {
    return;
  }
  spent_.messages += executed ? seconds : 0;
  const path::PathContribution counted = note_time(kernel, seconds, executed);
  path_.add(
      {.time = counted.seconds + idle, .communication = counted.seconds, .idle = idle, .supersteps = 1, .words = bytes / bytes_per_word});
  note_on_path(kernel, counted);
}

path::PathContribution Session::note_time(std::uint32_t kernel, Seconds seconds, bool executed) {
  path::Kernel& known = kernels_[kernel];
  report_.met_kernel(known.executed.count + known.skipped == 0);
  if (executed) {
    known.executed.add(seconds);
    return decisions_.executed(kernel, known, seconds);
  }
  ++known.skipped;
  note_skipped();
  return decisions_.left_out(kernel, seconds);
}

void Session::note_on_path(std::uint32_t kernel, const path::PathContribution& counted) {
  path_.add_kernel(kernel, counted.expected, counted.estimated);
  last_kernel_ = kernel;
  if (options_.policy == path::Policy::online) {
    counts_.add(path::KernelKeyHash()(kernels_[kernel].key));
  }
}

bool Session::wants_execution(std::uint32_t kernel) {
  if (!measures_) {
    return true;
  }
  const path::KernelKey& key = kernels_[kernel].key;
  const std::int64_t along = options_.policy == path::Policy::online ? counts_.count(path::KernelKeyHash()(key)) : 0;
  const bool wants = decisions_.wants_execution(kernel, kernels_[kernel], {along, path_.length()});
  if (options_.policy == path::Policy::eager &&
      key.kind != path::KernelKind::region) {  // only processes that have executed a region know whether it communicates
    if (const std::optional<path::KernelStatistics> times = decisions_.predictable(kernel)) {
      eager_.offer(kernel, key, *times);
    }
  }
  return wants;
}

void Session::note_call(Routine routine, std::int64_t first, std::int64_t second, std::int64_t third) noexcept {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15U;  // as in path::KernelKeyHash, which takes three times as long
  std::uint64_t hash = calls_.hash + static_cast<std::uint64_t>(routine);
  for (const std::int64_t word : {first, second, third}) {
    hash = (hash ^ static_cast<std::uint64_t>(word)) * odd;
    hash ^= hash >> 29U;
  }
  calls_.hash = hash;
  ++calls_.calls;
}

void Session::acknowledge(const Channel& channel, int source, std::int64_t bytes) {
  if (in_full() && bytes >= min_acknowledged && channel.has(source)) {
    mpi::acknowledge(path_, envelope(bytes, 0, false), channel.world_rank(source));
  }
}

Seconds Session::settle_questions(Seconds since, Seconds usual) noexcept {
  const Seconds open = asked_ - settled_;
  const Seconds under_way = since < 0 ? std::min(open, usual) : std::clamp(asked_ - since, 0.0, open);
  settled_ = asked_;
  waited(open - under_way);
  return under_way;
}

/// Acknowledgements are sent before the receive, but an MPI may let another of its own messages overtake them.
Seconds Session::explain_wait(Seconds surplus, bool expects_word) {
  constexpr Seconds longest_patience = 2e-5;  // the acknowledgement was sent earlier, so a few polls are enough
  constexpr double share = 0.25;
  if (!in_full()) {
    waited(cpu_clock_ ? 0 : surplus);
    return 0;
  }
  bool explained = false;
  const Seconds end = wall() + (expects_word ? std::min(share * surplus, longest_patience) : 0);
  while (surplus > 0) {
    if (const Arrival* acknowledgement = next_acknowledgement()) {
      follow(*acknowledgement);
      explained = true;
    } else if (explained || wall() >= end) {
      break;
    }
  }
  if (explained) {
    waited(cpu_clock_ ? 0 : surplus);
  }
  return explained ? 0 : surplus;
}

Seconds Session::estimate(std::uint32_t kernel, path::Pattern pattern, std::int64_t bytes, int processes) {
  const Seconds known = estimate(kernel);
  return known > 0 ? known : messages_.seconds(pattern, static_cast<double>(bytes), processes);
}

/// Reads earlier runs' statistics at rank 0, and broadcasts them.
void Session::read_statistics() {
  PageVector<path::PriorKernel> known;
  if (rank_ == 0 && !options_.prior_profile.empty()) {
    known = read_prior_kernels(options_.prior_profile, where_times_hold(size_, cpu_clock_), regions_);
  }
  std::int64_t count = static_cast<std::int64_t>(known.size());
  PMPI_Bcast(&count, 1, MPI_INT64_T, 0, world_);
  known.resize(static_cast<std::size_t>(count));
  constexpr std::int64_t most = 1024;  // in one message
  for (std::int64_t first = 0; first < count; first += most) {
    const std::int64_t part = std::min(most, count - first);
    PMPI_Bcast(known.data() + first, static_cast<int>(part * static_cast<std::int64_t>(sizeof(path::PriorKernel))), MPI_BYTE, 0, world_);
  }
  for (const path::PriorKernel& kernel : known) {
    const bool mine = path::KernelKeyHash()(kernel.key) % static_cast<std::uint64_t>(size_) == static_cast<std::uint64_t>(rank_);
    decisions_.know(kernels_.number(kernel.key), kernel, !mine && kernel.key.kind != path::KernelKind::region);
  }
}

/// Counts the kernels in this process's part of the critical path, from `token` back to where another process's part begins. Estimated
/// kernels count with the latest estimates. Returns the resulting differences.
path::Costs Session::walk_back(path::LogCursor& token, const path::LogCursor& finished, PageVector<Seconds>& estimates) {
  path::Costs difference;
  const auto visit = [&](std::uint32_t kernel, Seconds seconds, bool estimated) {
    if (estimated && estimates[kernel] < 0) {
      estimates[kernel] = estimate(kernel);
    }
    const Seconds better = estimated && estimates[kernel] > 0 ? estimates[kernel] : seconds;
    kernels_[kernel].along.add(better);
    kernels_on_path_ += better;
    const bool communicates = kernels_[kernel].key.kind == path::KernelKind::communication;
    difference += {
        .time = better - seconds, .computation = communicates ? 0 : better - seconds, .communication = communicates ? better - seconds : 0};
  };
  while (token.rank == rank_) {
    token = path_.log().walk(token.position, visit).value_or(finished);
  }
  return difference;
}

/// Passes a token from process to process back along the critical path. Each process counts the kernels of its parts. Returns this
/// process's correction to the path's costs.
path::Costs Session::visit_critical_path(const path::PathMark& end) {
  const path::LogCursor finished{-1, 0};
  path::Costs difference;
  kernels_on_path_ = 0;
  PageVector<Seconds> estimates(kernels_.kernels().size(), -1);
  path::LogCursor token = end.place;
  bool mine = token.rank == rank_;
  for (;;) {
    if (!mine) {
      PMPI_Recv(&token, static_cast<int>(sizeof token), MPI_BYTE, MPI_ANY_SOURCE, token_tag, world_, MPI_STATUS_IGNORE);
      if (token == finished) {
        return difference;
      }
    }
    difference += walk_back(token, finished, estimates);
    mine = false;
    if (token != finished) {
      PMPI_Send(&token, static_cast<int>(sizeof token), MPI_BYTE, token.rank, token_tag, world_);
      continue;
    }
    for (int other = 0; other < size_; ++other) {
      if (other != rank_) {
        PMPI_Send(&finished, static_cast<int>(sizeof finished), MPI_BYTE, other, token_tag, world_);
      }
    }
    return difference;
  }
}

double Session::program_variance() const {
  double variance = 0;
  for (std::size_t i = 0; i < std::min(gaps_.size(), kernels_.kernels().size()); ++i) {
    variance += path::variance_along(static_cast<double>(kernels_.kernels()[i].along.count), gaps_[i]);
  }
  return variance;
}

void Session::note_contexts() {
  for (std::uint32_t i = 0; i < kernels_.kernels().size(); ++i) {
    kernels_[i].in_context = decisions_.in_context(i);
  }
}

/// Collects the kernels of all processes at rank 0.
void Session::collect_kernels() {
  collect(world_, kernels_tag, kernels_.kernels(), [this](const path::Kernel& kernel) { kernels_.merge(kernel); });
}

void Session::collect_region_names() {
  std::vector<RegionName> mine;
  for (const auto& [number, name] : regions_.all()) {
    mine.push_back(name);
  }
  collect(world_, regions_tag, mine, [this](const RegionName& name) { regions_.add(name); });
}

std::vector<CallSequence> Session::gather_calls() const {
  std::vector<CallSequence> all(static_cast<std::size_t>(size_));
  constexpr int bytes = static_cast<int>(sizeof(CallSequence));
  PMPI_Gather(&calls_, bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, 0, world_);
  return all;
}

std::vector<ProcessFacts> Session::gather_processes() const {
  std::vector<ProcessFacts> all(static_cast<std::size_t>(rank_ == 0 ? size_ : 0));
  ProcessFacts mine{path_.own(), kernels_on_path_, {}};
  gethostname(mine.host.data(), mine.host.size() - 1);
  constexpr int bytes = static_cast<int>(sizeof(ProcessFacts));
  PMPI_Gather(&mine, bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, 0, world_);
  return all;
}

ProfileFacts Session::conclude() {
  ProfileFacts facts;
  waited_on_path(settle_questions(0, 0));
  note_system_time(measures_);
  facts.ranks = size_;
  facts.cpu_clock = cpu_clock_;
  facts.granted_cpus = granted_cpus_;
  PMPI_Allreduce(MPI_IN_PLACE, &facts.granted_cpus, 1, MPI_DOUBLE, MPI_MAX, world_);
  facts.messages = messages_;
  facts.elapsed = elapsed_ + (measures_ ? wall() - begun_ : 0);
  PMPI_Allreduce(MPI_IN_PLACE, &facts.elapsed, 1, MPI_DOUBLE, MPI_MAX, world_);
  PMPI_Allreduce(&spawned_, &facts.spawned, 1, MPI_INT, MPI_SUM, world_);
  int sessions = uses_sessions_ ? 1 : 0;
  PMPI_Allreduce(MPI_IN_PLACE, &sessions, 1, MPI_INT, MPI_MAX, world_);
  facts.sessions = sessions != 0;
  collect_traffic(world_);
  facts.longest = channel_of(MPI_COMM_WORLD)->agree(agreement(false)).mark;
  constexpr int metrics = static_cast<int>(sizeof(path::Costs) / sizeof(double));
  PMPI_Reduce(&path_.own(), &facts.most, metrics, MPI_DOUBLE, MPI_MAX, 0, world_);
  PMPI_Reduce(&path_.own(), &facts.sum, metrics, MPI_DOUBLE, MPI_SUM, 0, world_);
  spent_.waiting = path_.own().idle;
  PMPI_Reduce(&spent_, &facts.spent, static_cast<int>(path::spent_parts.size()), MPI_DOUBLE, MPI_SUM, 0, world_);
  int complete = path_.log().complete() ? 1 : 0;
  PMPI_Allreduce(MPI_IN_PLACE, &complete, 1, MPI_INT, MPI_MIN, world_);
  facts.complete = complete != 0;
  path::Costs difference = visit_critical_path(facts.longest);
  PMPI_Allreduce(MPI_IN_PLACE, &difference, metrics, MPI_DOUBLE, MPI_SUM, world_);
  facts.longest.along += difference;
  facts.longest.longest = path::greatest(facts.longest.longest, facts.longest.along);
  facts.program_variance = program_variance();
  PMPI_Allreduce(MPI_IN_PLACE, &facts.program_variance, 1, MPI_DOUBLE, MPI_SUM, world_);
  facts.pace = decisions_.run_time_ratio();
  PMPI_Allreduce(MPI_IN_PLACE, &facts.pace, 2, MPI_DOUBLE, MPI_SUM, world_);
  note_contexts();
  collect_kernels();
  collect_region_names();
  facts.calls = gather_calls();
  facts.processes = gather_processes();
  facts.prediction_error = decisions_.prediction_error();
  PMPI_Allreduce(MPI_IN_PLACE, &facts.prediction_error, 1, MPI_DOUBLE, MPI_MAX, world_);
  return facts;
}

void Session::end() {
  leave_program();
  tracking_ = false;
  if (has_executions() && progress_ != Progress::finished) {
    finish_execution();
  } else if (!has_executions()) {
    const ProfileFacts facts = conclude();
    if (rank_ == 0) {
      write_profile_file(options_, facts, kernels_.kernels(), regions_);
    }
  }
  PMPI_Barrier(world_);
  while (next_acknowledgement() != nullptr) {  // for which no sender has waited
  }
  detach_channel(MPI_COMM_WORLD);
  detach_channel(MPI_COMM_SELF);
  disconnect_shadows();
  PMPI_Comm_free(&world_);
  free_agreement_type();
  report_.leaves_out(false);  // kernels are executed from here on
}

}  // namespace flopcast::interpose::mpi
