#include "flopcast/report/figure.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "flopcast/core/error.hpp"
#include "flopcast/report/file.hpp"

namespace flopcast::report {
namespace {

/// A string literal of gnuplot in which nothing has a special meaning.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    result += c == '\'' ? std::string("''") : std::string(1, c == '\n' ? ' ' : c);
  }
  return result + '\'';
}

std::string axis_commands(const char* name, const Axis& axis) {
  std::string commands = fmt::format("set {}label {}\n", name, quoted(axis.label));
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

/// In pixels; the plot's margins are fixed where a label's angle depends on them.
constexpr double width = 800, height = 500;
constexpr double left = 0.12, right = 0.97, bottom = 0.13, top = 0.92;

bool has_rising_labels(const Figure& figure) {
  return std::any_of(figure.labels.begin(), figure.labels.end(), [](const Label& label) { return label.rising; });
}

/// Degrees at which a line of slope 1 is drawn.
double rising_angle(const Figure& figure) {
  assert(figure.x.logarithmic && figure.y.logarithmic && figure.x.range && figure.y.range);
  const double decades_x = std::log10(figure.x.range->high / figure.x.range->low);
  const double decades_y = std::log10(figure.y.range->high / figure.y.range->low);
  const double rise = height * (top - bottom) / decades_y, run = width * (right - left) / decades_x;
  return std::atan2(rise, run) * 180 / std::acos(-1.0);
}

std::string label_command(const Figure& figure, const Label& label) {
  return fmt::format("set label {} at {},{} {}{} font ',10' front{}\n", quoted(label.text), label.x, label.y,
                     label.align == Label::Align::right ? "right" : "left",
                     label.rising ? fmt::format(" rotate by {:.1f}", rising_angle(figure)) : "",
                     label.rising ? "" : " boxed");  // a box can't be turned
}

/// Labels hide the lines beneath them.
constexpr const char* label_boxes = "set style textbox opaque noborder margins 0.4,0\n";

std::string label_commands(const Figure& figure) {
  std::string commands =
      has_rising_labels(figure)
          ? fmt::format("set lmargin at screen {}\nset rmargin at screen {}\nset bmargin at screen {}\nset tmargin at screen {}\n", left,
                        right, bottom, top)
          : "";
  commands += figure.labels.empty() ? "" : label_boxes;
  for (const Label& label : figure.labels) {
    commands += label_command(figure, label);
  }
  return commands;
}

std::string plot_element(const Series& series, std::size_t number) {
  const std::string style = series.style == Series::Style::line     ? "lines"
                            : series.style == Series::Style::points ? "points pointtype 7"
                                                                    : "linespoints pointtype 7";
  const std::size_t color = series.color > 0 ? static_cast<std::size_t>(series.color) : number;
  const std::string curve =
      fmt::format("$data{} using 1:2 with {} linecolor {}{} {}", number, style, color, series.dashed ? " dashtype 2" : "",
                  series.title.empty() ? std::string("notitle") : "title " + quoted(series.title));
  return has_error_bars(series)
             ? fmt::format("{1}, $data{0} using 1:2:3:4 with yerrorbars linecolor {2} pointtype 0 notitle", number, curve, color)
             : curve;
}

/// A file that goes when it does.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view text) : path_((std::filesystem::temp_directory_path() / "flopcast.XXXXXX").string()) {
    const int descriptor = ::mkostemp(path_.data(), O_CLOEXEC);
    if (descriptor < 0) {
      throw environment_error("cannot make a temporary file like '{}': {}", path_, std::strerror(errno));
    }
    ::close(descriptor);
    write_file(path_, text);
  }
  ~TemporaryFile() { ::unlink(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

/// What gnuplot writes to standard output when it runs `script`.
std::string run_gnuplot(const std::string& script) {
  const TemporaryFile program(script), image("");
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, image.path().c_str(), O_WRONLY, 0);
  std::string name = "gnuplot", argument = program.path();
  const std::array<char*, 3> arguments = {name.data(), argument.data(), nullptr};
  pid_t child = 0;
  const int failure = ::posix_spawnp(&child, "gnuplot", &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failure == ENOENT) {
    throw environment_error(
        "gnuplot is not installed (Debian: apt-get install gnuplot-nox); a file that ends in .gp gets the gnuplot program instead");
  }
  if (failure != 0) {
    throw environment_error("cannot start gnuplot: {}", std::strerror(failure));
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw environment_error("gnuplot failed; its message is above");
  }
  return read_file(image.path());
}

}  // namespace

std::string gnuplot_script(const Figure& figure, const std::string& terminal) {
  std::string script =
      fmt::format("set terminal {} size {},{} noenhanced\nset title {}\nset grid\nset key outside bottom center horizontal\n", terminal,
                  width, height, quoted(figure.title));
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
