#include "flopcast/cli/shared/tuning_options.hpp"

#include <string_view>

#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/tasks/tuning/tuning.hpp"

namespace flopcast::cli {

void add_time_budget_option(OptionSet& command, TuningOptions& options, const std::string& help) {
  command.option("--time-budget", options.time_budget, help).setting("time-budget").show_default().each([&options](const std::string&) {
    options.limits_validation = true;
  });
}

void add_repetitions_option(OptionSet& command, TuningOptions& options) {
  command.option("--repetitions", options.repetitions, "Repetitions of long runs in a validation; short ones get more")
      .show_default()
      .range(1, 1000);
}

std::vector<std::int64_t> orders(const std::string& n, const kernel::RoutineArguments& arguments, const std::string& what,
                                 const std::string& example) {
  if (!n.empty() && arguments.sizes.count("n") > 0) {
    throw usage_error("n is given twice, as n= and as --n");
  }
  if (n.empty() && arguments.sizes.empty()) {
    throw usage_error("{}: no sizes given; add {}", what, example);
  }
  return n.empty() ? std::vector<std::int64_t>() : parse_sizes(n, "--n", 1, max_order);
}

std::vector<std::string> list_of(const std::string& text) {
  std::vector<std::string> names;
  for (const std::string_view name : text.empty() ? std::vector<std::string_view>() : split(text, ',')) {
    names.emplace_back(name);
  }
  return names;
}

std::vector<machine::LibraryChoice> listed_places(const TuningOptions& options, const RunContext& context) {
  static constexpr std::int64_t max_threads = 1024;
  const std::vector<std::string> names = list_of(options.blas);
  for (const std::string& name : names) {
    if (name.empty()) {
      throw bad_input("--blas: '{}' has an empty name in it", options.blas);
    }
  }
  return places(names, parse_sizes(options.threads, "--threads", 1, max_threads), options.libraries, context);
}

bool shows_decisions(bool validate, const CommonOptions& common) { return !validate || shows_parts(common) || common.output != "-"; }

}  // namespace flopcast::cli
