#include "flopcast/cli/shared/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "flopcast/tasks/reporting/member_text.hpp"

namespace flopcast::cli {

report::Column text_column(std::string_view name, std::string_view title, std::string_view meaning) {
  return {std::string(title), report::Align::left, std::string(name), false, 0, std::string(meaning)};
}

report::Column number_column(std::string_view name, std::string_view title, std::string_view unit, std::string_view meaning,
                             std::optional<Best> best) {
  return {std::string(title), report::Align::right,           std::string(name), false, 0, std::string(meaning),
          std::string(unit),  best.value_or(usual_best(unit))};
}

report::Column interval(report::Column column) {
  column.interval = true;
  return numbers(std::move(column));
}

report::Column pairs(report::Column column, const std::string& second) {
  column.second = second;
  return column;
}

report::Column texts(report::Column column) {
  column.align = report::Align::left;
  return column;
}

report::Column numbers(report::Column column) {
  column.align = report::Align::right;
  return column;
}

report::Column in_percent(report::Column column) {
  column.unit = "%";
  return column;
}

report::Column only_with(report::Column column, std::string_view option) {
  column.meaning += fmt::format(" ({})", option);
  return column;
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

report::Cell counted_cell(std::size_t count, const std::string& text) { return report::valued(text, fmt::format("{}", count)); }

namespace columns_detail {

report::Column column_of(const Field& field, const Field* outer, std::string_view name, std::string_view title, bool is_number) {
  const std::string_view heading = name.empty() ? field.name : name;
  const std::string_view about = outer == nullptr ? "" : outer->description;
  const std::string meaning = about.empty() ? field.description : fmt::format("{} ({})", field.description, about);
  report::Column column =
      number_column(heading, title.empty() ? member_title(heading) : std::string(title), field.unit(), meaning, field.best());
  column.align = is_number ? report::Align::right : report::Align::left;
  return column;
}

report::Column end_of(report::Column whole, std::string_view which, const std::string& title, const std::string& heading) {
  whole.meaning = fmt::format("{} end of the {}", which, whole.meaning);
  return numbers(titled(std::move(whole), title, heading));
}

}  // namespace columns_detail

TableColumns& TableColumns::with(const std::vector<report::Column>& more) {
  for (const report::Column& column : more) {
    const auto same = [&](const report::Column& one) { return one.name == column.name && one.interval == column.interval; };
    if (std::none_of(columns.begin(), columns.end(), same)) {
      columns.push_back(column);
    }
  }
  return *this;
}

std::string columns_help(const std::vector<report::Column>& columns) {
  std::string text;
  for (const report::Column& column : columns) {
    text += fmt::format("  {:15}  {}\n", column.title, column.meaning);
  }
  return text;
}

report::Cell percent_cell(double part, double whole) {
  const double value = whole > 0 ? 100 * part / whole : 0;
  return {value, fmt::format("{:.1f}", value)};
}

}  // namespace flopcast::cli
