#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "flopcast/support/bounds.hpp"

/// Members of structures without their types, which tables are lists of (support/fields.hpp).
namespace flopcast {

/// Direction of a number: which values are good.
enum class Best : unsigned char { neither, large, small };

/// Returns the unit of a number by the end of its name, such as "s" for measuring_seconds; empty for other names.
std::string_view unit_of(std::string_view name);
/// Returns the direction that is good for most numbers of a unit: times are good if small, rates if large.
Best usual_best(std::string_view unit);

struct ValueType;
struct Field;
using Fields = std::vector<Field>;

/// A member of a structure: its name in documents and on the command line, its meaning, and its limits.
struct Field {
  std::string_view name;
  const ValueType* type;
  std::size_t offset;  ///< in the structure
  bool required;
  const char* description;  ///< meaning, for readers of schemas, help texts and Python's docstrings
  std::optional<Bounds> bounds = std::nullopt;
  const Fields& (*inlined)() = nullptr;                        ///< set for a structure whose members stand among those of the outer one
  std::optional<std::string_view> option_name = std::nullopt;  ///< on the command line; missing: the name; empty: there is no option
  const char* option_help = nullptr;                           ///< meaning of the option, where the member's doesn't fit
  std::vector<std::string_view> choices = {};                  ///< all values of a text; empty: any
  bool is_argument = false;                                    ///< on the command line a word without dashes
  bool is_dropped_if_empty = false;                            ///< documents lack the member while it says nothing
  std::optional<std::string_view> own_unit = std::nullopt;     ///< missing: as unit_of() the name
  std::optional<Best> own_best = std::nullopt;                 ///< missing: as usual_best() of the unit

  [[nodiscard]] std::string_view unit() const { return own_unit.value_or(unit_of(name)); }
  [[nodiscard]] Best best() const { return own_best.value_or(usual_best(unit())); }

  /// Documents have the member under another name than the structure.
  [[nodiscard]] Field named(std::string_view other) const {
    Field field = *this;
    field.name = other;
    return field;
  }
  /// The member of a request has limits of its own.
  [[nodiscard]] Field within(const Bounds& limits) const {
    Field field = *this;
    field.bounds = limits;
    return field;
  }
  /// The command line has the member under another name ("" for none). A flag's help says what the opposite of the default means.
  [[nodiscard]] Field option(std::string_view other, const char* help = nullptr) const {
    Field field = *this;
    field.option_name = other;
    field.option_help = help;
    return field;
  }
  /// The member is a text with one of these values only.
  [[nodiscard]] Field one_of(std::vector<std::string_view> values) const {
    Field field = *this;
    field.choices = std::move(values);
    return field;
  }
  /// The command line has the member as a word without dashes, which may be left out. Required members are such words, too.
  [[nodiscard]] Field argument() const {
    Field field = *this;
    field.is_argument = true;
    return field;
  }
  /// The member has this unit ("" for none), and values in this direction are good.
  [[nodiscard]] Field measured_in(std::string_view unit, Best direction) const {
    Field field = *this;
    field.own_unit = unit;
    field.own_best = direction;
    return field;
  }
  /// Documents lack the member while it says nothing: it is 0, infinite, or an empty text or list.
  [[nodiscard]] Field unless_empty() const {
    Field field = *this;
    field.required = false;
    field.is_dropped_if_empty = true;
    return field;
  }
  [[nodiscard]] const void* in(const void* structure) const { return static_cast<const std::byte*>(structure) + offset; }
  [[nodiscard]] void* in(void* structure) const { return static_cast<std::byte*>(structure) + offset; }
};

/// Members of a structure in documents. Each structure that documents have defines its own fields(); requests declare theirs beside the
/// structure, because the command line makes its options of them. Tables of the command line show the members of any structure.
template <class Struct>
struct FieldTable {
  using T = Struct;
  static Fields fields();
};

namespace fields_detail {

/// Returns make(). Every file that uses a table takes the address of its function, so that the function exists although it is inline.
Fields made(Fields (*make)());

}  // namespace fields_detail

/// Returns the table of T.
template <class T>
const Fields& fields_of() {
  static const Fields fields = fields_detail::made(&FieldTable<T>::fields);
  return fields;
}

namespace fields_detail {

/// A member of a structure.
template <auto member>
struct Member;
template <class S, class V, V S::*member>
struct Member<member> {
  using Struct = S;
  using Value = V;

  /// Returns "blocks" for &RankRequest::blocks.
  static constexpr std::string_view name() {
    std::string_view text = __PRETTY_FUNCTION__;
    text = text.substr(0, text.find_first_of(";]", text.find("member = ")));
    return text.substr(text.rfind(':') + 1);
  }
};

/// Returns where a part of a structure lies in it. `part` returns the part of a structure.
template <class Struct, class Part>
std::size_t offset_of(Part part) {
  alignas(Struct) static std::byte space[sizeof(Struct)];  // NOLINT(modernize-avoid-c-arrays): nothing is made in it
  const auto* structure = reinterpret_cast<const Struct*>(space);
  return static_cast<std::size_t>(reinterpret_cast<const std::byte*>(part(structure)) - space);
}
template <auto member, auto... inner>
std::size_t offset_of() {
  std::size_t offset = offset_of<typename Member<member>::Struct>([](const auto* structure) { return &(structure->*member); });
  if constexpr (sizeof...(inner) > 0) {
    offset += offset_of<inner...>();
  }
  return offset;
}

const Field& field_at(const Fields& fields, std::size_t offset, std::string_view name);
void copy_members(const Fields& from_fields, const void* from, const Fields& to_fields, void* to);
}  // namespace fields_detail

/// Returns a structure with those members of `from` that have the same name and type. All others have their defaults.
template <class To, class From>
To with_members_of(const From& from) {
  To to;
  fields_detail::copy_members(fields_of<From>(), &from, fields_of<To>(), &to);
  return to;
}

/// Returns the line of a member in the table of its structure.
template <auto member>
const Field& field_of() {
  using Member = fields_detail::Member<member>;
  return fields_detail::field_at(fields_of<typename Member::Struct>(), fields_detail::offset_of<member>(), Member::name());
}

/// Names of an enumeration's values in documents, as `static constexpr std::array names{std::pair{E::first, "first"}, ...}`.
template <class E>
struct EnumNames;

}  // namespace flopcast
