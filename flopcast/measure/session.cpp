#include "flopcast/measure/session.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>
#include <random>
#include <ratio>
#include <unordered_set>

#include "flopcast/core/statistics.hpp"
#include "flopcast/measure/abnormal_values.hpp"
#include "flopcast/measure/cache_control.hpp"
#include "flopcast/measure/drift.hpp"
#include "flopcast/measure/integers.hpp"
#include "flopcast/measure/prepared.hpp"
#include "flopcast/measure/reference_kernels.hpp"
#include "flopcast/measure/repetitions.hpp"
#include "flopcast/measure/system_services.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::measure {
namespace {

/// Shuffles uniformly like std::shuffle, but with the same result on every standard library.
template <class T>
void shuffle(std::vector<T>& items, std::mt19937_64& random) {
  for (std::size_t i = items.size(); i > 1; --i) {
    std::swap(items[i - 1], items[random() % i]);
  }
}

/// One experiment of a run.
struct Task {
  Prepared prepared;
  Repetitions tally;
  std::vector<std::string> warnings;
  bool wake = false;
};

/// A repetition that later references may reveal as slowed down.
struct Made {
  Task* task;
  std::int64_t repetition;
  Seconds from, to;
};

double hours_since_1970() {
  return std::chrono::duration<double, std::ratio<3600>>(std::chrono::system_clock::now().time_since_epoch()).count();
}

void warn_once(std::vector<std::string>& warnings, std::string text) {
  if (std::find(warnings.begin(), warnings.end(), text) == warnings.end()) {
    warnings.push_back(std::move(text));
  }
}

/// Checks the results of the calls, and adds warnings.
void check_results(Task& task, bool with_values) {
  const std::vector<Call>& calls = task.prepared.timed_calls();
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const std::string& name = calls[i].routine->name;
    if (const int info = task.prepared.info(i); info != 0) {
      warn_once(task.warnings, fmt::format("{} stopped with info = {}: its time is not that of the whole work", name, info));
    }
    const AbnormalValues odd = with_values ? abnormal_values(calls[i]) : AbnormalValues{};
    if (odd.not_finite) {
      warn_once(task.warnings, fmt::format("{} leaves infinities or NaN: its time may not hold for other operands", name));
    }
    if (odd.denormal) {
      warn_once(task.warnings,
                fmt::format("{} leaves denormal numbers, which slow many CPUs down: its time may not hold for other operands", name));
    }
  }
}

}  // namespace

struct Session::State {
  SessionServices services;
  Environment environment;
  SessionOptions options;
  Memory arena;
  Sweeper sweeper;
  std::optional<ReferenceKernels> reference;
  std::optional<VectorWarmup> waker;
  Drift drift;
  Seconds last_reference = 0, last_reference_time = 0;  ///< moment and time of the last reference
  Seconds first_standard = 0;                           ///< the references' median at the end of the first run
  int threads = 0;                                      ///< number of threads that was set last; 0: none yet
  std::vector<Made> made;                               ///< repetitions of this run that weren't preempted
  std::size_t judged = 0;                               ///< number of these that were judged
  std::unordered_set<kernel::Function> warmed_up;
  std::mt19937_64 random;
  std::vector<std::int64_t> ticks;
  std::vector<Seconds> seconds;
  std::int64_t begin;
  Seconds turn_begin = 0;  ///< moment at which this process was last allowed to measure
  double started = hours_since_1970();

  State(SessionServices outside, Environment where, SessionOptions how)
      : services(std::move(outside)),
        environment(std::move(where)),
        options(how),
        sweeper(environment.caches),
        drift(options.quiet_solve),
        random(options.seed),
        begin(services.wall.ticks()) {}

  [[nodiscard]] Seconds now() const { return services.wall.between(begin, services.wall.ticks()); }
  [[nodiscard]] const Timer& timer() const { return options.clock == Clock::cpu ? services.cpu : services.wall; }

