#include "flopcast/machine/caches/instruction_sets.hpp"
#include "flopcast/machine/caches/x86_loops.hpp"

namespace flopcast::machine {
namespace {

typedef double Doubles [[gnu::vector_size(16), gnu::may_alias]];
typedef float Floats [[gnu::vector_size(16), gnu::may_alias]];

#if defined(__x86_64__)
constexpr std::array compute_table = {
    loops::compute_kernel<loops::Added<double>, double, double>("scalar"),
    loops::compute_kernel<loops::Separate<double>, double, double>("scalar"),
    loops::compute_kernel<loops::Added<float>, float, float>("scalar"),
    loops::compute_kernel<loops::Separate<float>, float, float>("scalar"),
    loops::compute_kernel<loops::Added<double>, double, Doubles>("SSE"),
    loops::compute_kernel<loops::Separate<double>, double, Doubles>("SSE"),
    loops::compute_kernel<loops::Added<float>, float, Floats>("SSE"),
    loops::compute_kernel<loops::Separate<float>, float, Floats>("SSE"),
};
constexpr std::array bandwidth_table = loops::stream_kernels<Doubles>("SSE", loops::AllStreams(), loops::NontemporalStreams());
#else

// The compiler chooses the instructions: on ARM64 it fuses, and keeps 12 chains in its 32 registers.
struct PortableAddition {
  static constexpr Arithmetic arithmetic = Arithmetic::add;
  static constexpr bool fused = true;
  template <class Vector>
  [[gnu::always_inline]] static void apply(Vector& x, const Vector& /*a*/, const Vector& b) {
    x = x + b;
  }
};
struct MultipliedAdded {
  static constexpr Arithmetic arithmetic = Arithmetic::multiply_add;
  static constexpr bool fused = true;
  template <class Vector>
  [[gnu::always_inline]] static void apply(Vector& x, const Vector& a, const Vector& b) {
    x = x * a + b;
  }
};

struct PortableMemory {
  static constexpr bool nontemporal = false;
  template <class Vector>
  [[gnu::always_inline]] static void load(const Vector& from) {
    Vector value = from;
#if defined(__aarch64__)
    asm volatile("" : "+w"(value));
#else
    asm volatile("" : "+m"(value));
#endif
  }
  template <class Vector>
  [[gnu::always_inline]] static void store(Vector& to, const Vector& value) {
    to = value;
    asm volatile("" : "+m"(to));
  }
  static void finish() {}
};

constexpr std::array compute_table = {
    loops::compute_kernel<PortableAddition, double, double>("scalar"),
    loops::compute_kernel<MultipliedAdded, double, double>("scalar"),
    loops::compute_kernel<PortableAddition, float, float>("scalar"),
    loops::compute_kernel<MultipliedAdded, float, float>("scalar"),
    loops::compute_kernel<PortableAddition, double, Doubles>("portable"),
    loops::compute_kernel<MultipliedAdded, double, Doubles>("portable"),
    loops::compute_kernel<PortableAddition, float, Floats>("portable"),
    loops::compute_kernel<MultipliedAdded, float, Floats>("portable"),
};
template <Stream... streams>
constexpr std::array<BandwidthKernel, sizeof...(streams)> kernels(std::integer_sequence<Stream, streams...> /*all*/) {
  return {loops::bandwidth_kernel<PortableMemory, Doubles, streams>("portable")...};
}
constexpr std::array bandwidth_table = kernels(loops::AllStreams());
#endif

}  // namespace

InstructionSet baseline_loops() noexcept { return {compute_table, bandwidth_table}; }

}  // namespace flopcast::machine
