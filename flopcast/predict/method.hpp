#pragma once

#include <cstdint>
#include <string_view>

namespace flopcast::predict {

/// How a kernel's time follows from where its operands lie.
enum class Method : std::uint8_t {
  placed,  ///< models are asked for every operand in its own level
  levels,  ///< blend of models of whole calls in each level, weighted by the bytes that lie there
  paper,   ///< blend of warm and cold, weighted by a smoothed access distance relative to one cache (paper 000, section 3)
  warm,    ///< all operands cached (paper 000, section 2.5)
  cold,    ///< none (paper 000, section 2.5)
};

std::string_view to_string(Method method);
/// Reads `placed`, `levels`, `paper`, `warm` or `cold`; throws bad_input otherwise.
Method parse_method(std::string_view text);

}  // namespace flopcast::predict
