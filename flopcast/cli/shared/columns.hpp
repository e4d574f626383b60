#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "flopcast/core/statistics.hpp"
#include "flopcast/report/table.hpp"
#include "flopcast/support/field.hpp"
#include "flopcast/tasks/reporting/member_text.hpp"

/// Columns of tables, each with its cells. A column that shows a member has unit, good direction and meaning from the member's line in the
/// table of its structure (support/field.hpp). Tables, pages, `flopcast columns` and docs/reference/columns.md have them from here.
namespace flopcast::cli {

/// Returns the column of a text that no document has. `name` is its heading in CSV, unique in the table; both names are in capitals if they
/// vary.
report::Column text_column(std::string_view name, std::string_view title, std::string_view meaning);
/// Returns the column of a number that no document has. `unit` is the unit in CSV. Without `best` the good direction is the unit's usual one.
report::Column number_column(std::string_view name, std::string_view title, std::string_view unit, std::string_view meaning,
                             std::optional<Best> best = {});
/// Returns the same column with two headings in CSV, NAME_low and NAME_high.
report::Column interval(report::Column column);
/// Returns the same column with the heading `second` in CSV for the second value of its cells.
report::Column pairs(report::Column column, const std::string& second);
/// Returns the same column for numbers that are names, such as those of processes.
report::Column texts(report::Column column);
/// Returns the same column for cells with a number of a member that isn't one, such as the number of a list's elements.
report::Column numbers(report::Column column);
/// Returns the column of a fraction for the cells of percent_cell().
report::Column in_percent(report::Column column);
/// Returns the same column, whose meaning ends with the option that brings it: "(--list)".
report::Column only_with(report::Column column, std::string_view option);
/// Returns `column` with a title of its own, for columns whose title varies.
report::Column titled(report::Column column, const std::string& title);
/// Returns `column` with a title and a heading in CSV of its own.
report::Column titled(report::Column column, const std::string& title, const std::string& heading);

/// Returns the cell of a list, which in CSV is the number of its elements.
report::Cell counted_cell(std::size_t count, const std::string& text);

namespace columns_detail {

/// Returns the column of a member whose line in the table of its structure is `field`. Empty names are those of the field.
report::Column column_of(const Field& field, const Field* outer, std::string_view name, std::string_view title, bool is_number);
/// Returns the column of the lower or upper end of an interval, whose column is `whole`.
report::Column end_of(report::Column whole, std::string_view which, const std::string& title, const std::string& heading);

template <class T>
concept Optional = requires(const T& value) {
  value.has_value();
  *value;
};

template <class T>
inline constexpr bool is_number = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;
template <Optional T>
inline constexpr bool is_number<T> = is_number<typename T::value_type>;

template <class T>
report::Cell cell_of(const T& value, std::string_view unit) {
  if constexpr (std::is_same_v<T, report::Cell>) {
    return value;
  } else if constexpr (std::is_convertible_v<const T&, std::string>) {
    return std::string(value);
  } else if constexpr (std::is_same_v<T, bool>) {
    return value ? "yes" : "no";
  } else if constexpr (std::is_integral_v<T>) {
    return unit.empty() ? report::whole(static_cast<long long>(value)) : number_cell(static_cast<double>(value), unit);
  } else if constexpr (std::is_floating_point_v<T>) {
    return number_cell(value, unit);
  } else if constexpr (Optional<T>) {
    return value.has_value() ? cell_of(*value, unit) : report::Cell("");
  } else if constexpr (requires { to_string(value); }) {
    return to_string(value);
  } else {
    return counted_cell(value.size(), fmt::format("{}", fmt::join(value, " ")));
  }
}

/// Returns the cell of a member, or of a member of a member; an empty one where a std::optional on the way has no value.
template <auto member, auto... inner, class T>
report::Cell cell_at(const T& structure, std::string_view unit) {
  const auto& value = structure.*member;
  if constexpr (sizeof...(inner) == 0) {
    return cell_of(value, unit);
  } else if constexpr (Optional<std::remove_cvref_t<decltype(value)>>) {
    return value.has_value() ? cell_at<inner...>(*value, unit) : report::Cell("");
  } else {
    return cell_at<inner...>(value, unit);
  }
}

/// Returns the value of `first` of a row, and of that value the one of the next.
template <class Row, class First, class... Next>
auto value_of(const Row& row, const First& first, const Next&... next) {
  if constexpr (sizeof...(next) == 0) {
    return std::invoke(first, row);
  } else {
    return value_of(std::invoke(first, row), next...);
  }
}

template <auto member, auto... inner>
struct Path {
  using Last = Path<inner...>;
  static report::Column column(std::string_view name, std::string_view title, const Field* = nullptr) {
    return Last::column(name, title, &field_of<member>());
  }
};
template <auto member>
struct Path<member> {
  static report::Column column(std::string_view name, std::string_view title, const Field* outer = nullptr) {
    return column_of(field_of<member>(), outer, name, title, is_number<typename fields_detail::Member<member>::Value>);
  }
};

}  // namespace columns_detail

/// Returns the column of a member, or of a member of a member: shown<&Decision::chosen, &Forecast::seconds>(). Heading and title are those of
/// the member unless they are given.
template <auto... path>
report::Column shown(std::string_view name = "", std::string_view title = "") {
  return columns_detail::Path<path...>::column(name, title);
}

/// The columns of a table whose rows are values of one type.
template <class Row>
class Columns {
 public:
  /// Adds a column whose cells show value(row), or that member of the row, or that member of its member: a cell, a text, or a number in the
  /// column's unit.
  template <class... Value>
  Columns& add(report::Column column, Value... value) {
    cells_.push_back(
        [=, unit = column.unit](const Row& row) { return columns_detail::cell_of(columns_detail::value_of(row, value...), unit); });
    columns_.push_back(std::move(column));
    return *this;
  }
  /// Adds the column of a number that no document has, as number_column() and add() do.
  template <class... Value>
  Columns& number(std::string_view name, std::string_view title, std::string_view unit, std::string_view meaning, Value... value) {
    return add(number_column(name, title, unit, meaning), value...);
  }
  template <class... Value>
  Columns& number(std::string_view name, std::string_view title, std::string_view unit, std::string_view meaning, Best best,
                  Value... value) {
    return add(number_column(name, title, unit, meaning, best), value...);
  }
  /// Adds the column of a text that no document has, as text_column() and add() do.
  template <class... Value>
  Columns& text(std::string_view name, std::string_view title, std::string_view meaning, Value... value) {
    return add(text_column(name, title, meaning), value...);
  }
  /// Adds a column that shows a member, or a member of a member.
  template <auto... path>
  Columns& show(std::string_view name = "", std::string_view title = "") {
    report::Column column = shown<path...>(name, title);
    const std::string unit = column.unit;
    return add(std::move(column), [unit](const Row& row) { return columns_detail::cell_at<path...>(row, unit); });
  }
  /// Adds the columns of the ends of a member that is an interval: NAME_low and NAME_high.
  template <auto member>
  Columns& show_ends(const std::string& name, const std::string& low_title, const std::string& high_title) {
    const report::Column whole = shown<member>(name);
    add(columns_detail::end_of(whole, "lower", low_title, name + "_low"), member, &Interval::low);
    return add(columns_detail::end_of(whole, "upper", high_title, name + "_high"), member, &Interval::high);
  }
  /// Adds columns that show a part of the rows.
  template <class Part, class PartOf>
  Columns& add_part(const Columns<Part>& columns, PartOf part_of) {
    for (std::size_t i = 0; i < columns.headings().size(); ++i) {
      add(columns.headings()[i], [cell = columns.cell(i), part_of](const Row& row) { return cell(std::invoke(part_of, row)); });
    }
    return *this;
  }

