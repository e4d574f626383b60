#pragma once

/// Members of structures without their types, which tables are lists of (support/fields.hpp), and the types of requests with a form as text.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "flopcast/support/units.hpp"

namespace flopcast {

/// Limits of a request's member, which its schema publishes. Values outside are refused before anything is done. Limits of numbers and texts
/// hold for the elements of lists, too.
struct Bounds {
  static constexpr double none = std::numeric_limits<double>::infinity();
  static constexpr std::int64_t max_text = 4095;  ///< bytes of a path (PATH_MAX without its end), the default of all texts
  static constexpr std::int64_t usual_max_elements = 10'000;

  double min = -none, max = none;                      ///< limits of numbers
  bool above_min = false;                              ///< the least number itself is refused
  std::int64_t min_length = 0, max_length = max_text;  ///< limits of the bytes of a text
  std::int64_t min_elements = 0;                       ///< least number of elements of a list
  bool is_path = false;     ///< the text is the name of a file, each part of which has 255 bytes at most (NAME_MAX)
  bool is_command = false;  ///< the list has the words of a command, of which the first is a program
};

namespace bounds {

/// Whole numbers and others, from the least to the largest one allowed.
constexpr Bounds between(double min, double max) { return {.min = min, .max = max}; }
/// Seconds: up to 30 years.
inline constexpr Bounds seconds = between(0, 1e9);
inline constexpr Bounds positive_seconds = {.min = 0, .max = 1e9, .above_min = true};
inline constexpr Bounds fraction = between(0, 1);
inline constexpr Bounds threads = between(1, 1024);
inline constexpr Bounds process_counts = {.min = 1, .max = 1e6, .min_elements = 1};
/// A text or a list that must not be empty.
inline constexpr Bounds given = {.min_length = 1, .min_elements = 1};
/// A file that may be left out, a file or files that must be named, and a list that names some if there are any.
inline constexpr Bounds path_or_nothing = {.is_path = true};
inline constexpr Bounds paths_if_any = {.min_length = 1, .is_path = true};
inline constexpr Bounds path = {.min_length = 1, .min_elements = 1, .is_path = true};
/// Words of a command. The system takes 128 KiB for one (MAX_ARG_STRLEN), with the zero at its end.
inline constexpr Bounds command = {.max_length = 131071, .min_elements = 1, .is_command = true};

}  // namespace bounds

/// Returns why the system can't have a file of this name: a part of the name, or the whole of it, is too long. Empty if nothing is wrong.
std::string path_fault(std::string_view path);

/// Limits of numbers that have none of their own, by type.
template <class Number>
constexpr Bounds usual_bounds() {
  return std::is_floating_point_v<Number> ? bounds::between(0, 1e18) : bounds::between(0, 1e9);
}

/// A number in a request. Where one is asked, a number and a text that `parse` reads are taken alike (support/request_types.hpp).
template <class Number, Number (*parse)(std::string_view text, std::string_view what)>
class TextNumber {
 public:
  constexpr TextNumber(Number number = 0) : number_(number) {}  // NOLINT(google-explicit-constructor): they are one thing
  constexpr operator Number() const { return number_; }         // NOLINT(google-explicit-constructor)

 private:
  Number number_;
};

/// Reads a text. Messages begin with `what`, and are those of `parse`.
template <class Number, Number (*parse)(std::string_view, std::string_view)>
void parse_text(std::string_view text, std::string_view what, TextNumber<Number, parse>& to) {
  to = parse(text, what);
}

inline double parse_byte_limit(std::string_view text, std::string_view what) { return static_cast<double>(parse_bytes(text, what)); }
/// A fraction that texts may give in percent: 0.05 or "5%".
inline double parse_any_fraction(std::string_view text, std::string_view what) { return parse_fraction(text, what, 0, 1e18); }

using Duration = TextNumber<Seconds, parse_duration>;     ///< in seconds, or a text such as "10min"
using ByteCount = TextNumber<std::int64_t, parse_bytes>;  ///< in bytes, or a text such as "2MiB"
using ByteLimit = TextNumber<double, parse_byte_limit>;   ///< in bytes, possibly infinite, or a text
using Fraction = TextNumber<double, parse_any_fraction>;  ///< or a text such as "5%"

/// Returns the shortest text that is read as this number, such as "10min".
std::string to_text(Duration duration);

/// Sizes in a request. Where one is asked, a number, a list and a text of parse_sizes(), such as "200:3200:200", are read alike
/// (support/request_types.hpp).
class SizeList : public std::vector<std::int64_t> {
 public:
  static constexpr std::int64_t max_size = 1'000'000, max_count = 100'000;

  using std::vector<std::int64_t>::vector;
  SizeList(std::vector<std::int64_t> sizes) : vector(std::move(sizes)) {}  // NOLINT(google-explicit-constructor): they are one thing
};

/// Sizes by the names of arguments, such as {"m", {1000, 2000}}.
using NamedSizes = std::map<std::string, SizeList>;

/// Reads a text. Messages begin with `what`. Throws as parse_sizes() does for sizes from 1 to SizeList::max_size.
void parse_text(std::string_view text, std::string_view what, SizeList& to);

/// Returns the shortest text that parse_sizes() reads as these sorted sizes, such as "8:128:8,160".
std::string to_text(const SizeList& sizes);

/// Direction of a number: which values are good.
enum class Best : unsigned char { neither, large, small };

/// Returns the unit of a number, or of the ends of an interval, by the end of its name, such as "s" for measuring_seconds and
/// seconds_interval; empty for other names.
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
  bool is_rare = false;                                        ///< on the command line only --help-all shows the option
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
  /// Few people need the option: the command's --help leaves it to --help-all.
  [[nodiscard]] Field rare() const {
    Field field = *this;
    field.is_rare = true;
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
