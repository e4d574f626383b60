#include "flopcast/report/spread.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>

namespace flopcast::report {
namespace {

std::set<std::string> all_headings(const Table& table) {
  std::set<std::string> headings;
  for (const Column& column : table.columns) {
    for (std::string& heading : csv_headings(column)) {
      headings.insert(std::move(heading));
    }
  }
  return headings;
}

}  // namespace

Table spread(Table table, std::string_view heading, const std::vector<std::map<std::string, std::string>>& values) {
  const auto column =
      std::find_if(table.columns.begin(), table.columns.end(), [&](const Column& one) { return csv_headings(one).front() == heading; });
  if (column == table.columns.end()) {
    return table;
  }
  std::set<std::string> names;
  for (const std::map<std::string, std::string>& row : values) {
    std::transform(row.begin(), row.end(), std::inserter(names, names.end()), [](const auto& value) { return value.first; });
  }
  const std::set<std::string> taken = all_headings(table);
  std::vector<Column> columns;
  for (const std::string& name : names) {
    Column& one = columns.emplace_back(*column);
    one.title = one.name = taken.contains(name) && name != heading ? fmt::format("{}.{}", heading, name) : name;
  }
  const std::ptrdiff_t at = column - table.columns.begin();
  table.columns.insert(table.columns.erase(column), columns.begin(), columns.end());
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    std::vector<Cell> cells;
    for (const std::string& name : names) {
      const auto value = values.at(r).find(name);
      cells.emplace_back(value == values[r].end() ? "" : value->second);
    }
    std::vector<Cell>& row = table.rows[r];
    row.insert(row.erase(row.begin() + at), cells.begin(), cells.end());
  }
  return table;
}

}  // namespace flopcast::report
