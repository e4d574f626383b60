#include "flopcast/contract/panel_loops.hpp"
#include "flopcast/contract/panel_tables.hpp"

// For every CPU; the compiler makes of the vectors what there is.
namespace flopcast::contract {

namespace {

typedef double Doubles [[gnu::vector_size(16)]];
typedef float Floats [[gnu::vector_size(16)]];

}  // namespace

PanelKernels baseline_panels() noexcept {
  return {panel_loops::panel_kernel<Floats, float, 2, 4>("baseline"), panel_loops::panel_kernel<Doubles, double, 2, 4>("baseline")};
}

}  // namespace flopcast::contract
