#include "flopcast/report/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <utility>

#include "flopcast/core/documents.hpp"
#include "flopcast/report/gnuplot.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/fields.hpp"
#include "flopcast/support/file.hpp"

namespace flopcast {

using report::Bar;
using report::BarChart;
using report::Figure;
using report::FigureAxis;
using report::Label;
using report::Series;
using report::Strips;

template <>
struct EnumNames<Series::Style> {
  static constexpr std::array names{std::pair{Series::Style::line, "line"}, std::pair{Series::Style::points, "points"},
                                    std::pair{Series::Style::line_points, "line_points"}};
};
template <>
struct EnumNames<Label::Alignment> {
  static constexpr std::array names{std::pair{Label::Alignment::left, "left"}, std::pair{Label::Alignment::right, "right"},
                                    std::pair{Label::Alignment::center, "center"}};
};

template <>
Fields FieldTable<Series>::fields() {
  return {field<&T::title>(), field<&T::x>(),     field<&T::y>(),      field<&T::low>(), field<&T::high>(),
          field<&T::style>(), field<&T::color>(), field<&T::dashed>(), field<&T::band>()};
}
template <>
Fields FieldTable<Label>::fields() {
  return {field<&T::text>(),   field<&T::x>(),      field<&T::y>(),    field<&T::align>(),
          field<&T::rising>(), field<&T::beside>(), field<&T::color>()};
}
template <>
Fields FieldTable<FigureAxis>::fields() {
  return {field<&T::label>(), field<&T::logarithmic>(), field<&T::range>()};
}
template <>
Fields FieldTable<Figure>::fields() {
  return {field<&T::title>(), field<&T::x>(), field<&T::y>(), field<&T::series>(), field<&T::labels>(), field<&T::notes>()};
}
template <>
Fields FieldTable<Bar>::fields() {
  return {field<&T::label>(), field<&T::value>(), field<&T::text>(), field<&T::range>(), field<&T::reference>()};
}
template <>
Fields FieldTable<BarChart>::fields() {
  return {field<&T::caption>(), field<&T::unit>(), field<&T::bars>()};
}
template <>
Fields FieldTable<Strips::BinRow>::fields() {
  return {field<&T::label>(), field<&T::bins>(), field<&T::on_path>()};
}
template <>
Fields FieldTable<Strips>::fields() {
  return {field<&T::caption>(), field<&T::series>(), field<&T::strips>(), field<&T::begin>(), field<&T::end>()};
}

namespace report {
namespace {

constexpr std::array<const char*, 3> kinds = {"figure", "bars", "strips"};  // by the index of a Picture

Cell number(double value) { return std::isfinite(value) ? Cell(value, fmt::format("{:.4g}", value)) : Cell(""); }

/// Returns the interval's ends, or empty cells.
void add_ends(std::vector<Cell>& row, const std::optional<Interval>& interval) {
  row.push_back(interval ? number(interval->low) : Cell(""));
  row.push_back(interval ? number(interval->high) : Cell(""));
}

Table table_of(const Figure& figure) {
  const auto titled = [](const FigureAxis& axis, const char* name) { return Column{axis.label.empty() ? name : axis.label}; };
  Table table{{{"series", Align::left}, titled(figure.x, "x"), titled(figure.y, "y"), {"low"}, {"high"}}, {}};
  for (const Series& series : figure.series) {
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      std::vector<Cell> row = {series.any_name(), number(series.x[i]), number(series.y[i])};
      add_ends(row, series.low.empty() ? std::nullopt : std::optional(Interval{series.low[i], series.high[i]}));
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

Table table_of(const BarChart& chart) {
  const std::string title = chart.caption + (chart.unit.empty() ? "" : ", " + chart.unit);
  Table table{{{"bar", Align::left}, {title}, {"low"}, {"high"}}, {}};
  for (const Bar& bar : chart.bars) {
    std::vector<Cell> row = {bar.label, Cell(bar.value, bar.text)};
    add_ends(row, bar.range);
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table table_of(const Strips& strips) {
  Table table{{{"strip", Align::left}, {"begin, s"}, {"end, s"}, {"series", Align::left}, {"part"}, {"on critical path", Align::left}}, {}};
  for (const Strips::BinRow& strip : strips.strips) {
    const double step = (strips.end - strips.begin) / static_cast<double>(std::max<std::size_t>(strip.bins.size(), 1));
    for (std::size_t b = 0; b < strip.bins.size(); ++b) {
      const double begin = strips.begin + step * static_cast<double>(b);
      const char* on_path = b < strip.on_path.size() && strip.on_path[b] ? "yes" : "no";
      for (std::size_t s = 0; s < strip.bins[b].size() && s < strips.series.size(); ++s) {
        table.rows.push_back({strip.label, number(begin), number(begin + step), strips.series[s], number(strip.bins[b][s]), on_path});
      }
    }
  }
  return table;
}

std::string csv_beside(const std::string& path) { return std::filesystem::path(path).replace_extension(".csv"); }

std::string ending_of(const std::string& path) { return std::filesystem::path(path).extension(); }

/// Returns the drawing of gnuplot with a rule for readers who prefer dark colours: white becomes dark, and colours keep their hue.
std::string with_dark_colors(std::string svg) {
  constexpr std::string_view rule =
      "<style>@media (prefers-color-scheme: dark) { #gnuplot_canvas { filter: invert(0.9) hue-rotate(180deg); } }</style>\n\n";
  if (const std::size_t canvas = svg.find("<g id=\"gnuplot_canvas\""); canvas != std::string::npos) {
    svg.insert(canvas, rule);
  }
  return svg;
}

}  // namespace

Table picture_table(const Picture& picture) {
  return std::visit([](const auto& one) { return table_of(one); }, picture);
}

std::string picture_json(const Picture& picture) {
  nlohmann::json json = {{"kind", kinds[picture.index()]}};
  std::visit([&](const auto& one) { write_fields(json, one); }, picture);
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void require_drawable(const std::string& path) {
  static constexpr std::array<std::string_view, 4> endings = {".svg", ".png", ".pdf", ".gp"};
  const std::string ending = ending_of(path);
  if (std::find(endings.begin(), endings.end(), ending) == endings.end()) {
    throw usage_error("figure '{}': a figure's name ends in .svg, .png, .pdf or .gp", path);
  }
  if (ending != ".gp") {
    require_gnuplot();
  }
  require_writable(path);
  require_writable(csv_beside(path));
}

void draw(const Picture& picture, const std::string& path) {
  require_drawable(path);
  const std::string ending = ending_of(path);
  const std::string script = gnuplot_script(picture, ending == ".png" ? "pngcairo" : ending == ".pdf" ? "pdfcairo" : "svg");
  const std::string image = ending == ".gp" ? script : run_gnuplot(script);
  write_file(csv_beside(path), to_csv(picture_table(picture)));
  write_file(path, ending == ".svg" ? with_dark_colors(image) : image);
}

}  // namespace report
}  // namespace flopcast
