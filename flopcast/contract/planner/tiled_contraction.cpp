#include "flopcast/contract/planner/tiled_contraction.hpp"

#include <array>
#include <atomic>
#include <barrier>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "flopcast/contract/notation/element.hpp"
#include "flopcast/contract/planner/mirror.hpp"
#include "flopcast/contract/planner/tile_worker.hpp"
#include "flopcast/machine/cpu/helper_threads.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::contract {
namespace {

/// Runs `work` on every worker: the first in the calling thread, the others in helper threads. The threads meet at `together`. If the
/// system refuses threads, the running ones do all of the work.
template <class Workers, class Work>
void in_threads(Workers& workers, Work&& work, std::barrier<>& together) {
  machine::run_with_helpers(
      workers.size(), [&](std::size_t i) { work(workers[i]); }, [&](std::size_t) { together.arrive_and_drop(); });
}

/// C := sum of the parts + beta C. Part p's elements begin at `sums` + p * split.elements().
template <class Element>
void add_parts(const SplitResult& split, std::size_t parts, const Element* sums, Element beta, Element* c) {
  const std::int64_t elements = split.elements();
  std::int64_t at = 0;
  for (const std::int64_t batch : split.batch) {
    for (const std::int64_t column : split.columns) {
      for (const std::int64_t row : split.rows) {
        Element sum = sums[at];
        for (std::size_t part = 1; part < parts; ++part) {
          sum += sums[static_cast<std::int64_t>(part) * elements + at];
        }
        Element& to = c[batch + column + row];
        to = beta == Element(0) ? sum : sum + beta * to;
        ++at;
      }
    }
  }
}

}  // namespace

TiledContraction::TiledContraction(Folded folded, Tiling tiling, const FindRoutine& find)
    : plan_(make_tile_plan(std::move(folded), tiling)) {
  if (plan_.tiling.kernel == TileKernel::gemm) {
    blas_ = find_blas_kernels(plan_.folded.precision, find);
  } else if (plan_.tiling.kernel == TileKernel::batch) {
    along_batch_.emplace(plan_.folded);
  }
  buffers_ = std::make_shared<BufferPool>(plan_.buffer_bytes());
  if (plan_.split) {
    sums_ = std::make_shared<BufferPool>(plan_.split_bytes());
  }
}

/// `after` is called after each part of the work with the corresponding member of PartTimes.
template <class Element, class After>
void TiledContraction::do_unit(TileWorker<Element>& worker, const WorkUnit& unit, After&& after) const {
  const auto [outer, middle, inner] = plan_.loops;
  worker.take_unit(unit);
  TileAt at;
  for (at[outer] = unit.first[outer]; at[outer] < unit.last[outer]; ++at[outer]) {
    for (at[middle] = unit.first[middle]; at[middle] < unit.last[middle]; ++at[middle]) {
      for (at[inner] = unit.first[inner]; at[inner] < unit.last[inner]; ++at[inner]) {
        if (at.m() < plan_.first_rows[at.n()]) {
          continue;
        }
        if (worker.take_columns(at)) {
          after(&PartTimes::pack_b);
        }
        if (worker.take_rows(at)) {
          after(&PartTimes::pack_a);
        }
        worker.multiply(at);
        after(&PartTimes::rest);
      }
    }
  }
}

/// Every thread takes one unit after the other, and packs for itself.
template <class Element>
void TiledContraction::share_units(std::vector<TileWorker<Element>>& workers) const {
  std::atomic<std::size_t> next = 0;
  const std::size_t all = plan_.units();
  machine::share_with_helpers(workers.size(), [&](std::size_t i) {
    for (std::size_t number = next++; number < all; number = next++) {
      do_unit(workers[i], plan_.unit(number), [](Seconds PartTimes::*) {});
    }
    workers[i].finish();
  });
}

