#include "flopcast/tasks/roofline/request.hpp"

#include <array>
#include <utility>

#include "flopcast/kernel/call_list.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/request_types.hpp"

namespace flopcast {

template <>
struct EnumNames<machine::Affinity> {
  static constexpr std::array names{std::pair{machine::Affinity::close, "close"}, std::pair{machine::Affinity::spread, "spread"}};
};
template <>
struct EnumNames<machine::Stream> {
  using Stream = machine::Stream;
  static constexpr std::array names{std::pair{Stream::load, "load"},    std::pair{Stream::store, "store"},
                                    std::pair{Stream::copy, "copy"},    std::pair{Stream::scale, "scale"},
                                    std::pair{Stream::add, "add"},      std::pair{Stream::triad, "triad"},
                                    std::pair{Stream::update, "update"}};
};

template <>
Fields FieldTable<RooflineRequest>::fields() {
  return {
      optional_field<&T::blas>("libraries whose gemm is searched; empty: the workbench's, else the default library of one thread and "
                               "that of several threads")
          .within(bounds::path_or_nothing),
      optional_field<&T::threads>("maximum number of threads; 0: one per core, within the control group's limit")
          .within(bounds::between(0, 4096)),
      optional_field<&T::affinity>("order of the CPUs that threads run on: close fills one socket after the other, spread takes turns"),
      optional_field<&T::cores>(
          "kind of cores of a CPU that has several kinds: performance, efficiency, or all for all of them; empty: the fastest kind"),
      optional_field<&T::searches_gemm>("search the best gemm").option("no_gemm", "measure no gemm"),
      optional_field<&T::gemm>("routines to search: dgemm, sgemm, or both").within(bounds::given).one_of({"dgemm", "sgemm"}),
      optional_field<&T::space>("space of shapes of gemm to search; missing: brief, or that of the sizes m, n and k")
          .one_of({"brief", "reduced", "full"}),
      optional_field<&T::m>("rows of C in a space of shapes of your own"),
      optional_field<&T::n>("columns of C in a space of shapes of your own"),
      optional_field<&T::k>("columns of A in a space of shapes of your own"),
      optional_field<&T::tolerance>("fraction of its time that the best gemm may lose to another shape of the space")
          .within(bounds::between(0, 0.9)),
      optional_field<&T::error_probability>("probability that the best gemm loses more to another shape")
          .within(bounds::between(1e-6, 0.5))
          .option("error"),
      optional_field<&T::stop_at>("share of the FMA ceiling at which the search of gemm stops; 0: no such share").within(bounds::fraction),
      optional_field<&T::streams>("streams whose bandwidth is measured; empty: all"),
      optional_field<&T::triad_lengths>("also measure the triad over vectors of 3 KiB to 768 MiB"),
      optional_field<&T::nominal_clock_gigahertz>("clock in GHz from which the nominal peak is computed; missing: as the CPU reports it")
          .within(bounds::between(0.01, 100))
          .option("nominal_clock"),
      optional_field<&T::fma_units>("FMA units of a core, from which peaks are computed; 0: as measured, which may be a guess")
          .within(bounds::between(0, 64)),
      optional_field<&T::time_budget>("time for the searches of gemm and for the roofs, without the measurement of the caches")
          .within(bounds::seconds),
      optional_field<&T::quick>("take fewer samples, and end the race of shapes after 8 rounds"),
      optional_field<&T::seed>("seed of random orders"),
      optional_field<&T::points>("calls to place on the roofline, such as 'dgemv m=2000 n=2000'").option("point"),
      optional_field<&T::recordings>("recordings of 'flopcast record' to place on the roofline")
          .within(bounds::paths_if_any)
          .option("program")};
}
template <>
Fields FieldTable<RooflineComparisonRequest>::fields() {
  return {field<&T::before>("file with a roofline").within(bounds::path), field<&T::after>("file with a roofline").within(bounds::path)};
}

roofline::GemmSpace gemm_space_of(const RooflineRequest& request) {
  if (request.m.empty() && request.n.empty() && request.k.empty()) {
    return roofline::gemm_space(request.space.value_or("brief"));
  }
  if (request.space) {
    throw usage_error("give either --space or sizes (--m, --n, --k), not both");
  }
  if (request.m.empty() || request.n.empty() || request.k.empty()) {
    throw usage_error("a space of your own needs all of --m, --n and --k");
  }
  return roofline::gemm_space(request.m, request.n, request.k);
}

std::vector<Call> points_of(const RooflineRequest& request) {
  std::vector<Call> calls;
  for (const std::string& text : request.points) {
    const std::vector<Call> more = kernel::expand_calls(text);
    calls.insert(calls.end(), more.begin(), more.end());
  }
  return calls;
}

}  // namespace flopcast
