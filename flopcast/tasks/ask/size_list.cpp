#include "flopcast/tasks/ask/size_list.hpp"

#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast {
namespace {

constexpr std::int64_t max_size = 1'000'000, max_sizes = 100'000;

}  // namespace

void to_json(nlohmann::json& json, const SizeList& sizes) { json = sizes.values; }

void from_json(const nlohmann::json& json, SizeList& sizes) {
  sizes.values.clear();
  if (json.is_string()) {
    try {
      sizes.values = parse_sizes(json.get<std::string>(), "sizes", 1, max_size);
    } catch (const Error& error) {
      throw MemberError("", error.what());
    }
    return;
  }
  if (json.is_array()) {
    read_value(json, sizes.values);
  } else if (json.is_number_integer()) {
    read_value(json, sizes.values.emplace_back());
  } else {
    json_detail::refuse(json, "a size, a list of sizes, or a text such as \"200:3200:200\"");
  }
}

std::map<std::string, std::vector<std::int64_t>> values_of(const NamedSizes& sizes) {
  std::map<std::string, std::vector<std::int64_t>> values;
  for (const auto& [name, list] : sizes) {
    values[name] = list.values;
  }
  return values;
}

nlohmann::ordered_json SchemaOf<SizeList>::make(SchemaMaker& /*maker*/) {
  const nlohmann::ordered_json size = {{"type", "integer"}, {"minimum", 1}, {"maximum", max_size}};
  const nlohmann::ordered_json text = described({{"type", "string"}}, "sizes as on the command line: \"200:3200:200\"");
  nlohmann::ordered_json list = array_schema(size);
  list["maxItems"] = max_sizes;
  return {{"anyOf", nlohmann::ordered_json::array({size, std::move(list), text})}};
}

}  // namespace flopcast
