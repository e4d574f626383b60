#include "flopcast/tasks/roofline/roofline_request.hpp"

#include <algorithm>

#include "flopcast/measure/memory.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast {

std::optional<search::Order> requested_order(const RooflineOptions& options) {
  return options.order.empty() ? std::nullopt : std::optional(search::parse_order(options.order));
}

roofline::GemmSpace requested_space(const RooflineOptions& options) {
  constexpr std::int64_t largest = 1'000'000, max_shapes = 100'000;
  const bool own = !options.m.empty() || !options.n.empty() || !options.k.empty();
  if (!own) {
    return roofline::gemm_space(options.space.empty() ? "brief" : options.space);
  }
  if (!options.space.empty()) {
    throw usage_error("give either --space or sizes (--m, --n, --k), not both");
  }
  if (options.m.empty() || options.n.empty() || options.k.empty()) {
    throw usage_error("a space of one's own needs all of --m, --n and --k");
  }
  const std::vector<std::int64_t> m = parse_sizes(options.m, "--m", 1, largest), n = parse_sizes(options.n, "--n", 1, largest),
                                  k = parse_sizes(options.k, "--k", 1, largest);
  const double count = static_cast<double>(m.size()) * static_cast<double>(n.size()) * static_cast<double>(k.size());
  if (count > static_cast<double>(max_shapes)) {
    throw bad_input("a space of {:.0f} shapes given, expected at most {}", count, max_shapes);
  }
  return roofline::gemm_space(m, n, k);
}

void require_distinct(std::vector<std::string> names, const char* option) {
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) {
    throw usage_error("{} names '{}' twice", option, *twice);
  }
}

void require_memory(const roofline::GemmSpace& space) {
  const auto needed = 8.0 * static_cast<double>(space.elements()), available = static_cast<double>(measure::available_memory_bytes());
  if (needed > available) {
    throw bad_input("the largest matrices of the space need {} of memory, but only {} are available", format_bytes(needed),
                    format_bytes(available));
  }
}

}  // namespace flopcast
