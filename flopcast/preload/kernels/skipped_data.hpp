#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "flopcast/core/call.hpp"

/// Once kernels have been skipped, data aren't the program's any more: some were never written, and others would grow without bound. The
/// following functions keep data such that a kernel takes as long as in the program.
namespace flopcast::preload::mpi {

/// Prepares operands before `call` is executed. Memory that it reads and nobody has written is filled. Otherwise the system's page of zeros
/// stands for all of it in the caches, and routines take shortcuts for zeros. Remains of other data are often denormal numbers, which take
/// forty times as long. Matrices that must be positive definite are made so, because a routine would give up at once otherwise.
void make_safe(const Call& call);

/// Cleans outputs after `call` has been skipped. Operands that it would have written without reading still hold remains of other data.
/// NaN, infinite and very large numbers among them are replaced, because their products would spread through the whole matrix and make it
/// indefinite.
void clean_outputs(const Call& call);
/// Cleans solutions after `call` has been executed with such data. Solutions with a triangle that isn't the program's may have grown
/// without bound.
void clean_solution(const Call& call);
/// Cleans `bytes` of real numbers of `element_bytes` each where a message came empty. Buffers that receive messages again and again aren't
/// examined every time.
void clean_message(void* place, std::int64_t bytes, int element_bytes);

/// Replaces NaN, infinite and very large numbers among `bytes` at `place`. Returns whether there were any.
bool clean_numbers(char* place, std::int64_t bytes, int element_bytes);

/// Returns whether a routine reports operands with which it can't go on.
bool can_fail(const flopcast::Routine& routine);

/// Replaces alpha in an update C := alpha A B + C, so that the data stay nearly the same while all arithmetic is done. In the program
/// updates have scaled factors. Where the scaling was skipped, they would make a matrix indefinite.
class DampedUpdate {
 public:
  /// Points alpha in `pointers` to a tiny number if `call` is such an update. The pointers must not be used after this object's lifetime.
  void apply(const Call& call, std::span<void* const> pointers) noexcept;

 private:
  std::array<double, 2> alpha_{};
};

/// Makes the calling thread treat denormal numbers as zeros while kernels with such data are executed. Skipping kernels makes numbers
/// shrink where the program's don't, and the processor takes forty times as long for denormal ones.
class DenormalsAsZero {
 public:
  void begin() noexcept;
  void end() noexcept;

 private:
  unsigned int saved_ = 0;  ///< the processor's previous mode
  bool active_ = false;
};

}  // namespace flopcast::preload::mpi
