#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "flopcast/core/sample.hpp"
#include "flopcast/model/box.hpp"
#include "flopcast/model/estimate.hpp"
#include "flopcast/model/least_squares.hpp"
#include "flopcast/model/polynomial.hpp"

namespace flopcast::model {

/// A polynomial for the execution time over a part of a model's domain.
struct Piece {
  Box box;
  /// It holds where the footprint lies in [bytes_low, bytes_high): the memory levels of paper 001, or the sides of a threshold. Everywhere
  /// in the box by default.
  double bytes_low = 0, bytes_high = std::numeric_limits<double>::infinity();
  Polynomial polynomial;  ///< seconds
  Seconds floor = 0;      ///< no estimate is below it: half of the smallest sample, as a polynomial may dip below 0 between samples
  FitError error;
  std::int64_t samples = 0;  ///< points that the polynomial was fitted to
  friend bool operator==(const Piece&, const Piece&) = default;
};

/// What building a model took.
struct Cost {
  std::int64_t samples = 0;  ///< points measured
  Seconds seconds = 0;       ///< spent on measuring them
  friend bool operator==(const Cost&, const Cost&) = default;
};

/// Execution time of all calls that share a key, as a function of their sizes: a sub-model of paper 000, section 2.1. It holds on the
/// machine and library whose fingerprint is in the key.
struct Model {
  ModelKey key;
  std::string generator;           ///< "refined" (paper 000), "levels" (paper 001)
  nlohmann::json options;          ///< that it was built with
  std::vector<std::string> sizes;  ///< names of the size arguments: "m", "n"
  std::vector<Box> domain;         ///< what was sampled; the pieces cover it
  Polynomial footprint;            ///< where pieces depend on it, bytes or (options "thresholds") the product of all sizes; otherwise empty
  std::vector<Piece> pieces;       ///< on a face that pieces share the first one holds
  Cost cost;
  friend bool operator==(const Model&, const Model&) = default;
};

/// Time of a call with `sizes` (one per Model::sizes).
///
/// Outside of the domain it is the time at the nearest point of the domain times the product over the sizes of (size / nearest size)^p,
/// where p is the local exponent there (d log seconds / d log size, kept within 0 to 3); the estimate is marked as extrapolated, and its
/// error grows by 0.5 for every doubling. Throws bad_input if the number of sizes is wrong.
Estimate evaluate(const Model& model, std::span<const std::int64_t> sizes);

/// Finds the first piece that holds at a point of the domain.
using PieceFinder = std::function<const Piece&(std::span<const std::int64_t> sizes)>;
/// The same with another way to find the piece.
Estimate evaluate(const Model& model, std::span<const std::int64_t> sizes, const PieceFinder& find);

/// Whether `piece` of `model` holds at `sizes`.
bool holds(const Model& model, const Piece& piece, std::span<const std::int64_t> sizes) noexcept;

/// `dtrsm.LLNU.1.warm.refined.3f2a91bc`: routine, flags, classes of scalars (m for -1) and strides (where one is unusual), cache state,
/// threads (where not one), generator and the first eight letters of the fingerprint; what the user calls a model.
std::string name(const Model& model);

void to_json(nlohmann::json& json, const Piece& piece);
void from_json(const nlohmann::json& json, Piece& piece);
/// The document {"schema": "flopcast-model-1", ...}; from_json throws bad_input saying what is wrong.
void to_json(nlohmann::json& json, const Model& model);
void from_json(const nlohmann::json& json, Model& model);

}  // namespace flopcast::model