  std::vector<Task> prepare(std::span<const Experiment> experiments);
  [[nodiscard]] StopRule rule_for(const Experiment& experiment) const;
  void use_threads(int wanted);
  void take_reference(int times);
  ReferenceTimes undisturbed_reference();
  void take_reference_if_due();
  bool take_turn(const std::function<bool()>& go_on);
  bool let_others_measure(const std::function<bool()>& go_on);
  void judge();
  void warm_up(Task& task);
  void set_up(Task& task);
  void repeat(Task& task);
  void execute(std::vector<Task>& tasks, const Progress& progress);
  std::vector<Task*> unfinished(std::vector<Task>& tasks);
  void normalise(Timings& timings, Seconds standard) const;
  void warn_if_short(Timings& timings, std::int64_t batch) const;
};

std::vector<Task> Session::State::prepare(std::span<const Experiment> experiments) {
  std::int64_t needed_bytes = 0;
  Pages real = Pages::written;
  for (const Experiment& experiment : experiments) {
    needed_bytes = std::max(needed_bytes, memory_bytes(experiment));
    real = experiment.writes_before_reading ? real : Pages::all;
  }
  arena.reserve(needed_bytes, real);
  std::vector<Task> tasks;
  tasks.reserve(experiments.size());
  for (const Experiment& experiment : experiments) {
    Prepared prepared(experiment, arena.begin(), services, options.seed);
    Repetitions tally(rule_for(experiment), prepared.intervals(), prepared.batch());
    ticks.resize(std::max(ticks.size(), prepared.intervals() + 1));
    tasks.push_back({std::move(prepared), std::move(tally), {}, experiment.wake});
  }
  return tasks;
}

StopRule Session::State::rule_for(const Experiment& experiment) const {
  StopRule rule = options.stop;
  if (experiment.max_repetitions > 0) {
    rule.max_repetitions = std::min(rule.max_repetitions, experiment.max_repetitions);
  }
  return rule;
}

void Session::State::use_threads(int wanted) {
  if (wanted != threads) {
    services.set_threads(wanted);
    threads = wanted;
  }
}

void Session::State::take_reference(int times) {
  if (!options.normalise) {
    return;
  }
  use_threads(1);
  if (!reference) {
    reference.emplace(services, options.seed);
    reference->time(timer());  // the first execution is the library's first call
  }
  for (int i = 0; i < times; ++i) {
    last_reference = now();
    const ReferenceTimes reference_times = undisturbed_reference();
    last_reference_time = reference_times.product;
    drift.add(last_reference, reference_times);
  }
  judge();
}

/// Discards the repetitions before the last reference that were slowed down, among those not judged yet.
void Session::State::judge() {
  for (; judged < made.size(); ++judged) {
    const Made& one = made[judged];
    if (const double slowness = drift.slowness(one.from, one.to); slowness >= Drift::slow) {
      one.task->tally.discard(one.repetition, slowness);
    }
  }
}

/// Times the reference kernels, again if preempted. The fastest of a few disturbed ones stands for the ability of the machine.
ReferenceTimes Session::State::undisturbed_reference() {
  constexpr int max_attempts = 4;
  std::int64_t before = services.disturbances();
  ReferenceTimes fastest = reference->time(timer());
  for (int i = 1; i < max_attempts && services.disturbances() != before; ++i) {
    before = services.disturbances();
    const ReferenceTimes again = reference->time(timer());
    fastest = {std::min(fastest.product, again.product), std::min(fastest.solve, again.solve)};
  }
  return fastest;
}

/// Takes a reference if it is due. With a slow library, references are taken less often, so that they cost a few percent of the run at
/// most.
void Session::State::take_reference_if_due() {
  constexpr double rarest = 30;
  if (now() - last_reference >= std::max(options.reference_interval, rarest * last_reference_time)) {
    take_reference(1);
  }
}

/// Waits until this process may measure. Returns false if `go_on` ended the waiting: nothing more is to be measured.
bool Session::State::take_turn(const std::function<bool()>& go_on) {
  bool goes_on = true;
  services.turns.take([&] { return goes_on = go_on(); });
  turn_begin = now();
  return goes_on;
}

