#include "flopcast/contract/kernels/batch_loops.hpp"
#include "flopcast/contract/kernels/panel_kernel.hpp"
#include "flopcast/contract/kernels/panel_loops.hpp"

// The kernels for every CPU. The compiler maps the vectors to the available instructions.
namespace flopcast::contract {

namespace {

typedef double Doubles [[gnu::vector_size(16)]];
typedef float Floats [[gnu::vector_size(16)]];

}  // namespace

PanelKernels baseline_panels() noexcept {
  return {
      panel_loops::panel_kernel<Floats, float, 2, 4>("baseline", transpose_loops::one_by_one<float>, batch_loops::run<Floats, float, 2, 4>),
      panel_loops::panel_kernel<Doubles, double, 2, 4>("baseline", transpose_loops::one_by_one<double>,
                                                       batch_loops::run<Doubles, double, 2, 4>)};
}

}  // namespace flopcast::contract
