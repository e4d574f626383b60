#include "flopcast/tasks/roofline/roofline.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>

#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/measure/memory.hpp"
#include "flopcast/program/program_trace.hpp"
#include "flopcast/report/figure.hpp"
#include "flopcast/roofline/gemm_space.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/fields.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/roofline/figure_picture.hpp"
#include "flopcast/tasks/roofline/measurement.hpp"
#include "flopcast/tasks/roofline/points.hpp"
#include "flopcast/tasks/roofline/request.hpp"
#include "flopcast/tasks/roofline/roofline_task_schemas.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast {

template <>
Fields FieldTable<RooflinePlan::Step>::fields() {
  return {field<&T::subject>("what a run would measure, such as \"dgemm of openblas-serial, 1 thread\""),
          field<&T::method>("how a run would measure it, such as \"race over 48 shapes, matrices of up to 200 MiB\"")};
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

roofline::Roofline read_roofline(const std::string& file) { return roofline::roofline_from_json(read_file(file), file); }

roofline::Comparison compare_rooflines(const std::string& before, const std::string& after) {
  const roofline::Roofline first = read_roofline(before);  // in this order: errors name the first file that is wrong
  return roofline::compare(first, read_roofline(after));
}

void draw_roofline(const roofline::Roofline& roofline, const std::string& file) { report::draw(roofline_figure(roofline), file); }

PublishedSchema roofline_plan_schema() { return published<RooflinePlan>(plan_schema, "Steps that a measurement of roofs would take"); }

}  // namespace flopcast
