#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/cli/shared/command.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/core/routine.hpp"
#include "flopcast/kernel/routine_problem.hpp"
#include "flopcast/machine/libraries/library_choice.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/units.hpp"

/// Options that `flopcast tune` and `flopcast rank` share, and the requests to the library that are made of them.
namespace flopcast::cli {

inline constexpr std::int64_t max_order = 20000;
inline constexpr std::int64_t max_block = 1024;

/// The values of the options, as texts where they are parsed.
struct TuningOptions {
  std::vector<std::string> arguments;
  std::string n;
  std::string blocks;
  std::string time_budget;         ///< empty: the request's own
  bool limits_validation = false;  ///< the time budget is given, and a validation has as much again
  std::string figure;
  bool fixed_crossover = false;
  bool validate = false;
  bool fresh = false;
  std::int64_t repetitions = 5;
  std::uint64_t seed = 1;
  std::string blas, threads = "1";
  machine::LibraryChoice libraries;
};

/// Adds --time-budget, which also limits a validation. `options` must outlive the parsing.
void add_time_budget_option(OptionSet& command, TuningOptions& options, const std::string& help);

/// Adds --repetitions, the repetitions of a validation.
void add_repetitions_option(OptionSet& command, TuningOptions& options);

/// Returns the orders that --n gives, which `what` needs unless `arguments` has sizes. Throws usage_error if n is given twice or nothing is given;
/// `example` is an option to add.
std::vector<std::int64_t> orders(const std::string& n, const kernel::RoutineArguments& arguments, const std::string& what,
                                 const std::string& example);

/// Returns the names of a list separated by commas; none for an empty text.
std::vector<std::string> list_of(const std::string& text);

/// Returns the places that --blas and --threads list.
std::vector<machine::LibraryChoice> listed_places(const TuningOptions& options, const RunContext& context);

/// Returns whether decisions are shown before a validation: always if there is none, otherwise only where results may come in parts.
bool shows_decisions(bool validate, const CommonOptions& common);

/// Fills in the members that all requests have.
template <class Request>
Request common_request(const TuningOptions& options) {
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

/// Fills in sizes, flags and the validation's budget, too. `what` names the command and its subject in messages, and `example` is an option
/// to add where sizes are missing.
template <class Request>
Request routine_request(const TuningOptions& options, const Routine& routine, const std::string& what, const std::string& example) {
  auto request = common_request<Request>(options);
  kernel::RoutineArguments arguments = kernel::parse_routine_arguments(routine, options.arguments);
  request.n = orders(options.n, arguments, what, example);
  request.sizes = std::move(arguments.sizes);
  request.flags = std::move(arguments.fixed);
  if (options.limits_validation) {
    request.validation_budget = request.time_budget;
  }
  return request;
}

/// Writes a result as JSON with --json, as comma-separated values of `table` with --csv, else as `text`.
template <class Result, class Table, class Text>
void show(const Result& result, Table table, Text text, const CommonOptions& common) {
  if (common.json) {
    emit_document(result, common);
  } else if (common.csv) {
    emit(table(result), common);
  } else {
    emit_wrapped(text(result, common), common);
  }
}

}  // namespace flopcast::cli
