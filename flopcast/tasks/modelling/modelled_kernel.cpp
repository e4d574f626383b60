#include "flopcast/tasks/modelling/modelled_kernel.hpp"

#include <algorithm>
#include <cstddef>

#include <fmt/ranges.h>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/support/combinations.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast {
namespace {

constexpr std::int64_t largest_size = 1'000'000;

void check(const std::string& routine, const std::string& size, const std::vector<SizeRange>& ranges) {
  if (ranges.empty()) {
    throw bad_input("size '{0}' of {1} has no range; give a range such as {0}=8:1024 or one value", size, routine);
  }
  for (const SizeRange& range : ranges) {
    if (range.low < 1 || range.high > largest_size) {
      throw bad_input("size {} of {}: the range {}:{} isn't within 1 to {}", size, routine, range.low, range.high, largest_size);
    }
    if (range.high < range.low) {
      throw bad_input("size {} of {}: the range {}:{} ends before it starts", size, routine, range.low, range.high);
    }
  }
}

std::vector<model::Box> boxes(const std::vector<std::vector<SizeRange>>& ranges) {
  constexpr std::size_t max_boxes = 10'000;
  if (combination_count(ranges, max_boxes + 1) > max_boxes) {
    throw bad_input("the ranges of sizes make more than {} domains of a model; give fewer of them", max_boxes);
  }
  std::vector<model::Box> all;
  for_each_combination(ranges, [&](const std::vector<SizeRange>& chosen) {
    model::Box& box = all.emplace_back();
    for (const SizeRange& range : chosen) {
      box.low.push_back(range.low);
      box.high.push_back(range.high);
    }
  });
  return all;
}

}  // namespace

Call ModelledKernel::call(std::span<const std::int64_t> sizes) const {
  if (takes(sizes)) {
    return call_of(sizes);
  }
  model::Sizes smaller(sizes.begin(), sizes.end());
  for (std::size_t d = smaller.size(); d-- > 0;) {  // one size is too large: the last one first, such as k beside m and n
    std::int64_t taken = 0;
    for (std::int64_t refused = sizes[d]; refused - taken > 1;) {
      smaller[d] = taken + (refused - taken) / 2;
      (takes(smaller) ? taken : refused) = smaller[d];
    }
    if (taken > 0) {
      smaller[d] = taken;
      return call_of(smaller);
    }
    smaller[d] = sizes[d];
  }
  for (std::size_t d = 1; d < smaller.size(); ++d) {  // several are, as where m >= n >= k is needed
    smaller[d] = std::min(smaller[d], smaller[d - 1]);
  }
  return takes(smaller) ? call_of(smaller) : call_of(sizes);
}

bool ModelledKernel::takes(std::span<const std::int64_t> sizes) const {
  try {
    static_cast<void>(call_of(sizes));
    return true;
  } catch (const Error&) {
    return false;
  }
}

Call ModelledKernel::call_of(std::span<const std::int64_t> sizes) const {
  std::map<std::string, std::string> arguments = fixed;
  for (std::size_t d = 0; d < names.size(); ++d) {
    arguments[names[d]] = std::to_string(sizes[d]);
  }
  return kernel::parse_call(*routine, arguments);
}

ModelledKernel modelled_kernel(const ModelRequest& request) {
  ModelledKernel kernel;
  kernel.routine = &kernel::require(request.routine);
  kernel.fixed = request.arguments;
  std::vector<std::vector<SizeRange>> ranges;
  for (const Argument& argument : kernel.routine->arguments) {
    if (argument.kind != Kind::size) {
      continue;
    }
    const auto given = request.sizes.find(argument.name);
    if (given == request.sizes.end()) {
      throw bad_input("size '{0}' of {1} is missing; give a range such as {0}=8:1024 or one value", argument.name, kernel.routine->name);
    }
    check(kernel.routine->name, given->first, given->second);
    ranges.push_back(given->second);
    kernel.names.push_back(argument.name);
  }
  if (kernel.names.empty()) {
    throw bad_input("{} has no size: there is nothing to model", kernel.routine->name);
  }
  for (const auto& [name, unused] : request.sizes) {
    if (std::find(kernel.names.begin(), kernel.names.end(), name) == kernel.names.end()) {
      throw bad_input("{} has no size '{}'; its sizes are {}", kernel.routine->name, name, fmt::join(kernel.names, ", "));
    }
  }
  kernel.domain = boxes(ranges);
  static_cast<void>(kernel.example());  // refuses unknown names and illegal values now, before anything is measured
  return kernel;
}

model::Box hull(const std::vector<model::Box>& domain) {
  model::Box whole = domain.front();
  for (const model::Box& box : domain) {
    for (std::size_t d = 0; d < whole.dimensions(); ++d) {
      whole.low[d] = std::min(whole.low[d], box.low[d]);
      whole.high[d] = std::max(whole.high[d], box.high[d]);
    }
  }
  return whole;
}

}  // namespace flopcast
