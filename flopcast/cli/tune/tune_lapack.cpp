#include "flopcast/cli/tune/tune_lapack.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "flopcast/cli/interrupt.hpp"
#include "flopcast/cli/options.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/routine_problem.hpp"
#include "flopcast/program/profile_file.hpp"
#include "flopcast/report/table.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/stopwatch.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/tuning/block_tuning.hpp"

namespace flopcast::cli {
namespace {

/// Which matrices a routine is tuned for.
enum class Shapes : std::uint8_t {
  square,
  rectangular,  ///< tall and wide ones too, by `aspect`
};
constexpr std::int64_t aspect = 4;

/// A routine with flags, as programs call it.
struct Plan {
  const char* real;                                       ///< name without precision
  const char* complex;                                    ///< of complex matrices
  std::map<std::string, std::string> flags = {};          ///< of real matrices
  std::map<std::string, std::string> complex_flags = {};  ///< where they differ
  Shapes shapes = Shapes::square;
  double use = 1;  ///< how often programs spend their time in there: its share of the budget, and its place in the order
};

/// Solvers of linear systems, least squares and eigenproblems rest on the first ones; what stands behind is called by few.
const std::vector<Plan>& plans() {
  static const std::vector<Plan> table = {
      {"geqrf", "geqrf", {}, {}, Shapes::rectangular, 5},
      {"getrf", "getrf", {}, {}, Shapes::square, 5},
      {"potrf", "potrf", {{"uplo", "L"}}, {}, Shapes::square, 4},
      {"potrf", "potrf", {{"uplo", "U"}}, {}, Shapes::square, 3},
      {"sytrd", "hetrd", {{"uplo", "L"}}, {}, Shapes::square, 3},
      {"gehrd", "gehrd", {}, {}, Shapes::square, 3},
      {"gebrd", "gebrd", {}, {}, Shapes::rectangular, 3},
      {"ormqr", "unmqr", {{"side", "L"}, {"trans", "T"}}, {{"side", "L"}, {"trans", "C"}}, Shapes::square, 2.5},
      {"ormqr", "unmqr", {{"side", "L"}, {"trans", "N"}}, {}, Shapes::square, 2.5},
      {"orgqr", "ungqr", {}, {}, Shapes::square, 2.5},
      {"getri", "getri", {}, {}, Shapes::square, 2},
      {"sytrd", "hetrd", {{"uplo", "U"}}, {}, Shapes::square, 2},
      {"trtri", "trtri", {{"uplo", "U"}, {"diag", "N"}}, {}, Shapes::square, 1.5},
      {"ormlq", "unmlq", {{"side", "L"}, {"trans", "T"}}, {{"side", "L"}, {"trans", "C"}}, Shapes::square, 1.5},
      {"ormlq", "unmlq", {{"side", "R"}, {"trans", "T"}}, {{"side", "R"}, {"trans", "C"}}, Shapes::square, 1.5},
      {"ormqr", "unmqr", {{"side", "R"}, {"trans", "N"}}, {}, Shapes::square, 1},
      {"orglq", "unglq", {}, {}, Shapes::square, 1},
      {"gelqf", "gelqf", {}, {}, Shapes::rectangular, 1.5},
      {"geqp3", "geqp3", {}, {}, Shapes::square, 1.5},
      {"sytrf", "sytrf", {{"uplo", "L"}}, {}, Shapes::square, 1.5},
      {"sytrf", "sytrf", {{"uplo", "U"}}, {}, Shapes::square, 1},
      {"", "hetrf", {{"uplo", "L"}}, {}, Shapes::square, 1},
      {"", "hetrf", {{"uplo", "U"}}, {}, Shapes::square, 1},
      {"sygst", "hegst", {{"itype", "1"}, {"uplo", "L"}}, {}, Shapes::square, 1},
      {"sygst", "hegst", {{"itype", "1"}, {"uplo", "U"}}, {}, Shapes::square, 1},
      {"trtri", "trtri", {{"uplo", "L"}, {"diag", "N"}}, {}, Shapes::square, 1},
      {"lauum", "lauum", {{"uplo", "U"}}, {}, Shapes::square, 1},
      {"lauum", "lauum", {{"uplo", "L"}}, {}, Shapes::square, 1},
      {"ormql", "unmql", {{"side", "L"}, {"trans", "N"}}, {}, Shapes::square, 0.7},
      {"orgql", "ungql", {}, {}, Shapes::square, 0.7},
      {"geqlf", "geqlf", {}, {}, Shapes::rectangular, 0.7},
      {"gerqf", "gerqf", {}, {}, Shapes::rectangular, 0.7},
      {"ormrq", "unmrq", {{"side", "L"}, {"trans", "N"}}, {}, Shapes::square, 0.5},
      {"orgrq", "ungrq", {}, {}, Shapes::square, 0.5},
  };
  return table;
}

/// With less than this a routine is hardly measured at all: better fewer routines than all of them badly.
constexpr Seconds min_share = 3;

/// Use of one precision beside the one before it in the user's list.
constexpr double next_precision = 0.4;

struct Entry {
  const Routine* routine = nullptr;
  std::map<std::string, std::string> flags;
  Shapes shapes = Shapes::square;
  double use = 0;
};

/// Every routine of the wanted precisions, the most used first.
std::vector<Entry> entries(const std::string& precisions) {
  std::vector<Entry> all;
  double weight = 1;
  for (const char letter : precisions) {
    if (std::string_view("sdcz").find(letter) == std::string_view::npos) {
      throw usage_error("--precision: '{}' is none; expected letters of s, d, c, z, such as dz", letter);
    }
    const bool complex = is_complex(static_cast<Precision>(letter));
    for (const Plan& plan : plans()) {
      if (const std::string name = complex ? plan.complex : plan.real; !name.empty()) {
        all.push_back({&kernel::require(letter + name), complex && !plan.complex_flags.empty() ? plan.complex_flags : plan.flags,
                       plan.shapes, weight * plan.use});
      }
    }
    weight *= next_precision;
  }
  if (all.empty()) {
    throw usage_error("--precision: no letter given; expected letters of s, d, c, z");
  }
  std::stable_sort(all.begin(), all.end(), [](const Entry& a, const Entry& b) { return a.use > b.use; });
  return all;
}

/// Square problems of the given orders; of rectangular matrices as many elements.
std::vector<Call> calls(const Entry& entry, const std::vector<std::int64_t>& orders) {
  std::vector<Call> all;
  for (const std::int64_t n : orders) {
    const auto add = [&](const std::map<std::string, std::vector<std::int64_t>>& sizes) {
      const std::vector<Call> made = kernel::routine_calls(*entry.routine, sizes, entry.flags);
      all.insert(all.end(), made.begin(), made.end());
    };
    add({{"n", {n}}});
    if (entry.shapes == Shapes::rectangular && n >= aspect) {
      static constexpr std::int64_t root = 2;  // of aspect
      add({{"m", {n * root}}, {"n", {n / root}}});
      add({{"m", {n / root}}, {"n", {n * root}}});
    }
  }
  return all;
}

/// What became of one entry of the profile.
struct Outcome {
  std::string name;
  std::string remark;  ///< why it wasn't tuned; nothing if it was
  tuning::BlockSizeResult result;
  std::vector<tuning::Check> checks;
  Seconds elapsed = 0;
};

/// The profile's entry, if it is of this place.
const interpose::TunedRoutine* find_known(const std::optional<interpose::Profile>& profile, const TunableRoutine& tunable) {
  if (!profile) {
    return nullptr;
  }
  for (const interpose::TunedRoutine& routine : profile->routines) {
    if (routine.name == tunable.routine->name && routine.flags == tunable.options) {
      return &routine;
    }
  }
  return nullptr;
}

/// Whether every problem has a point of its own that is decided.
bool covers(const interpose::TunedRoutine& known, const TunableRoutine& tunable) {
  return std::all_of(tunable.queries.begin(), tunable.queries.end(), [&](const interpose::BlockSizeQuery& question) {
    const std::int64_t n = question.n < 0 ? question.m : question.n;
    return std::any_of(known.points.begin(), known.points.end(),
                       [&](const interpose::TunedPoint& point) { return point.m == question.m && point.n == n && !point.undecided; });
  });
}

struct Summary {
  std::size_t decided = 0;  ///< of the sizes
  double gain = 0, best_gain = 0, regret = 0;
  std::string blocks;
};

/// Of the sizes that are decided.
Summary summary(const Outcome& outcome) {
  Summary result;
  std::vector<double> gains;
  std::int64_t least = std::numeric_limits<std::int64_t>::max(), most = 0;
  for (const tuning::Decision& decision : outcome.result.decisions) {
    if (tuning::is_undecided(decision)) {
      continue;
    }
    gains.push_back(decision.gain);
    result.best_gain = std::max(result.best_gain, decision.gain);
    result.regret = std::max(result.regret, decision.regret);
    least = std::min(least, decision.chosen.blocks.nb);
    most = std::max(most, decision.chosen.blocks.nb);
  }
  result.decided = gains.size();
  result.gain = gains.empty() ? 0 : median(gains);
  result.blocks = gains.empty() ? "" : least == most ? fmt::format("{}", least) : fmt::format("{} - {}", least, most);
  return result;
}

std::vector<double> yields(const Outcome& outcome) {
  std::vector<double> all;
  for (const tuning::Check& check : outcome.checks) {
    if (check.complete) {
      all.push_back(check.gain_kept);
    }
  }
  return all;
}

report::Table table(const std::vector<Outcome>& outcomes, bool validated) {
  using report::Align;
  report::Table table;
  table.columns = {{"routine", Align::left},
                   {"sizes"},
                   {"nb", Align::right, "nb"},
                   {"gain, median", Align::right, "gain"},
                   {"best", Align::right, "best_gain"},
                   {"regret at worst", Align::right, "regret"},
                   {"took", Align::right, "seconds"}};
  if (validated) {
    table.columns.insert(table.columns.end(), {{"yield, median", Align::right, "yield"}, {"worst", Align::right, "worst_yield"}});
  }
  table.columns.push_back({"", Align::left, "remark"});
  for (const Outcome& outcome : outcomes) {
    std::vector<report::Cell> row = {outcome.name};
    if (outcome.result.decisions.empty()) {
      row.resize(table.columns.size() - 1, report::Cell(""));
    } else {
      const Summary s = summary(outcome);
      row.insert(row.end(),
                 {report::whole(static_cast<long long>(outcome.result.decisions.size())),
                  report::Cell(s.blocks),
                  s.decided == 0 ? report::Cell("")
                                 : report::Cell(s.gain, format_percent(s.gain), s.gain > 0.01 ? report::Tone::good : report::Tone::plain),
                  s.decided == 0 ? report::Cell("") : report::Cell(s.best_gain, format_percent(s.best_gain)),
                  s.decided == 0 ? report::Cell("") : report::Cell(s.regret, format_percent(s.regret)),
                  {outcome.elapsed, format_seconds(outcome.elapsed)}});
      if (validated) {
        const std::vector<double> all = yields(outcome);
        const auto cell = [&](double value) { return all.empty() ? report::Cell("") : report::Cell(value, format_percent(value)); };
        row.insert(row.end(), {cell(all.empty() ? 0 : median(all)), cell(all.empty() ? 0 : quantile(all, 0))});
      }
    }
    row.emplace_back(outcome.remark);
    table.rows.push_back(std::move(row));
  }
  return table;
}

nlohmann::json to_json(const Outcome& outcome) {
  nlohmann::json sizes = nlohmann::json::array();
  for (std::size_t i = 0; i < outcome.result.decisions.size(); ++i) {
    const tuning::Decision& d = outcome.result.decisions[i];
    nlohmann::json item = {{"sizes", d.sizes},
                           {"default", {{"nb", d.default_.blocks.nb}, {"nx", d.default_.blocks.nx}, {"seconds", d.default_.seconds}}},
                           {"chosen", {{"nb", d.chosen.blocks.nb}, {"nx", d.chosen.blocks.nx}, {"seconds", d.chosen.seconds}}},
                           {"gain", d.gain},
                           {"regret", d.regret},
                           {"undecided", tuning::is_undecided(d)}};
    if (i < outcome.checks.size() && outcome.checks[i].complete) {
      const tuning::Check& check = outcome.checks[i];
      item["validation"] = {{"default_seconds", check.default_seconds},
                            {"chosen_seconds", check.chosen_seconds},
                            {"best_seconds", check.best_seconds},
                            {"best_nb", check.best.blocks.nb},
                            {"yield", check.gain_kept},
                            {"split_half", check.repeatability}};
    }
    sizes.push_back(std::move(item));
  }
  return {{"routine", outcome.name}, {"remark", outcome.remark}, {"seconds", outcome.elapsed}, {"decisions", std::move(sizes)}};
}

/// All of LAPACK in one place.
class LapackTuner {
 public:
  LapackTuner(const LapackRequest& request, const machine::LibraryChoice& libraries, const CommonOptions& common)
      : request_(request),
        common_(common),
        entries_(entries(request.precisions)),
        store_(open_store(run_context(common))),
        bench_(Workbench::opened(libraries, run_context(common), request.validate)),
        recorder_(bench_.files()),
        session_(bench_, store_, request.tuning, run_context(common)),
        threads_(libraries.threads) {
    interpose::require_profile_writable(request.profile);
    if (!request.tuning.fresh && std::filesystem::exists(request.profile)) {
      for (interpose::Profile& place : interpose::places(interpose::read_profile(request.profile))) {
        const Environment& known = place.environment;
        if (known.fingerprint == bench_.environment().fingerprint && interpose::same_place(known, bench_.environment())) {
          known_ = std::move(place);
        }
      }
    }
    for (const Entry& entry : entries_) {
      use_left_ += entry.use;
    }
  }

