#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "flopcast/cli/contract/tables.hpp"
#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/cli/shared/prediction_legend.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::cli {
namespace {

std::string interval_text(const Interval& interval) { return fmt::format("{:.2f} to {:.2f}", interval.low, interval.high); }

Columns<TensorOrder> tensor_columns() {
  Columns<TensorOrder> columns;
  columns.show<&TensorOrder::tensor>();
  columns.show<&TensorOrder::written>();
  columns.show<&TensorOrder::order>("", "chosen");
  columns.text("is_free", "free", "a star, in CSV yes, if the order is free: no conversion is counted (--layouts)",
               [](const TensorOrder& one) { return star_cell(one.is_free); });
  columns.show<&TensorOrder::bytes>();
  columns.show<&TensorOrder::conversion>();
  return columns;
}

Columns<OrderedContraction> ordered_columns() {
  Columns<OrderedContraction> columns;
  columns.show<&OrderedContraction::contraction>();
  columns.show<&OrderedContraction::written_seconds>("", "as written");
  columns.show<&OrderedContraction::seconds>("", "chosen");
  return columns;
}

Columns<ComparedOrders> layout_columns(bool is_measured) {
  Columns<ComparedOrders> columns;
  columns.show<&ComparedOrders::orders>();
  columns.show<&ComparedOrders::seconds>("predicted_seconds", "predicted");
  if (is_measured) {
    columns.show<&ComparedOrders::measured_seconds>("", "measured");
  }
  columns.add(shown<&ComparedOrders::speed_up>(),
              [](const ComparedOrders& one) { return report::Cell(one.speed_up, fmt::format("{:.2f}", one.speed_up)); });
  columns.add(interval(shown<&ComparedOrders::speed_up_interval>("speed_up", "95 %")), [](const ComparedOrders& one) {
    return report::Cell(one.speed_up_interval.low, one.speed_up_interval.high, interval_text(one.speed_up_interval));
  });
  return columns;
}

}  // namespace

void show_layouts(const LayoutsResult& result, const LayoutsRequest& request, const CommonOptions& common) {
  if (common.json) {
    emit_document(result, common);
    return;
  }
  if (common.csv) {
    emit(layout_columns(true).table(result.compared), common);
    return;
  }
  const bool is_measured = result.compared.front().measured_seconds.has_value();
  emit(render(tensor_columns().table(result.tensors), common) + '\n' + render(ordered_columns().table(result.contractions), common) + '\n' +
           render(layout_columns(is_measured).table(result.compared, prediction_legend("predicted")), common),
       common);
  const bool is_changed =
      std::any_of(result.tensors.begin(), result.tensors.end(), [](const TensorOrder& one) { return one.order != one.written; });
  const ComparedOrders& chosen = result.compared.front();
  note(
      !is_changed
          ? std::string("the written orders are the best of those compared")
          : fmt::format("the first orders are {} {:.2f} times as fast as the written ones (95 %: {}), with {} of each contraction for each "
                        "conversion",
                        is_measured ? "measured to be" : "predicted to be", chosen.speed_up, interval_text(chosen.speed_up_interval),
                        counted(request.executions, "execution")),
      common);
  if (is_changed && chosen.ties()) {
    note(fmt::format("the interval contains 1, so that the written orders may be as fast{}", is_measured ? "" : "; --validate measures"),
         common);
  }
  if (is_measured) {
    note("measured times have chosen the orders; those of the single contractions are predicted", common);
  }
  note(fmt::format("{} of orders predicted{}", counted(result.combinations, "combination"),
                   result.is_exhaustive ? ", which are all" : "; a search skipped the others"),
       common);
}

TableColumns layout_tables() {
  TableColumns tables = {"contract layouts", tensor_columns().headings()};
  tables.with(ordered_columns().headings()).with(layout_columns(true).headings());
  return tables;
}

}  // namespace flopcast::cli
