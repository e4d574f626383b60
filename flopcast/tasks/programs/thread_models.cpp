#include "flopcast/tasks/programs/thread_models.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include <nlohmann/json.hpp>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/machine/libraries/library.hpp"
#include "flopcast/machine/libraries/library_identity.hpp"
#include "flopcast/model/artifacts.hpp"
#include "flopcast/model/on_demand.hpp"
#include "flopcast/protocol/thread_table.hpp"
#include "flopcast/protocol/threaded_routines.hpp"
#include "flopcast/support/combinations.hpp"
#include "flopcast/support/digest.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/stopwatch.hpp"
#include "flopcast/tune/sampling.hpp"
#include "flopcast/workbench/on_demand_sampling.hpp"
#include "flopcast/workbench/wisdom_file.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast {
namespace {

using Sizes = std::vector<std::int64_t>;

constexpr const char* table_schema = "flopcast-thread-table-1";

/// Arithmetic of the largest calls that are measured. Larger ones are expected to gain as much by threads as the largest of their shape.
constexpr double max_flops = 4e9;

Call call_of_sizes(const Routine& routine, const std::string& flags, const Sizes& sizes) {
  std::map<std::string, std::string> arguments;
  const std::vector<std::size_t> flag_places = protocol::distinguished_flags(routine);
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const Argument& argument = routine.arguments[flag_places[i]];
    const bool is_conjugated = flags[i] == 'T' && argument.values.find('T') == std::string::npos;
    arguments[argument.name] = is_conjugated ? "C" : std::string(1, flags[i]);
  }
  const std::vector<std::size_t> size_places = protocol::size_places(routine);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    arguments[routine.arguments[size_places[i]].name] = std::to_string(sizes[i]);
  }
  return kernel::parse_call(routine, arguments);
}

/// Returns a call, or a smaller one of its shape where it has too much arithmetic to be measured.
Call measured_instead_of(const Call& call) {
  const double work = flops(call);
  return work > max_flops ? tuning::smaller_call(call, std::cbrt(max_flops / work)) : call;
}

/// Returns all combinations of one size per dimension. The last dimension changes fastest.
std::vector<Sizes> grid(const Sizes& sizes, std::size_t dimensions) { return combinations(std::vector<Sizes>(dimensions, sizes)); }

/// Letters that other choices add to each node of an entry.
constexpr std::size_t letters_of_others = 2;

/// Returns the number of sizes in each dimension of a routine's entry with so many letters in each node. Entries must stay short where nodes
/// have many letters, because an environment variable has 128 KiB at most.
std::size_t node_count(std::size_t dimensions, std::size_t letters) {
  static constexpr std::size_t few = 4, several = 7, many = 8;
  return dimensions == 1 || letters <= (dimensions == 2 ? several : few) ? 10 : letters <= many ? 8 : 7;
}

/// Returns the letter for a time relative to the node's least one.
char step_letter(double ratio) {
  const double steps = std::round(protocol::steps_per_octave * std::log2(ratio));
  return protocol::step_letters[static_cast<std::size_t>(std::clamp<double>(steps, 0, protocol::step_letters.size() - 1))];
}

/// Makes the table of one order.
class ThreadTableMaker {
 public:
  ThreadTableMaker(const ThreadOrder& order, const RunContext& context)
      : order_(order), context_(context), store_(open_store(context)), counts_(counts_of(order.threads)) {
    for (const int count : counts_) {
      configurations_.push_back({order.blas, order.lapack, count});
    }
    for (const OtherBlas& other : order.others) {
      for (const int count : counts_of(other.threads)) {
        configurations_.push_back({other.file, other.file, count});
      }
    }
    places_.resize(configurations_.size());
  }

