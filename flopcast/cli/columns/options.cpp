#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/cli/shared/command.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/report/table.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::cli {
namespace {

constexpr const char* footer = R"(Examples:
  flopcast columns tune
  flopcast columns mpi tune
  flopcast columns --csv)";

std::string heading(const ColumnDefinition& column) {
  return column.interval ? fmt::format("{0}_low, {0}_high", column.key) : std::string(column.key);
}

std::string direction(Best best) { return best == Best::large ? "large" : best == Best::small ? "small" : ""; }

std::vector<report::Cell> cells(const ColumnDefinition& column) {
  return {std::string(column.title), heading(column), std::string(column.unit), direction(column.best), std::string(column.meaning)};
}

/// Returns one table of all columns, for programs.
report::Table all_columns(const std::vector<ColumnDefinition>& definitions) {
  report::Table table{columns<"columns">({"table", "column", "csv", "unit", "best", "meaning"}), {}};
  for (const ColumnDefinition& each : definitions) {
    table.rows.push_back(cells(each));
    table.rows.back().insert(table.rows.back().begin(), std::string(each.table));
  }
  return table;
}

/// Returns a table for each table of flopcast, below its name.
std::string text_of(const std::vector<ColumnDefinition>& definitions, const CommonOptions& common) {
  std::string text;
  for (auto at = definitions.begin(); at != definitions.end();) {
    const std::string_view name = at->table;
    report::Table table{columns<"columns">({"column", "csv", "unit", "best", "meaning"}), {}};
    for (; at != definitions.end() && at->table == name; ++at) {
      table.rows.push_back(cells(*at));
    }
    text += fmt::format("{}{}:\n\n{}", text.empty() ? "" : "\n", name, render(table, common));
  }
  return text;
}

std::vector<std::string_view> table_names() {
  std::vector<std::string_view> names;
  for (const ColumnDefinition& each : column_definitions) {
    if (names.empty() || names.back() != each.table) {
      names.push_back(each.table);
    }
  }
  return names;
}

void show(const std::vector<std::string>& words, const CommonOptions& common) {
  if (common.json) {
    throw usage_error("columns has no JSON document. Programs read its table with --csv");
  }
  const std::string command = fmt::format("{}", fmt::join(words, " "));
  const std::vector<ColumnDefinition> definitions = definitions_of(command);
  if (definitions.empty()) {
    throw usage_error("there is no table '{}'. There are: {}", command, fmt::join(table_names(), ", "));
  }
  common.csv ? emit(all_columns(definitions), common) : emit(text_of(definitions, common), common);
}

}  // namespace

void add_columns_command(OptionSet& app, CommonOptions& common) {
  auto words = std::make_shared<std::vector<std::string>>();
  OptionSet command = app.add_command("columns", "Define the columns of tables: unit, good direction, meaning");
  command.option("command", *words, "Command whose tables are explained, such as tune or mpi run (default: all)")
      .placeholder("COMMAND ...");
  command.footer(footer);
  command.action([words, &common] { show(*words, common); });
}

}  // namespace flopcast::cli
