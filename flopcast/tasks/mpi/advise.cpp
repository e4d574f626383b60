#include "flopcast/tasks/mpi/advise.hpp"

#include <algorithm>
#include <exception>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "flopcast/core/statistics.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/process_environment.hpp"
#include "flopcast/tasks/mpi/outcome.hpp"

namespace flopcast {
namespace {

/// Returns the ratio of the longer side to the shorter one.
double elongation(const AdvisedGrid& grid) {
  return static_cast<double>(std::max(grid.rows, grid.columns)) / std::min(grid.rows, grid.columns);
}

/// Returns the grids of exactly `processes`.
std::vector<AdvisedGrid> grids_of(int processes) {
  std::vector<AdvisedGrid> grids;
  for (int rows = 1; rows <= processes; ++rows) {
    if (processes % rows == 0) {
      grids.push_back({rows, processes / rows});
    }
  }
  return grids;
}

/// Rest of a time budget that is spent before the first launch, in seconds.
constexpr Seconds shortest_budget = 1e-3;

/// Returns "2x1", as ScaLAPACK's users write grids.
std::string text_of(const AdvisedGrid& grid) { return fmt::format("{}x{}", grid.rows, grid.columns); }

/// A search for the best configuration.
class Advisor {
 public:
  Advisor(const MpiAdviseRequest& request, const AdviceServices& services, const RunContext& context)
      : request_(request),
        services_(services),
        context_(context),
        libraries_(request.library),
        cores_(request.launcher.empty() ? services.cores : request.ranks),
        begin_(services.clock()),
        kept_(services.known) {
    if (libraries_.empty()) {
      libraries_ =
          fmt::format("libscalapack-{0}.so.2.2,libscalapack-{0}.so.2.1,libscalapack-{0}.so,libscalapack.so", to_string(request.mpi));
    }
    advice_.name = fmt::format("{} n={} ranks={}", request.routine, request.n, request.ranks);
  }

  MpiTuning advice() {
    require_room();
    if (services_.is_root && request_.launcher.empty() && request_.mpi == MpiLibrary::openmpi) {
      throw environment_error(
          "mpirun.openmpi refuses to run as root. Run flopcast as another user; in a container, where root is harmless, set "
          "OMPI_ALLOW_RUN_AS_ROOT=1 and OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 in the environment");
    }
    if (!services_.loads(libraries_)) {
      throw environment_error(
          "ScaLAPACK can't be loaded from {}. Install libscalapack-{}2.2 (Debian's name), or give its file to --library", libraries_,
          to_string(request_.mpi));
    }
    predict_all();
    judge();
    execute_leading();
    judge();
    if (!is_incomplete_) {
      services_.keep(nullptr);
    }
    return std::move(advice_);
  }

 private:
  [[nodiscard]] bool is_budget_spent() const { return services_.clock() - begin_ >= request_.time_budget; }
  /// Returns whether the routine iterates until it has converged. Its course then depends on results, and no kernel may be skipped.
  [[nodiscard]] bool iterates() const { return request_.routine == "pdsyevd" || request_.routine == "pdgesvd"; }

  /// Throws bad_input for what this machine can't hold. Nothing is known of other machines, on which a launcher starts processes.
  void require_room() const {
    constexpr double giga = 1e9, element_bytes = 8;
    constexpr int max_processes_per_core = 32;
    constexpr const char* remedy = "or with --launcher a command that starts processes on several machines";
    const double matrices = iterates() ? 5 : 1;  // workspace included
    const double needed = matrices * element_bytes * static_cast<double>(request_.n) * static_cast<double>(request_.n);
    if (request_.launcher.empty() && needed > services_.memory_bytes) {
      throw bad_input("{} of order {} needs {:.1f} GB of memory, and this machine has {:.1f} GB. Give a smaller --n, {}", request_.routine,
                      request_.n, needed / giga, services_.memory_bytes / giga, remedy);
    }
    if (request_.ranks > max_processes_per_core * cores_) {
      throw bad_input("{} processes are more than {} on each of {}. Give fewer --ranks, {}", request_.ranks, max_processes_per_core,
                      counted(cores_, "core"), remedy);
    }
  }