  std::string text() {
    const auto read = [this](const nlohmann::json& document) {
      entries_ = document.at("entries").get<std::string>();
      return document.at("complete").get<bool>();
    };
    const bool is_complete = model::read_artifact(store_, model::artifact::thread_table, name(), read).value_or(false);
    if (!is_complete && order_.time_budget > 0) {
      measure();
    }
    if (entries_.empty()) {
      const bool is_loaders = order_.lapack == order_.blas;
      const std::string options = !order_.others.empty() ? order_.varies ? "--threads auto --blas auto" : "--blas auto" : "--threads auto";
      context_.note(
          fmt::format("{} chooses nothing, as no times of {} are known; 'flopcast run {}{} --time-budget 5min -- {}' measures them",
                      options, order_.blas.string(), options, order_.others.empty() && !is_loaders ? " --blas " + order_.blas.string() : "",
                      order_.others.empty() ? "true" : "PROGRAM"));
      return "";
    }
    std::string others;
    for (std::size_t c = counts_.size(); c < configurations_.size(); ++c) {
      others += configurations_[c].blas == configurations_[c - 1].blas ? "" : ',' + configurations_[c].blas.string();
      others += fmt::format(",{}", configurations_[c].threads);
    }
    return fmt::format("{};{},{}{}{}", fmt::join(counts_, ","), protocol::folder_number(order_.blas.parent_path().string()),
                       protocol::folder_number(order_.lapack.parent_path().string()), others, entries_);
  }

 private:
  /// Libraries and a number of threads: first the program's own, then others in the order of protocol::ThreadTable::others.
  struct ThreadConfiguration {
    std::filesystem::path blas, lapack;
    int threads;
    bool is_usable = true;  ///< false if the libraries can't be opened
  };
  /// The libraries of a configuration, and the models of their routines.
  struct OpenLibrary {
    Workbench bench;
    std::optional<model::OnDemandModels> models;
  };

  [[nodiscard]] std::vector<int> counts_of(int most) const { return order_.varies ? thread_counts(most) : std::vector<int>{most}; }
  [[nodiscard]] bool is_own(std::size_t c) const { return c < counts_.size(); }

  /// Returns the table's name in the store, which depends on all that the times depend on.
  [[nodiscard]] std::string name() const {
    const auto digest = this_wisdom_machine().digest;
    std::string others;
    for (const OtherBlas& other : order_.others) {
      others += fmt::format(" {} {}", digest(other.file.string()), fmt::join(counts_of(other.threads), ","));
    }
    return hexadecimal_digest(fmt::format("{} {} {} {} {}{}", machine::detect_topology().cpu, digest(order_.blas.string()),
                                          digest(order_.lapack.string()), order_.kernels, fmt::join(counts_, ","), others));
  }

  /// Measures what the models lack, precision by precision, and keeps the entries of each. Each has half of the time that is left, the last
  /// one all of it.
  void measure() {
    const Stopwatch watch;
    context_.note(fmt::format("measuring which routines gain by {}, for {} at most; --time-budget 0 uses what is known",
                              order_.others.empty() ? "threads" : "threads and other libraries", format_seconds(order_.time_budget)));
    bool complete = true;
    std::string entries;
    static constexpr char last = 'c';
    for (const char precision : {'d', 's', 'z', last}) {
      std::vector<const Routine*> routines = protocol::threaded_routines(kernel::catalogue());
      std::erase_if(routines, [&](const Routine* routine) { return routine->name[0] != precision; });
      const Seconds left = std::max(0.0, order_.time_budget - watch.elapsed());
      complete = sample(routines, precision == last ? left : left / 2) && complete;
      entries += entries_of(routines);
      model::put_artifact(store_, model::artifact::thread_table, name(),
                          {{"schema", table_schema}, {"entries", entries}, {"complete", complete && precision == last}});
    }
    entries_ = entries;
    if (!complete) {
      context_.note(
          "the time budget ended the measurements, and calls without known times keep the program's threads; the next run goes on");
    }
  }

