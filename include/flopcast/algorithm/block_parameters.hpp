#pragma once

#include <cstdint>

namespace flopcast::algorithm {

/// The parameters of a blocked algorithm that LAPACK requests from ilaenv, in columns.
struct BlockParameters {
  std::int64_t nb =
      32;  ///< ISPEC 1: block size; 1 or more than the order: unblocked. A recursion ends there (Peise and Bientinesi 2014, section 4: 24)
  std::int64_t nbmin = 2;  ///< ISPEC 2: smallest block size worth using when the workspace is short
  std::int64_t nx = 128;   ///< ISPEC 3: crossover, the order below which the rest is done unblocked
  friend bool operator==(const BlockParameters&, const BlockParameters&) = default;
};

}  // namespace flopcast::algorithm
