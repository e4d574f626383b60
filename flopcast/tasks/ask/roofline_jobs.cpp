#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "flopcast/kernel/call_list.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/tasks/ask/job.hpp"
#include "flopcast/tasks/ask/size_list.hpp"
#include "flopcast/tasks/roofline/roofline.hpp"

namespace flopcast {
namespace {

/// Shapes of gemm: a space by name, or every combination of sizes.
struct SpaceQuestion {
  std::string space = "brief";
  SizeList m, n, k;
  std::string affinity = "close";
  double tolerance = RooflineRequest().tolerance, error_probability = RooflineRequest().error_probability;
  std::uint64_t seed = 1;
};

struct RooflineQuestion {
  SpaceQuestion space;
  RooflineRequest request;
  std::vector<std::string> streams, points;
};

struct CompareQuestion {
  std::string before, after;
};

roofline::GemmSpace space_of(const SpaceQuestion& question) {
  if (question.m.values.empty() && question.n.values.empty() && question.k.values.empty()) {
    return roofline::gemm_space(question.space);
  }
  if (question.m.values.empty() || question.n.values.empty() || question.k.values.empty()) {
    throw MemberError("m", "a space of sizes needs all of m, n and k");
  }
  return roofline::gemm_space(question.m.values, question.n.values, question.k.values);
}

RooflineRequest request_of(const RooflineQuestion& question) {
  RooflineRequest request = question.request;
  request.space = space_of(question.space);
  request.affinity = machine::parse_affinity(question.space.affinity);
  request.tolerance = question.space.tolerance;
  request.error_probability = question.space.error_probability;
  request.seed = question.space.seed;
  for (const std::string& stream : question.streams) {
    request.streams.push_back(machine::parse_stream(stream));
  }
  for (const std::string& point : question.points) {
    const std::vector<Call> calls = kernel::expand_calls(point);
    request.calls.insert(request.calls.end(), calls.begin(), calls.end());
  }
  return request;
}

}  // namespace

template <>
struct FieldTable<SpaceQuestion> {
  using T = SpaceQuestion;
  static constexpr auto fields =
      std::tuple(optional_field("space", &T::space, "space of shapes of gemm: brief, reduced or full"),
                 optional_field("m", &T::m, "rows of C in a space of one's own"), optional_field("n", &T::n, "columns of C"),
                 optional_field("k", &T::k, "columns of A"),
                 optional_field("affinity", &T::affinity, "close fills one socket after the other, spread takes turns"),
                 within(bounds::between(0, 0.9),
                        optional_field("tolerance", &T::tolerance, "fraction of its time that the best gemm may lose to another shape")),
                 within(bounds::between(1e-6, 0.5),
                        optional_field("error_probability", &T::error_probability, "probability that the best gemm loses more")),
                 optional_field("seed", &T::seed, "seed of random orders"));
};
template <>
struct FieldTable<RooflineRequest> {
  using T = RooflineRequest;
  static constexpr auto fields = std::tuple(
      within(bounds::path_or_nothing, optional_field("blas", &T::blas, "libraries whose gemm is searched; empty: the workbench's")),
      within(bounds::between(0, 4096), optional_field("threads", &T::threads, "maximum number of threads; 0: one per core")),
      optional_field("cores", &T::cores, "kind of cores, or all; empty: the fastest kind"),
      optional_field("searches_gemm", &T::searches_gemm, "false: no gemm is measured"),
      within(bounds::given, optional_field("gemm", &T::gemm, "routines to search: dgemm, sgemm")),
      within(bounds::fraction, optional_field("stop_at", &T::stop_at, "share of the FMA ceiling at which searches end; 0: no such share")),
      optional_field("triad_lengths", &T::triad_lengths, "also measure the triad by the length of its vectors"),
      within(bounds::between(0, 1e11), optional_field("nominal_hertz", &T::nominal_hertz, "nominal clock; 0: as the CPU tells it")),
      within(bounds::between(0, 64), optional_field("fma_units", &T::fma_units, "FMA units of a core, for the peaks; 0: as measured")),
      within(bounds::seconds, optional_field("time_budget", &T::time_budget, "seconds for roofs and searches")),
      optional_field("quick", &T::quick, "fewer samples, and 8 rounds of the race of shapes"),
      within(bounds::paths_if_any, optional_field("recordings", &T::recordings, "files of recorded programs to place on the roofline")));
};
template <>
struct FieldTable<RooflineQuestion> {
  using T = RooflineQuestion;
  static constexpr auto fields =
      std::tuple(inlined_field(&T::space), inlined_field(&T::request),
                 optional_field("streams", &T::streams, "streams: load, store, copy, scale, add, triad, update; empty: all"),
                 optional_field("points", &T::points, "calls to place on the roofline: [\"dgemv m=2000 n=2000\"]"));
};
template <>
struct FieldTable<CompareQuestion> {
  static constexpr auto fields = std::tuple(within(bounds::path, field("before", &CompareQuestion::before, "file with a roofline")),
                                            within(bounds::path, field("after", &CompareQuestion::after, "file with a roofline")));
};
std::vector<Job> roofline_jobs() {
  return {
      job<RooflineQuestion>("roofline", "Measure the roofs of this machine: peaks, bandwidths of every level, best gemm",
                            "flopcast-roofline-1", DoneIn::own_process,
                            [](const Workbench& bench, const RooflineQuestion& question, const RunContext& context) {
                              return measure_roofline(bench, request_of(question), context);
                            }),
      job<RooflineQuestion>("roofline_plan", "Say what a measurement of roofs would do", "flopcast-roofline-plan-1", DoneIn::own_process,
                            [](const Workbench& bench, const RooflineQuestion& question, const RunContext&) {
                              return plan_roofline(bench, request_of(question));
                            }),
      job<CompareQuestion>("roofline_compare", "Compare the rooflines in two files", "flopcast-roofline-comparison-1", DoneIn::any_process,
                           [](const Workbench&, const CompareQuestion& question, const RunContext&) {
                             return compare_rooflines(question.before, question.after);
                           }),
  };
}

}  // namespace flopcast
