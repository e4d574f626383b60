#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/core/kernel_model.hpp"
#include "flopcast/tasks/modelling/modelling.hpp"

namespace flopcast {

/// One routine with its flags and scalars, over ranges of its sizes.
struct ModelledKernel {
  const Routine* routine = nullptr;
  std::map<std::string, std::string> fixed;  ///< flags, scalars, leading dimensions by name
  std::vector<std::string> names;            ///< names of the sizes, in the order of the interface
  std::vector<model::Box> domain;

  /// Returns the call at `sizes`. A domain may have a corner that the routine doesn't take, such as one with n < k where n >= k is needed.
  /// There the result is a call with smaller sizes that the routine takes, whose time the model has in that corner, too: nobody asks for it.
  [[nodiscard]] Call call(std::span<const std::int64_t> sizes) const;
  /// Returns the call at the upper end of the first domain, which stands for all in flags, scalars and strides. Throws bad_input if the
  /// routine doesn't take its sizes.
  [[nodiscard]] Call example() const { return call_of(domain.front().high); }

 private:
  [[nodiscard]] Call call_of(std::span<const std::int64_t> sizes) const;
  [[nodiscard]] bool takes(std::span<const std::int64_t> sizes) const;
};

/// Returns the kernel of a request. Throws bad_input that names the size or argument which is missing or wrong.
ModelledKernel modelled_kernel(const ModelRequest& request);

/// Returns the smallest box that holds the whole domain.
model::Box hull(const std::vector<model::Box>& domain);

}  // namespace flopcast
