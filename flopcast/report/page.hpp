#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flopcast/core/statistics.hpp"
#include "flopcast/report/table.hpp"

namespace flopcast::report {

/// One horizontal bar.
struct Bar {
  std::string label;
  double value = 0;                    ///< not negative
  std::string text;                    ///< the value as text for people
  std::optional<Interval> range = {};  ///< drawn as a line over the end of the bar
  bool reference = false;              ///< the bar that the others are compared with; in another colour
};

/// Strips over a common axis. Each is a row of equal bins, which several series fill in parts.
struct Strips {
  std::vector<std::string> series;
  struct BinRow {
    std::string label;
    std::vector<std::vector<double>> bins;  ///< bins, each with the part (0 to 1) that every series fills
  };
  std::vector<BinRow> strips;
  std::string from, to;  ///< texts at the ends of the axis
};

/// One self-contained HTML page: headings, paragraphs, tables and pictures one after the other, for wide and narrow windows. In a narrow
/// window every row of a table is a list. The page loads nothing, needs no script, and follows the reader's choice of a light or dark
/// scheme. All texts are plain; characters that HTML would read as markup are escaped.
class Page {
 public:
  explicit Page(std::string title) : title_(std::move(title)) {}

  void add_heading(std::string_view text);
  void add_text(std::string_view text);
  /// Adds a warning, set apart, for facts that the reader must know before believing the rest.
  void add_warning(std::string_view text);
  /// Adds facts as pairs of name and value, such as a date.
  void add_facts(const std::vector<std::pair<std::string, std::string>>& facts);
  /// Adds a table; below it a list, which the reader opens, has the meanings of the columns.
  void add_table(const Table& table);
  /// Adds bars; `caption` names the quantity and its unit.
  void add_bars(const std::vector<Bar>& bars, std::string_view caption);
  void add_strips(const Strips& strips, std::string_view caption);

  [[nodiscard]] std::string html() const;

 private:
  std::string title_;
  std::string body_;
  int tables_ = 0;
};

/// Returns `text` escaped for HTML's content and attribute values; bytes that aren't valid UTF-8 and control characters become U+FFFD.
std::string html_escaped(std::string_view text);

}  // namespace flopcast::report
