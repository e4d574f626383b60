#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "flopcast/selective/kernel_table.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::preload::smpi {

/// Times of a simulation's kernels, which the command line's models give.
class ModelledTimes {
 public:
  /// Reads the times in `file`; none for an empty name. Throws bad_input if the file has another form.
  static ModelledTimes read(const std::string& file);

  [[nodiscard]] std::optional<Seconds> find(const selective::KernelKey& key) const;
  /// Returns a substitute for an unknown time, so that the program can be traced at all.
  [[nodiscard]] static Seconds nominal(double flops) noexcept;

 private:
  std::unordered_map<selective::KernelKey, Seconds, selective::KernelKeyHash> seconds_;
};

}  // namespace flopcast::preload::smpi
