#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "flopcast/support/value_type.hpp"

/// JSON Schemas (draft 2020-12) of documents, made from the tables of their members (support/fields.hpp). A type whose JSON no table
/// describes has a specialisation of SchemaOf beside its reader and writer:
///
///     template <>
///     struct SchemaOf<Interval> {
///       static nlohmann::ordered_json make(SchemaMaker& maker) { return maker.of<std::array<double, 2>>(); }
///     };
namespace flopcast {

/// Returns the schema of an object with these members, of which those named in `optional` may be missing. Other members are allowed.
nlohmann::ordered_json object_schema(const std::vector<std::pair<std::string, nlohmann::ordered_json>>& members,
                                     const std::vector<std::string>& optional = {});
/// Returns the schema of an array of such elements.
nlohmann::ordered_json array_schema(nlohmann::ordered_json elements);
/// Returns `schema` with a description. A reference to a definition keeps its own beside it.
nlohmann::ordered_json described(nlohmann::ordered_json schema, std::string_view description);
/// Adds a member to the schema of an object.
void add_member(nlohmann::ordered_json& object, const std::string& name, nlohmann::ordered_json schema, bool required = true);

namespace schema_detail {

template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;
template <class T>
inline constexpr bool is_map = false;
template <class T>
inline constexpr bool is_map<std::map<std::string, T>> = true;

/// Returns the text in which the compiler names T.
template <class T>
constexpr std::string_view pretty_name() {
  return __PRETTY_FUNCTION__;
}
/// Returns "tuning.Decision" of the compiler's text for flopcast::tuning::Decision.
std::string name_in_schema(std::string_view pretty);
/// Adds a unit to a schema. That of an object is the unit of those of its numbers that have none of their own.
nlohmann::ordered_json with_unit(nlohmann::ordered_json schema, std::string_view unit);
/// Writes limits into the schema of a member, or of the elements of a list or map.
void add_bounds(nlohmann::ordered_json& schema, const Bounds& bounds);
/// Writes the limits and choices of a member into its schema.
void add_limits(nlohmann::ordered_json& schema, const Field& field);
/// Returns the schema that also allows null.
nlohmann::ordered_json or_null(nlohmann::ordered_json schema);

}  // namespace schema_detail

/// Decides about members that the table of an object doesn't name. Documents may have some: readers ignore members that they don't know. Requests may
/// not have any: a misspelt member would have no effect. The members of requests tell their default values and limits.
enum class OtherMembers : bool { ignored, refused };

/// Makes the schemas of one document, whose structures become definitions.
class SchemaMaker {
 public:
  explicit SchemaMaker(OtherMembers others = OtherMembers::ignored) : others_(others) {}

  /// Returns whether the document is a request, whose values may have another form than the documents that are written.
  [[nodiscard]] bool makes_request() const noexcept { return others_ == OtherMembers::refused; }
  /// Returns the schema of T's values.
  template <class T>
  nlohmann::ordered_json of();
  /// Returns the schema of a structure itself, not a reference to its definition.
  template <Structure T>
  nlohmann::ordered_json object();
  /// Returns a document: `root`, the schema of its object, with the definitions that it refers to.
  nlohmann::ordered_json document(const std::string& name, const std::string& title, nlohmann::ordered_json root) const;

 private:
  nlohmann::ordered_json object(const Fields& fields, const void* defaults);
  void add_members(nlohmann::ordered_json& object, const Fields& fields, const void* defaults);

  OtherMembers others_;
  std::map<std::string, nlohmann::ordered_json> definitions_;
};

/// A schema that flopcast publishes.
struct PublishedSchema {
  std::string name;   ///< "flopcast-tune-3", the document's member "schema"
  std::string title;  ///< "Block sizes chosen for a routine"
  std::function<nlohmann::ordered_json()> make;
};

/// Publishes the schema of a document that to_document() writes from the table of T.
template <Structure T>
PublishedSchema published(const std::string& name, const std::string& title) {
  return {name, title, [name, title] {
            SchemaMaker maker;
            nlohmann::ordered_json root = maker.object<T>();
            return maker.document(name, title, std::move(root));
          }};
}

/// Publishes the schema that `root` makes for the object of the document.
PublishedSchema published(const std::string& name, const std::string& title, std::function<nlohmann::ordered_json(SchemaMaker&)> root);

/// Throws MemberError for a member of `value` that an object of `schema` refuses, with the members that there are, and for a value outside of
/// a member's limits. Types of values are left to the reader. `schema` is a document of a SchemaMaker whose OtherMembers are refused.
void require_members_and_bounds(const nlohmann::json& value, const nlohmann::ordered_json& schema);

/// One branch for each sort of type; the list of all sorts in one place is the clearest.
template <class T>
nlohmann::ordered_json SchemaMaker::of() {
  if constexpr (HasOwnSchema<T>) {
    return SchemaOf<T>::make(*this);
  } else if constexpr (Structure<T>) {
    const std::string name = schema_detail::name_in_schema(schema_detail::pretty_name<T>());
    if (definitions_.find(name) == definitions_.end()) {
      definitions_[name] = {};
      definitions_[name] = object<T>();
    }
    return {{"$ref", "#/$defs/" + name}};
  } else if constexpr (HasEnumNames<T>) {
    nlohmann::ordered_json names = nlohmann::ordered_json::array();
    for (const auto& [value, name] : EnumNames<T>::names) {
      names.push_back(name);
    }
    return {{"enum", std::move(names)}};
  } else if constexpr (std::is_same_v<T, bool>) {
    return {{"type", "boolean"}};
  } else if constexpr (std::is_unsigned_v<T>) {
    return {{"type", "integer"}, {"minimum", 0}};
  } else if constexpr (std::is_arithmetic_v<T>) {
    nlohmann::ordered_json schema = {{"type", std::is_integral_v<T> ? "integer" : "number"}};
    if (others_ == OtherMembers::refused) {
      schema_detail::add_bounds(schema, usual_bounds<T>());
    }
    return schema;
  } else if constexpr (std::is_same_v<T, std::string>) {
    nlohmann::ordered_json schema = {{"type", "string"}};
    if (others_ == OtherMembers::refused) {
      schema_detail::add_bounds(schema, {});
    }
    return schema;
  } else if constexpr (fields_detail::is_optional<T>) {
    return schema_detail::or_null(of<typename T::value_type>());
  } else if constexpr (schema_detail::is_vector<T>) {
    nlohmann::ordered_json schema = array_schema(of<typename T::value_type>());
    if (others_ == OtherMembers::refused) {
      schema["maxItems"] = Bounds::usual_max_elements;
    }
    return schema;
  } else if constexpr (fields_detail::is_array<T>) {
    nlohmann::ordered_json schema = array_schema(of<typename T::value_type>());
    schema["minItems"] = std::tuple_size_v<T>;
    schema["maxItems"] = std::tuple_size_v<T>;
    return schema;
  } else {
    static_assert(schema_detail::is_map<T>, "the type needs a FieldTable, EnumNames or SchemaOf");
    nlohmann::ordered_json schema = {{"type", "object"}, {"additionalProperties", of<typename T::mapped_type>()}};
    if (others_ == OtherMembers::refused) {
      schema["maxProperties"] = Bounds::usual_max_elements;
    }
    return schema;
  }
}

template <Structure T>
nlohmann::ordered_json SchemaMaker::object() {
  const T defaults{};
  return object(fields_of<T>(), &defaults);
}

}  // namespace flopcast
