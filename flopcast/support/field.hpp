#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "flopcast/support/bounds.hpp"

/// Members of structures without their types, which tables are lists of (support/fields.hpp).
namespace flopcast {

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
  /// The member is a text with one of these values only. An empty one stands for none.
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
  [[nodiscard]] const void* in(const void* structure) const { return static_cast<const std::byte*>(structure) + offset; }
  [[nodiscard]] void* in(void* structure) const { return static_cast<std::byte*>(structure) + offset; }
};

/// Members of a structure in documents. Each structure that documents have defines its own fields(); requests declare theirs beside the
/// structure, because the command line makes its options of them.
template <class Struct>
struct FieldTable {
  using T = Struct;
  static Fields fields();
};

/// Returns the table of T.
template <class T>
const Fields& fields_of() {
  static const Fields fields = FieldTable<T>::fields();
  return fields;
}

namespace fields_detail {
void copy_members(const Fields& from_fields, const void* from, const Fields& to_fields, void* to);
}  // namespace fields_detail

/// Returns a structure with those members of `from` that have the same name and type. All others have their defaults.
template <class To, class From>
To with_members_of(const From& from) {
  To to;
  fields_detail::copy_members(fields_of<From>(), &from, fields_of<To>(), &to);
  return to;
}

/// Names of an enumeration's values in documents, as `static constexpr std::array names{std::pair{E::first, "first"}, ...}`.
template <class E>
struct EnumNames;

}  // namespace flopcast