  /// Returns the words that start the processes of `grid`. They aren't bound to cores where they share some or have threads of their own.
  [[nodiscard]] std::vector<std::string> launcher_of(const AdvisedGrid& grid) const {
    std::vector<std::string> words;
    if (grid.processes() * grid.threads > std::min(grid.processes(), cores_)) {
      words = {"env", "OMPI_MCA_rmaps_base_oversubscribe=1", "OMPI_MCA_mpi_yield_when_idle=1", "OMPI_MCA_hwloc_base_binding_policy=none"};
    }
    const std::string launcher = request_.launcher.empty() ? "mpirun." + to_string(request_.mpi) : request_.launcher;
    for (const std::string_view word : split(launcher, ' ')) {
      if (!word.empty()) {
        words.emplace_back(word);
      }
    }
    words.insert(words.end(), {"-n", std::to_string(grid.processes()), "env"});
    process::set_threads(words, grid.threads);
    return words;
  }

  [[nodiscard]] MpiTuneRequest tuning_of(const AdvisedGrid& grid, std::vector<std::string> block_sizes, selective::Policy policy) const {
    MpiTuneRequest tuning;
    tuning.policy = policy;
    tuning.min_coverage = 0;
    tuning.time_budget = std::max(request_.time_budget - (services_.clock() - begin_), shortest_budget);
    tuning.self_check = MpiSelfCheck::none;  // whether the course depends on results is known
    if (request_.ranks > cores_ && grid.threads == 1) {
      tuning.clock = protocol::MpiClock::cpu;  // in grids with a core for each process, too, so that times compare
    }
    tuning.space = {fmt::format("{} on a grid of {}", request_.routine, text_of(grid)),
                    launcher_of(grid),
                    {services_.driver, libraries_, request_.routine, std::to_string(request_.n), "{nb}", text_of(grid)},
                    {{"nb", std::move(block_sizes)}},
                    ""};
    return tuning;
  }

  [[nodiscard]] static search::Setting setting_of(const AdvisedGrid& grid, const std::string& nb) {
    return {{"grid", text_of(grid)}, {"nb", nb}, {"threads", std::to_string(grid.threads)}};
  }

  /// Returns the configuration `number` of those in `kept` with this setting, or null.
  [[nodiscard]] static const MpiConfiguration* known(const MpiTuning& kept, const search::Setting& setting, int number) {
    for (const MpiConfiguration& each : kept.configurations) {
      if (each.setting == setting && number-- == 0) {
        return &each;
      }
    }
    return nullptr;
  }

  /// Returns what the configurations of a grid come to; none if all of them fail. Those that `kept` has `number` times or fewer are tuned and
  /// added to `kept`.
  std::vector<MpiConfiguration> tuned(const AdvisedGrid& grid, const std::vector<std::string>& block_sizes, selective::Policy policy,
                                      MpiTuning& kept, int number = 0) {
    context_.throw_if_cancelled("what was predicted and executed is kept; run it again to go on");
    std::vector<MpiConfiguration> all;
    std::vector<std::string> missing;
    for (const std::string& nb : block_sizes) {
      if (const MpiConfiguration* found = known(kept, setting_of(grid, nb), number)) {
        all.push_back(*found);
      } else {
        missing.push_back(nb);
      }
    }
    if (!missing.empty()) {
      for (MpiConfiguration& each : newly_tuned(grid, std::move(missing), policy)) {
        kept.configurations.push_back(each);
        all.push_back(std::move(each));
      }
      kept.clock = advice_.clock;
      services_.keep(&kept_);
    }
    return all;
  }