  void run() {
    try {
      for (const Entry& entry : entries_) {
        if (left() < std::min(min_share, request_.time_budget)) {
          left_out_.push_back(entry.routine->name);
        } else {
          tune(entry);
        }
        use_left_ -= entry.use;
      }
    } catch (const Cancelled&) {
      show();
      throw Cancelled(has_profile() ? fmt::format("what was tuned so far is in {}; run the same command again to go on", request_.profile)
                                    : "nothing was tuned yet; every sample is kept: run the same command again to go on");
    }
    show();
  }

 private:
  [[nodiscard]] Seconds left() const { return request_.time_budget - spent_; }

  void tune(const Entry& entry) {
    const Seconds share = std::min(left(), std::max(min_share, left() * entry.use / use_left_));
    std::vector<TunableRoutine> tunable;
    const bool recorded = unless_it_fails(
        entry.routine->name, [&] { tunable = tunable_routines(calls(entry, request_.orders), request_.blocks, threads_, recorder_); });
    if (recorded && tunable.empty()) {
      outcomes_.push_back({entry.routine->name, "never asks: this LAPACK decides by itself", {}, {}, 0});
    }
    for (const TunableRoutine& part : tunable) {
      throw_if_interrupted("");
      tune(part, share / static_cast<double>(tunable.size()));
    }
  }

