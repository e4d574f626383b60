#include "flopcast/selective/verdict.hpp"

#include <array>
#include <cstddef>

namespace flopcast::selective {

std::string_view to_string(Rule rule) noexcept {
  constexpr std::array<std::string_view, 13> names = {"everything",       "chance",           "brief",  "window",        "deviant_time",
                                                      "implausible_time", "known_everywhere", "known",  "within_budget", "predicted",
                                                      "unseen",           "unsure",           "recheck"};
  return names[static_cast<std::size_t>(rule)];
}

}  // namespace flopcast::selective