  /// Measures routines in each configuration. Returns whether there was time for all.
  bool sample(const std::vector<const Routine*>& routines, Seconds budget) {
    const Stopwatch watch;
    bool complete = true;
    std::set<std::string> names;
    for (const Routine* routine : routines) {
      names.insert(routine->name);
    }
    for (std::size_t c = 0; c < configurations_.size(); ++c) {
      if (!open(c)) {
        continue;
      }
      OpenLibrary& place = *places_[c];
      place.models.emplace(place.bench.models(store_, names));
      std::vector<tuning::Subject> subjects;
      for (const Routine* routine : routines) {
        for (const std::string& flags : offers(c, *routine) ? thread_flags(*routine) : std::vector<std::string>()) {
          for (Call call : thread_samples(*routine, flags)) {
            call.threads = configurations_[c].threads;
            subjects.push_back(tuning::subject_of(call, place.bench.environment(), true));
          }
        }
      }
      const Seconds begin = watch.elapsed();
      const Seconds share = (budget - begin) / static_cast<double>(configurations_.size() - c);
      if (share > 0) {
        const std::string label =
            fmt::format("{}gemm and others {}with {}", routines[0]->name[0],
                        is_own(c) ? "" : "of " + place.bench.environment().blas.name + ' ', counted(configurations_[c].threads, "thread"));
        sample_missing(subjects, place.bench, store_, *place.models, share, label, context_, {}, sufficient_deviation);
      }
      complete = complete && watch.elapsed() - begin < share;
    }
    return complete;
  }

  /// Returns the entries of routines of which something is known with each number of threads of the program's library.
  [[nodiscard]] std::string entries_of(const std::vector<const Routine*>& routines) {
    std::string entries;
    for (const Routine* routine : routines) {
      for (const std::string& flags : thread_flags(*routine)) {
        std::vector<bool> is_known;
        for (std::size_t c = 0; c < configurations_.size(); ++c) {
          is_known.push_back(knows(c, *routine, flags));
        }
        const auto end = is_known.begin() + static_cast<std::ptrdiff_t>(counts_.size());
        if (std::find(is_known.begin(), end, false) == end) {
          const ThreadSeconds seconds = [&](const Call& call, std::size_t c) {
            return is_known[c] ? seconds_of(call, c) : std::numeric_limits<Seconds>::infinity();
          };
          entries += ';' + thread_entry(*routine, flags, counts_.size(), seconds, configurations_.size() - counts_.size());
        }
      }
    }
    return entries;
  }

  /// Returns whether there are samples of the routine with these flags.
  [[nodiscard]] bool knows(std::size_t c, const Routine& routine, const std::string& flags) const {
    Call call = thread_samples(routine, flags).front();
    call.threads = configurations_[c].threads;
    return offers(c, routine) && places_[c]->models->kernels().contains(places_[c]->models->key(call));
  }

  /// Returns a call's expected time. Whatever isn't as the program has it, fewer threads or another library, must be better even if it is a
  /// standard deviation slower than expected, so that a guess beyond what was measured doesn't decide.
  [[nodiscard]] Seconds seconds_of(Call call, std::size_t c) const {
    call.threads = configurations_[c].threads;
    const tuning::Subject subject = tuning::subject_of(call, places_[c]->bench.environment(), true);
    const model::OnDemandModels& models = *places_[c]->models;
    const model::Estimate estimate = models.estimate(subject.trace.calls[0], subject.placements[0]);
    return estimate.seconds * (c + 1 == counts_.size() ? 1 : 1 + estimate.relative_error);
  }

  /// Returns whether calls of the routine may be computed in this configuration. Another library's routine may need a longer workspace than
  /// the program has asked its own library for.
  [[nodiscard]] bool offers(std::size_t c, const Routine& routine) const {
    const bool has_workspace = routine.index("lwork") >= 0;
    return is_own(c) || (!has_workspace && places_[c] && places_[c]->bench.libraries().find(routine.name) != nullptr);
  }

  /// Opens the libraries of a configuration. Returns false, and notes the reason once, if another library than the program's refuses.
  bool open(std::size_t c) {
    ThreadConfiguration& one = configurations_[c];
    if (places_[c] || !one.is_usable) {
      return one.is_usable;
    }
    try {
      places_[c] = std::make_unique<OpenLibrary>(OpenLibrary{
          Workbench::opened({.blas = one.blas.string(), .lapack = one.lapack.string(), .threads = one.threads, .kernels = order_.kernels},
                            context_),
          std::nullopt});
    } catch (const Error& error) {
      if (is_own(c)) {
        throw;
      }
      one.is_usable = false;
      context_.note(fmt::format("{} computes no calls with {}: {}", one.blas.string(), counted(one.threads, "thread"), error.what()));
    }
    return one.is_usable;
  }

