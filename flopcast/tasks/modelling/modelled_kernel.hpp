#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/model/box.hpp"
#include "flopcast/tasks/modelling/modelling.hpp"

namespace flopcast {

/// One routine with its flags and scalars, over ranges of its sizes.
struct ModelledKernel {
  const Routine* routine = nullptr;
  std::map<std::string, std::string> fixed;  ///< flags, scalars, leading dimensions by name
  std::vector<std::string> names;            ///< names of the sizes, in the order of the interface
  std::vector<model::Box> domain;

  /// The call at `sizes`; throws bad_input where the routine doesn't take them.
  [[nodiscard]] Call call(std::span<const std::int64_t> sizes) const;
  /// The call at the upper end of the first domain, which stands for all in flags, scalars and strides.
  [[nodiscard]] Call example() const { return call(domain.front().high); }
};

/// Returns the kernel of a request. Throws bad_input that names the size or argument which is missing or wrong.
ModelledKernel modelled_kernel(const ModelRequest& request);

/// Returns the smallest box that holds the whole domain.
model::Box hull(const std::vector<model::Box>& domain);

}  // namespace flopcast
