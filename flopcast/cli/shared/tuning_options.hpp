#pragma once

#include <string>
#include <vector>

#include "flopcast/cli/shared/command.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/cli/shared/request_options.hpp"
#include "flopcast/cli/shared/result_files.hpp"
#include "flopcast/core/routine.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/support/field.hpp"
#include "flopcast/tasks/tuning/tuning.hpp"

/// Options that `flopcast tune` and `flopcast rank` share, beside those of their requests.
namespace flopcast::cli {

/// The values of these options.
struct SharedTuningOptions {
  std::vector<std::string> arguments;
  bool has_time_budget = false;  ///< the time budget is given, and a validation has as much again
  ResultFiles files;
  std::string blas, threads = "1";
  machine::LibraryChoice libraries;
};

/// Adds the options of a request, its sizes and flags as arguments, and --page and --figure.
template <class Request>
void add_tuning_request(OptionSet& command, Request& request, SharedTuningOptions& options) {
  add_request(command, request);
  command.option("arguments", options.arguments,
                 "Sizes (m=2000:4000) and flags (uplo=U; both of two values where none is given) as name=value; n alone means square");
  add_result_files(command, options.files);
  command.find("--time-budget").each([&options](const std::string&) { options.has_time_budget = true; });
  add_library_lists(command, options.libraries, options.blas, options.threads);
}

/// Fills in the sizes and flags that are arguments, and the validation's budget. Throws usage_error if n is given twice or no size is given;
/// `what` names the command and its subject in messages, and `example` is an option to add.
void read_arguments(const SharedTuningOptions& options, const Routine& routine, const std::string& what, const std::string& example,
                    const SizeList& n, NamedSizes& sizes, std::map<std::string, std::string>& flags);

/// Returns the names of a list separated by commas; none for an empty text.
std::vector<std::string> list_of(const std::string& text);

/// Fills in the places that --blas and --threads list.
void name_places(const SharedTuningOptions& options, RankRequest& request);

/// Returns whether decisions are shown before a validation: always if there is none, otherwise only where results may come in parts.
bool shows_decisions(bool validate, const CommonOptions& common);

/// Fills in what is read from arguments, and the validation's budget.
template <class Request>
Request routine_request(const SharedTuningOptions& options, Request request, const Routine& routine, const std::string& what,
                        const std::string& example) {
  read_arguments(options, routine, what, example, request.n, request.sizes, request.flags);
  if (options.has_time_budget) {
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
