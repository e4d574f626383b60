#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "flopcast/core/call.hpp"

/// Once something has been left out, data aren't the program's any more: some were never written, others would grow without bound. What
/// follows keeps them such that a kernel takes the time that it takes in the program.
namespace flopcast::interpose::mpi {

/// Before `call` is executed: memory that it reads and nobody has written is written, since the system's page of zeros stands for all of it
/// in the caches, routines take shortcuts for zeros, and remains of something else are often denormal numbers, which take forty times as
/// long; and matrices that are to be definite are made so, as a routine would give up at
/// once otherwise.
void make_safe(const Call& call);

/// After `call` has been left out: what it would have written without reading still holds remains of something else. Numbers among them that
/// are very large, or none, are replaced: products of them would go on through the whole matrix, and make it indefinite.
void settle_outputs(const Call& call);
/// After `call` has been executed with such data: solutions with a triangle that isn't the program's may have grown beyond all bounds.
void settle_solution(const Call& call);
/// The same for `bytes` of real numbers of `element_bytes` each, where a message was to arrive that came empty. A place where messages come
/// again and again isn't looked at every time.
void settle_message(void* place, std::int64_t bytes, int element_bytes);

/// Replaces such numbers among `bytes` of them at `place`; whether there were any.
bool settle_numbers(char* place, std::int64_t bytes, int element_bytes);

/// Whether a routine reports operands that it can't go on with.
bool can_fail(const flopcast::Routine& routine);

/// A factor in place of alpha with which an update of data, C := alpha A B + C, leaves them nearly as they are; all of its arithmetic is
/// still done. In the program updates are by scaled factors; where scaling was left out they would make a matrix indefinite.
class DampedUpdate {
 public:
  /// Points alpha in `pointers` to a tiny number if `call` is such an update. They must not be used after this object.
  void apply(const Call& call, std::span<void* const> pointers) noexcept;

 private:
  std::array<double, 2> alpha_{};
};

/// While kernels of such data are executed, the calling thread takes denormal numbers for zeros: what is left out makes numbers shrink
/// where the program's don't, and the processor takes forty times as long over denormal ones.
class DenormalsAsZero {
 public:
  void begin() noexcept;
  void end() noexcept;

 private:
  unsigned int saved_ = 0;  ///< the processor's mode before
  bool active_ = false;
};

}  // namespace flopcast::interpose::mpi
