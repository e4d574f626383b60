#include "flopcast/contract/prediction/stage.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "flopcast/support/error.hpp"

namespace flopcast::contract {
namespace {

constexpr std::array<std::string_view, 6> names = {"repeated", "distance", "prefetching", "failures", "first", "segments"};

}  // namespace

Stage parse_stage(std::string_view text) {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end()) {
    throw bad_input("'{}' is no stage of prediction; the stages are {}", text, fmt::join(names, ", "));
  }
  return static_cast<Stage>(found - names.begin());
}

std::string_view name(Stage stage) { return names[static_cast<std::size_t>(stage)]; }

}  // namespace flopcast::contract
