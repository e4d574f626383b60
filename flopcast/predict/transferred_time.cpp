#include "flopcast/predict/transferred_time.hpp"

namespace flopcast::prediction {

Seconds transferred_time(Seconds recorded, Seconds expected_there, Seconds expected_elsewhere) noexcept {
  if (recorded >= expected_there || expected_there <= 0) {
    return expected_elsewhere + (recorded - expected_there);
  }
  return expected_elsewhere * (recorded / expected_there);
}

}  // namespace flopcast::prediction
