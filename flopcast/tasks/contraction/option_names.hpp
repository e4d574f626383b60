#pragma once

#include <array>
#include <utility>

#include "flopcast/contract/algorithms/algorithm.hpp"
#include "flopcast/contract/planner/contraction_plan.hpp"
#include "flopcast/contract/prediction/predicted_time.hpp"
#include "flopcast/core/documents.hpp"
#include "flopcast/support/fields.hpp"
#include "flopcast/tasks/contraction/contraction.hpp"

/// JSON of options in requests and documents.
namespace flopcast {

void to_json(nlohmann::json& json, const LabelSizes& sizes);
void from_json(const nlohmann::json& json, LabelSizes& sizes);

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

template <>
struct EnumNames<contract::Stage> {
  static constexpr std::array names{
      std::pair{contract::Stage::repeated, "repeated"},       std::pair{contract::Stage::distance, "distance"},
      std::pair{contract::Stage::prefetching, "prefetching"}, std::pair{contract::Stage::failures, "failures"},
      std::pair{contract::Stage::first_iterations, "first"},  std::pair{contract::Stage::segments, "segments"}};
};
template <>
struct EnumNames<contract::BlasKernel> {
  static constexpr std::array names{std::pair{contract::BlasKernel::dot, "dot"}, std::pair{contract::BlasKernel::axpy, "axpy"},
                                    std::pair{contract::BlasKernel::gemv, "gemv"}, std::pair{contract::BlasKernel::ger, "ger"},
                                    std::pair{contract::BlasKernel::gemm, "gemm"}};
};

}  // namespace flopcast
