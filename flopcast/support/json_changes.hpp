#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "flopcast/support/error.hpp"
#include "flopcast/support/json.hpp"

/// Changes that make documents of earlier schemas readable as present ones. Errors name members as they stand in the document.
namespace flopcast {

/// Calls change(element) for the elements of the array that member `name` is; errors name member and index.
template <class Change>
void change_elements(nlohmann::json& object, const char* name, Change&& change) {
  static_cast<void>(json_detail::member(object, name));
  nlohmann::json& array = object[name];
  at_place(name, [&] {
    for (std::size_t i = 0; i < json_detail::elements(array).size(); ++i) {
      at_place(json_detail::place(i), [&] { change(array[i]); });
    }
  });
}

/// Gives member `before`, if there is one, the name `now`. Throws MemberError if it is no T.
template <class T>
void rename_member(nlohmann::json& object, const char* before, const char* now) {
  if (json_detail::members(object).contains(before)) {
    object[now] = member<T>(object, before);
    object.erase(before);
  }
}

/// Returns parse(text) of a member that is a text. Throws MemberError with the message of an Error that `parse` throws.
template <class Parse>
auto parsed_member(const nlohmann::json& object, const char* name, Parse&& parse) {
  const auto text = member<std::string>(object, name);
  try {
    return parse(text);
  } catch (const Error& error) {
    throw MemberError(name, error.what());
  }
}

}  // namespace flopcast
