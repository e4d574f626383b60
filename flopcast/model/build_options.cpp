#include "flopcast/core/kernel_model.hpp"

#include "flopcast/support/error.hpp"

namespace flopcast::model {
namespace {

constexpr std::int64_t widest = 1'000'000;

template <class T>
void require(const char* option, T value, T low, T high) {
  if (!(value >= low && value <= high)) {
    throw bad_input("refinement option {} is {}; expected {} to {}", option, value, low, high);
  }
}

}  // namespace

void check(const RefinementOptions& options) {
  require("minimum width", options.min_width, std::int64_t{1}, widest);
  require("minimum size", options.min_size, std::int64_t{1}, widest);
  require<double>("error bound", options.error_bound, 1e-6, 10.0);
  require("degree", options.degree, 0, highest_degree);
  require("oversampling", options.oversampling, 0, 20);
  require("maximum depth", options.max_depth, 0, 64);
}

void check(const LevelsOptions& options) {
  if (options.measurements < 1 || options.measurements > 1000) {
    throw bad_input("measurements per memory level: {} given, expected 1 to 1000", options.measurements);
  }
  if (options.min_width < 1) {
    throw bad_input("minimum width of the levels' sampling points: {} given, expected at least 1", options.min_width);
  }
}
}  // namespace flopcast::model
