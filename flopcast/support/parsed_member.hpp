#pragma once

#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "flopcast/support/error.hpp"
#include "flopcast/support/json.hpp"

namespace flopcast {

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
