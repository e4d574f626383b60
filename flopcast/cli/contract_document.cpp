#include "flopcast/cli/contract_document.hpp"

#include <string>

namespace flopcast::cli {

using contract::Algorithm;
using contract::Contraction;

nlohmann::json to_json(const Contraction& contraction) {
  nlohmann::json sizes = nlohmann::json::object();
  for (const auto& [index, extent] : contraction.extents) {
    sizes[std::string(1, index)] = extent;
  }
  nlohmann::json strides = nlohmann::json::object();
  for (const contract::Operand operand : contract::all_operands) {
    strides[std::string(1, contract::letter(operand))] = contraction.tensor(operand).strides;
  }
  return {{"contraction", contract::to_string(contraction.notation())},
          {"sizes", std::move(sizes)},
          {"strides", std::move(strides)},
          {"precision", std::string(1, static_cast<char>(contraction.precision))},
          {"flops", contract::flops(contraction)}};
}

nlohmann::json to_json(const Algorithm& algorithm, const Contraction& contraction) {
  nlohmann::json copies = nlohmann::json::array();
  for (const contract::Copy& copy : algorithm.copies) {
    copies.push_back({{"operand", std::string(1, contract::letter(copy.operand))},
                      {"inside", copy.depth == 0 ? "" : std::string(1, algorithm.loops[copy.depth - 1])},
                      {"depth", copy.depth}});
  }
  return {{"name", algorithm.name()},
          {"kernel", contract::name(algorithm.kernel)},
          {"kernel_indices", algorithm.kernel_indices},
          {"loops", algorithm.loops},
          {"copies", std::move(copies)},
          {"kernel_calls", contract::kernel_calls(algorithm, contraction)}};
}

}  // namespace flopcast::cli
