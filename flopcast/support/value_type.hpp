#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>

#include <nlohmann/json.hpp>

#include "flopcast/support/field.hpp"

/// Types of members, for tables that know nothing else of them (support/fields.hpp).
namespace flopcast {

class SchemaMaker;

/// Functions of a type, with which one loop reads, writes and describes all structures.
struct ValueType {
  void (*write)(nlohmann::json& json, const void* value);
  void (*read)(const nlohmann::json& json, void* value);
  nlohmann::ordered_json (*schema)(SchemaMaker& maker);
  bool (*has_value)(const void* value);  ///< set for a std::optional only
  /// Reads a text, set for types with parse_text(). Messages begin with `what`, such as "--n".
  void (*parse)(std::string_view text, std::string_view what, void* value);
  bool (*is_empty)(const void* value);  ///< set for numbers, texts, lists and maps
};

/// Schema of a type that no table of members describes, as `static nlohmann::ordered_json make(SchemaMaker&)`.
template <class T>
struct SchemaOf;

template <class T>
concept HasOwnSchema = requires(SchemaMaker& maker) {
  SchemaOf<T>::make(maker);
};

namespace fields_detail {

template <class T>
inline constexpr bool is_array = false;
template <class T, std::size_t n>
inline constexpr bool is_array<std::array<T, n>> = true;
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

}  // namespace fields_detail

/// A structure, which may have a table of its members.
template <class T>
concept Structure = std::is_class_v<T> && std::is_aggregate_v<T> && !std::is_empty_v<T> && !fields_detail::is_array<T>;

/// A type with functions to_json() and from_json() of its own.
template <class T>
concept HasOwnJson = requires(nlohmann::json& json, const T& value) {
  to_json(json, value);
};

/// A structure whose table of members describes its documents entirely.
template <class T>
concept HasFields = Structure<T> && !HasOwnSchema<T> && !HasOwnJson<T>;

template <class E>
concept HasEnumNames = std::is_enum_v<E> && requires {
  EnumNames<E>::names;
};

}  // namespace flopcast
