#include "flopcast/report/figure.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

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

std::string plot_element(const Series& series, std::size_t number) {
  const std::string style = series.style == Series::Style::line     ? "lines"
                            : series.style == Series::Style::points ? "points pointtype 7"
                                                                    : "linespoints pointtype 7";
  const std::string curve = fmt::format("$data{0} using 1:2 with {1} linecolor {0} title {2}", number, style, quoted(series.title));
  return has_error_bars(series)
             ? fmt::format("{1}, $data{0} using 1:2:3:4 with yerrorbars linecolor {0} pointtype 0 notitle", number, curve)
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
      fmt::format("set terminal {} size 800,500 noenhanced\nset title {}\nset grid\nset key outside bottom center horizontal\n", terminal,
                  quoted(figure.title));
  script += axis_commands("x", figure.x) + axis_commands("y", figure.y);
  std::string plot;
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    script += data_block(figure.series[i], i + 1);
    plot += (i == 0 ? "plot " : ", ") + plot_element(figure.series[i], i + 1);
  }
  return script + plot + '\n';
}

void draw(const Figure& figure, const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension();
  if (ending == ".gp") {
    write_file(path, gnuplot_script(figure, "svg"));
  } else if (ending == ".svg") {
    write_file(path, run_gnuplot(gnuplot_script(figure, "svg")));
  } else if (ending == ".png") {
    write_file(path, run_gnuplot(gnuplot_script(figure, "pngcairo")));
  } else {
    throw usage_error("figure '{}': a figure's name ends in .svg, .png or .gp", path);
  }
}

}  // namespace flopcast::report
