#pragma once

#include <array>
#include <utility>

#include "flopcast/core/environment_json.hpp"
#include "flopcast/core/routine.hpp"
#include "flopcast/core/sample_json.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/support/schema.hpp"

/// Schemas of intervals and traces.
namespace flopcast {

template <>
struct EnumNames<Precision> {
  static constexpr std::array names{std::pair{Precision::s, "s"}, std::pair{Precision::d, "d"}, std::pair{Precision::c, "c"},
                                    std::pair{Precision::z, "z"}};
};

template <>
struct SchemaOf<Interval> {
  static nlohmann::ordered_json make(SchemaMaker& maker) { return described(maker.of<std::array<double, 2>>(), "lower and upper end"); }
};

/// Returns the schema of a trace's document (core/trace_json.hpp).
nlohmann::ordered_json trace_schema(SchemaMaker& maker);

}  // namespace flopcast
