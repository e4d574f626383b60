#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace flopcast::machine {

/// Loops that STREAM (McCalpin) and likwid-bench run; s is a number, a is written. add: a = b + c; triad: a = b + s c; copy: a = b; scale:
/// a = s b; update: a = s a.
enum class Stream : std::uint8_t { load, store, copy, scale, add, triad, update };

std::string_view name(Stream stream) noexcept;

/// Cost of a stream per element (8-byte numbers): arrays, bytes that its instructions read and write, and flops.
struct StreamCost {
  int arrays = 1;
  int read_bytes = 0, written_bytes = 0;
  int allocated_bytes = 0;  ///< read in addition by plain stores to lines outside of the cache (write-allocate)
  int flops = 0;
};
StreamCost cost(Stream stream) noexcept;
/// Number of arrays of the triad.
inline constexpr std::int64_t triad_arrays = 3;

/// A loop over whole vectors.
struct BandwidthKernel {
  std::string_view instructions;  ///< "SSE", "AVX2", "AVX-512", "portable"
  Stream stream = Stream::load;
  bool nontemporal = false;  ///< stores past the caches
  /// Goes `passes` times over `bytes` of each array. Arrays are whole lines of 64 bytes that begin at multiples of 64. (A call for every
  /// pass would cost a tenth of the bandwidth of L1.)
  void (*run)(void* a, const void* b, const void* c, std::int64_t bytes, std::int64_t passes) = nullptr;
};

/// Kernels of every stream with the widest vectors of this CPU (narrow ones can't show the bandwidth of L1). Where the CPU has non-temporal
/// stores, streams that store to an array that they don't read have a second kernel with these.
const std::vector<BandwidthKernel>& bandwidth_kernels();
/// One of bandwidth_kernels(); throws environment_error if this CPU has no such stores.
const BandwidthKernel& bandwidth_kernel(Stream stream, bool nontemporal = false);

}  // namespace flopcast::machine
