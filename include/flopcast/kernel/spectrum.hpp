#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "flopcast/core/call.hpp"

namespace flopcast::kernel {

/// The eigenvalues or singular values of a generated matrix. Their absolute values lie between 0 and 1.
enum class Spectrum : std::uint8_t {
  uniform,    ///< evenly spaced
  clustered,  ///< eight numbers, each of which occurs many times
  geometric,  ///< equal ratios of neighbours, from 1 to the precision of the numbers
  deficient,  ///< one half evenly spaced, the other half zero
};

inline constexpr std::array spectrum_names{std::pair<Spectrum, std::string_view>{Spectrum::uniform, "uniform"},
                                           std::pair<Spectrum, std::string_view>{Spectrum::clustered, "clustered"},
                                           std::pair<Spectrum, std::string_view>{Spectrum::geometric, "geometric"},
                                           std::pair<Spectrum, std::string_view>{Spectrum::deficient, "deficient"}};

std::string to_string(Spectrum spectrum);

/// Overwrites operand A of `call`, which has a real address, with a matrix of this spectrum and random singular vectors. A routine with a flag
/// `uplo` gets a symmetric or Hermitian matrix, whose eigenvalues alternate in sign. Deterministic in `seed`. Takes O(m n log(m n)) operations.
void fill_spectrum(const Call& call, Spectrum spectrum, std::uint64_t seed);

}  // namespace flopcast::kernel
