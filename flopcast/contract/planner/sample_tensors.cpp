#include "flopcast/contract/planner/sample_tensors.hpp"

#include <sys/mman.h>

#include <algorithm>

#include "flopcast/contract/notation/element.hpp"
#include "flopcast/measure/cache_control.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::contract {
namespace {

/// Returns the lowest and the highest of the offsets and 0.
std::pair<std::int64_t, std::int64_t> bounds(const std::vector<std::int64_t>& offsets) {
  std::pair<std::int64_t, std::int64_t> found{0, 0};
  for (const std::int64_t offset : offsets) {
    found = {std::min(found.first, offset), std::max(found.second, offset)};
  }
  return found;
}

}  // namespace

void SampleTensors::UnmapTensor::operator()(std::byte* memory) const noexcept { munmap(memory, size_bytes); }

SampleTensors::SampleTensors(const Folded& most)
    : precision_(most.precision),
      swapped_(most.swapped),
      a_(allocate(most.m.a, most.k.a, most.batch.a)),
      b_(allocate(most.k.b, most.n.b, most.batch.b)),
      c_(allocate(most.m.c, most.n.c, most.batch.c)) {}

SampleTensors::SampleTensor SampleTensors::allocate(const Offsets& rows, const Offsets& columns, const Offsets& batch) const {
  const auto [row_low, row_high] = bounds(rows);
  const auto [column_low, column_high] = bounds(columns);
  const std::int64_t element = element_bytes(precision_);
  const auto [batch_low, batch_high] = bounds(batch);
  const std::int64_t low = (row_low + column_low + batch_low) * element;
  const auto bytes = static_cast<std::size_t>((row_high + column_high + batch_high + 1) * element - low);
  void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) {
    throw environment_error("the system refuses {} of address space for timing kernels", format_bytes(static_cast<double>(bytes)));
  }
  SampleTensor tensor{{static_cast<std::byte*>(mapped), UnmapTensor{bytes}}, nullptr};
  tensor.first = tensor.memory.get() - low;
  return tensor;
}

void SampleTensors::fill(const Folded& part) {
  fill(a_, part.m.a, part.k.a, part.batch.a);
  fill(b_, part.k.b, part.n.b, part.batch.b);
}

void SampleTensors::fill(const SampleTensor& tensor, const Offsets& rows, const Offsets& columns, const Offsets& batch) const {
  with_element(precision_, [&](auto zero) {
    using Element = decltype(zero);
    auto* const first = reinterpret_cast<Element*>(tensor.first);
    for (const std::int64_t column : columns) {
      for (const std::int64_t row : rows) {
        for (const std::int64_t element : batch) {
          first[column + row + element] = Element(0.5F);
        }
      }
    }
  });
}

void SampleTensors::flush(const Folded& part, bool result) const {
  flush(a_, part.m.a, part.k.a, part.batch.a);
  flush(b_, part.k.b, part.n.b, part.batch.b);
  if (result) {
    flush(c_, part.m.c, part.n.c, part.batch.c);
  }
  measure::wait_for_flushes();
}

void SampleTensors::flush(const SampleTensor& tensor, Offsets rows, Offsets columns, Offsets batch) const {
  // Flushes each line once, if possible: along the dimension with the most neighbours in memory.
  const auto neighbours = [](const Offsets& offsets) {
    std::ptrdiff_t count = 0;
    for (std::size_t i = 1; i < offsets.size(); ++i) {
      count += offsets[i] - offsets[i - 1] == 1 ? 1 : 0;
    }
    return count;
  };
  for (Offsets* offsets : {&rows, &columns, &batch}) {
    std::sort(offsets->begin(), offsets->end());
    if (neighbours(*offsets) > neighbours(rows)) {
      std::swap(*offsets, rows);
    }
  }
  for (const std::int64_t element : batch) {
    for (const std::int64_t column : columns) {
      flush(tensor, rows, column + element);
    }
  }
}

void SampleTensors::flush(const SampleTensor& tensor, const Offsets& rows, std::int64_t from) const {
  const std::int64_t element = element_bytes(precision_);
  for (std::size_t begin = 0; begin < rows.size();) {
    std::size_t end = begin + 1;
    while (end < rows.size() && rows[end] - rows[end - 1] == 1) {
      ++end;
    }
    const auto address = reinterpret_cast<std::uintptr_t>(tensor.first + (from + rows[begin]) * element);
    const auto bytes = static_cast<std::int64_t>(end - begin) * element;
    measure::begin_to_flush_lines({address, bytes, 1, bytes, 0});
    begin = end;
  }
}

void SampleTensors::run(const TiledContraction& tiled, double beta) const {
  const SampleTensor& left = swapped_ ? b_ : a_;
  const SampleTensor& right = swapped_ ? a_ : b_;
  tiled.run(left.first, right.first, c_.first, 1.0, beta);
}

PartTimes SampleTensors::run_timed(const TiledContraction& tiled, double beta, const machine::WallClock& clock) const {
  const SampleTensor& left = swapped_ ? b_ : a_;
  const SampleTensor& right = swapped_ ? a_ : b_;
  return tiled.run_timed(left.first, right.first, c_.first, 1.0, beta, clock);
}

}  // namespace flopcast::contract