  std::vector<MpiConfiguration> newly_tuned(const AdvisedGrid& grid, std::vector<std::string> block_sizes, selective::Policy policy) {
    RunContext context = context_;
    context.note = context.noise = [](const std::string&) {};  // notes on all grids together follow
    MpiTuning tuning;
    try {
      tuning = services_.tune(tuning_of(grid, std::move(block_sizes), policy), context);
    } catch (const Error& error) {
      context_.rethrow_if_cancelled();
      context_.note(fmt::format("flopcast: the grid {} is skipped: {}", text_of(grid), error.what()));
      failure_ = std::current_exception();
      return {};
    }
    advice_.launches += tuning.launches;
    advice_.launch_seconds += tuning.launch_seconds;
    advice_.cores_of_others = std::max(advice_.cores_of_others, tuning.cores_of_others);
    advice_.clock = advice_.clock == protocol::MpiClock::cpu ? advice_.clock : tuning.clock;
    for (MpiConfiguration& each : tuning.configurations) {
      each.setting = setting_of(grid, each.setting.at("nb"));
      each.verdict = is_covered(each) ? MpiVerdict::slower : each.verdict;
      if (each.predicted) {
        context_.note(fmt::format("{}: {}", search::to_string(each.setting), format_seconds(*each.predicted)));
      }
    }
    return std::move(tuning.configurations);
  }

  /// Predicts the configurations of all grids, until the time budget is spent. Configurations that are executed in full are launched one by
  /// one, as they take longer than a launch.
  void predict_all() {
    std::size_t untried = 0;
    advice_.clock = kept_.predicted.clock;
    for (const AdvisedGrid& grid : grids_for(request_.n, request_.ranks, cores_)) {
      const std::vector<std::string> block_sizes = block_sizes_for(request_.n, grid);
      const std::size_t step = iterates() ? 1 : block_sizes.size();
      for (auto at = block_sizes.begin(); at != block_sizes.end(); at += static_cast<std::ptrdiff_t>(step)) {
        const bool is_first = advice_.configurations.empty() && !failure_;
        if (!is_first && is_budget_spent()) {
          untried += step;
          continue;
        }
        const std::vector<std::string> sizes(at, at + static_cast<std::ptrdiff_t>(step));
        const std::size_t before = grids_.size();
        for (MpiConfiguration& each :
             tuned(grid, sizes, iterates() ? selective::Policy::full : selective::Policy::local, kept_.predicted)) {
          advice_.configurations.push_back(std::move(each));
          grids_.push_back(grid);
        }
        untried += is_budget_spent() ? step - (grids_.size() - before) : 0;
      }
    }
    if (advice_.configurations.empty()) {
      std::rethrow_exception(failure_);
    }
    if (untried > 0) {
      is_incomplete_ = true;
      context_.note(fmt::format("flopcast: the time budget left {} untried. The others' predictions are kept: run it again to go on",
                                counted(untried, "configuration")));
    }
  }

  void judge() {
    const MpiConfiguration& best = best_of(advice_.configurations, 0);
    for (MpiConfiguration& each : advice_.configurations) {
      each.verdict = verdict_on(each, best);
    }
  }

  /// Returns the numbers of the configurations with the least predictions: three, and others that tie with the best. Two have the same grid
  /// at most, because predictions for different grids may be wrong in different ways.
  [[nodiscard]] std::vector<std::size_t> leading() const {
    constexpr std::size_t least = 3, most = 6;
    constexpr std::ptrdiff_t most_of_grid = 2;
    std::multimap<Seconds, std::size_t> by_prediction;
    for (std::size_t i = 0; i < grids_.size(); ++i) {
      if (is_covered(advice_.configurations[i])) {
        by_prediction.emplace(*advice_.configurations[i].predicted, i);
      }
    }
    std::vector<std::size_t> leading;
    for (const auto& [seconds, i] : by_prediction) {
      const MpiVerdict verdict = advice_.configurations[i].verdict;
      const bool is_likely = leading.size() < least || verdict == MpiVerdict::chosen || verdict == MpiVerdict::tie;
      const auto has_same_grid = [&, i = i](std::size_t other) { return grids_[other] == grids_[i]; };
      if (is_likely && leading.size() < most && std::count_if(leading.begin(), leading.end(), has_same_grid) < most_of_grid) {
        leading.push_back(i);
      }
    }
    return leading;
  }

