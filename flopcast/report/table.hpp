#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/support/field.hpp"

namespace flopcast::report {

/// Meaning of a cell's colour on a terminal; without colours it is dropped.
enum class Tone : unsigned char { plain, good, bad, dim };

/// One cell: a text for people, and a value for programs, which CSV has.
struct Cell {
  std::string text;    ///< "3.21 ms"
  std::string raw;     ///< "0.00321", the first of two values; empty: the same as `text`; "-" is no value
  std::string second;  ///< the second of two values, such as the upper end of an interval
  Tone tone = Tone::plain;

  Cell(std::string label) : text(std::move(label)) {}  // NOLINT: rows are written as lists of strings and numbers
  Cell(const char* label) : text(label) {}             // NOLINT
  Cell(double value, std::string label, Tone colour = Tone::plain);
  /// Makes a cell of two values, for a column that has two headings in CSV.
  Cell(double first, double second, std::string label);
  friend bool operator==(const Cell&, const Cell&) = default;
};

/// Returns a whole number as a cell.
Cell whole(long long value);
/// Returns a text for people whose value in CSV is `value`.
Cell valued(std::string text, std::string value);
/// Returns the same cell in another colour.
Cell toned(Cell cell, Tone tone);

enum class Align : unsigned char { left, right };

struct Column {
  std::string title;
  Align align = Align::right;
  std::string name = {};      ///< heading in CSV, e.g. "seconds"; empty: the title
  bool interval = false;      ///< two columns in CSV, NAME_low and NAME_high
  std::size_t width = 0;      ///< at least, as shown: for rows that come after the headings were shown
  std::string meaning = {};   ///< a phrase that defines the column; empty: the title says it
  std::string unit = {};      ///< unit of the value in CSV: "s"; empty for texts and counts
  Best best = Best::neither;  ///< the good direction
  std::string second = {};    ///< heading in CSV of the cells' second values; empty: cells have one value, or are intervals
};

/// Rows under headings. Every row has as many cells as there are columns.
struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
  std::string footnote = {};  ///< definitions of columns, whole lines that follow the rows after a blank line; CSV has none
  bool is_mixed = false;      ///< rows have values of different kinds, which have no common order
};

/// Returns aligned columns between bars, which are readable as text and form a Markdown table in a paper or an issue. Bars in cells are
/// escaped, control characters become blanks. In a table that is wider than `width` columns titles and texts go over several lines. Columns
/// that still don't fit stand in further tables below, each of which begins with the first column.
std::string to_text(const Table& table, bool color = false, std::optional<std::size_t> width = {});
/// Returns the rows of to_text() without the headings. Rows that are shown one by one stand below headings whose columns have the same
/// widths; such rows and headings without rows stay in one table.
std::string rows_text(const Table& table, bool color = false, std::optional<std::size_t> width = {});
/// Returns the one or two headings of a column in CSV.
std::vector<std::string> csv_headings(const Column& column);
/// RFC 4180, raw values, one heading line. Each cell has one value.
std::string to_csv(const Table& table);

/// Returns the number of columns that UTF-8 `text` takes on a terminal (combining marks 0, East Asian wide characters 2).
std::size_t display_width(std::string_view text);
/// Returns `text` in the colour of `tone`, or unchanged without `color`.
std::string colored(std::string_view text, Tone tone, bool color);

}  // namespace flopcast::report
