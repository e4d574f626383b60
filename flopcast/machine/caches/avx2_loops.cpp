#include "flopcast/machine/caches/instruction_sets.hpp"
#include "flopcast/machine/caches/x86_loops.hpp"

// This file is compiled for AVX2 and FMA (CMakeLists.txt), and executed only where the CPU has them.
namespace flopcast::machine {

#if defined(__AVX2__) && defined(__FMA__)
namespace {

typedef double Doubles [[gnu::vector_size(32), gnu::may_alias]];
typedef float Floats [[gnu::vector_size(32), gnu::may_alias]];

constexpr std::array compute_table = {
    loops::compute_kernel<loops::Fused<double>, double, double>("scalar"),
    loops::compute_kernel<loops::Fused<float>, float, float>("scalar"),
    loops::compute_kernel<loops::Added<double>, double, Doubles>("AVX2"),
    loops::compute_kernel<loops::Fused<double>, double, Doubles>("AVX2"),
    loops::compute_kernel<loops::Added<float>, float, Floats>("AVX2"),
    loops::compute_kernel<loops::Fused<float>, float, Floats>("AVX2"),
};
constexpr std::array bandwidth_table = loops::stream_kernels<Doubles>("AVX2", loops::AllStreams(), loops::NontemporalStreams());

}  // namespace

InstructionSet avx2_loops() noexcept { return {compute_table, bandwidth_table}; }
#else
InstructionSet avx2_loops() noexcept { return {}; }
#endif

}  // namespace flopcast::machine
