#include "flopcast/cli/mpi/options.hpp"

#include <charconv>
#include <functional>
#include <limits>
#include <string>

#include "flopcast/support/error.hpp"

namespace flopcast::cli {
namespace {

/// Returns a check for numbers from `min` (itself only if it isn't 0) to `max`. Not-a-number is refused, too.
std::function<std::string(const std::string&)> number_between(double min, double max, const char* expected) {
  return [=](const std::string& text) -> std::string {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    const bool good = whole && (min > 0 ? value >= min : value > min) && value <= max;
    return good ? "" : fmt::format("'{}' given, expected {}", text, expected);
  };
}

double positive(const std::string& text, const char* option, const char* expected) {
  constexpr double max_value = 1e18;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value > 0) || value > max_value) {
    throw bad_input("{}: '{}' is not {}", option, text, expected);
  }
  return value;
}

}  // namespace

void add_precision_options(OptionSet& command, selective::Precision& precision) {
  command
      .option("--tolerance", precision.tolerance,
              "Relative half-width of the interval of a kernel's mean time at which the time counts as known (default: 0.1)")
      .placeholder("NUMBER")
      .check(number_between(0, std::numeric_limits<double>::max(), "a number greater than 0"));
  command.option("--confidence", precision.confidence, "Confidence level of the intervals of kernel times, 0.5 to 0.9999 (default: 0.95)")
      .placeholder("NUMBER")
      .check(number_between(0.5, 0.9999, "a number from 0.5 to 0.9999"));
}

void add_window_option(OptionSet& command, bool& windows) {
  command.flag(
      "--no-windows", [&windows] { windows = false; },
      "Never execute segments as a whole: kernels are then timed among skipped ones (as Critter does)");
}

void add_thread_option(OptionSet& command, bool& thread_multiple) {
  command.flag(
      "--no-thread-multiple", [&thread_multiple] { thread_multiple = false; },
      "Tell a program that asks for MPI_THREAD_MULTIPLE, which can't be followed, that MPI offers MPI_THREAD_SERIALIZED");
}

void add_patience_option(OptionSet& command, Seconds& patience) {
  command
      .parsed(
          "--patience",
          [&patience](const std::string& text) {
            patience = text == "none" ? 0 : parse_duration(text, "--patience");
            if (text != "none" && !(patience > 0)) {
              throw usage_error("--patience: '{}' is no duration above 0 such as 60s, nor none", text);
            }
          },
          "With kernels left out: time for which the program may call kernels without meeting a new one. Then it is stopped, because its "
          "course seems to depend on results. Without any call it has five times as long. none: for ever (default: 60s)")
      .placeholder("DURATION|none");
}

void add_mpi_kernels_option(OptionSet& command, bool& tuned_kernels) {
  command
      .parsed(
          "--kernels", [&tuned_kernels](const std::string& text) { tuned_kernels = text == "auto"; },
          "Kernels of the program's BLAS. auto: where it misreads the CPU, the kernels found best by trying; library: its own choice "
          "(default: auto)")
      .choices({"auto", "library"});
}

void add_machine_choice(OptionSet& command, MpiMachineChoice& choice) {
  command.option("--machine", choice.machine, "Description of the machine (docs/reference/files.md describes its members)")
      .placeholder("FILE");
  command.option("--platform", choice.platform, "The machine as a platform file of SimGrid; its cores are taken to be like this machine's")
      .placeholder("FILE");
  command
      .parsed(
          "--latency",
          [&choice](const std::string& text) { choice.latency = positive(text, "--latency", "a number of seconds such as 2e-6"); },
          "Latency of a message between nodes, in seconds")
      .placeholder("SECONDS");
  command
      .parsed(
          "--bandwidth",
          [&choice](const std::string& text) {
            constexpr double giga = 1e9;
            choice.bandwidth = giga * positive(text, "--bandwidth", "a number of GB/s such as 12.5");
          },
          "Bandwidth between nodes, in GB/s")
      .placeholder("GB/S");
  command.option("--cores-per-node", choice.cores_per_node, "Number of processes on each node").range(1, 4096);
}

void add_mpi_command(OptionSet& app, CommonOptions& common) {
  OptionSet mpi = app.add_command("mpi", "Critical paths of MPI programs, and tuning by them");
  mpi.require_command();
  mpi.footer("Example:\n  mpirun -n 2 flopcast mpi run -- ./app");
  add_mpi_run_command(mpi, common);
  add_mpi_show_command(mpi, common);
  add_mpi_tune_command(mpi, common);
  add_mpi_simulate_command(mpi, common);
  add_mpi_describe_command(mpi, common);
}

}  // namespace flopcast::cli
