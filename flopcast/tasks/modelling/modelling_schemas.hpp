#pragma once

#include <array>
#include <utility>
#include <vector>

#include "flopcast/support/schema.hpp"
#include "flopcast/tasks/modelling/modelling.hpp"

namespace flopcast {

template <>
struct EnumNames<ModelMethod> {
  static constexpr std::array names{std::pair{ModelMethod::refine, "refine"}, std::pair{ModelMethod::levels, "levels"}};
};
template <>
struct EnumNames<measure::Clock> {
  static constexpr std::array names{std::pair{measure::Clock::wall, "wall"}, std::pair{measure::Clock::cpu, "cpu"}};
};

/// Returns the schemas of models, samples and their checks.
std::vector<PublishedSchema> modelling_schemas();

/// Returns the schema of checks of models, which modelling_schemas() has, too.
PublishedSchema model_check_schema();

/// Returns the schema of a report on a machine.
std::vector<PublishedSchema> machine_report_schemas();

}  // namespace flopcast
