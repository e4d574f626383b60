#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include <nlohmann/json.hpp>

#include "flopcast/support/error.hpp"
#include "flopcast/support/field.hpp"
#include "flopcast/support/json.hpp"
#include "flopcast/support/schema.hpp"

/// Conversion of structures to JSON and back by tables of their members. A table is a specialisation beside the structure's reader and
/// writer, in a source file or a private header:
///
///     template <>
///     Fields FieldTable<Decision>::fields() {
///       return {field<&T::sizes>("sizes of the problem"), optional_field<&T::regret>("a bound").within(bounds::fraction)};
///     }
///
/// Structures, vectors, arrays, maps with text keys, std::optional and enumerations nest. Tables of nested structures stand before those
/// that use them. Errors name the path of the wrong member. JSON has no infinity and no NaN: both are written as null, which no number is
/// read from. A member that may lack a value is a std::optional.
namespace flopcast {

namespace fields_detail {

template <class T>
void parse_text(std::string_view text, std::string_view what, std::optional<T>& to) requires requires(T& value) {
  parse_text(text, what, value);
}
{ parse_text(text, what, to.emplace()); }

template <class T>
constexpr ValueType make_type() {
  ValueType type = {[](nlohmann::json& json, const void* value) { json = *static_cast<const T*>(value); },
                    [](const nlohmann::json& json, void* value) { read_value(json, *static_cast<T*>(value)); },
                    [](SchemaMaker& maker) { return maker.of<T>(); },
                    nullptr,
                    nullptr,
                    nullptr};
  if constexpr (is_optional<T>) {
    type.has_value = [](const void* value) { return static_cast<const T*>(value)->has_value(); };
  }
  if constexpr (requires(T & value) { parse_text(std::string_view(), std::string_view(), value); }) {
    type.parse = [](std::string_view text, std::string_view what, void* value) { parse_text(text, what, *static_cast<T*>(value)); };
  }
  if constexpr (std::is_arithmetic_v<T>) {
    type.is_empty = [](const void* value) {
      return *static_cast<const T*>(value) == 0 || std::isinf(static_cast<double>(*static_cast<const T*>(value)));
    };
  } else if constexpr (requires(const T& value) { value.empty(); }) {
    type.is_empty = [](const void* value) { return static_cast<const T*>(value)->empty(); };
  }
  return type;
}

template <class T>
inline constexpr ValueType type = make_type<T>();

/// The last of a path of members.
template <auto member, auto... inner>
struct LastMember : LastMember<inner...> {};
template <auto member>
struct LastMember<member> : Member<member> {};

void write(nlohmann::json& json, const void* structure, const Fields& fields);
void read(const nlohmann::json& json, void* structure, const Fields& fields);
nlohmann::ordered_json to_document(const void* structure, const Fields& fields, const char* schema);

}  // namespace fields_detail

/// A member that every document has, or a member of a member: field<&Request::options, &Options::threads>(). An empty std::optional isn't
/// written, and may be missing or null.
template <auto... path>
Field field(const char* description = "") {
  using Member = fields_detail::LastMember<path...>;
  return {Member::name(), &fields_detail::type<typename Member::Value>, fields_detail::offset_of<path...>(), true, description};
}

/// A member that documents may lack: then the structure keeps its own value.
template <auto... path>
Field optional_field(const char* description = "") {
  Field optional = field<path...>(description);
  optional.required = false;
  return optional;
}

/// A member that is a structure whose own members stand among those of the outer one.
template <auto member>
Field inlined_field() {
  Field inlined = field<member>();
  inlined.inlined = &fields_of<typename fields_detail::Member<member>::Value>;
  return inlined;
}

/// The members of a structure's base.
template <class Struct, Structure Base>
Field inherited_fields() {
  const std::size_t offset = fields_detail::offset_of<Struct>([](const Base* structure) { return structure; });
  return {"", &fields_detail::type<Base>, offset, true, "", std::nullopt, &fields_of<Base>};
}

/// Writes the members of `value` into the object `json`, beside those that it has.
template <Structure T>
void write_fields(nlohmann::json& json, const T& value) {
  fields_detail::write(json, &value, fields_of<T>());
}

/// Reads the members of `value` from the object `json`. Throws MemberError for one that is missing or wrong. Other members are ignored.
template <Structure T>
void read_fields(const nlohmann::json& json, T& value) {
  fields_detail::read(json, &value, fields_of<T>());
}

/// Returns `value` as a document: its member "schema" comes first.
template <Structure T>
nlohmann::ordered_json to_document(const T& value, const char* schema) {
  return fields_detail::to_document(&value, fields_of<T>(), schema);
}

/// Reads a structure from the text of a document; `document` names it in messages. Throws bad_input for text that isn't JSON, for another
/// schema than `schema`, and for members that are missing or wrong. A document written by hand must not have two members of one name in an
/// object.
template <Structure T>
T from_document(std::string_view text, const std::string& document, std::string_view schema, WrittenBy author = WrittenBy::program) {
  const nlohmann::json json = parse_json(text, document, author);
  return in_document(document, [&] {
    require_schema(json, document, schema);
    T value{};
    read_fields(json, value);
    return value;
  });
}

}  // namespace flopcast

namespace nlohmann {

template <flopcast::HasFields T>
struct adl_serializer<T, void> {
  static void to_json(json& json, const T& value) {
    json = nlohmann::json::object();
    flopcast::write_fields(json, value);
  }
  static void from_json(const json& json, T& value) { flopcast::read_fields(json, value); }
};

template <flopcast::HasEnumNames E>
struct adl_serializer<E, void> {
  static void to_json(json& json, E value) {
    for (const auto& [known, name] : flopcast::EnumNames<E>::names) {
      if (known == value) {
        json = name;
        return;
      }
    }
    throw flopcast::internal_error("value {} of an enumeration has no name in documents", static_cast<int>(value));
  }
  static void from_json(const json& json, E& value) {
    std::string text, expected;
    flopcast::read_value(json, text);
    for (const auto& [known, name] : flopcast::EnumNames<E>::names) {
      if (text == name) {
        value = known;
        return;
      }
      expected += (expected.empty() ? "" : ", ") + std::string(name);
    }
    flopcast::json_detail::refuse(json, "one of " + expected);
  }
};

template <class T>
struct adl_serializer<std::optional<T>, void> {
  static void to_json(json& json, const std::optional<T>& value) {
    if (value) {
      json = *value;
    } else {
      json = nullptr;
    }
  }
  static void from_json(const json& json, std::optional<T>& value) {
    value.reset();
    if (!json.is_null()) {
      flopcast::read_value(json, value.emplace());
    }
  }
};

}  // namespace nlohmann
