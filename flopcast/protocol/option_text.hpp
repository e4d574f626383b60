#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "flopcast/support/error.hpp"
#include "flopcast/support/fields.hpp"

/// Options that flopcast passes to a preloaded library as the text of an environment variable.
namespace flopcast::protocol {

/// Returns the options that `text`, the value of `variable`, holds. Throws bad_input if the text has another form.
template <Structure Options>
Options options_in(const std::string& text, const char* variable) {
  try {
    return nlohmann::json::parse(text).get<Options>();
  } catch (const nlohmann::json::exception& error) {
    throw bad_input("{} has a value that flopcast did not write: {}", variable, reason(error));
  }
}

}  // namespace flopcast::protocol
