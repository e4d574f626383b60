#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "flopcast/support/error.hpp"
#include "flopcast/support/field.hpp"
#include "flopcast/support/fields.hpp"

/// JSON of the types of requests that also have a form as text.
namespace flopcast {

namespace fields_detail {

/// Returns "--time-budget" for a member time_budget; empty if the command line has no option for it.
std::string option_name(const Field& field);
std::vector<std::string> option_words(const Fields& fields, const void* structure, const void* defaults);

}  // namespace fields_detail

/// Returns the members of both tables, those of `all` first.
Fields operator+(Fields all, const Fields& more);

/// Returns the words of a command line that give a request these members, as far as they differ from the defaults: "--time-budget", "60".
/// Members without an option, and those that are arguments, are skipped.
template <Structure Request>
std::vector<std::string> option_words(const Request& request) {
  const Request defaults;
  return fields_detail::option_words(fields_of<Request>(), &request, &defaults);
}

/// Returns parse(text, what) of a text. Throws MemberError with the message behind `what` of an Error that `parse` throws.
template <class Parse>
auto parsed_value(const nlohmann::json& json, Parse parse) {
  constexpr std::string_view what = "text";
  try {
    return parse(json.get_ref<const std::string&>(), what);
  } catch (const Error& error) {
    std::string_view message = error.what();
    for (const std::string_view begin : {"text: ", "text "}) {  // "text (step): ..." becomes "(step): ..."
      message.remove_prefix(message.starts_with(begin) ? begin.size() : 0);
    }
    throw MemberError("", std::string(message));
  }
}

/// Reads a number, or a text that `parse` reads.
template <class Number, Number (*parse)(std::string_view, std::string_view)>
void read_number(const nlohmann::json& json, TextNumber<Number, parse>& to, const char* expected) {
  if (json.is_string()) {
    to = parsed_value(json, parse);
  } else if (json.is_number()) {
    Number number = 0;
    read_value(json, number);
    to = number;
  } else {
    json_detail::refuse(json, expected);
  }
}

/// Returns the schema of a value that requests may also give as a text.
nlohmann::ordered_json or_text(const SchemaMaker& maker, nlohmann::ordered_json values, const char* about_text);

void to_json(nlohmann::json& json, const SizeList& sizes);
void from_json(const nlohmann::json& json, SizeList& sizes);
void to_json(nlohmann::json& json, const Duration& duration);
void from_json(const nlohmann::json& json, Duration& duration);
void to_json(nlohmann::json& json, const ByteCount& bytes);
void from_json(const nlohmann::json& json, ByteCount& bytes);
void to_json(nlohmann::json& json, const ByteLimit& bytes);
void from_json(const nlohmann::json& json, ByteLimit& bytes);
void to_json(nlohmann::json& json, const Fraction& fraction);
void from_json(const nlohmann::json& json, Fraction& fraction);

template <>
struct SchemaOf<SizeList> {
  static nlohmann::ordered_json make(SchemaMaker& maker);
};
template <>
struct SchemaOf<Duration> {
  static nlohmann::ordered_json make(SchemaMaker& maker);
};
template <>
struct SchemaOf<ByteCount> {
  static nlohmann::ordered_json make(SchemaMaker& maker);
};
template <>
struct SchemaOf<ByteLimit> {
  static nlohmann::ordered_json make(SchemaMaker& maker);
};
template <>
struct SchemaOf<Fraction> {
  static nlohmann::ordered_json make(SchemaMaker& maker);
};

}  // namespace flopcast
