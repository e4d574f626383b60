#include "flopcast/report/figure.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <optional>

#include "flopcast/support/child_process.hpp"
#include "flopcast/support/descriptor.hpp"
#include "flopcast/support/division.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/support/process_environment.hpp"
#include "flopcast/support/scratch.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::report {
namespace {

/// Returns a string literal of gnuplot in which no character has a special meaning.
std::string gnuplot_string(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    result += c == '\'' ? std::string("''") : std::string(1, c == '\n' ? ' ' : c);
  }
  return result + '\'';
}

std::string axis_commands(const char* name, const FigureAxis& axis) {
  std::string commands = fmt::format("set {}label {}\n", name, gnuplot_string(axis.label));
  if (axis.logarithmic) {
    commands += fmt::format("set logscale {}\n", name);
  }
  if (axis.range) {
    commands += fmt::format("set {}range [{}:{}]\n", name, axis.range->low, axis.range->high);
  }
  return commands;
}

bool has_error_bars(const Series& series) { return !series.low.empty(); }

std::string data_block(const Series& series, std::size_t number) {
  assert(series.x.size() == series.y.size());
  std::string block = fmt::format("$data{} << END\n", number);
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    if (!std::isfinite(series.x[i]) || !std::isfinite(series.y[i])) {
      continue;
    }
    block += fmt::format("{} {}", series.x[i], series.y[i]);
    block += has_error_bars(series) ? fmt::format(" {} {}\n", series.low[i], series.high[i]) : "\n";
  }
  return block + "END\n";
}

/// Sizes in pixels of an SVG.
constexpr double width = 800, plot_height = 395, left = 96, right = 24, bottom = 65, top = 40;
constexpr double leader = 14, gap = 4;  ///< between the plot and a label beside it
constexpr double note_height = 18, note_gap = 24;

bool any_label(const Figure& figure, bool Label::*kind) {
  return std::any_of(figure.labels.begin(), figure.labels.end(), [&](const Label& label) { return label.*kind; });
}

/// Returns whether the margins are fixed, because the place of a label depends on them.
bool has_fixed_margins(const Figure& figure) { return any_label(figure, &Label::rising) || any_label(figure, &Label::beside); }

double right_margin(const Figure& figure) {
  double margin = right;
  for (const Label& label : figure.labels) {
    margin = label.beside ? std::max(margin, leader + 2 * gap + label_width(label.text)) : margin;
  }
  return margin;
}

std::size_t note_columns(const Figure& figure) {
  double widest = 0;
  for (const std::string& note : figure.notes) {
    widest = std::max(widest, label_width(note) + note_gap);
  }
  return std::max<std::size_t>(1, static_cast<std::size_t>((width - note_gap) / std::max(widest, 1.0)));
}

std::size_t note_rows(const Figure& figure) { return ceil_div(figure.notes.size(), note_columns(figure)); }

double notes_height(const Figure& figure) {
  return figure.notes.empty() ? 0 : note_gap / 2 + note_height * static_cast<double>(note_rows(figure));
}

double height(const Figure& figure) { return top + plot_height + bottom + notes_height(figure); }

/// Returns the angle, in degrees, of a line of slope 1 in the plot.
double rising_angle(const Figure& figure) {
  assert(figure.x.logarithmic && figure.y.logarithmic && figure.x.range && figure.y.range);
  const double decades_x = std::log10(figure.x.range->high / figure.x.range->low);
  const double decades_y = std::log10(figure.y.range->high / figure.y.range->low);
  const PlotArea area = plot_area(figure);
  return std::atan2(area.height / decades_y, area.width / decades_x) * 180 / std::acos(-1.0);
}

std::string text_color(const Label& label) { return label.color > 0 ? fmt::format(" textcolor linetype {}", label.color) : ""; }

std::string label_command(const Figure& figure, const Label& label) {
  constexpr std::array<const char*, 3> aligned = {"left", "right", "center"};
  return fmt::format("set label {} at {},{} {}{} font ',10' front{}\n", gnuplot_string(label.text), label.x, label.y,
                     aligned[static_cast<std::size_t>(label.align)],
                     label.rising ? fmt::format(" rotate by {:.1f}", rising_angle(figure)) : "", text_color(label));
}