/// Lets another process measure if it waits and this turn has lasted long enough. References on both sides of the pause tell what other
/// programs did within the turns. Returns false if nothing more is to be measured.
bool Session::State::let_others_measure(const std::function<bool()>& go_on) {
  constexpr Seconds turn = 0.1;
  if (now() - turn_begin < turn || !services.turns.is_wanted()) {
    return true;
  }
  take_reference(1);
  services.turns.end();
  if (!take_turn(go_on)) {
    return false;
  }
  take_reference(1);
  return true;
}

/// Executes a repetition once without counting it if one of its functions was never called before. A library's first calls load code,
/// allocate buffers and choose kernels.
void Session::State::warm_up(Task& task) {
  const auto is_new = [this](kernel::Function function) { return warmed_up.count(function) == 0; };
  const std::vector<kernel::Function>& functions = task.prepared.functions();
  if (std::any_of(functions.begin(), functions.end(), is_new)) {
    set_up(task);
    task.prepared.run(timer(), ticks.data());
    warmed_up.insert(functions.begin(), functions.end());
  }
}

void Session::State::set_up(Task& task) {
  task.prepared.set_up(sweeper);
  if (!task.wake) {
    return;
  }
  if (!waker) {
    waker.emplace(services, options.seed);
  }
  waker->wake(services.wall);
}

void Session::State::repeat(Task& task) {
  use_threads(task.prepared.threads());
  warm_up(task);
  const Timer& clock = timer();
  const Seconds before = now();
  set_up(task);
  const std::int64_t disturbances = services.disturbances();
  const Seconds at = now();
  task.prepared.run(clock, ticks.data());
  const Seconds end = now();
  const bool disturbed = services.disturbances() != disturbances;
  seconds.clear();
  for (std::size_t i = 0; i < task.prepared.intervals(); ++i) {
    const Seconds interval = clock.between(ticks[i], ticks[i + 1]) - clock.overhead;
    seconds.push_back(std::max(0.0, interval) / static_cast<double>(task.prepared.batch()));
  }
  check_results(task, task.tally.made() == 0);
  if (options.normalise && !disturbed) {
    made.push_back({&task, task.tally.made(), at, end});
  }
  task.tally.add(seconds, at, now() - before, disturbed);
}

void Session::State::execute(std::vector<Task>& tasks, const Progress& progress) {
  std::int64_t done = 0;
  for (std::vector<Task*> wanting = unfinished(tasks); !wanting.empty(); wanting = unfinished(tasks)) {
    std::int64_t expected = 0;
    for (const Task& task : tasks) {
      expected += task.tally.expected();
    }
    shuffle(wanting, random);
    for (Task* task : wanting) {
      if (!let_others_measure([&] { return !progress || progress(done, expected); })) {
        return;
      }
      take_reference_if_due();
      const std::int64_t expected_before = task->tally.expected();
      repeat(*task);
      expected += task->tally.expected() - expected_before;
      if (progress && !progress(++done, expected)) {
        return;
      }
    }
  }
}

/// Returns the tasks that want more repetitions. If there are none, all repetitions are judged again with the present knowledge, because
/// the first ones had few references for comparison.
std::vector<Task*> Session::State::unfinished(std::vector<Task>& tasks) {
  std::vector<Task*> wanting;
  const auto look = [&] {
    for (Task& task : tasks) {
      if (task.tally.wants_more()) {
        wanting.push_back(&task);
      }
    }
  };
  look();
  if (wanting.empty() && judged < made.size()) {
    take_reference(1);
    judged = 0;
    judge();
    look();
  }
  return wanting;
}

void Session::State::normalise(Timings& timings, Seconds standard) const {
  if (!options.normalise || standard <= 0) {
    return;
  }
  timings.state.reference = standard;
  for (std::vector<Repetition>& call : timings.calls) {
    for (Repetition& repetition : call) {
      repetition.drift = drift.time_near(repetition.at) / standard;
    }
  }
}

