#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "flopcast/core/sample.hpp"
#include "flopcast/model/box.hpp"
#include "flopcast/model/build_options.hpp"
#include "flopcast/model/estimate.hpp"
#include "flopcast/model/least_squares.hpp"
#include "flopcast/model/polynomial.hpp"

namespace flopcast::model {

/// A polynomial for the execution time in a part of a model's domain.
struct Piece {
  Box box;
  /// The piece holds where the footprint lies in [bytes_low, bytes_high): a memory level of paper 001, or a side of a threshold. By default
  /// it holds everywhere in the box.
  double bytes_low = 0, bytes_high = std::numeric_limits<double>::infinity();
  Polynomial polynomial;  ///< seconds
  Seconds floor = 0;      ///< lower bound of estimates: half of the smallest sample, because a polynomial may dip below 0 between samples
  FitError error;
  std::int64_t samples = 0;  ///< number of points that the polynomial was fitted to
  friend bool operator==(const Piece&, const Piece&) = default;
};

/// The cost of building a model.
struct Cost {
  std::int64_t samples = 0;  ///< number of measured points
  Seconds seconds = 0;       ///< time spent on measuring
  friend bool operator==(const Cost&, const Cost&) = default;
};

/// The execution time of all calls that share a key, as a function of their sizes: a sub-model of paper 000, section 2.1. It holds for the
/// machine and library whose fingerprint is in the key.
struct Model {
  ModelKey key;
  std::string generator;  ///< "refined" (paper 000), "levels" (paper 001)
  BuildOptions options;
  std::vector<std::string> sizes;  ///< names of the size arguments: "m", "n"
  std::vector<Box> domain;         ///< the sampled domain, which the pieces cover
  /// footprint that decides between pieces: bytes or (options "thresholds") the product of all sizes; empty if no piece depends on it
  Polynomial footprint;
  std::vector<Piece> pieces;  ///< on a shared face the first piece holds
  Cost cost;
  friend bool operator==(const Model&, const Model&) = default;
};

/// Returns the time of a call with `sizes` (one per Model::sizes).
///
/// Outside of the domain, the time at the nearest point of the domain is multiplied by the product over the sizes of (size / nearest
/// size)^p. p is the local exponent there (d log seconds / d log size, kept within 0 to 3). Such an estimate is marked as extrapolated, and
/// its error grows by 0.5 for every doubling. Throws bad_input if the number of sizes is wrong.
Estimate evaluate(const Model& model, std::span<const std::int64_t> sizes);

/// Returns whether `piece` of `model` holds at `sizes`.
bool holds(const Model& model, const Piece& piece, std::span<const std::int64_t> sizes) noexcept;

/// Returns the name by which users refer to a model, such as `dtrsm.LLNU.1.warm.refined.3f2a91bc`. Its parts are the routine, flags,
/// classes of scalars (m for -1), cache state, generator and the first eight letters of the fingerprint. Strides follow the scalars if one
/// is unusual, and threads follow the cache state if not one.
std::string name(const Model& model);

}  // namespace flopcast::model
