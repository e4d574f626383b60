#include "flopcast/cli/shared/columns.hpp"

#include <fmt/format.h>

namespace flopcast::cli {

report::Column column_of(const ColumnDefinition& definition) {
  return {std::string(definition.title),  definition.align, std::string(definition.key), definition.interval, 0,
          std::string(definition.meaning)};
}

report::Column titled(report::Column column, const std::string& title) {
  column.title = title;
  return column;
}

report::Column titled(report::Column column, const std::string& title, const std::string& heading) {
  column.title = title;
  column.name = heading;
  return column;
}

report::Column widened(report::Column column, std::size_t width) {
  column.width = width;
  return column;
}

std::vector<ColumnDefinition> definitions_of(std::string_view command) {
  std::vector<ColumnDefinition> all;
  for (const ColumnDefinition& each : column_definitions) {
    const bool begins = each.table.substr(0, command.size()) == command;
    if (command.empty() || (begins && (each.table.size() == command.size() || each.table[command.size()] == ' '))) {
      all.push_back(each);
    }
  }
  return all;
}

std::string columns_help(std::string_view table) {
  std::string text;
  for (const ColumnDefinition& each : column_definitions) {
    if (each.table == table && !each.title.empty()) {
      text += fmt::format("  {:15}  {}\n", each.title, each.meaning);
    }
  }
  return text;
}

}  // namespace flopcast::cli
