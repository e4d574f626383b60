#pragma once

#include <tuple>

#include "flopcast/support/fields.hpp"
#include "flopcast/tasks/contraction/contraction.hpp"

/// Members of plans in documents.
namespace flopcast {

template <>
struct FieldTable<ConsideredTiles> {
  static constexpr auto fields =
      std::tuple(field("tiles", &ConsideredTiles::tiles), field("seconds", &ConsideredTiles::seconds, "expected time of one execution"),
                 field("basis", &ConsideredTiles::basis, "source of the time: \"model\", \"micro-benchmark\" or \"execution\""));
};

template <>
struct FieldTable<PlanSummary> {
  static constexpr auto fields =
      std::tuple(field("explanation", &PlanSummary::explanation), field("seconds", &PlanSummary::seconds, "expected time of one execution"),
                 field("workspace_bytes", &PlanSummary::workspace_bytes, "bytes for packing"),
                 field("considered", &PlanSummary::considered, "at most 16, the chosen tiles first"),
                 field("loops", &PlanSummary::loops, "order of the loops over tiles, such as \"nkm\""),
                 field("kept", &PlanSummary::kept, "operands whose packed tiles are kept, such as \"AC\""),
                 optional_field("decided", &PlanSummary::decided,
                                "the choice is final; false while executions of an incremental plan try candidates"));
};

}  // namespace flopcast