  /// Does part of one routine's tuning, on the budget's time. A library's routine that fails must not end the tuning of the others: then
  /// its outcome is the error, and this false.
  template <class Part>
  bool unless_it_fails(const std::string& name, Part part) {
    const Stopwatch watch;
    bool done = true;
    try {
      part();
    } catch (const Error& error) {
      outcomes_.push_back({name, error.what(), {}, {}, 0});
      done = false;
    }
    spent_ += watch.elapsed();
    return done;
  }

  void tune(const TunableRoutine& tunable, Seconds share) {
    if (const interpose::TunedRoutine* known = find_known(known_, tunable); known != nullptr && covers(*known, tunable)) {
      outcomes_.push_back({tunable.name(), "in the profile already; --fresh tunes it again", {}, {}, 0});
      return;
    }
    const Stopwatch watch;
    Outcome outcome{tunable.name(), "", {}, {}, 0};
    static constexpr Seconds first_look = 5;
    if (!decide(tunable, std::min(share, first_look), outcome) ||
        (!outcome.result.complete && share > first_look && !decide(tunable, share - first_look, outcome))) {
      return;
    }
    outcome.elapsed = watch.elapsed();
    const std::ptrdiff_t open = undecided(outcome.result);
    if (open > 0) {
      outcome.remark =
          fmt::format("undecided for {} size{}: LAPACK's own block sizes stay; a larger --budget decides", open, open == 1 ? "" : "s");
    }
    if (request_.validate) {
      ValidationOptions how;
      how.time_budget = request_.limits_validation ? share : how.time_budget;
      outcome.checks = validate_blocks(tunable, outcome.result, bench_, session_, how);
    }
    outcomes_.push_back(std::move(outcome));
    throw_if_interrupted("");
  }

