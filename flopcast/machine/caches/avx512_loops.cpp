#include "flopcast/machine/caches/instruction_sets.hpp"
#include "flopcast/machine/caches/x86_loops.hpp"

// This file is compiled for AVX-512 (CMakeLists.txt), and executed only where the CPU has it.
namespace flopcast::machine {

#if defined(__AVX512F__)
namespace {

typedef double Doubles [[gnu::vector_size(64), gnu::may_alias]];
typedef float Floats [[gnu::vector_size(64), gnu::may_alias]];

constexpr std::array compute_table = {
    loops::compute_kernel<loops::Added<double>, double, Doubles>("AVX-512"),
    loops::compute_kernel<loops::Fused<double>, double, Doubles>("AVX-512"),
    loops::compute_kernel<loops::Added<float>, float, Floats>("AVX-512"),
    loops::compute_kernel<loops::Fused<float>, float, Floats>("AVX-512"),
};
constexpr std::array bandwidth_table = loops::stream_kernels<Doubles>("AVX-512", loops::AllStreams(), loops::NontemporalStreams());

}  // namespace

InstructionSet avx512_loops() noexcept { return {compute_table, bandwidth_table}; }
#else
InstructionSet avx512_loops() noexcept { return {}; }
#endif

}  // namespace flopcast::machine
