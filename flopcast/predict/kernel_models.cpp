#include "flopcast/predict/kernel_models.hpp"

namespace flopcast::prediction {

std::optional<Seconds> KernelModels::deviation(std::span<const Term> /*terms*/) const { return std::nullopt; }

}  // namespace flopcast::prediction
