#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace flopcast::machine {

/// What STREAM (McCalpin) and likwid-bench run: s is a number, a is written. add: a = b + c; triad: a = b + s c; copy: a = b; scale: a = s
/// b; update: a = s a.
enum class Stream : std::uint8_t { load, store, copy, scale, add, triad, update };

std::string_view name(Stream stream) noexcept;
/// All of them, in the order above.
std::span<const Stream> all_streams() noexcept;
/// Throws usage_error listing the names if `text` is none.
Stream parse_stream(std::string_view text);

/// Arrays that it works on, bytes that its instructions read and write per element (8-byte numbers), and flops.
struct StreamCost {
  int arrays = 1;
  int read_bytes = 0, written_bytes = 0;
  int allocated_bytes = 0;  ///< read besides by plain stores to lines that aren't in the cache (write-allocate)
  int flops = 0;
};
StreamCost cost(Stream stream) noexcept;

/// A loop over whole vectors.
struct BandwidthKernel {
  std::string_view instructions;  ///< "SSE", "AVX2", "AVX-512", "portable"
  Stream stream = Stream::load;
  bool nontemporal = false;  ///< stores past the caches
  /// Goes `passes` times over `bytes` of each array it has, whole lines of 64 bytes that begin at multiples of 64. (A call for every pass
  /// would cost a tenth of the bandwidth of L1.)
  void (*run)(void* a, const void* b, const void* c, std::int64_t bytes, std::int64_t passes) = nullptr;
};

/// Every stream with the widest vectors that this CPU has (narrow ones can't show the bandwidth of L1); with non-temporal stores too where
/// it has them and the stream stores to an array that it doesn't read.
const std::vector<BandwidthKernel>& bandwidth_kernels();
/// One of them; throws environment_error if this CPU has no such stores.
const BandwidthKernel& bandwidth_kernel(Stream stream, bool nontemporal = false);

}  // namespace flopcast::machine
