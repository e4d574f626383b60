#pragma once

#include <concepts>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include <nlohmann/json.hpp>

#include "flopcast/support/error.hpp"
#include "flopcast/support/json.hpp"

/// Conversion of structures to JSON and back by tables of their members. A table is a specialisation beside the structure's reader and
/// writer, in a source file or a private header:
///
///     template <>
///     struct FieldTable<Decision> {
///       static constexpr auto fields = std::tuple(field("sizes", &Decision::sizes), optional_field("regret", &Decision::regret));
///     };
///
/// Structures, vectors, arrays, maps with text keys, std::optional and enumerations nest. Tables of nested structures stand before those
/// that use them. Errors name the path of the wrong member. JSON has no infinity and no NaN: both are written as null, which no number is
/// read from. A member that may lack a value is a std::optional.
namespace flopcast {

/// A member of a structure, its name in documents, and its meaning for readers of the published schema (support/schema.hpp).
template <class Struct, class Value>
struct Field {
  const char* name;
  Value Struct::*member;
  bool required;
  const char* description;
};

/// A member that every document has. An empty std::optional isn't written, and may be missing or null.
template <class Struct, class Value>
constexpr Field<Struct, Value> field(const char* name, Value Struct::*member, const char* description = "") {
  return {name, member, true, description};
}

/// A member that documents may lack, such as those of an earlier schema: then the structure keeps its own value.
template <class Struct, class Value>
constexpr Field<Struct, Value> optional_field(const char* name, Value Struct::*member, const char* description = "") {
  return {name, member, false, description};
}

/// A member that is a structure whose own members stand among those of the outer one.
template <class Struct, class Value>
struct InlinedField {
  Value Struct::*member;
};
template <class Struct, class Value>
constexpr InlinedField<Struct, Value> inlined_field(Value Struct::*member) {
  return {member};
}

/// Members of T in documents, as `static constexpr auto fields`.
template <class T>
struct FieldTable;

/// Names of an enumeration's values in documents, as `static constexpr std::array names{std::pair{E::first, "first"}, ...}`.
template <class E>
struct EnumNames;

template <class T>
concept HasFields = requires {
  FieldTable<T>::fields;
};

template <class E>
concept HasEnumNames = std::is_enum_v<E> && requires {
  EnumNames<E>::names;
};

namespace fields_detail {

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

template <class Struct, class Value>
void write(nlohmann::json& json, const Struct& value, const Field<Struct, Value>& field) {
  const Value& member = value.*field.member;
  if constexpr (is_optional<Value>) {
    if (member) {
      json[field.name] = *member;
    }
  } else {
    json[field.name] = member;
  }
}

template <class Struct, class Value>
void write(nlohmann::json& json, const Struct& value, const InlinedField<Struct, Value>& field);
template <class Struct, class Value>
void read(const nlohmann::json& json, Struct& value, const InlinedField<Struct, Value>& field);

template <class Struct, class Value>
void read(const nlohmann::json& json, Struct& value, const Field<Struct, Value>& field) {
  Value& member = value.*field.member;
  if constexpr (is_optional<Value>) {
    member.reset();
    if (json.contains(field.name) && !json.at(field.name).is_null()) {
      read_member(json, field.name, member.emplace());
    }
  } else if (field.required || json.contains(field.name)) {
    read_member(json, field.name, member);
  }
}

}  // namespace fields_detail

/// Writes the members of `value` into the object `json`, beside those that it has.
template <HasFields T>
void write_fields(nlohmann::json& json, const T& value) {
  std::apply([&](const auto&... field) { (fields_detail::write(json, value, field), ...); }, FieldTable<T>::fields);
}

/// Reads the members of `value` from the object `json`. Throws MemberError for one that is missing or wrong. Other members are ignored.
template <HasFields T>
void read_fields(const nlohmann::json& json, T& value) {
  static_cast<void>(json_detail::members(json));
  std::apply([&](const auto&... field) { (fields_detail::read(json, value, field), ...); }, FieldTable<T>::fields);
}

namespace fields_detail {

template <class Struct, class Value>
void write(nlohmann::json& json, const Struct& value, const InlinedField<Struct, Value>& field) {
  write_fields(json, value.*field.member);
}
template <class Struct, class Value>
void read(const nlohmann::json& json, Struct& value, const InlinedField<Struct, Value>& field) {
  read_fields(json, value.*field.member);
}

}  // namespace fields_detail

/// Returns `value` as a document: its member "schema" comes first.
template <HasFields T>
nlohmann::ordered_json to_document(const T& value, const char* schema) {
  nlohmann::json members = nlohmann::json::object();
  write_fields(members, value);
  nlohmann::ordered_json document = {{"schema", schema}};
  document.update(nlohmann::ordered_json(members));
  return document;
}

/// Reads a structure from the text of a document; `document` names it in messages. Throws bad_input for text that isn't JSON, for another
/// schema than `schemas`, the newest first, and for members that are missing or wrong. A document written by hand must not have two members
/// of one name in an object.
template <HasFields T>
T from_document(std::string_view text, const std::string& document, std::initializer_list<std::string_view> schemas,
                WrittenBy author = WrittenBy::program) {
  const nlohmann::json json = parse_json(text, document, author);
  return in_document(document, [&] {
    require_schema(json, document, schemas);
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