/// Returns a position in gnuplot's screen coordinates, given in pixels from the lower left corner.
std::string screen(const Figure& figure, double x, double y) { return fmt::format("screen {:.5g},{:.5g}", x / width, y / height(figure)); }

/// Returns the distance of `y` from the lower edge of the plot, in pixels.
double pixels_above_axis(const FigureAxis& axis, double y) {
  assert(axis.range);
  const auto [low, high] = *axis.range;
  return plot_height * (axis.logarithmic ? std::log(y / low) / std::log(high / low) : (y - low) / (high - low));
}

/// Returns the commands for the labels beside the plot, the highest first. A label stands at its y, or lower if the labels above need the
/// space. All labels stay above the lower edge of the picture.
std::string labels_beside(const Figure& figure) {
  std::vector<Label> labels;
  std::copy_if(figure.labels.begin(), figure.labels.end(), std::back_inserter(labels), [](const Label& label) { return label.beside; });
  std::stable_sort(labels.begin(), labels.end(), [](const Label& a, const Label& b) { return a.y > b.y; });
  std::vector<double> wanted, placed;
  const double origin = bottom + notes_height(figure);
  for (const Label& label : labels) {
    wanted.push_back(origin + pixels_above_axis(figure.y, label.y));
    placed.push_back(placed.empty() ? wanted.back() : std::min(wanted.back(), placed.back() - label_height));
  }
  double lowest = origin;
  for (auto place = placed.rbegin(); place != placed.rend(); ++place) {
    *place = std::max(*place, lowest);
    lowest = *place + label_height;
  }
  std::string commands;
  const double edge = width - right_margin(figure);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const int color = labels[i].color > 0 ? labels[i].color : 8;
    commands += fmt::format("set arrow from {} to {} nohead linecolor {}\n", screen(figure, edge, wanted[i]),
                            screen(figure, edge + leader, placed[i]), color);
    commands += fmt::format("set label {} at {} left font ',10'{}\n", gnuplot_string(labels[i].text),
                            screen(figure, edge + leader + gap, placed[i]), text_color(labels[i]));
  }
  return commands;
}

std::string note_commands(const Figure& figure) {
  std::string commands;
  const std::size_t columns = note_columns(figure), rows = note_rows(figure);
  for (std::size_t i = 0; i < figure.notes.size(); ++i) {
    const std::size_t column = i / rows;
    const double x = note_gap + (width - note_gap) * static_cast<double>(column) / static_cast<double>(columns);
    const double y = note_height * (static_cast<double>(rows - i % rows) - 0.25);
    commands += fmt::format("set label {} at {} left font ',10'\n", gnuplot_string(figure.notes[i]), screen(figure, x, y));
  }
  return commands;
}

std::string label_commands(const Figure& figure) {
  std::string commands;
  if (has_fixed_margins(figure)) {
    const double whole = height(figure);
    commands += fmt::format("set lmargin at screen {:.5g}\nset rmargin at screen {:.5g}\n", left / width, 1 - right_margin(figure) / width);
    commands += fmt::format("set bmargin at screen {:.5g}\nset tmargin at screen {:.5g}\n", (bottom + notes_height(figure)) / whole,
                            1 - top / whole);
  }
  for (const Label& label : figure.labels) {
    commands += label.beside ? "" : label_command(figure, label);
  }
  return commands + labels_beside(figure) + note_commands(figure);
}

/// Returns the plot element of a series, with error bars first, so that the bars don't hide the points.
std::string plot_element(const Series& series, std::size_t number) {
  const std::string style = series.style == Series::Style::line     ? "lines"
                            : series.style == Series::Style::points ? "points pointtype 7"
                                                                    : "linespoints pointtype 7";
  const std::size_t color = series.color > 0 ? static_cast<std::size_t>(series.color) : number;
  const std::string curve =
      fmt::format("$data{} using 1:2 with {} linecolor {}{} {}", number, style, color, series.dashed ? " dashtype 2" : "",
                  series.title.empty() ? std::string("notitle") : "title " + gnuplot_string(series.title));
  return has_error_bars(series)
             ? fmt::format("$data{0} using 1:2:3:4 with yerrorbars linecolor {2} pointtype -1 notitle, {1}", number, curve, color)
             : curve;
}

