// Finds the kernels that slow down while other programs use this core's second hyperthread. The program runs several kernels in turns, in
// windows of 10 ms each, and one kernel tells quiet windows from slow ones. A window is slow if its mean is at least 1.25 times the lower
// quartile of that kernel over all windows, and quiet if it is at most 1.1 times as long. The program prints each kernel's time in both
// kinds of windows, relative to its own lower quartile. Without disturbances there are no slow windows. Ratios of the kernel that tells are
// large by selection, the others' ratios aren't.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/cli/shared/command_line.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/fill.hpp"
#include "flopcast/kernel/invoke.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/measure/address_map.hpp"
#include "flopcast/measure/memory.hpp"
#include "flopcast/measure/placed_call.hpp"
#include "flopcast/measure/system_services.hpp"
#include "flopcast/report/table.hpp"

namespace {

using namespace flopcast;

struct Kernel {
  const char* name;
  const char* routine;
  std::map<std::string, std::string> sizes;
};

const std::array<Kernel, 8> kernels = {{{"dgemm 256", "dgemm", {{"m", "256"}, {"n", "256"}, {"k", "256"}, {"beta", "0"}}},
                                        {"dgemm 32", "dgemm", {{"m", "32"}, {"n", "32"}, {"k", "32"}, {"beta", "0"}}},
                                        {"dsyrk 128", "dsyrk", {{"n", "128"}, {"k", "128"}, {"beta", "0"}}},
                                        {"dtrsm 150", "dtrsm", {{"m", "150"}, {"n", "150"}}},
                                        {"dtrsm 64", "dtrsm", {{"m", "64"}, {"n", "64"}}},
                                        {"dtrsm 32", "dtrsm", {{"m", "32"}, {"n", "32"}}},
                                        {"dgemv 200", "dgemv", {{"m", "200"}, {"n", "200"}}},
                                        {"daxpy 1000", "daxpy", {{"n", "1000"}}}}};

/// A kernel with operands that are filled anew for each run.
class TimedKernel {
 public:
  TimedKernel(const Kernel& kernel, const measure::SessionServices& services)
      : call_(placed(kernel)), invocation_(services.find(kernel.routine), call_) {}

  Seconds time(const measure::Timer& timer) {
    kernel::fill(call_, 1);
    const std::int64_t begin = timer.ticks();
    invocation_.run();
    return timer.between(begin, timer.ticks()) - timer.overhead;
  }

 private:
  Call placed(const Kernel& kernel) {
    const Call call = measure::with_addresses(kernel::parse_call(kernel::require(kernel.routine), kernel.sizes));
    const std::vector<Allocation> allocations = measure::memory_of({&call, 1}, {});
    memory_.reserve(measure::lay_out(allocations, 1, 0).size_bytes);
    return measure::lay_out(allocations, 1, memory_.begin()).copies.front().real(call);
  }

  measure::Memory memory_;
  Call call_;
  kernel::Invocation invocation_;
};

void run(const std::string& blas, const std::string& tells, Seconds duration) {
  const machine::LibrarySet libraries = machine::LibrarySet::open(blas, machine::default_lapack());
  libraries.set_threads(1);
  const measure::SessionServices services = measure::system_services(libraries);
  std::vector<std::unique_ptr<TimedKernel>> subjects;
  for (const Kernel& kernel : kernels) {
    subjects.push_back(std::make_unique<TimedKernel>(kernel, services));
  }
  std::array<std::vector<double>, kernels.size()> windows;  // means of each kernel's windows
  const std::int64_t begin = services.wall.ticks();
  const auto now = [&] { return services.wall.between(begin, services.wall.ticks()); };
  while (now() < duration) {
    constexpr Seconds window = 10e-3;
    std::array<Seconds, kernels.size()> sums{};
    double rounds = 0;
    for (const Seconds end = now() + window; now() < end; ++rounds) {
      for (std::size_t k = 0; k < kernels.size(); ++k) {
        sums[k] += subjects[k]->time(services.wall);
      }
    }
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      windows[k].push_back(sums[k] / rounds);
    }
  }

  const auto teller = static_cast<std::size_t>(
      std::find_if(kernels.begin(), kernels.end(), [&](const Kernel& kernel) { return kernel.name == tells; }) - kernels.begin());
  std::array<double, kernels.size()> quiet{};
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    quiet[k] = quantile(windows[k], 0.25);
  }
  report::Table table;
  table.columns = {{"kernel", report::Align::left}, {"quiet"}, {"quiet: median"}, {"95 %"}, {"slow: 5 %"}, {"median"}, {"95 %"}};
  std::size_t slow_windows = 0;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    std::array<std::vector<double>, 2> ratios;  // ratios in quiet windows and in slow windows
    for (std::size_t w = 0; w < windows[k].size(); ++w) {
      const double told = windows[teller][w] / quiet[teller];
      if (told <= 1.1 || told >= 1.25) {
        ratios[told >= 1.25 ? 1 : 0].push_back(windows[k][w] / quiet[k]);
      }
    }
    slow_windows = ratios[1].size();
    std::vector<report::Cell> cells = {kernels[k].name, {quiet[k], format_seconds(quiet[k])}};
    for (const auto& [at, q] : {std::pair{0, 0.5}, {0, 0.95}, {1, 0.05}, {1, 0.5}, {1, 0.95}}) {
      const std::vector<double>& of = ratios[static_cast<std::size_t>(at)];
      cells.push_back(of.empty() ? report::Cell("-") : report::Cell(quantile(of, q), fmt::format("{:.2f}", quantile(of, q))));
    }
    table.rows.push_back(std::move(cells));
  }
  std::fputs(report::to_text(table).c_str(), stdout);
  std::printf("%zu of %zu windows are slow according to %s\n", slow_windows, windows[0].size(), kernels[teller].name);
}

}  // namespace

int main(int argc, char** argv) {
  cli::CommandLine line("slow_moments", "Finds the kernels that slow down while other programs use this core's second hyperthread");
  cli::OptionSet app = line.options();
  std::string blas = "openblas-serial", tells = "dtrsm 150";
  double seconds = 30;
  app.option("--blas", blas).show_default();
  std::vector<std::string> names;
  std::transform(kernels.begin(), kernels.end(), std::back_inserter(names), [](const Kernel& kernel) { return kernel.name; });
  app.option("--tells", tells, "kernel that tells slow windows from quiet ones").choices(names).show_default();
  app.option("--seconds", seconds).show_default();
  return line.run(argc, argv, [&] { run(blas, tells, seconds); });
}