  static std::ptrdiff_t undecided(const tuning::BlockSizeResult& result) {
    return std::count_if(result.decisions.begin(), result.decisions.end(), tuning::is_undecided);
  }

  /// Decides for a routine within `budget` and keeps that in the profile, so that there is something in it soon, whenever tuning is
  /// stopped. Called again it goes on where it ended. False if the routine failed.
  bool decide(const TunableRoutine& tunable, Seconds budget, Outcome& outcome) {
    tuning::BlockSizeOptions options;
    options.time_budget = budget;
    options.tune_crossover = request_.tune_crossover;
    if (!unless_it_fails(tunable.name(), [&] { outcome.result = tune_blocks(tunable, recorder_, session_, options); })) {
      return false;
    }
    if (undecided(outcome.result) < static_cast<std::ptrdiff_t>(outcome.result.decisions.size())) {
      const std::string remark = interpose::save_profile(request_.profile, make_profile(bench_, tunable, outcome.result.decisions));
      if (!remark.empty()) {
        note(remark, common_);
      }
    }
    return true;
  }

  void show() const {
    if (common_.json) {
      nlohmann::json routines = nlohmann::json::array();
      for (const Outcome& outcome : outcomes_) {
        routines.push_back(to_json(outcome));
      }
      emit(nlohmann::json{{"schema", "flopcast-tune-lapack-1"},
                          {"environment", bench_.environment()},
                          {"profile", request_.profile},
                          {"routines", std::move(routines)},
                          {"left_out", left_out_}},
           common_);
    } else {
      emit(table(outcomes_, request_.validate), common_);
    }
    if (!left_out_.empty()) {
      note(fmt::format("the budget is spent; {} routines are left, {} first: run the same command again to go on", left_out_.size(),
                       left_out_.front()),
           common_);
    }
    if (has_profile()) {
      note(fmt::format("profile: {}; run a program with it: flopcast run -- COMMAND", request_.profile), common_);
    }
  }

  [[nodiscard]] bool has_profile() const { return std::filesystem::exists(request_.profile); }

  const LapackRequest& request_;
  const CommonOptions& common_;
  std::vector<Entry> entries_;
  model::Store store_;
  Workbench bench_;
  interpose::Recorder recorder_;
  TuningSession session_;
  int threads_;
  std::optional<interpose::Profile> known_;
  double use_left_ = 0;  ///< of the entries that weren't dealt with
  Seconds spent_ = 0;
  std::vector<Outcome> outcomes_;
  std::vector<std::string> left_out_;  ///< that the budget didn't reach
};

}  // namespace

void tune_lapack(const LapackRequest& request, const machine::LibraryChoice& libraries, const CommonOptions& common) {
  LapackTuner(request, libraries, common).run();
}

}  // namespace flopcast::cli
