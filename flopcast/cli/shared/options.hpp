#pragma once

#include <cstdint>
#include <string>

#include "flopcast/cli/shared/command.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/report/table.hpp"
#include "flopcast/support/run_context.hpp"

/// Functions of all subcommands that depend on the common options.
namespace flopcast::cli {

/// Adds --json, --csv, --output, --quiet and --color to `app` and to all its subcommands.
void add_common_options(OptionSet& app, CommonOptions& common);

/// Adds --seed, a whole number of 64 bits. `of` names its purpose in the help.
void add_seed_option(OptionSet& command, std::uint64_t& seed, const std::string& of);

/// Returns whether results are coloured. --color decides, else NO_COLOR, else whether they go to a terminal.
bool use_color(const CommonOptions& common);

/// Returns the table as comma-separated values with --csv, else as text.
std::string render(const report::Table& table, const CommonOptions& common);

/// Returns whether results may come in parts, as text on standard output does. A document is written as a whole.
bool shows_parts(const CommonOptions& common);

/// Writes results to --output, or to standard output. Text begins with the sentences on a restless machine that were told since the last
/// results. Beside JSON and CSV, these are remarks.
void emit(const std::string& text, const CommonOptions& common);
void emit(const report::Table& table, const CommonOptions& common);

/// Writes the document of a result, which to_json() makes, and ends its last line.
template <class Result>
void emit_document(const Result& result, const CommonOptions& common) {
  emit(to_json(result) + '\n', common);
}

/// Notes the sentences on a restless machine that no result has begun with.
void note_restless(const CommonOptions& common);

/// Writes to standard error. Does nothing if nobody reads it any more.
void say(const std::string& text);

/// Tells the user something beside the results, on standard error, unless --quiet.
void note(const std::string& text, const CommonOptions& common);

/// Connects a long operation with the terminal: notes go to standard error unless --quiet, steps draw a progress bar with the time left on
/// a terminal, and Ctrl-C cancels. Results begin with what made the machine restless.
RunContext run_context(const CommonOptions& common);

}  // namespace flopcast::cli