/// All threads work on the same tiles of B, one after the other. Each thread packs parts of the tile and, once all parts are packed,
/// multiplies tiles of A with it. A thread that finds no tile of A left packs the next tile of B into another buffer and then waits for the
/// others. Requires that the loop over M is innermost.
template <class Element>
void TiledContraction::share_tiles(std::vector<TileWorker<Element>>& workers) const {
  struct TileStep {
    std::atomic<std::size_t> next_part = 0, next_tile = 0;
  };
  const TileLoop outer = plan_.loops[0], middle = plan_.loops[1], inner = plan_.loops[2];  // clang 14 captures no structured bindings
  const std::size_t in_one = plan_.n.size() * plan_.k.size();                              // steps per element of the batch
  std::vector<TileStep> steps(static_cast<std::size_t>(plan_.folded.batch.extent) * in_one);
  const std::array<Element*, 2> b_buffers = {workers[0].b_buffer(), workers[1].b_buffer()};
  for (TileWorker<Element>& worker : workers) {
    worker.keep_tiles_in(workers.front());
  }
  const bool in_order = plan_.k.size() > 1 || plan_.packs_b || plan_.tiling.keep_a;  // the threads add to the same C or share buffers
  std::barrier<> together(static_cast<std::ptrdiff_t>(workers.size()));
  in_threads(
      workers,
      [&](TileWorker<Element>& worker) {
        for (std::size_t i = 0; i < steps.size(); ++i) {
          TileAt at;
          at[outer] = i % in_one / plan_.counts[middle];
          at[middle] = i % plan_.counts[middle];
          worker.take_batch(static_cast<std::int64_t>(i / in_one));
          worker.take_columns(at, b_buffers[i % 2]);
          for (std::size_t part = steps[i].next_part++; part < worker.b_parts(); part = steps[i].next_part++) {
            worker.pack_b(part);
          }
          if (in_order) {
            together.arrive_and_wait();
          }
          const std::size_t first = plan_.first_rows[at.n()];
          for (at[inner] = first + steps[i].next_tile++; at[inner] < plan_.counts[inner]; at[inner] = first + steps[i].next_tile++) {
            worker.take_rows(at);
            worker.multiply(at);
          }
        }
        worker.finish();
      },
      together);
}

template <class Element>
TileWorker<Element> TiledContraction::make_worker(const Element* a, const Element* b, Element* c, Element alpha, Element beta) const {
  try {
    return TileWorker<Element>(plan_, blas_, *buffers_, a, b, c, alpha, beta);
  } catch (const std::bad_alloc&) {
    throw environment_error("packing needs {} bytes of memory, which aren't available; C was not changed", workspace_bytes());
  }
}

template <class Element, class Work>
void TiledContraction::with_result(Element* c, Element beta, Work&& work) const {
  if (!plan_.split) {
    work(c, beta);
    return;
  }
  AlignedMemory memory;
  try {
    memory = sums_->take();
  } catch (const std::bad_alloc&) {
    throw environment_error("sums of {} parts need {} bytes of memory, which aren't available; C was not changed", plan_.parts,
                            plan_.split_bytes());
  }
  auto* const sums = reinterpret_cast<Element*>(memory.get());
  work(sums, Element(0));
  add_parts(*plan_.split, plan_.parts, sums, beta, c);
  sums_->give_back(std::move(memory));
}

void TiledContraction::run(const void* a, const void* b, void* c, std::complex<double> alpha, std::complex<double> beta) const {
  with_element(plan_.folded.precision, [&](auto zero) {
    using Element = decltype(zero);
    if (along_batch_) {
      along_batch_->run(plan_.folded, plan_.tiling.threads, static_cast<const Element*>(a), static_cast<const Element*>(b),
                        static_cast<Element*>(c), to_element<Element>(alpha), to_element<Element>(beta));
      return;
    }
    with_result(static_cast<Element*>(c), to_element<Element>(beta), [&](Element* result, Element of_result) {
      std::vector<TileWorker<Element>> workers;
      workers.reserve(static_cast<std::size_t>(plan_.tiling.threads));
      for (int i = 0; i < plan_.tiling.threads; ++i) {
        workers.push_back(
            make_worker(static_cast<const Element*>(a), static_cast<const Element*>(b), result, to_element<Element>(alpha), of_result));
      }
      if (plan_.sharing == Sharing::together) {
        share_tiles(workers);
      } else {
        share_units(workers);
      }
    });
  });
  if (plan_.tiling.mirrored) {
    mirror(plan_.folded, c);
  }
}

PartTimes TiledContraction::run_timed(const void* a, const void* b, void* c, std::complex<double> alpha, std::complex<double> beta,
                                      const machine::WallClock& clock, TileMoves* moves) const {
  PartTimes times;
  if (along_batch_) {
    const std::int64_t begin = clock.ticks();
    run(a, b, c, alpha, beta);
    times.rest = clock.seconds(clock.ticks() - begin);
    return times;
  }
  with_element(plan_.folded.precision, [&](auto zero) {
    using Element = decltype(zero);
    std::int64_t last = 0;
    const auto take_time = [&](Seconds PartTimes::*part) {
      const std::int64_t now = clock.ticks();
      times.*part += clock.seconds(now - last);
      last = now;
    };
    with_result(static_cast<Element*>(c), to_element<Element>(beta), [&](Element* result, Element of_result) {
      TileWorker<Element> worker =
          make_worker(static_cast<const Element*>(a), static_cast<const Element*>(b), result, to_element<Element>(alpha), of_result);
      last = clock.ticks();
      for (std::size_t number = 0; number < plan_.units(); ++number) {
        do_unit(worker, plan_.unit(number), take_time);
      }
      worker.finish();
      if (moves != nullptr) {
        *moves = worker.moves();
      }
    });
    if (plan_.split) {
      take_time(&PartTimes::rest);
    }
  });
  return times;
}

}  // namespace flopcast::contract
