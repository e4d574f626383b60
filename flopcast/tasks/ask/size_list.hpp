#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "flopcast/support/schema.hpp"

namespace flopcast {

/// Sizes in a question: one number, a list of numbers, or a text as on the command line ("200:3200:200"). Each is 1 to 10^6.
struct SizeList {
  std::vector<std::int64_t> values;
};

void to_json(nlohmann::json& json, const SizeList& sizes);
void from_json(const nlohmann::json& json, SizeList& sizes);

/// Sizes by the names of arguments, such as {"m", {1000, 2000}}.
using NamedSizes = std::map<std::string, SizeList>;
std::map<std::string, std::vector<std::int64_t>> values_of(const NamedSizes& sizes);

template <>
struct SchemaOf<SizeList> {
  static nlohmann::ordered_json make(SchemaMaker& maker);
};

}  // namespace flopcast
