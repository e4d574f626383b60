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
