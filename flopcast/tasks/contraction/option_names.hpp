#pragma once

#include <array>
#include <utility>

#include "flopcast/contract/planner/contraction_plan.hpp"
#include "flopcast/core/core_schemas.hpp"
#include "flopcast/support/fields.hpp"

/// Names of planning options in requests and documents.
namespace flopcast {

template <>
struct EnumNames<contract::Order> {
  static constexpr std::array names{std::pair{contract::Order::row_major, "row_major"},
                                    std::pair{contract::Order::column_major, "column_major"}};
};
template <>
struct EnumNames<contract::Effort> {
  static constexpr std::array names{std::pair{contract::Effort::estimate, "estimate"},
                                    std::pair{contract::Effort::microbench, "microbench"}, std::pair{contract::Effort::measure, "measure"},
                                    std::pair{contract::Effort::incremental, "incremental"}};
};

}  // namespace flopcast
