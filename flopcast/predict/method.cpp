#include "flopcast/predict/method.hpp"

#include <array>
#include <utility>

#include "flopcast/support/error.hpp"

namespace flopcast::prediction {
namespace {

constexpr std::array<std::pair<Method, std::string_view>, 5> methods = {
    {{Method::placed, "placed"}, {Method::levels, "levels"}, {Method::paper, "paper"}, {Method::warm, "warm"}, {Method::cold, "cold"}}};

}  // namespace

std::string_view to_string(Method method) {
  for (const auto& [known, name] : methods) {
    if (known == method) {
      return name;
    }
  }
  throw internal_error("prediction method {} has no name", static_cast<int>(method));
}

}  // namespace flopcast::prediction
