#include "flopcast/predict/carried_over.hpp"

namespace flopcast::prediction {

Seconds carried_over(Seconds recorded, Seconds expected_there, Seconds expected_elsewhere) noexcept {
  if (recorded >= expected_there || expected_there <= 0) {
    return expected_elsewhere + (recorded - expected_there);
  }
  return expected_elsewhere * (recorded / expected_there);
}

}  // namespace flopcast::prediction
