#include "flopcast/contract/einsum/row_kernel.hpp"
#include "flopcast/contract/einsum/row_loops.hpp"

// The kernels for every CPU. The compiler maps the vectors to the available instructions.
namespace flopcast::contract {

RowKernels baseline_rows() noexcept { return row_loops::all_rows<16>(); }

}  // namespace flopcast::contract
