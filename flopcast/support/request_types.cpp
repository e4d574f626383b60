#include "flopcast/support/request_types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast {
namespace fields_detail {

std::string option_name(const Field& field) {
  std::string name(field.option_name.value_or(field.name));
  if (name.empty() || field.required || field.is_argument) {
    return "";
  }
  std::replace(name.begin(), name.end(), '_', '-');
  return "--" + name;
}

std::vector<std::string> option_words(const Fields& fields, const void* structure, const void* defaults) {
  std::vector<std::string> words;
  for (const Field& field : fields) {
    if (field.inlined != nullptr) {
      const std::vector<std::string> more = option_words(field.inlined(), field.in(structure), field.in(defaults));
      words.insert(words.end(), more.begin(), more.end());
      continue;
    }
    nlohmann::json value, otherwise;
    field.type->write(value, field.in(structure));
    field.type->write(otherwise, field.in(defaults));
    const std::string name = option_name(field);
    if (name.empty() || value == otherwise) {
      continue;
    }
    words.push_back(name);
    if (!value.is_boolean()) {
      words.push_back(value.is_string() ? value.get<std::string>() : value.dump());
    }
  }
  return words;
}

}  // namespace fields_detail

Fields operator+(Fields all, const Fields& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

nlohmann::ordered_json or_text(const SchemaMaker& maker, nlohmann::ordered_json values, const char* about_text) {
  if (!maker.makes_request()) {
    return values;
  }
  return {{"anyOf", nlohmann::ordered_json::array({std::move(values), described({{"type", "string"}}, about_text)})}};
}

std::string to_text(Duration duration) {
  constexpr Seconds minute = 60, hour = 3600;
  const Seconds seconds = duration;
  const auto is_multiple_of = [&](Seconds unit) { return seconds >= unit && std::fmod(seconds, unit) == 0; };
  return is_multiple_of(hour)     ? fmt::format("{}h", seconds / hour)
         : is_multiple_of(minute) ? fmt::format("{}min", seconds / minute)
                                  : fmt::format("{}s", seconds);
}

void to_json(nlohmann::json& json, const SizeList& sizes) { json = static_cast<const std::vector<std::int64_t>&>(sizes); }
void to_json(nlohmann::json& json, const Duration& duration) { json = static_cast<Seconds>(duration); }
void to_json(nlohmann::json& json, const ByteCount& bytes) { json = static_cast<std::int64_t>(bytes); }
void to_json(nlohmann::json& json, const ByteLimit& bytes) { json = static_cast<double>(bytes); }
void to_json(nlohmann::json& json, const Fraction& fraction) { json = static_cast<double>(fraction); }

void from_json(const nlohmann::json& json, SizeList& sizes) {
  sizes.clear();
  if (json.is_string()) {
    sizes = parsed_value(json, [](const std::string& text, auto name) { return parse_sizes(text, name, 0, SizeList::max_size); });
  } else if (json.is_array()) {
    read_value(json, static_cast<std::vector<std::int64_t>&>(sizes));
  } else if (json.is_number_integer()) {
    read_value(json, sizes.emplace_back());
  } else {
    json_detail::refuse(json, "a size, a list of sizes, or a text such as \"200:3200:200\"");
  }
}
void from_json(const nlohmann::json& json, Duration& duration) {
  read_number(json, duration, "a number of seconds, or a text such as \"50s\" or \"10min\"");
}
void from_json(const nlohmann::json& json, ByteCount& bytes) { read_number(json, bytes, "a number of bytes, or a text such as \"2MiB\""); }
void from_json(const nlohmann::json& json, ByteLimit& bytes) { read_number(json, bytes, "a number of bytes, or a text such as \"2MiB\""); }
void from_json(const nlohmann::json& json, Fraction& fraction) { read_number(json, fraction, "a fraction, or a text such as \"5%\""); }

nlohmann::ordered_json SchemaOf<SizeList>::make(SchemaMaker& maker) {
  const nlohmann::ordered_json size = {{"type", "integer"}, {"minimum", 1}, {"maximum", SizeList::max_size}};
  nlohmann::ordered_json list = array_schema(size);
  list["maxItems"] = SizeList::max_count;
  nlohmann::ordered_json schema = or_text(maker, std::move(list), "sizes as on the command line: \"200:3200:200\"");
  if (maker.makes_request()) {
    schema["anyOf"].insert(schema["anyOf"].begin(), size);
  }
  return schema;
}
nlohmann::ordered_json SchemaOf<Duration>::make(SchemaMaker& maker) {
  return or_text(maker, {{"type", "number"}, {"minimum", 0}, {"maximum", bounds::seconds.max}, {"unit", "s"}},
                 "a time with its unit: \"50s\", \"10min\", \"1h\"");
}
nlohmann::ordered_json SchemaOf<ByteCount>::make(SchemaMaker& maker) {
  return or_text(maker, {{"type", "integer"}, {"minimum", 0}, {"unit", "B"}}, "a number of bytes with its unit: \"48KiB\", \"2MiB\"");
}
nlohmann::ordered_json SchemaOf<ByteLimit>::make(SchemaMaker& maker) {
  return or_text(maker, {{"type", "number"}, {"minimum", 0}, {"unit", "B"}}, "a number of bytes with its unit: \"48KiB\", \"2MiB\"");
}
nlohmann::ordered_json SchemaOf<Fraction>::make(SchemaMaker& maker) {
  return or_text(maker, {{"type", "number"}, {"minimum", 0}, {"maximum", 1}}, "a fraction in percent: \"5%\"");
}

}  // namespace flopcast
