#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "flopcast/support/units.hpp"
#include "flopcast/selective/kernel_table.hpp"

namespace flopcast::interpose::smpi {

/// What the kernels of a simulation take, as models of the command line say.
class KernelTimes {
 public:
  /// Times in `file`; none for an empty name. Throws bad_input if it is no such file.
  static KernelTimes read(const std::string& file);

  [[nodiscard]] std::optional<Seconds> find(const path::KernelKey& key) const;
  /// What stands in for a time that isn't known, so that the program can be followed at all.
  [[nodiscard]] static Seconds nominal(double flops) noexcept;

 private:
  std::unordered_map<path::KernelKey, Seconds, path::KernelKeyHash> seconds_;
};

}  // namespace flopcast::interpose::smpi
