#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "flopcast/contract/einsum/einsum_tensors.hpp"
#include "flopcast/contract/network/plan.hpp"
#include "flopcast/model/artifacts.hpp"
#include "flopcast/support/fields.hpp"
#include "flopcast/tasks/contraction/contraction.hpp"
#include "flopcast/tasks/contraction/contraction_schemas.hpp"
#include "flopcast/tasks/contraction/contraction_services.hpp"
#include "flopcast/tasks/contraction/layout_search.hpp"
#include "flopcast/tasks/contraction/option_names.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast {

template <>
Fields FieldTable<TensorOrder>::fields() {
  return {field<&T::tensor>("name of the tensor"),
          field<&T::written>("axes in the written order, from the slowest to the contiguous one"),
          field<&T::order>("axes in the chosen order, from the slowest to the contiguous one"),
          field<&T::is_free>("the order is free: no conversion is counted"),
          field<&T::bytes>("bytes of the elements").measured_in("B", Best::small),
          field<&T::conversion>("predicted time of a conversion between the written and the chosen order; 0 for a free tensor")
              .measured_in("s", Best::small)};
}

template <>
Fields FieldTable<OrderedContraction>::fields() {
  return {field<&T::contraction>("contraction in the chosen orders"),
          field<&T::written_seconds>("predicted time of one execution in the written orders"),
          field<&T::seconds>("predicted time of one execution in the chosen orders")};
}

template <>
Fields FieldTable<ComparedOrders>::fields() {
  return {field<&T::orders>("orders that differ from the written ones"),
          field<&T::seconds>("predicted time of all executions and conversions"),
          optional_field<&T::measured_seconds>("the same, measured (--validate)"),
          optional_field<&T::speed_up>("time in the written orders over time in these, predicted or (--validate) measured")
              .measured_in("", Best::large),
          optional_field<&T::speed_up_interval>("95 % interval of the speed-up")};
}

template <>
Fields FieldTable<LayoutsResult>::fields() {
  return {field<&T::tensors>("the tensors with their chosen orders"), field<&T::contractions>("the contractions in the chosen orders"),
          field<&T::compared>("combinations of orders: the chosen one, the next best, and the written one at the end unless it is chosen"),
          field<&T::combinations>("number of combinations whose time was predicted"),
          field<&T::is_exhaustive>("all combinations were predicted")};
}

namespace {
constexpr const char* layouts_document = "flopcast-layouts-1";

/// Returns what measured_speed_up_error() measures, or what the store has of an earlier call.
double kept_speed_up_error(const LayoutServices& services, const Workbench& bench, const LayoutsRequest& request,
                           const RunContext& context) {
  const std::string name =
      fmt::format("{} {} {}", bench.environment().fingerprint, static_cast<char>(request.precision), counted(request.threads, "thread"));
  const auto read = [](const nlohmann::json& kept) { return member<double>(kept, "deviation"); };
  if (const auto kept = model::read_artifact(bench.store(), model::artifact::speed_up_error, name, read)) {
    return *kept;
  }
  context.note("small contractions are run once, to find out how far predicted speed-ups are from measured ones on this machine");
  const double deviation = measured_speed_up_error(services, request, context);
  model::put_artifact(bench.store(), model::artifact::speed_up_error, name, {{"deviation", deviation}});
  return deviation;
}

/// Lets the search go on with runs of an interrupted one on the same contractions, and keep its own.
void keep_runs(LayoutServices& services, const Workbench& bench, const LayoutsRequest& request) {
  model::Store& store = bench.store();
  const std::string name = nlohmann::json({bench.environment().fingerprint, request.contractions,
                                           std::string(1, static_cast<char>(request.precision)), request.sizes, request.threads})
                               .dump();
  const auto read = [](const nlohmann::json& kept) { return member<LayoutRuns>(kept, "runs"); };
  services.known = model::read_artifact(store, model::artifact::layout_runs, name, read).value_or(LayoutRuns());
  services.keep = [&store, name](const LayoutRuns& runs) {
    if (!runs.empty()) {
      model::put_artifact(store, model::artifact::layout_runs, name, {{"runs", runs}});
    } else {
      model::delete_artifact(store, model::artifact::layout_runs, name);
    }
  };
}
}  // namespace

std::string to_json(const LayoutsResult& result) { return to_document(result, layouts_document).dump(2); }
LayoutsResult layouts_result_from_json(std::string_view text) {
  return from_document<LayoutsResult>(text, "the document of layouts", layouts_document);
}
PublishedSchema layouts_schema() {
  return published<LayoutsResult>(layouts_document, "Orders of tensors in memory that make contractions fast");
}

LayoutsResult choose_layouts(const Workbench& bench, const LayoutsRequest& request, const RunContext& context) {
  PlanRequest plan;
  plan.precision = request.precision;
  plan.threads = request.threads;
  plan.order = contract::Order::row_major;
  plan.effort = contract::Effort::estimate;
  const PlanningServices planning = tools_of(bench, plan);
  const contract::Machine machine = planning.machine();
  constexpr std::size_t most_of_a_pair = 2;
  const auto estimated = [&](const contract::SizedExpression& expression) {
    return contract::find_tree(expression, {}, machine, plan).seconds;
  };
  const auto predicted = [&](const contract::SizedExpression& expression) {
    return expression.operands.size() > most_of_a_pair ? estimated(expression) : contract::plan(expression, {}, machine, plan).seconds();
  };
  const auto measured = [&](const contract::SizedExpression& expression) {
    constexpr int times = 7;
    const contract::EinsumTensors tensors(expression, {}, plan);
    const contract::Plan execution = contract::plan(expression, {}, machine, plan);
    std::vector<Seconds> seconds;
    for (int i = 0; i <= times; ++i) {
      if (context.cancelled()) {
        return std::vector<Seconds>();
      }
      const Seconds begin = planning.now();
      execution.execute(tensors.operands(), tensors.result());
      seconds.push_back(planning.now() - begin);
    }
    return std::vector<Seconds>(seconds.begin() + 1, seconds.end());  // the first execution touches the buffers
  };
  LayoutServices services{estimated, predicted, measured, planning.now};
  services.speed_up_error = [&, services] { return kept_speed_up_error(services, bench, request, context); };
  if (request.validate) {
    keep_runs(services, bench, request);
  }
  const auto tell_noise = noise_from_now_on();
  LayoutsResult result = choose_layouts(services, request, context);
  if (request.validate) {
    tell_noise(context);
  }
  return result;
}

}  // namespace flopcast
