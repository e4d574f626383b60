#pragma once

#include <tuple>

#include "flopcast/support/fields.hpp"
#include "flopcast/tasks/contraction/contraction.hpp"

/// Members of plans in documents.
namespace flopcast {

template <>
struct FieldTable<ConsideredTiles> {
  static constexpr auto fields = std::tuple(field("tiles", &ConsideredTiles::tiles), field("seconds", &ConsideredTiles::seconds),
                                            field("basis", &ConsideredTiles::basis));
};

template <>
struct FieldTable<PlanSummary> {
  static constexpr auto fields =
      std::tuple(field("explanation", &PlanSummary::explanation), field("seconds", &PlanSummary::seconds),
                 field("workspace_bytes", &PlanSummary::workspace_bytes), field("considered", &PlanSummary::considered),
                 field("loops", &PlanSummary::loops), field("kept", &PlanSummary::kept));
};

}  // namespace flopcast
