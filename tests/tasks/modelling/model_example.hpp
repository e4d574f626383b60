#pragma once

#include <string>

#include "flopcast/core/kernel_model.hpp"

namespace flopcast {

inline model::Model example_model(const std::string& routine, const std::string& library) {
  model::Model model;
  model.key = {routine, "L", "", ".", "warm", 1, library};
  model.generator = "refined";
  model.options.refinement.emplace();
  model.sizes = {"n"};
  model.domain = {{{8}, {128}}};
  model::Piece piece;
  piece.box = model.domain.front();
  piece.polynomial = {{0}, {1}, {model::Monomial{3}}, {1e-9}};
  piece.error.maximum = 0.02;
  model.pieces = {piece, piece};
  model.pieces.back().error.maximum = 0.07;
  model.cost = {10, 0.5};
  return model;
}

}  // namespace flopcast
