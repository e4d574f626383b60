#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <variant>

#include "flopcast/report/gnuplot.hpp"
#include "flopcast/report/picture.hpp"

namespace flopcast::report {
namespace {

constexpr double row_height = 20, edge = 12;
constexpr double widest_label = 0.4 * canvas_width, most_text = 0.6;  // most_text: part of the width beside names
constexpr double line_step = 0.7;                                     // between the lines of a text, in rows

using Lines = std::vector<std::string>;

double widest_of(const Lines& lines) {
  double widest = 0;
  for (const std::string& line : lines) {
    widest = std::max(widest, label_width(line));
  }
  return widest;
}

/// Returns the place of one of `count` lines around the place `middle`.
double place_of_line(double middle, std::size_t line, std::size_t count) {
  return middle + line_step * (static_cast<double>(count - 1) / 2 - static_cast<double>(line));
}

/// Rows below each other, each with its name at the left; the first has the largest y. A row is one unit high, and higher if its name or its
/// text has several lines.
struct Rows {
  std::string title;
  double bottom;  ///< height of what stands below the rows
  std::vector<Lines> names = {};
  std::vector<double> heights = {};

  void add(const std::string& name) {
    names.push_back(lines_of(name, widest_label));
    heights.push_back(0);
    make_room(heights.size() - 1, names.back().size());
  }
  void make_room(std::size_t row, std::size_t lines) {
    heights[row] = std::max(heights[row], 1 + line_step * static_cast<double>(lines - 1));
  }
  [[nodiscard]] double count() const { return names.empty() ? 1 : std::accumulate(heights.begin(), heights.end(), 0.0); }
  [[nodiscard]] double height() const { return title_height(title) + row_height * count() + bottom; }
  [[nodiscard]] double middle(std::size_t row) const {
    const auto end = heights.begin() + static_cast<std::ptrdiff_t>(row);
    return count() - std::accumulate(heights.begin(), end, 0.0) - heights[row] / 2;
  }
  [[nodiscard]] double left() const {
    double widest = 0;
    for (const Lines& name : names) {
      widest = std::max(widest, widest_of(name));
    }
    return edge + widest + 6;
  }
};

std::string row_commands(const Rows& rows) {
  std::string names;
  for (std::size_t i = 0; i < rows.names.size(); ++i) {
    const Lines& lines = rows.names[i];
    for (std::size_t line = 0; line < lines.size(); ++line) {
      names += fmt::format("{}{} {:.5g}", names.empty() ? "" : ", ", gnuplot_string(lines[line]),
                           place_of_line(rows.middle(i), line, lines.size()));
    }
  }
  return fmt::format(
      "{}set yrange [0:{}]\nset ytics ({}) font ',11' scale 0\n"
      "set style fill solid 1 noborder\nset lmargin at screen {:.5g}\nset rmargin at screen {:.5g}\nset bmargin at screen {:.5g}\n"
      "set tmargin at screen {:.5g}\n",
      title_command(rows.title, rows.height()), rows.count(), names.empty() ? "'' 0" : names, rows.left() / canvas_width,
      1 - edge / canvas_width, rows.bottom / rows.height(), 1 - title_height(rows.title) / rows.height());
}

double end_of(const Bar& bar) { return std::max(bar.value, bar.range ? bar.range->high : 0.0); }

/// Returns the end of the axis that leaves room for the texts behind the bars.
double end_of_axis(const BarChart& chart, const std::vector<Lines>& texts, double width) {
  double end = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const double text = std::min(widest_of(texts[i]) + 8, 0.9 * width);
    end = std::max(end, end_of(chart.bars[i]) * width / (width - text));
  }
  return end > 0 ? end : 1;
}

std::string bars_script(const BarChart& chart, const std::string& terminal) {
  constexpr double half = 0.34;
  Rows rows{chart.caption, edge};
  std::string bars, others, whiskers, texts;
  for (const Bar& bar : chart.bars) {
    rows.add(bar.label);
  }
  const double width = canvas_width - edge - rows.left();
  std::vector<Lines> bar_texts;
  for (const Bar& bar : chart.bars) {
    bar_texts.push_back(lines_of(bar.text, most_text * width));
    rows.make_room(bar_texts.size() - 1, bar_texts.back().size());
  }
  for (std::size_t i = 0; i < chart.bars.size(); ++i) {
    const Bar& bar = chart.bars[i];
    const double y = rows.middle(i);
    (bar.reference ? others : bars) += fmt::format("0 {0:.5g} 0 {1} {2:.5g} {3:.5g}\n", y, bar.value, y - half, y + half);
    whiskers += bar.range ? fmt::format("{} {:.5g} {} {}\n", bar.value, y, bar.range->low, bar.range->high) : "";
    for (std::size_t line = 0; line < bar_texts[i].size(); ++line) {
      texts += fmt::format("set label {} at {},{:.5g} left offset character 0.5,0 font ',11'\n", gnuplot_string(bar_texts[i][line]),
                           end_of(bar), place_of_line(y, line, bar_texts[i].size()));
    }
  }
  const double end = end_of_axis(chart, bar_texts, width);
  std::string script =
      terminal_commands(terminal, rows.height()) + row_commands(rows) + texts +
      fmt::format("unset key\nunset border\nunset xtics\nset xrange [0:{}]\nset arrow from 0,graph 0 to 0,graph 1 nohead\n", end);
  std::string plot;
  const auto add = [&](const char* name, const std::string& data, const char* style) {
    if (!data.empty()) {
      script += fmt::format("${} << END\n{}END\n", name, data);
      plot += fmt::format("{}${} using {}", plot.empty() ? "" : ", ", name, style);
    }
  };
  add("bars", bars, "1:2:3:4:5:6 with boxxyerror linecolor 3");
  add("references", others, "1:2:3:4:5:6 with boxxyerror linecolor rgb '#8b9097'");
  add("intervals", whiskers, "1:2:3:4 with xerrorbars linecolor 8 pointtype -1");
  return script + "plot " + (plot.empty() ? "NaN" : plot) + '\n';
}

/// Returns boxes of all parts of a series, lines as boxxyerror reads them.
std::string parts_of(const Strips& strips, const Rows& rows, std::size_t series) {
  constexpr double height = 0.84;
  std::string data;
  for (std::size_t row = 0; row < strips.strips.size(); ++row) {
    const auto& bins = strips.strips[row].bins;
    const double step = (strips.end - strips.begin) / static_cast<double>(std::max<std::size_t>(bins.size(), 1));
    for (std::size_t b = 0; b < bins.size(); ++b) {
      double below = rows.middle(row) - height / 2;
      for (std::size_t s = 0; s < std::min(series, bins[b].size()); ++s) {
        below += bins[b][s] * height;
      }
      if (series < bins[b].size() && bins[b][series] > 0) {
        const double from = strips.begin + step * static_cast<double>(b);
        data +=
            fmt::format("{0:.8g} {1:.4f} {0:.8g} {2:.8g} {1:.4f} {3:.4f}\n", from, below, from + step, below + bins[b][series] * height);
      }
    }
  }
  return data;
}

/// Returns lines below the bins on the critical path.
std::string path_of(const Strips& strips, const Rows& rows) {
  std::string data;
  for (std::size_t row = 0; row < strips.strips.size(); ++row) {
    const std::vector<bool>& on_path = strips.strips[row].on_path;
    const double step = (strips.end - strips.begin) / static_cast<double>(std::max<std::size_t>(on_path.size(), 1));
    for (std::size_t b = 0; b < on_path.size(); ++b) {
      if (on_path[b]) {
        data += fmt::format("{:.8g} {:.4f} {:.8g} 0\n", strips.begin + step * static_cast<double>(b), rows.middle(row) - 0.46, step);
      }
    }
  }
  return data;
}

std::string strips_script(const Strips& strips, const std::string& terminal) {
  constexpr double axis_height = 48, axis_label_below = 39;
  std::vector<Legend::Entry> entries;
  for (std::size_t s = 0; s < strips.series.size(); ++s) {
    entries.push_back({strips.series[s], s % 10 + 1, Legend::Mark::box});
  }
  const bool has_path = std::any_of(strips.strips.begin(), strips.strips.end(), [](const auto& strip) { return !strip.on_path.empty(); });
  entries.push_back({has_path ? "critical path" : "", 8, Legend::Mark::line});
  const Legend legend(std::move(entries));
  Rows rows{strips.caption, axis_height + legend.height()};
  for (const Strips::BinRow& row : strips.strips) {
    rows.add(row.label);
  }
  const double end = strips.end > strips.begin ? strips.end : strips.begin + 1;
  std::string script = terminal_commands(terminal, rows.height()) + row_commands(rows) +
                       fmt::format(
                           "set label 'time in s' at graph 0.5,screen {:.5g} center font ',11'\nset xrange [{}:{}]\nset border 1\n"
                           "set xtics nomirror out scale 0.5 font ',11'\n{}",
                           (rows.bottom - axis_label_below) / rows.height(), strips.begin, end, legend.commands(rows.height(), 0));
  std::string plot;
  for (std::size_t s = 0; s <= strips.series.size(); ++s) {
    const bool is_path = s == strips.series.size();
    const std::string data = is_path ? path_of(strips, rows) : parts_of(strips, rows, s);
    if (data.empty()) {
      continue;
    }
    script += fmt::format("$data{} << END\n{}END\n", s + 1, data);
    plot += plot.empty() ? "" : ", ";
    plot += is_path ? fmt::format("$data{} using 1:2:3:4 with vectors nohead linecolor 8 linewidth 2", s + 1)
                    : fmt::format("$data{} using 1:2:3:4:5:6 with boxxyerror linecolor {}", s + 1, s % 10 + 1);
  }
  return script + "plot " + (plot.empty() ? "NaN" : plot) + '\n';
}

}  // namespace

std::string gnuplot_script(const Picture& picture, const std::string& terminal) {
  if (const auto* figure = std::get_if<Figure>(&picture)) {
    return gnuplot_script(*figure, terminal);
  }
  const auto* chart = std::get_if<BarChart>(&picture);
  return chart != nullptr ? bars_script(*chart, terminal) : strips_script(std::get<Strips>(picture), terminal);
}

}  // namespace flopcast::report