void Session::State::warn_if_short(Timings& timings, std::int64_t batch) const {
  constexpr double overheads = 20;
  const Seconds shortest = overheads * timer().overhead;
  for (const std::vector<Repetition>& call : timings.calls) {
    const bool is_short = std::any_of(call.begin(), call.end(), [&](const Repetition& repetition) {
      return !repetition.discarded && repetition.seconds * static_cast<double>(batch) < shortest;
    });
    if (is_short) {
      warn_once(timings.warnings, fmt::format("a repetition takes less than {}, {:.0f} times the timer's own cost: use a larger batch",
                                              format_seconds(shortest), overheads));
      return;
    }
  }
}

namespace {

/// A process's turn in measuring, from its first to its last repetition.
class OwnTurn {
 public:
  explicit OwnTurn(const Turns& turns) : turns_(turns) {}
  ~OwnTurn() { turns_.end(); }
  OwnTurn(const OwnTurn&) = delete;
  OwnTurn& operator=(const OwnTurn&) = delete;

 private:
  const Turns& turns_;
};

}  // namespace

Session::Session(SessionServices services, Environment environment, SessionOptions options)
    : state_(std::make_unique<State>(std::move(services), std::move(environment), options)) {}
Session::Session(const machine::LibrarySet& libraries, Environment environment, SessionOptions options)
    : Session(system_services(libraries), std::move(environment), options) {}
Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

std::vector<Timings> Session::run(std::span<const Experiment> experiments, const Progress& progress) {
  constexpr int references_at_ends = 3;  // so that five references are near in a short run, too
  if (experiments.empty()) {
    return {};
  }
  state_->made.clear();
  state_->judged = 0;
  std::vector<Experiment> fitting;
  fitting.reserve(experiments.size());
  for (const Experiment& experiment : experiments) {
    fitting.push_back(with_integers(experiment, state_->services.integer_bytes));
  }
  std::vector<Task> tasks = state_->prepare(fitting);
  const bool goes_on = state_->take_turn([&] { return !progress || progress(0, 1); });
  const OwnTurn turn(state_->services.turns);
  std::vector<Timings> all;
  all.reserve(tasks.size());
  if (!goes_on) {
    std::transform(tasks.begin(), tasks.end(), std::back_inserter(all), [](Task& task) { return task.tally.take(); });
    return all;
  }
  const Seconds begin = state_->now();
  state_->take_reference(references_at_ends);
  state_->execute(tasks, progress);
  state_->take_reference(references_at_ends);
  if (state_->first_standard <= 0) {
    state_->first_standard = state_->drift.median_time();
  }
  const Seconds standard = state_->first_standard;
  const double noise = state_->drift.noise(begin);
  for (Task& task : tasks) {
    Timings timings = task.tally.take();
    timings.state = {state_->started, 0, std::max(noise, timings.state.noise), state_->drift.spread()};
    timings.warnings.insert(timings.warnings.end(), task.warnings.begin(), task.warnings.end());
    state_->normalise(timings, standard);
    state_->warn_if_short(timings, task.prepared.batch());
    all.push_back(std::move(timings));
  }
  return all;
}

MachineState Session::observe() {
  constexpr int references = 9;
  if (state_->drift.empty()) {
    state_->take_turn([] { return true; });
    const OwnTurn turn(state_->services.turns);
    state_->take_reference(references);
  }
  return {state_->started, state_->first_standard > 0 ? state_->first_standard : state_->drift.median_time(), 0, state_->drift.spread()};
}

Seconds Session::reference_time() const { return state_->first_standard; }
double Session::quiet_solve() const { return state_->drift.quiet_solve(); }
const Environment& Session::environment() const { return state_->environment; }
const SessionOptions& Session::options() const { return state_->options; }
SessionOptions& Session::options() { return state_->options; }

}  // namespace flopcast::measure