  [[nodiscard]] const std::vector<report::Column>& headings() const { return columns_; }
  [[nodiscard]] const std::function<report::Cell(const Row&)>& cell(std::size_t column) const { return cells_[column]; }
  [[nodiscard]] std::vector<report::Cell> cells(const Row& row) const {
    std::vector<report::Cell> all;
    for (const auto& cell : cells_) {
      all.push_back(cell(row));
    }
    return all;
  }
  [[nodiscard]] report::Table table(std::span<const Row> rows, std::string footnote = {}) const {
    report::Table table{columns_, {}, std::move(footnote)};
    for (const Row& row : rows) {
      table.rows.push_back(cells(row));
    }
    return table;
  }

 private:
  std::vector<report::Column> columns_;
  std::vector<std::function<report::Cell(const Row&)>> cells_;
};

/// All columns that a table of a command may have.
struct TableColumns {
  std::string table;  ///< the command, and a word more where its tables differ: "rank", "rank validation"
  std::vector<report::Column> columns;

  /// Adds those columns that aren't there yet.
  TableColumns& with(const std::vector<report::Column>& more);
};

/// Returns lines "title    meaning" of columns, for the footer of a help text.
std::string columns_help(const std::vector<report::Column>& columns);

/// Returns a share in percent; 0 if the whole is 0.
report::Cell percent_cell(double part, double whole);

}  // namespace flopcast::cli
