#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "flopcast/cli/command.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/report/table.hpp"
#include "flopcast/support/run_context.hpp"

/// What every subcommand does with the common options.
namespace flopcast::cli {

/// Adds --json, --csv, --output, --quiet and --color to `app` and to all its subcommands.
void add_common_options(OptionSet& app, CommonOptions& common);

/// Adds --seed, a whole number of 64 bits, saying of what it is the seed.
void add_seed_option(OptionSet& command, std::uint64_t& seed, const std::string& of);

/// Whether results are to be coloured: --color, else NO_COLOR and whether they go to a terminal.
bool use_color(const CommonOptions& common);

/// The table as --csv or the terminal wants it.
std::string render(const report::Table& table, const CommonOptions& common);

/// Whether results may come in parts: text on standard output. A document is written as a whole.
bool shows_parts(const CommonOptions& common);

/// Writes results to --output, or to standard output.
void emit(const std::string& text, const CommonOptions& common);
/// A document with its member "schema", indented by two.
void emit(const nlohmann::json& document, const CommonOptions& common);
void emit(const report::Table& table, const CommonOptions& common);

/// Writes to standard error; if nobody reads that any more, nothing happens.
void say(const std::string& text);

/// Tells the user something beside the results, on standard error, unless --quiet.
void note(const std::string& text, const CommonOptions& common);

/// Connects a long operation with the terminal: notes go to standard error unless --quiet, steps draw a progress bar with the time left on
/// a terminal, and Ctrl-C cancels.
RunContext run_context(const CommonOptions& common);

}  // namespace flopcast::cli
