// Reproduces Iakymchuk 2011 on this machine: unblocked LU is predicted from a few timings of ger with m = n and compared with a real LU
// made of dscal and dger calls. Prints a table of orders, predicted and measured times and deviations; --figure draws the deviation over n.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <vector>

#include "bench/baselines/lu_from_ger.hpp"
#include "flopcast/cli/shared/command_line.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/core/kernel_model.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/machine/cpu/clock.hpp"
#include "flopcast/machine/detect_environment.hpp"
#include "flopcast/measure/sampler.hpp"
#include "flopcast/model/levels.hpp"
#include "flopcast/report/picture.hpp"
#include "flopcast/report/table.hpp"

namespace {

using namespace flopcast;

constexpr std::int64_t reference_order = 256;  // order of the dgemm that shows clock drift, as in a session

struct LuOptions {
  std::string blas = "openblas-serial";
  std::string sizes = "16:800:16";
  int measurements = 6;
  int repetitions = 7;
  std::string figure;
};

Call square_ger(std::int64_t n) {
  const std::string order = std::to_string(n);
  return kernel::parse_call(kernel::require("dger"), {{"m", order}, {"n", order}, {"alpha", "-1"}, {"lda", std::to_string(n | 1)}});
}

/// Times square gers, in cache where they fit, because LU has just touched the same elements.
model::SampleSource ger_source(measure::Session& session, int repetitions) {
  return [&session, repetitions](std::span<const model::Sizes> points) -> std::optional<model::MeasuredBatch> {
    session.options().stop.max_repetitions = repetitions;
    std::vector<Call> calls;
    for (const model::Sizes& point : points) {
      calls.push_back(square_ger(point[0]));
    }
    model::MeasuredBatch measured;
    for (const Sample& sample : measure::sample(session, calls, measure::Precondition{})) {
      measured.seconds.push_back(median(sample.times()));
    }
    return measured;
  };
}

/// Executes unblocked LU without pivoting, and a reference dgemm beside it.
class RealLu {
 public:
  RealLu(const machine::LibrarySet& libraries, std::int64_t largest)
      : scal_(reinterpret_cast<Scal>(libraries.function("dscal"))),
        ger_(reinterpret_cast<Ger>(libraries.function("dger"))),
        gemm_(reinterpret_cast<Gemm>(libraries.function("dgemm"))),
        matrix_(static_cast<std::size_t>(largest * (largest | 1))),
        square_(static_cast<std::size_t>(reference_order * reference_order), 1.0) {}

  /// Returns the seconds of one factorisation of a diagonally dominant matrix of order n, scaled to the clock rate of the session.
  Seconds run(std::int64_t n, Seconds session_reference) {
    fill(n);
    const Seconds before = timed([&] { reference(); });
    const Seconds seconds = timed([&] { factorise(static_cast<int>(n)); });
    const Seconds after = timed([&] { reference(); });
    return seconds * session_reference / std::min(before, after);  // a preemption only lengthens a reference, never shortens it
  }

 private:
  using Scal = void (*)(const int* n, const double* alpha, double* x, const int* incx);
  using Ger = void (*)(const int* m, const int* n, const double* alpha, const double* x, const int* incx, const double* y, const int* incy,
                       double* a, const int* lda);
  using Gemm = void (*)(const char* transa, const char* transb, const int* m, const int* n, const int* k, const double* alpha,
                        const double* a, const int* lda, const double* b, const int* ldb, const double* beta, double* c, const int* ldc,
                        std::size_t, std::size_t);

  template <class Work>
  static Seconds timed(const Work& work) {
    const std::int64_t start = machine::monotonic_nanoseconds();
    work();
    return 1e-9 * static_cast<double>(machine::monotonic_nanoseconds() - start);
  }

  void fill(std::int64_t n) {
    std::mt19937_64 random(static_cast<std::uint64_t>(n));
    std::uniform_real_distribution<double> entry(-1, 1);
    const std::int64_t lda = n | 1;
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = 0; i < n; ++i) {
        matrix_[static_cast<std::size_t>(i + j * lda)] = entry(random) + (i == j ? static_cast<double>(n) : 0);
      }
    }
  }

  void factorise(int n) {
    const int one = 1;
    const double minus_one = -1;
    const int lda = n | 1;
    double* pivot = matrix_.data();
    for (int left = n - 1; left > 0; --left, pivot += lda + 1) {
      const double inverse = 1 / *pivot;
      scal_(&left, &inverse, pivot + 1, &one);
      ger_(&left, &left, &minus_one, pivot + 1, &one, pivot + lda, &lda, pivot + lda + 1, &lda);
    }
  }

  void reference() {
    const int n = reference_order;
    const double zero = 0;
    const double one = 1;
    static std::vector<double> result(square_.size());
    gemm_("N", "N", &n, &n, &n, &one, square_.data(), &n, square_.data(), &n, &zero, result.data(), &n, 1, 1);
  }

  Scal scal_;
  Ger ger_;
  Gemm gemm_;
  std::vector<double> matrix_, square_;
};