/// Colours 3 to 5 are darker than gnuplot's, which can't be read on white; 9 and 10 differ from 1 and 2, which gnuplot would repeat.
constexpr const char* colors =
    "set linetype 3 linecolor rgb '#3a9bd9'\nset linetype 4 linecolor rgb '#c98500'\nset linetype 5 linecolor rgb '#cc79a7'\n"
    "set linetype 9 linecolor rgb '#8b4513'\nset linetype 10 linecolor rgb '#556b2f'\n";

/// Returns gnuplot's terminal command. A PNG has more pixels than an SVG, and its contents are scaled accordingly.
std::string terminal_command(const Figure& figure, const std::string& terminal) {
  constexpr double finer = 2.5;
  return terminal == "pngcairo" ? fmt::format("set terminal pngcairo size {0},{1} fontscale {2} linewidth {2} pointscale {2} noenhanced\n",
                                              finer * width, finer * height(figure), finer)
                                : fmt::format("set terminal {} size {},{} noenhanced\n", terminal, width, height(figure));
}

Error no_gnuplot() {
  return environment_error(
      "gnuplot is not installed (Debian: apt-get install gnuplot-nox); a file that ends in .gp gets the gnuplot program instead");
}

/// Returns gnuplot's standard output for `script`.
std::string run_gnuplot(const std::string& script) {
  const std::optional<std::filesystem::path> gnuplot = program_in_path("gnuplot");
  if (!gnuplot) {
    throw no_gnuplot();
  }
  const ScratchFolder folder;
  const std::string program = folder.write("figure.gp", script);
  Pipe output = make_pipe();
  ChildSetup setup;
  setup.files = {{STDOUT_FILENO, output.write.get()}};
  ChildProcess child = ChildProcess::start(*gnuplot, {"gnuplot", program}, process::current_environment(), setup);
  output.write.close();
  std::string image = read_to_end(output.read.get()).value_or("");
  if (child.wait().code() != 0) {
    throw environment_error("gnuplot failed; its message is above");
  }
  return image;
}

}  // namespace

PlotArea plot_area(const Figure& figure) { return {width - left - right_margin(figure), plot_height}; }

double label_width(const std::string& text) {  // estimated for DejaVu Sans, which is wider than most fonts
  double sum = 0;
  for (const char c : text) {
    const bool narrow = c != '=' && c != '_' && (c == ' ' || (c >= '!' && c <= '/') || c == ':');
    sum += narrow ? 5 : c >= 'A' && c <= 'Z' ? 9.2 : c >= '0' && c <= '9' ? 8.5 : 8;
  }
  return sum;
}

std::string gnuplot_script(const Figure& figure, const std::string& terminal) {
  assert(figure.notes.empty() || has_fixed_margins(figure));
  std::string script = terminal_command(figure, terminal) + colors;
  script += fmt::format("set title {}\nset grid\nset key outside bottom center horizontal\n", gnuplot_string(figure.title));
  script += axis_commands("x", figure.x) + axis_commands("y", figure.y) + label_commands(figure);
  std::string plot;
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    script += data_block(figure.series[i], i + 1);
    plot += (i == 0 ? "plot " : ", ") + plot_element(figure.series[i], i + 1);
  }
  return script + plot + '\n';
}

void require_drawable(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension();
  if (ending != ".gp" && ending != ".svg" && ending != ".png") {
    throw usage_error("figure '{}': a figure's name ends in .svg, .png or .gp", path);
  }
  if (ending != ".gp" && !program_in_path("gnuplot")) {
    throw no_gnuplot();
  }
  require_writable(path);
}

void draw(const Figure& figure, const std::string& path) {
  require_drawable(path);
  const std::string ending = std::filesystem::path(path).extension();
  if (ending == ".gp") {
    write_file(path, gnuplot_script(figure, "svg"));
  } else if (ending == ".svg") {
    write_file(path, run_gnuplot(gnuplot_script(figure, "svg")));
  } else {
    write_file(path, run_gnuplot(gnuplot_script(figure, "pngcairo")));
  }
}

}  // namespace flopcast::report
