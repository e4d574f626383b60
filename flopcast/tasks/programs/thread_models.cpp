#include "flopcast/tasks/programs/thread_models.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include <nlohmann/json.hpp>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/machine/libraries/library_identity.hpp"
#include "flopcast/model/artifacts.hpp"
#include "flopcast/model/on_demand.hpp"
#include "flopcast/protocol/thread_table.hpp"
#include "flopcast/protocol/threaded_routines.hpp"
#include "flopcast/support/combinations.hpp"
#include "flopcast/support/digest.hpp"
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

/// Returns all combinations of one size per dimension. The last dimension changes fastest.
std::vector<Sizes> grid(const Sizes& sizes, std::size_t dimensions) { return combinations(std::vector<Sizes>(dimensions, sizes)); }

/// Returns the number of sizes in each dimension of a routine's entry. Entries with three dimensions must stay short for many counts, because
/// an environment variable has 128 KiB at most.
std::size_t node_count(std::size_t dimensions, std::size_t counts) {
  static constexpr std::size_t few_counts = 4;
  return dimensions < protocol::max_thread_sizes || counts <= few_counts ? 10 : 8;
}

/// Makes the table of one order.
class ThreadTableMaker {
 public:
  ThreadTableMaker(const ThreadOrder& order, const RunContext& context)
      : order_(order), context_(context), store_(open_store(context)), counts_(thread_counts(order.threads)) {}

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
      context_.note(
          fmt::format("--threads auto chooses nothing, as no times of {} are known; 'flopcast run --threads auto{} --time-budget 5min -- "
                      "true' measures them",
                      order_.blas.string(), order_.lapack == order_.blas ? "" : " --blas " + order_.blas.string()));
      return "";
    }
    return fmt::format("{};{},{}{}", fmt::join(counts_, ","), protocol::folder_number(order_.blas.parent_path().string()),
                       protocol::folder_number(order_.lapack.parent_path().string()), entries_);
  }

 private:
  /// The libraries with one number of threads, and the models of their routines.
  struct Place {
    Workbench bench;
    std::optional<model::OnDemandModels> models;
  };

  /// Returns the table's name in the store, which depends on all that the times depend on.
  [[nodiscard]] std::string name() const {
    const auto digest = this_wisdom_machine().digest;
    return hexadecimal_digest(fmt::format("{} {} {} {} {}", machine::detect_topology().cpu, digest(order_.blas.string()),
                                          digest(order_.lapack.string()), order_.kernels, fmt::join(counts_, ",")));
  }

  /// Measures what the models lack, precision by precision, and keeps the entries of each. Each has half of the time that is left, the last
  /// one all of it.
  void measure() {
    const Stopwatch watch;
    context_.note(fmt::format("measuring which routines gain by threads, for {} at most; --time-budget 0 uses what is known",
                              format_seconds(order_.time_budget)));
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

  /// Measures routines with each number of threads. Returns whether there was time for all.
  bool sample(const std::vector<const Routine*>& routines, Seconds budget) {
    const Stopwatch watch;
    bool complete = true;
    std::set<std::string> names;
    for (const Routine* routine : routines) {
      names.insert(routine->name);
    }
    for (std::size_t c = 0; c < counts_.size(); ++c) {
      Place& place = place_of(c);
      place.models.emplace(place.bench.models(store_, names));
      std::vector<tuning::Subject> subjects;
      for (const Routine* routine : routines) {
        for (const std::string& flags : thread_flags(*routine)) {
          for (Call call : thread_samples(*routine, flags)) {
            call.threads = counts_[c];
            subjects.push_back(tuning::subject_of(call, place.bench.environment(), true));
          }
        }
      }
      const Seconds begin = watch.elapsed();
      const Seconds share = (budget - begin) / static_cast<double>(counts_.size() - c);
      if (share > 0) {
        const std::string label = fmt::format("{}gemm and others with {}", routines[0]->name[0], counted(counts_[c], "thread"));
        sample_missing(subjects, place.bench, store_, *place.models, share, label, context_, {}, sufficient_deviation);
      }
      complete = complete && watch.elapsed() - begin < share;
    }
    return complete;
  }

  /// Returns the entries of routines of which something is known with each number of threads.
  [[nodiscard]] std::string entries_of(const std::vector<const Routine*>& routines) {
    const auto known = [this](const Routine& routine, const std::string& flags) {
      Call call = thread_samples(routine, flags).front();
      for (std::size_t c = 0; c < counts_.size(); ++c) {
        call.threads = counts_[c];
        if (!places_[c]->models->kernels().contains(places_[c]->models->key(call))) {
          return false;
        }
      }
      return true;
    };
    const ThreadSeconds seconds = [this](Call call, std::size_t c) {
      call.threads = counts_[c];
      const tuning::Subject subject = tuning::subject_of(call, places_[c]->bench.environment(), true);
      return places_[c]->models->seconds(subject.trace.calls[0], subject.placements[0]);
    };
    std::string entries;
    for (const Routine* routine : routines) {
      for (const std::string& flags : thread_flags(*routine)) {
        entries += known(*routine, flags) ? ';' + thread_entry(*routine, flags, counts_.size(), seconds) : "";
      }
    }
    return entries;
  }

  Place& place_of(std::size_t c) {
    if (places_.size() <= c) {
      places_.push_back(std::make_unique<Place>(Place{
          Workbench::opened(
              {.blas = order_.blas.string(), .lapack = order_.lapack.string(), .threads = counts_[c], .kernels = order_.kernels}, context_),
          std::nullopt}));
    }
    return *places_[c];
  }

  static constexpr double sufficient_deviation = 0.03;

  const ThreadOrder& order_;
  const RunContext& context_;
  model::Store store_;
  std::vector<int> counts_;
  std::vector<std::unique_ptr<Place>> places_;  ///< one for each number of threads, opened when something is measured
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
    if (Call call = call_of_sizes(routine, flags, sizes); flops(call) <= max_flops) {
      calls.push_back(call);
    }
  }
  return calls;
}

std::string thread_entry(const Routine& routine, const std::string& flags, std::size_t counts, const ThreadSeconds& seconds) {
  const std::size_t dimensions = protocol::size_places(routine).size();
  const std::size_t nodes = node_count(dimensions, counts);
  Sizes sizes;
  for (std::size_t i = 0; i < nodes; ++i) {
    sizes.push_back(std::int64_t{1} << (protocol::smallest_exponent + i));
  }
  std::string text = fmt::format("{},{},{},", routine.name, flags, std::string(dimensions, protocol::step_letters[nodes]));
  for (const Sizes& node : grid(sizes, dimensions)) {
    Call call = call_of_sizes(routine, flags, node);
    if (const double work = flops(call); work > max_flops) {
      call = tuning::smaller_call(call, std::cbrt(max_flops / work));
    }
    std::vector<Seconds> times;
    for (std::size_t c = 0; c < counts; ++c) {
      times.push_back(seconds(call, c));
    }
    const Seconds least = *std::min_element(times.begin(), times.end());
    for (const Seconds time : times) {
      const double steps = protocol::steps_per_octave * std::log2(time / least);
      text += protocol::step_letters[static_cast<std::size_t>(std::clamp<double>(std::round(steps), 0, protocol::step_letters.size() - 1))];
    }
  }
  return text;
}

std::string thread_table(const ThreadOrder& order, const RunContext& context) { return ThreadTableMaker(order, context).text(); }

}  // namespace flopcast