/// Returns medians over rounds. Each round runs every order once, in random order.
std::vector<Seconds> measure_lu(RealLu& lu, const std::vector<std::int64_t>& orders, int rounds, Seconds reference) {
  std::vector<std::vector<Seconds>> times(orders.size());
  std::vector<std::size_t> order(orders.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
  }
  std::mt19937_64 random(1);
  for (int round = 0; round < rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t i : order) {
      times[i].push_back(lu.run(orders[i], reference));
    }
  }
  std::vector<Seconds> medians;
  for (const std::vector<Seconds>& of_order : times) {
    medians.push_back(median(of_order));
  }
  return medians;
}

void print(const std::vector<bench::Deviation>& deviations) {
  report::Table table{{{"n"}, {"predicted"}, {"measured"}, {"deviation"}, {"ger's flops"}}, {}};
  for (const bench::Deviation& deviation : deviations) {
    table.rows.push_back({report::whole(deviation.n),
                          {deviation.predicted, format_seconds(deviation.predicted)},
                          {deviation.measured, format_seconds(deviation.measured)},
                          {deviation.relative(), fmt::format("{:+.1f} %", 100 * deviation.relative())},
                          {bench::ger_share(deviation.n), fmt::format("{:.1f} %", 100 * bench::ger_share(deviation.n))}});
  }
  std::fputs(report::to_text(table).c_str(), stdout);
}

void draw(const std::vector<bench::Deviation>& deviations, const std::string& path) {
  report::Series series{"deviation", {}, {}};
  for (const bench::Deviation& deviation : deviations) {
    series.x.push_back(static_cast<double>(deviation.n));
    series.y.push_back(100 * deviation.relative());
  }
  report::draw(
      report::Figure{"Unblocked LU predicted from timings of ger", {"n"}, {"(predicted - measured) / measured in %"}, {std::move(series)}},
      path);
}

void run(const LuOptions& options) {
  const std::vector<std::int64_t> orders = parse_sizes(options.sizes, "--n", 16, 10000);
  const machine::LibrarySet libraries = machine::LibrarySet::open(options.blas, "");
  const Environment environment = machine::detect(libraries, 1);
  measure::Session session(libraries, environment, {});
  std::vector<std::int64_t> capacities;
  for (const CacheLevel& level : environment.caches) {
    capacities.push_back(level.capacity_bytes);
  }
  const auto footprint = [](std::span<const std::int64_t> sizes) { return static_cast<double>(footprint_bytes(square_ger(sizes[0]))); };
  const model::Model ger = model::model_by_levels(model_key(square_ger(orders.back()), "warm", environment.fingerprint), {"n"},
                                                  {{1}, {orders.back()}}, footprint, capacities, model::total_basis(1, 2),
                                                  {options.measurements, 8}, ger_source(session, options.repetitions));
  std::printf("%zu memory levels, %lld timings of ger\n", ger.pieces.size(), static_cast<long long>(ger.cost.samples));

  RealLu lu(libraries, orders.back());
  const std::vector<Seconds> measured = measure_lu(lu, orders, options.repetitions, session.reference_time());
  std::vector<bench::Deviation> deviations;
  for (std::size_t i = 0; i < orders.size(); ++i) {
    deviations.push_back({orders[i], bench::lu_from_ger(ger, orders[i]).seconds, measured[i]});
  }
  print(deviations);
  if (!options.figure.empty()) {
    draw(deviations, options.figure);
  }
}

}  // namespace

int main(int argc, char** argv) {
  cli::CommandLine line("lu_from_ger", "Unblocked LU predicted from 8 to 12 timings of ger (Iakymchuk 2011)");
  cli::OptionSet app = line.options();
  LuOptions options;
  app.option("--blas", options.blas, "BLAS, by name or path").show_default();
  app.option("--n", options.sizes, "Orders of LU").show_default();
  app.option("--measurements", options.measurements, "Timings of ger per memory level").show_default();
  app.option("--repetitions", options.repetitions, "Repetitions of each timing").show_default();
  app.option("--figure", options.figure, "Draw the deviation into FILE (.svg, .png, .gp)");
  return line.run(argc, argv, [&] { run(options); });
}
