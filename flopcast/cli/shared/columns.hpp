#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/cli/shared/column_definitions.hpp"
#include "flopcast/report/table.hpp"

/// Columns of tables by their keys. A column that isn't defined doesn't compile.
namespace flopcast::cli {

/// Name of a table as a template argument.
template <std::size_t length>
struct TableName {
  char text[length] = {};  // NOLINT(modernize-avoid-c-arrays): a template argument

  consteval TableName(const char (&name)[length]) { std::copy_n(name, length, text); }  // NOLINT: written as a literal
  [[nodiscard]] constexpr std::string_view view() const { return {text, length - 1}; }
};

/// Names a column of `table` by its key. The two columns of an interval are named by the key and " interval".
template <TableName table>
class ColumnKey {
 public:
  consteval ColumnKey(const char* key) : definition_(&find(key)) {}  // NOLINT: columns are written as lists of literals

  [[nodiscard]] const ColumnDefinition& definition() const { return *definition_; }

 private:
  static consteval const ColumnDefinition& find(std::string_view key) {
    constexpr std::string_view ending = " interval";
    const bool interval = key.ends_with(ending);
    const std::string_view name = interval ? key.substr(0, key.size() - ending.size()) : key;
    for (const ColumnDefinition& each : column_definitions) {
      if (each.table == table.view() && each.key == name && each.interval == interval) {
        return each;
      }
    }
    throw "flopcast/cli/shared/column_definitions.hpp has no such column";  // seen by the compiler only
  }

  const ColumnDefinition* definition_;
};

/// Returns a column as it is defined.
report::Column column_of(const ColumnDefinition& definition);
template <TableName table>
report::Column column(ColumnKey<table> key) {
  return column_of(key.definition());
}

/// Returns columns in the order of `keys`.
template <TableName table>
std::vector<report::Column> columns(std::initializer_list<ColumnKey<table>> keys) {
  std::vector<report::Column> all;
  for (const ColumnKey<table>& key : keys) {
    all.push_back(column_of(key.definition()));
  }
  return all;
}

/// Adds columns behind those that are there.
template <TableName table>
void add_columns(std::vector<report::Column>& to, std::initializer_list<ColumnKey<table>> keys) {
  for (const ColumnKey<table>& key : keys) {
    to.push_back(column_of(key.definition()));
  }
}

/// Returns `column` with a title of its own, for columns whose title varies.
report::Column titled(report::Column column, const std::string& title);
/// Returns `column` with a title and a heading in CSV of its own.
report::Column titled(report::Column column, const std::string& title, const std::string& heading);
/// Returns `column` with a least width, for rows that come after the headings were shown.
report::Column widened(report::Column column, std::size_t width);

/// Returns the definitions of all tables whose name is `command` or begins with this word; of all tables without a name.
std::vector<ColumnDefinition> definitions_of(std::string_view command);

/// Returns lines "title    meaning" of columns of `table`, for the footer of a help text.
std::string columns_help(std::string_view table);

}  // namespace flopcast::cli
