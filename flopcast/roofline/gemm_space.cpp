#include "flopcast/roofline/gemm_space.hpp"

#include <algorithm>
#include <set>

#include "flopcast/support/combinations.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::roofline {
namespace {

std::vector<std::int64_t> powers_of_two(std::int64_t first, std::int64_t last) {
  std::vector<std::int64_t> values;
  for (std::int64_t value = first; value <= last; value *= 2) {
    values.push_back(value);
  }
  return values;
}

void require_distinct(const char* name, const std::vector<std::int64_t>& values) {
  if (values.empty() || std::set<std::int64_t>(values.begin(), values.end()).size() < values.size()) {
    throw bad_input("space of dgemm: parameter {} has the values [{}], expected at least one and none twice", name,
                    fmt::join(values, ", "));
  }
}

}  // namespace

std::int64_t GemmSpace::elements() const {
  std::int64_t most = 0;
  for (const GemmShape& shape : shapes) {
    most = std::max(most, shape.elements());
  }
  return most;
}

GemmSpace gemm_space(const std::vector<std::int64_t>& m, const std::vector<std::int64_t>& n, const std::vector<std::int64_t>& k) {
  constexpr std::size_t max_shapes = 100'000;
  if (combination_count<std::int64_t>({m, n, k}, max_shapes + 1) > max_shapes) {
    throw bad_input("m, n and k make more than {} shapes of gemm; give fewer values, or larger steps", max_shapes);
  }
  require_distinct("m", m);
  require_distinct("n", n);
  require_distinct("k", k);
  GemmSpace result{"own", {}};
  for_each_combination<std::int64_t>({m, n, k}, [&](const auto& sizes) { result.shapes.push_back({sizes[0], sizes[1], sizes[2]}); });
  return result;
}

GemmSpace gemm_space(std::string_view name) {
  GemmSpace space;
  if (name == "full") {
    space = gemm_space(powers_of_two(64, 4096), powers_of_two(64, 4096), powers_of_two(2, 2048));
  } else if (name == "reduced" || name == "brief") {
    space = gemm_space({500, 1000, 2000, 4000}, powers_of_two(512, 4096), powers_of_two(64, 2048));
  } else {
    throw usage_error("space '{}' given, expected brief, reduced or full", name);
  }
  if (name == "brief") {
    std::erase_if(space.shapes, [](const GemmShape& shape) { return shape.flops() > brief_flops; });
  }
  space.name = name;
  return space;
}

}  // namespace flopcast::roofline
