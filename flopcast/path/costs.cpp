#include "flopcast/path/costs.hpp"

#include <algorithm>

namespace flopcast::path {

Costs& Costs::operator+=(const Costs& other) noexcept {
  for (const Metric& metric : metrics) {
    this->*metric.value += other.*metric.value;
  }
  return *this;
}

Costs greatest(const Costs& a, const Costs& b) noexcept {
  Costs result;
  for (const Metric& metric : metrics) {
    result.*metric.value = std::max(a.*metric.value, b.*metric.value);
  }
  return result;
}

}  // namespace flopcast::path
