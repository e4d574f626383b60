#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/cli/rank/tables.hpp"
#include "flopcast/kernel/routine_problem.hpp"
#include "flopcast/machine/libraries/library_choice.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/tuning/tuning.hpp"

/// Requests to the library from the options of `flopcast tune`.
namespace flopcast::cli {

inline constexpr std::int64_t max_order = 20000;
inline constexpr std::int64_t max_block = 1024;

/// The values of the options of `flopcast tune`, as texts where they are parsed.
struct TuneOptions {
  std::string routine;
  std::string n;
  std::vector<std::string> arguments;
  std::string blocks = "8:128:8,144:256:16";
  std::string time_budget;  ///< empty: the request's own
  std::string figure;
  std::string precisions = "dzsc";
  bool fixed_crossover = false;
  bool validate = false;
  bool save = false;
  bool fresh = false;
  std::string profile;
  std::int64_t repetitions = 5;
  std::uint64_t seed = 1;
  std::string variants;  ///< "all", names, or nothing: the library's own routine only
  std::string blas, threads = "1";
  machine::LibraryChoice libraries;
};

/// Fills in the members that all requests have.
template <class Request>
Request common_request(const TuneOptions& options) {
  Request request;
  request.nb = parse_sizes(options.blocks, "--nb", 1, max_block);
  if (!options.time_budget.empty()) {
    request.time_budget = parse_duration(options.time_budget, "--time-budget");
  }
  request.tune_crossover = !options.fixed_crossover;
  request.repetitions = options.repetitions;
  request.seed = options.seed;
  request.fresh = options.fresh;
  return request;
}

/// Fills in sizes, flags and the validation's budget.
template <class Request>
Request routine_request(const TuneOptions& options, const Routine& routine) {
  auto request = common_request<Request>(options);
  kernel::RoutineArguments arguments = kernel::parse_routine_arguments(routine, options.arguments);
  request.sizes = std::move(arguments.sizes);
  request.flags = std::move(arguments.fixed);
  request.n = orders(options.n, request.sizes, max_order, "tune " + options.routine, "--n 200:3200");
  if (!options.time_budget.empty()) {
    request.validation_budget = request.time_budget;
  }
  return request;
}

}  // namespace flopcast::cli
