#pragma once

#include <cstdint>
#include <string_view>

namespace flopcast::prediction {

/// Ways to derive a kernel's time from the cache levels of its operands.
enum class Method : std::uint8_t {
  placed,  ///< models are evaluated with every operand in its own level
  levels,  ///< blend of models of whole calls in each level, weighted by the bytes in the level
  paper,   ///< blend of warm and cold, weighted by a smoothed access distance relative to one cache (Peise and Bientinesi 2014, section 3)
  warm,    ///< all operands cached (Peise and Bientinesi 2014, section 2.5)
  cold,    ///< no operands cached (Peise and Bientinesi 2014, section 2.5)
};

std::string_view to_string(Method method);

}  // namespace flopcast::prediction
