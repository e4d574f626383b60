#pragma once

/// Functions of all subcommands that depend on the common options.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/cli/shared/command.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/report/table.hpp"
#include "flopcast/support/run_context.hpp"

namespace flopcast::cli {

/// Adds --blas, --lapack, --threads and --kernels.
void add_library_options(OptionSet& command, machine::LibraryChoice& choice);

/// Adds the same options with lists, separated by commas, for the BLAS and the numbers of threads.
void add_library_lists(OptionSet& command, machine::LibraryChoice& choice, std::string& blas, std::string& threads);

/// Adds --json, --csv, --output, --quiet and --color to `app` and to all its subcommands.
void add_common_options(OptionSet& app, CommonOptions& common);

/// Returns whether the words behind -- name a program.
inline bool names_program(const std::vector<std::string>& command) { return !command.empty() && !command.front().empty(); }

/// Returns whether results are coloured. --color decides, else NO_COLOR, else whether they go to a terminal.
bool use_color(const CommonOptions& common);

/// Returns the number of columns of the terminal, or of COLUMNS, to which results are folded; nothing if they go to a file or a pipe.
std::optional<std::size_t> results_width(const CommonOptions& common);

/// Returns the table as comma-separated values with --csv, else as text that fits `width` columns.
std::string render(const report::Table& table, const CommonOptions& common, std::optional<std::size_t> width);
/// Returns the table for results, as wide as results_width().
std::string render(const report::Table& table, const CommonOptions& common);
/// Returns the table for standard error.
std::string render_note(const report::Table& table, const CommonOptions& common);

/// Returns whether results may come in parts, as text on standard output does. A document is written as a whole.
bool shows_parts(const CommonOptions& common);

/// Writes results to --output, or to standard output. Text begins with the sentences on a noisy machine that were told since the last
/// results. Beside JSON and CSV, these are remarks.
void emit(const std::string& text, const CommonOptions& common);
void emit(const report::Table& table, const CommonOptions& common);
/// Writes results for people, whose sentences are wrapped at the terminal's width.
void emit_wrapped(const std::string& text, const CommonOptions& common);

/// Writes the document of a result, which to_json() makes, and ends its last line.
template <class Result>
void emit_document(const Result& result, const CommonOptions& common) {
  emit(to_json(result) + '\n', common);
}

/// Notes the sentences on a noisy machine that no result has begun with.
void note_noise(const CommonOptions& common);

/// Writes to standard error as it is. Does nothing if nobody reads it any more.
void say(const std::string& text);
/// Writes sentences and tables for people to standard error, wrapped at the terminal's width.
void tell(const std::string& text);

/// Tells the user something beside the results, on standard error, unless --quiet.
void note(const std::string& text, const CommonOptions& common);

/// Connects a long operation with the terminal: notes go to standard error unless --quiet, steps draw a progress bar with the time left on
/// a terminal, and Ctrl-C cancels. Results begin with what made the machine noisy.
RunContext run_context(const CommonOptions& common);

/// Returns a context for commands that start other programs: notes name flopcast, because standard error is also the program's.
inline RunContext program_context(const CommonOptions& common) {
  RunContext context = run_context(common);
  context.note = [note = context.note](const std::string& text) { note("flopcast: " + text); };
  return context;
}

}  // namespace flopcast::cli