  /// Executes the leading configurations in full, in turn, as often as the budget allows. The predictions decide unless each of them was
  /// executed.
  void execute_leading() {
    constexpr int max_rounds = 3;
    const std::vector<std::size_t> numbers = leading();
    std::map<std::size_t, std::vector<Seconds>> paths, elapsed;
    std::size_t skipped = 0;
    for (int round = 0; round < max_rounds && numbers.size() > 1 && skipped == 0; ++round) {
      for (const std::size_t i : numbers) {
        const std::string& nb = advice_.configurations[i].setting.at("nb");
        const bool is_known = known(kept_.executed, setting_of(grids_[i], nb), round) != nullptr;
        if (is_budget_spent() && !is_known) {
          ++skipped;
          continue;
        }
        const std::vector<MpiConfiguration> all = tuned(grids_[i], {nb}, selective::Policy::full, kept_.executed, round);
        skipped += all.empty() && is_budget_spent() ? 1 : 0;
        for (const MpiConfiguration& made : all) {
          if (is_covered(made)) {
            paths[i].push_back(*made.predicted);
            elapsed[i].push_back(made.elapsed);
          }
        }
      }
      if (round == 0 && skipped > 0) {
        is_incomplete_ = true;
        paths.clear();
        context_.note(
            fmt::format("flopcast: the time budget left {} of the leading {} without an execution in full: predictions alone decide. Run "
                        "it again to go on",
                        skipped, counted(numbers.size(), "configuration")));
      }
    }
    for (const auto& [i, seconds] : paths) {
      advice_.configurations[i].finalist = true;
      advice_.configurations[i].full_path = median(seconds);
      advice_.configurations[i].full_elapsed = median(elapsed.at(i));
    }
  }

  const MpiAdviseRequest& request_;
  const AdviceServices& services_;
  const RunContext& context_;
  std::string libraries_;
  int cores_;  ///< those that the processes may have
  Seconds begin_;
  KeptAdvice kept_;
  bool is_incomplete_ = false;  ///< the time budget left something out
  MpiTuning advice_;
  std::vector<AdvisedGrid> grids_;  ///< the grid of each configuration
  std::exception_ptr failure_;
};

}  // namespace

std::vector<AdvisedGrid> grids_for(std::int64_t n, int ranks, int cores) {
  const auto is_nearly_square = [](const AdvisedGrid& grid) { return elongation(grid) <= 2; };
  std::vector<AdvisedGrid> grids;
  bool has_square = false;
  for (int count = ranks, halved = ranks; count > 0; --count) {
    const std::vector<AdvisedGrid> of_count = grids_of(count);
    const bool is_first_square = !has_square && std::any_of(of_count.begin(), of_count.end(), is_nearly_square);
    if (count != halved && !is_first_square) {
      continue;
    }
    halved = count == halved ? halved / 2 : halved;
    has_square = has_square || is_first_square;
    for (AdvisedGrid grid : of_count) {
      for (const int threads : std::set{1, std::max(1, std::min(ranks, cores) / count)}) {
        grid.threads = threads;
        if (std::max(grid.rows, grid.columns) <= n) {
          grids.push_back(grid);
        }
      }
    }
  }
  std::stable_sort(grids.begin(), grids.end(), [](const AdvisedGrid& a, const AdvisedGrid& b) {
    return std::pair(-a.processes() * a.threads, elongation(a)) < std::pair(-b.processes() * b.threads, elongation(b));
  });
  return grids;
}

std::vector<std::string> block_sizes_for(std::int64_t n, const AdvisedGrid& grid) {
  const std::int64_t most = n / std::max(grid.rows, grid.columns);
  std::vector<std::string> sizes;
  for (const std::int64_t size : {16, 32, 48, 64, 96, 128, 192, 256}) {
    if (size <= most) {
      sizes.push_back(std::to_string(size));
    }
  }
  return sizes.empty() ? std::vector{std::to_string(most)} : sizes;
}

MpiTuning advise_mpi(const MpiAdviseRequest& request, const AdviceServices& services, const RunContext& context) {
  return Advisor(request, services, context).advice();
}

}  // namespace flopcast
