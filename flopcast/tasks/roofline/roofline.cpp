#include "flopcast/tasks/roofline/roofline.hpp"

#include <memory>

#include "flopcast/report/figure.hpp"
#include "flopcast/support/fields.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/tasks/roofline/figure.hpp"
#include "flopcast/tasks/roofline/measurement.hpp"
#include "flopcast/tasks/roofline/requirements.hpp"
#include "flopcast/tasks/roofline/roofline_task_schemas.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast {

template <>
struct FieldTable<RooflinePlan::Step> {
  using T = RooflinePlan::Step;
  static constexpr auto fields = std::tuple(field("subject", &T::subject, "\"dgemm of openblas-serial, 1 thread\""),
                                            field("method", &T::method, "\"race over 48 shapes, matrices of up to 200 MiB\""));
};

template <>
struct FieldTable<RooflinePlan> {
  using T = RooflinePlan;
  static constexpr auto fields =
      std::tuple(field("steps", &T::steps), field("findings", &T::findings, "limits of this machine and of the libraries, as sentences"));
};

namespace {

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

RooflinePlan roofline_plan_from_json(std::string_view text) { return from_document<RooflinePlan>(text, "the plan", {plan_schema}); }

roofline::Roofline read_roofline(const std::string& file) { return roofline::roofline_from_json(read_file(file), file); }

roofline::Comparison compare_rooflines(const std::string& before, const std::string& after) {
  const roofline::Roofline first = read_roofline(before);  // in this order: errors name the first file that is wrong
  return roofline::compare(first, read_roofline(after));
}

void draw_roofline(const roofline::Roofline& roofline, const std::string& file) { report::draw(roofline_figure(roofline), file); }

PublishedSchema roofline_plan_schema() { return published<RooflinePlan>(plan_schema, "Steps that a measurement of roofs would take"); }

}  // namespace flopcast
