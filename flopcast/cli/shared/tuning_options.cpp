#include "flopcast/cli/shared/tuning_options.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "flopcast/kernel/routine_problem.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::cli {

void read_arguments(const SharedTuningOptions& options, const Routine& routine, const std::string& what, const std::string& example,
                    const SizeList& n, NamedSizes& sizes, std::map<std::string, std::string>& flags) {
  kernel::RoutineArguments arguments = kernel::parse_routine_arguments(routine, options.arguments);
  if (!n.empty() && arguments.sizes.count("n") > 0) {
    throw usage_error("n is given twice, as n= and as --n");
  }
  if (n.empty() && arguments.sizes.empty()) {
    throw usage_error("{}: no sizes given; add {}", what, example);
  }
  sizes = std::move(arguments.sizes);
  flags = std::move(arguments.fixed);
}

std::vector<std::string> list_of(const std::string& text) {
  std::vector<std::string> names;
  for (const std::string_view name : text.empty() ? std::vector<std::string_view>() : split(text, ',')) {
    names.emplace_back(name);
  }
  return names;
}

void name_places(const SharedTuningOptions& options, RankRequest& request) {
  static constexpr std::int64_t max_threads = 1024;
  request.blas = list_of(options.blas);
  if (std::count(request.blas.begin(), request.blas.end(), "") > 0) {
    throw bad_input("--blas: '{}' has an empty name in it", options.blas);
  }
  request.threads = parse_sizes(options.threads, "--threads", 1, max_threads);
}

bool shows_decisions(bool validate, const CommonOptions& common) { return !validate || shows_parts(common) || common.output != "-"; }

}  // namespace flopcast::cli
