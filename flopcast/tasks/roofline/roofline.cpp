#include "flopcast/tasks/roofline/roofline.hpp"

#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <utility>

#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/measure/memory.hpp"
#include "flopcast/program/program_trace.hpp"
#include "flopcast/report/result_file.hpp"
#include "flopcast/roofline/roof.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/fields.hpp"
#include "flopcast/support/request_types.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/roofline/measurement.hpp"
#include "flopcast/tasks/roofline/points.hpp"
#include "flopcast/tasks/roofline/roofline_task_schemas.hpp"
#include "flopcast/workbench/workbench.hpp"

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
      optional_field<&T::blas>("BLAS: libraries whose gemm is searched; empty: the workbench's, else the default library of one thread and "
                               "that of several threads")
          .within(bounds::path_or_nothing),
      optional_field<&T::threads>("threads of BLAS, at most; 0: one per core, within the control group's limit")
          .within(bounds::between(0, 4096)),
      optional_field<&T::affinity>("order of the CPUs that threads run on: close fills one socket after the other, spread takes turns")
          .rare(),
      optional_field<&T::cores>(
          "kind of cores of a CPU that has several kinds: performance, efficiency, or all for all of them; empty: the fastest kind")
          .rare(),
      optional_field<&T::searches_gemm>("search the best gemm").option("no_gemm", "measure no gemm"),
      optional_field<&T::gemm>("routines to search: dgemm, sgemm, or both").within(bounds::given).one_of({"dgemm", "sgemm"}).rare(),
      optional_field<&T::space>("space of shapes of gemm to search; missing: brief, or that of the sizes m, n and k")
          .one_of({"brief", "reduced", "full"})
          .rare(),
      optional_field<&T::m>("rows of C in a space of shapes of your own").rare(),
      optional_field<&T::n>("columns of C in a space of shapes of your own").rare(),
      optional_field<&T::k>("columns of A in a space of shapes of your own").rare(),
      optional_field<&T::tolerance>(
          "difference up to which two are the same: share of its time that the best gemm may lose to another shape of the space")
          .within(bounds::between(0, 0.9))
          .rare(),
      optional_field<&T::error_probability>("probability that the best gemm loses more to another shape")
          .within(bounds::between(1e-6, 0.5))
          .rare(),
      optional_field<&T::stop_at>("share of the FMA ceiling at which the search of gemm stops; 0: no such share")
          .within(bounds::fraction)
          .rare(),
      optional_field<&T::streams>("streams whose bandwidth is measured; empty: all"),
      optional_field<&T::triad_lengths>("also measure the triad over vectors of 3 KiB to 768 MiB").rare(),
      optional_field<&T::nominal_clock_gigahertz>("clock in GHz from which the nominal peak is computed; missing: as the CPU reports it")
          .within(bounds::between(0.01, 100))
          .option("nominal_clock")
          .rare(),
      optional_field<&T::fma_units>("FMA units of a core, from which peaks are computed; 0: as measured, which may be a guess")
          .within(bounds::between(0, 64))
          .rare(),
      optional_field<&T::time_budget>("time budget: for the searches of gemm and for the roofs, without the measurement of the caches")
          .within(bounds::seconds),
      optional_field<&T::quick>("measure less, in less time: fewer samples, and a race of shapes of 8 rounds"),
      optional_field<&T::seed>("seed of random numbers: orders of measurements").rare(),
      optional_field<&T::points>("calls to place on the roofline, such as 'dgemv m=2000 n=2000'").option("point"),
      optional_field<&T::recordings>("recording of 'flopcast record': placed on the roofline")
          .within(bounds::paths_if_any)
          .option("recording")};
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

template <>
Fields FieldTable<RooflinePlan::Step>::fields() {
  return {field<&T::subject>("what a run would measure, such as \"dgemm of openblas-serial, 1 thread\" (--dry-run)"),
          field<&T::method>("how a run would measure it, such as \"race over 48 shapes, matrices of up to 200 MiB\" (--dry-run)")};
}

template <>
Fields FieldTable<RooflinePlan>::fields() {
  return {field<&T::steps>("what a run would measure, in this order"),
          field<&T::findings>("limits of this machine and of the libraries, as sentences")};
}

namespace {

void require_libraries(const RooflineRequest& request) {
  std::map<std::filesystem::path, std::string> files;
  for (const std::string& library : request.blas) {
    const auto [same, is_new] = files.try_emplace(machine::locate(library, machine::Role::blas), library);
    if (!is_new) {
      throw usage_error("the BLAS libraries '{}' and '{}' are the same file", same->second, library);
    }
    if (!request.searches_gemm) {
      machine::locate_usable(library, machine::Role::blas);
      continue;
    }
    for (const std::string& routine : request.gemm) {
      machine::locate_usable(library, machine::Role::blas, routine);
    }
  }
}

/// Throws bad_input if the largest operands of the space don't fit in the memory that is available.
void require_memory(const roofline::GemmSpace& space) {
  const auto needed = 8.0 * static_cast<double>(space.elements()), available = static_cast<double>(measure::available_memory_bytes());
  if (needed > available) {
    throw bad_input("the largest matrices of the space need {} of memory, but only {} are available", format_bytes(needed),
                    format_bytes(available));
  }
}

/// Checks everything that can be wrong before anything is measured: libraries, shapes, search, calls, recordings. Throws bad_input or
/// usage_error.
void require_measurable(const RooflineRequest& request) {
  require_memory(gemm_space_of(request));
  require_libraries(request);
  require_points(points_of(request));
  for (const std::string& file : request.recordings) {
    const program::ProgramTraceFile readable(file);
  }
}

constexpr const char* plan_schema = "flopcast-roofline-plan-1";

/// Returns the request with the workbench's library where the request names none.
RooflineRequest completed(const Workbench& bench, RooflineRequest request) {
  if (request.blas.empty() && !bench.choice().blas.empty()) {
    request.blas = {bench.choice().blas};
  }
  require_measurable(request);
  return request;
}

}  // namespace

roofline::Roofline measure_roofline(const Workbench& bench, const RooflineRequest& request, const RunContext& context) {
  const RooflineRequest complete = completed(bench, request);
  const std::unique_ptr<RooflineMachine> machine = this_machine(bench.choice().kernels, context);
  return measure_roofline(complete, bench.choice().kernels, *machine, context);
}

RooflinePlan plan_roofline(const Workbench& bench, const RooflineRequest& request) {
  const RooflineRequest complete = completed(bench, request);
  const std::unique_ptr<RooflineMachine> machine = this_machine(bench.choice().kernels, {});
  return plan_roofline(complete, *machine);
}

std::string to_json(const RooflinePlan& plan) { return to_document(plan, plan_schema).dump(2); }

RooflinePlan roofline_plan_from_json(std::string_view text) { return from_document<RooflinePlan>(text, "the plan", plan_schema); }

roofline::Roofline read_roofline(const std::string& file) { return roofline::roofline_from_json(report::read_result(file), file); }

PublishedSchema roofline_plan_schema() { return published<RooflinePlan>(plan_schema, "Steps that a measurement of roofs would take"); }

}  // namespace flopcast
