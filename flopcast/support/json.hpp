#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <nlohmann/json.hpp>

#include "flopcast/support/error.hpp"

/// JSON documents that may be damaged, or written by somebody else: errors name the document and the member.
namespace flopcast {

/// Author of documents of a kind. Documents written by hand may contain a member twice, of which a parser silently keeps the last.
enum class WrittenBy { program, hand };

/// Parses `text`; `document` names it in messages. Throws bad_input with line and column where the text is cut off or no JSON. Throws
/// bad_input with the member where a number is beyond a double, arrays and objects are nested deeper than 100 levels, or (if written by
/// hand) an object has two members of one name.
nlohmann::json parse_json(std::string_view text, const std::string& document, WrittenBy author = WrittenBy::program);

/// Returns the message of nlohmann's exception without the library's name for it.
std::string reason(const nlohmann::json::exception& error);

/// `value` as text for messages, cut after 60 characters.
std::string shown(const nlohmann::json& value);

/// Checks the member "schema" of `document`, which `name` names in messages. Throws bad_input unless it is `schema`.
void require_schema(const nlohmann::json& document, const std::string& name, std::string_view schema);

/// Error that says which member of a document is wrong, and why.
class MemberError : public nlohmann::json::exception {
 public:
  /// `place` is the member's path, e.g. "kernels[3].mean"; empty for the document itself.
  MemberError(std::string place, std::string fault);
  /// Returns this error as seen from the object or array that holds the place: `outer` is a member's name or "[index]".
  [[nodiscard]] MemberError within(const std::string& outer) const;
  [[nodiscard]] const std::string& fault() const { return fault_; }

 private:
  std::string place_, fault_;
};

/// Runs `read` on the contents of `outer`; its errors name the place.
template <class Read>
decltype(auto) at_place(const std::string& outer, Read&& read) {
  try {
    return read();
  } catch (const MemberError& error) {
    throw error.within(outer);
  } catch (const nlohmann::json::exception& error) {
    throw MemberError(outer, reason(error));
  }
}

/// Runs `read` on the contents of `document`; members that are missing or wrong become bad_input with the document's name.
template <class Read>
decltype(auto) in_document(const std::string& document, Read&& read) {
  try {
    return read();
  } catch (const nlohmann::json::exception& error) {
    throw bad_input("{} is damaged: {}", document, reason(error));
  }
}

namespace json_detail {

[[noreturn]] void refuse(const nlohmann::json& value, const std::string& expected);
bool truth(const nlohmann::json& value);
double number(const nlohmann::json& value);
std::int64_t whole(const nlohmann::json& value, std::int64_t least, std::int64_t most);
std::uint64_t natural(const nlohmann::json& value);
const std::string& text(const nlohmann::json& value);
const nlohmann::json& elements(const nlohmann::json& value);  ///< elements of an array
const nlohmann::json& members(const nlohmann::json& value);   ///< members of an object
const nlohmann::json& member(const nlohmann::json& object, const char* name);

inline std::string place(std::size_t index) { return '[' + std::to_string(index) + ']'; }

}  // namespace json_detail

template <class T>
void read_value(const nlohmann::json& value, std::vector<T>& to);
template <class T, std::size_t n>
void read_value(const nlohmann::json& value, std::array<T, n>& to);
template <class T>
void read_value(const nlohmann::json& value, std::map<std::string, T>& to);
/// Converts `value` without loss: numbers must be within the range of T, and no value of another type is taken for one.
template <class T>
void read_value(const nlohmann::json& value, T& to) {
  if constexpr (std::is_same_v<T, bool>) {
    to = json_detail::truth(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    to = static_cast<T>(json_detail::number(value));
  } else if constexpr (std::is_same_v<T, std::uint64_t>) {
    to = json_detail::natural(value);
  } else if constexpr (std::is_integral_v<T>) {
    to = static_cast<T>(json_detail::whole(value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
  } else if constexpr (std::is_same_v<T, std::string>) {
    to = json_detail::text(value);
  } else {
    value.get_to(to);
  }
}
template <class T>
void read_value(const nlohmann::json& value, std::vector<T>& to) {
  const nlohmann::json& array = json_detail::elements(value);
  to.assign(array.size(), T());
  for (std::size_t i = 0; i < array.size(); ++i) {
    at_place(json_detail::place(i), [&] {
      if constexpr (std::is_same_v<T, bool>) {
        to[i] = json_detail::truth(array[i]);
      } else {
        read_value(array[i], to[i]);
      }
    });
  }
}
template <class T, std::size_t n>
void read_value(const nlohmann::json& value, std::array<T, n>& to) {
  const nlohmann::json& array = json_detail::elements(value);
  if (array.size() != n) {
    json_detail::refuse(value, "an array of " + std::to_string(n));
  }
  for (std::size_t i = 0; i < n; ++i) {
    at_place(json_detail::place(i), [&] { read_value(array[i], to[i]); });
  }
}
template <class T>
void read_value(const nlohmann::json& value, std::map<std::string, T>& to) {
  to.clear();
  for (const auto& [name, member] : json_detail::members(value).items()) {
    at_place(name, [&, &own = to[name], &from = member] { read_value(from, own); });
  }
}

/// Reads member `name` of `object`, which must be there. Throws MemberError.
template <class T>
void read_member(const nlohmann::json& object, const char* name, T& to) {
  const nlohmann::json& value = json_detail::member(object, name);
  at_place(name, [&] { read_value(value, to); });
}
template <class T>
[[nodiscard]] T member(const nlohmann::json& object, const char* name) {
  T value{};
  read_member(object, name, value);
  return value;
}
/// Returns member(object, name) as T, or `otherwise` if there is no such member.
template <class T>
[[nodiscard]] T member_or(const nlohmann::json& object, const char* name, T otherwise) {
  if (json_detail::members(object).contains(name)) {
    read_member(object, name, otherwise);
  }
  return otherwise;
}
[[nodiscard]] inline std::string member_or(const nlohmann::json& object, const char* name, const char* otherwise) {
  return member_or(object, name, std::string(otherwise));
}
/// Returns parse(text) of a value that is a text. Throws MemberError with the message of an Error that `parse` throws, and for other values.
template <class Parse>
auto parsed_text(const nlohmann::json& value, Parse&& parse) {
  const std::string& text = json_detail::text(value);
  try {
    return parse(text);
  } catch (const Error& error) {
    throw MemberError("", error.what());
  }
}
/// Returns parse(text) of the member `name`.
template <class Parse>
auto parsed_text(const nlohmann::json& object, const char* name, Parse&& parse) {
  const nlohmann::json& value = json_detail::member(object, name);
  return at_place(name, [&] { return parsed_text(value, parse); });
}
/// Element `index` of `array`, which must be there. Throws MemberError.
template <class T>
[[nodiscard]] T element(const nlohmann::json& array, std::size_t index) {
  T value{};
  at_place(json_detail::place(index), [&] { read_value(json_detail::elements(array).at(index), value); });
  return value;
}

/// Calls read(element) for the elements of the array that member `name` is; errors name member and index.
template <class Read>
void for_each_element(const nlohmann::json& object, const char* name, Read&& read) {
  const nlohmann::json& array = json_detail::member(object, name);
  at_place(name, [&] {
    for (std::size_t i = 0; i < json_detail::elements(array).size(); ++i) {
      at_place(json_detail::place(i), [&] { read(array[i]); });
    }
  });
}

}  // namespace flopcast
