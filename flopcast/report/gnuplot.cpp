#include "flopcast/report/gnuplot.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "flopcast/report/figure.hpp"
#include "flopcast/report/terminal.hpp"
#include "flopcast/support/child_process.hpp"
#include "flopcast/support/descriptor.hpp"
#include "flopcast/support/division.hpp"
#include "flopcast/support/process_environment.hpp"
#include "flopcast/support/scratch.hpp"

namespace flopcast::report {
namespace {

/// Colours that differ from each other in print, too; the page's style sheet has the same (page.css).
constexpr const char* colors =
    "set linetype 1 linecolor rgb '#7a2fb3'\nset linetype 2 linecolor rgb '#007a57'\nset linetype 3 linecolor rgb '#1d6fab'\n"
    "set linetype 4 linecolor rgb '#985900'\nset linetype 5 linecolor rgb '#b3477d'\nset linetype 6 linecolor rgb '#0a4f8f'\n"
    "set linetype 7 linecolor rgb '#c42b1e'\nset linetype 8 linecolor rgb '#1c1e21'\n"
    "set linetype 9 linecolor rgb '#8b4513'\nset linetype 10 linecolor rgb '#556b2f'\n";

std::filesystem::path found_gnuplot() {
  const std::optional<std::filesystem::path> gnuplot = program_in_path("gnuplot");
  if (!gnuplot) {
    throw environment_error(
        "gnuplot is not installed (Debian: apt-get install gnuplot-nox); a file that ends in .gp gets the gnuplot program instead");
  }
  return *gnuplot;
}

std::vector<std::string> title_lines(std::string_view title) {
  constexpr double character = 7.5;  // units that one takes in a title
  return folded(title, static_cast<std::size_t>(canvas_width / character));
}

constexpr double title_line = 16, legend_line = 14, side_space = 12, sample = 22;

}  // namespace

std::string gnuplot_string(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    const bool is_control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    result += c == '\'' ? std::string("''") : std::string(1, is_control ? ' ' : c);
  }
  return result + '\'';
}

std::vector<std::string> lines_of(const std::string& text, double widest) {
  const double average = label_width(text) / static_cast<double>(std::max<std::size_t>(text.size(), 1));
  return label_width(text) <= widest ? std::vector{text}
                                     : folded(text, std::max<std::size_t>(2, static_cast<std::size_t>(widest / average)) - 1);
}

std::string terminal_commands(std::string_view terminal, double height) {
  if (terminal == "svg") {
    return fmt::format("set terminal svg size {},{} noenhanced font 'Sans,13' background rgb 'white'\n{}", canvas_width, height, colors);
  }
  constexpr double column_cm = 8.5, points_per_cm = 72 / 2.54, pixels = 5,
                   pixels_per_point = 4.0 / 3;  // Cairo's images have 96 pixels per inch
  const double unit = column_cm / canvas_width, scale = terminal == "pdfcairo" ? unit * points_per_cm : pixels / pixels_per_point;
  const std::string size = terminal == "pdfcairo" ? fmt::format("{:.4g}cm,{:.4g}cm", column_cm, unit * height)
                                                  : fmt::format("{},{}", pixels * canvas_width, pixels * height);
  return fmt::format("set terminal {0} size {1} noenhanced font 'Sans,13' fontscale {2:.4g} linewidth {3:.4g} pointscale {4:.4g}\n{5}",
                     terminal, size, scale, 1.5 * scale, 2 * scale, colors);
}

double title_height(std::string_view title) { return 10 + title_line * static_cast<double>(title_lines(title).size()); }

std::string title_command(std::string_view title, double picture_height) {
  std::string commands;
  double above = picture_height - 12;
  for (const std::string& line : title_lines(title)) {
    commands += fmt::format("set label {} at screen 0.5,{:.5g} center font ',12'\n", gnuplot_string(line), above / picture_height);
    above -= title_line;
  }
  return commands;
}

Legend::Legend(std::vector<Entry> entries) {
  for (const auto& [title, color, mark] : entries) {
    Mark first = mark;  // further lines of a title, which only legends of one column have, have no mark
    for (const std::string& line : lines_of(title, canvas_width - 2 * side_space - sample)) {
      entries_.push_back({line, color, std::exchange(first, Mark::none)});
    }
  }
  std::erase_if(entries_, [](const Entry& entry) { return entry.title.empty(); });
  double widest = 1;
  for (const Entry& entry : entries_) {
    widest = std::max(widest, sample + label_width(entry.title) + side_space);
  }
  columns_ =
      std::clamp<std::size_t>(static_cast<std::size_t>((canvas_width - side_space) / widest), 1, std::max<std::size_t>(entries_.size(), 1));
  rows_ = ceil_div(entries_.size(), columns_);
}

double Legend::height() const { return rows_ == 0 ? 0 : 4 + legend_line * static_cast<double>(rows_); }

std::string Legend::commands(double picture_height, double above) const {
  std::string commands = "unset key\n";
  const auto screen = [&](double x, double y) { return fmt::format("screen {:.5g},{:.5g}", x / canvas_width, y / picture_height); };
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const auto& [title, color, mark] = entries_[i];
    const double x = side_space + (canvas_width - side_space) * static_cast<double>(i % columns_) / static_cast<double>(columns_);
    const double y = above + 4 + legend_line * (static_cast<double>(rows_ - i / columns_) - 0.5), end = x + sample - 6;
    if (mark == Mark::box) {
      commands += fmt::format("set object rectangle from {} to {} fillcolor linetype {} fillstyle solid 1 noborder\n", screen(x, y - 4),
                              screen(end, y + 4), color);
    } else if (mark == Mark::points) {
      commands += fmt::format("set label '' at {} point pointtype 7 pointsize 0.5 linecolor {}\n", screen((x + end) / 2, y), color);
    } else if (mark != Mark::none) {
      commands += fmt::format("set arrow from {} to {} nohead linecolor {}{}\n", screen(x, y), screen(end, y), color,
                              mark == Mark::dashed_line ? " dashtype 2" : "");
    }
    commands += fmt::format("set label {} at {} left font ',11'\n", gnuplot_string(title), screen(x + sample, y));
  }
  return commands;
}

std::string run_gnuplot(const std::string& script) {
  const std::filesystem::path gnuplot = found_gnuplot();
  const ScratchFolder folder;
  const std::string program = folder.write("figure.gp", script);
  Pipe output = make_pipe();
  ChildSetup setup;
  setup.files = {{STDOUT_FILENO, output.write.get()}};
  ChildProcess child = ChildProcess::start(gnuplot, {"gnuplot", program}, process::current_environment(), setup);
  output.write.close();
  std::string image = read_to_end(output.read.get()).value_or("");
  if (child.wait().code() != 0 || image.empty()) {
    throw environment_error("gnuplot failed; its message is above");
  }
  return image;
}

void require_gnuplot() { found_gnuplot(); }

}  // namespace flopcast::report
