#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/contract/notation/contraction.hpp"

namespace flopcast::contract {

/// Contents of one of NumPy's .npy files.
struct Array {
  Precision precision = Precision::d;
  Order order = Order::row_major;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> elements;
};

/// Reads the contents of a .npy file (versions 1 to 3) of little-endian float32, float64, complex64 or complex128, whatever NumPy's name
/// for the type ("<f8", "=f8", "float64"). Throws bad_input, which names `file` and the problem: no .npy file, another type of elements,
/// fewer or more bytes than the shape requires.
Array parse_npy(std::string_view contents, std::string_view file);

/// Returns the contents of a .npy file, version 1.
std::string format_npy(const Array& array);

}  // namespace flopcast::contract