  static constexpr double sufficient_deviation = 0.03;

  const ThreadOrder& order_;
  const RunContext& context_;
  model::Store store_;
  std::vector<int> counts_;  ///< numbers of threads of the program's own library
  std::vector<ThreadConfiguration> configurations_;
  std::vector<std::unique_ptr<OpenLibrary>> places_;  ///< one for each configuration, opened when something is measured
  std::string entries_;
};

}  // namespace

std::vector<int> thread_counts(int most) {
  std::vector<int> counts;
  for (int count = 1; count < most && counts.size() + 1 < protocol::max_thread_counts; count *= 2) {
    counts.push_back(count);
  }
  counts.push_back(most);
  return counts;
}

std::vector<std::string> thread_flags(const Routine& routine) {
  std::vector<std::string> all = {""};
  for (const std::size_t place : protocol::distinguished_flags(routine)) {
    std::string letters = routine.arguments[place].values;
    std::replace(letters.begin(), letters.end(), 'C', 'T');
    std::vector<std::string> longer;
    for (const std::string& begin : all) {
      for (const char letter : std::set<char>(letters.begin(), letters.end())) {
        longer.push_back(begin + letter);
      }
    }
    all = std::move(longer);
  }
  return all;
}

std::vector<Call> thread_samples(const Routine& routine, const std::string& flags) {
  static const Sizes one = {8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096}, two = {8, 32, 128, 512, 2048}, three = {8, 48, 256, 1024};
  const std::size_t dimensions = protocol::size_places(routine).size();
  std::vector<Call> calls;
  for (const Sizes& sizes : grid(dimensions == 1 ? one : dimensions == 2 ? two : three, dimensions)) {
    calls.push_back(measured_instead_of(call_of_sizes(routine, flags, sizes)));
  }
  return calls;
}

std::string thread_entry(const Routine& routine, const std::string& flags, std::size_t counts, const ThreadSeconds& seconds,
                         std::size_t others) {
  static constexpr double margin = 1.05;      // as for profiles, which keep a decision unless another one differs by more
  static constexpr double max_gain = 1.4142;  // so that the steps between the own library's times stay visible
  const std::size_t dimensions = protocol::size_places(routine).size();
  const std::size_t nodes = node_count(dimensions, counts + (others > 0 ? letters_of_others : 0));
  Sizes sizes;
  for (std::size_t i = 0; i < nodes; ++i) {
    sizes.push_back(std::int64_t{1} << (protocol::smallest_exponent + i));
  }
  std::string other_text;
  bool has_better = false;
  std::string text = fmt::format("{},{},{},", routine.name, flags, std::string(dimensions, protocol::step_letters[nodes]));
  for (const Sizes& node : grid(sizes, dimensions)) {
    const Call call = measured_instead_of(call_of_sizes(routine, flags, node));
    std::vector<Seconds> times;
    for (std::size_t c = 0; c < counts; ++c) {
      times.push_back(seconds(call, c));
    }
    const Seconds own = *std::min_element(times.begin(), times.end());
    Seconds other = std::numeric_limits<Seconds>::infinity();
    std::size_t place = 0;
    for (std::size_t o = 0; o < others; ++o) {
      if (const Seconds time = margin * seconds(call, counts + o); time < other) {
        other = time;
        place = o;
      }
    }
    const Seconds least = std::min(own, std::max(other, own / max_gain));
    for (const Seconds time : times) {
      text += step_letter(time / least);
    }
    other_text += {step_letter(other / least), protocol::step_letters[place]};
    has_better = has_better || other < own;
  }
  return has_better ? text + ',' + other_text : text;
}

std::string thread_table(const ThreadOrder& order, const RunContext& context) { return ThreadTableMaker(order, context).text(); }

}  // namespace flopcast
