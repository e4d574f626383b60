#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/cli/shared/command.hpp"
#include "flopcast/cli/shared/command_tables.hpp"
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

using report::Column;

std::string heading(const Column& column) { return fmt::format("{}", fmt::join(report::csv_headings(column), ", ")); }

std::string direction(Best best) { return best == Best::large ? "large" : best == Best::small ? "small" : ""; }

/// Returns the columns of a table of columns.
Columns<Column> definition_columns() {
  Columns<Column> columns;
  columns.text("column", "column", "title of the column; in capitals if it varies", &Column::title);
  columns.text("csv", "in CSV", "heading of --csv", heading);
  columns.text("unit", "unit", "unit of the value in CSV", &Column::unit);
  columns.text("best", "good", "whether large or small values are good", [](const Column& column) { return direction(column.best); });
  columns.text("meaning", "meaning", "definition of the column", &Column::meaning);
  return columns;
}

/// A column, and the name of its table.
using NamedColumn = std::pair<std::string, Column>;

/// Returns the columns of one table of all columns, for programs.
Columns<NamedColumn> all_columns() {
  Columns<NamedColumn> columns;
  columns.text("table", "table", "command whose table has the column, and a word more where its tables differ", &NamedColumn::first);
  columns.add_part(definition_columns(), &NamedColumn::second);
  return columns;
}

/// Returns the tables of all commands whose name is `command` or begins with this word; of all commands without a name.
std::vector<TableColumns> tables_of(std::string_view command) {
  std::vector<TableColumns> all;
  for (const auto tables : {machine_tables,  tune_tables,     rank_tables,
                            contract_tables, roofline_tables, run_tables,
                            doctor_tables,   record_tables,   static_cast<std::vector<TableColumns> (*)()>(profile_tables),
                            race_tables,     compare_tables,  scale_tables,
                            verify_tables,   sample_tables,   predict_tables,
                            trace_tables,    model_tables,    mpi_tables,
                            wisdom_tables,   schema_tables,   columns_tables}) {
    for (TableColumns& table : tables()) {
      const bool begins = table.table.starts_with(command);
      if (command.empty() || (begins && (table.table.size() == command.size() || table.table[command.size()] == ' '))) {
        all.push_back(std::move(table));
      }
    }
  }
  return all;
}

/// Returns a table for each table of flopcast, below its name.
std::string text_of(const std::vector<TableColumns>& tables, const CommonOptions& common) {
  std::string text;
  for (const TableColumns& table : tables) {
    text += fmt::format("{}{}:\n\n{}", text.empty() ? "" : "\n", table.table, render(definition_columns().table(table.columns), common));
  }
  return text;
}

void show(const std::vector<std::string>& words, const CommonOptions& common) {
  if (common.json) {
    throw usage_error("columns has no JSON document. Programs read its table with --csv");
  }
  const std::string command = fmt::format("{}", fmt::join(words, " "));
  const std::vector<TableColumns> tables = tables_of(command);
  if (tables.empty()) {
    std::vector<std::string> names;
    for (const TableColumns& table : tables_of("")) {
      names.push_back(table.table);
    }
    throw usage_error("there is no table '{}'. There are: {}", command, fmt::join(names, ", "));
  }
  if (!common.csv) {
    emit(text_of(tables, common), common);
    return;
  }
  std::vector<NamedColumn> columns;
  for (const TableColumns& table : tables) {
    for (const Column& column : table.columns) {
      columns.emplace_back(table.table, column);
    }
  }
  emit(all_columns().table(columns), common);
}

}  // namespace

std::vector<TableColumns> columns_tables() { return {{"columns", all_columns().headings()}}; }

void add_columns_command(OptionSet& app, CommonOptions& common) {
  auto words = std::make_shared<std::vector<std::string>>();
  OptionSet command = app.add_command("columns", "Define the columns of tables: unit, good direction, meaning");
  command.option("command", *words, "Command whose tables are explained, such as tune or mpi run (default: all)")
      .placeholder("COMMAND ...");
  command.footer(footer);
  command.action([words, &common] { show(*words, common); });
}

}  // namespace flopcast::cli
