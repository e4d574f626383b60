#pragma once

#include <chrono>

#include "flopcast/support/units.hpp"

namespace flopcast {

/// Seconds since it was made; for progress and budgets, not for what is measured.
class Stopwatch {
 public:
  [[nodiscard]] Seconds elapsed() const { return std::chrono::duration<Seconds>(std::chrono::steady_clock::now() - begin_).count(); }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace flopcast
