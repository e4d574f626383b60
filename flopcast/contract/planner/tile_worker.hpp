#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "flopcast/contract/kernels/scattered_matrix.hpp"
#include "flopcast/contract/kernels/streaming.hpp"
#include "flopcast/contract/planner/blas_kernels.hpp"
#include "flopcast/contract/planner/buffer_pool.hpp"
#include "flopcast/contract/planner/panel_tiles.hpp"
#include "flopcast/contract/planner/tile_plan.hpp"
#include "flopcast/support/division.hpp"

namespace flopcast::contract {

/// Computes the tiles of one thread.
template <class Element>
class TileWorker {
 public:
  TileWorker(const TilePlan& plan, const BlasKernels& blas, BufferPool& buffers, const Element* a, const Element* b, Element* c,
             Element alpha, Element beta)
      : plan_(plan), blas_(blas), buffers_(buffers), memory_(buffers.take()), a_(a), b_(b), c_(c), alpha_(alpha), beta_(beta) {
    if (plan.folded.swapped) {
      std::swap(a_, b_);
    }
    if constexpr (std::is_floating_point_v<Element>) {
      if (plan.tiling.kernel == TileKernel::panels) {
        panels_.emplace(plan.folded, panel_kernels<Element>().front(), plan.tiling.stream_c);
      }
    }
    const auto at = [&](std::int64_t bytes) { return reinterpret_cast<Element*>(memory_.get() + bytes); };
    a_kept_.first = at(0);
    b_kept_.first = at(plan.a_slots.all_bytes());
    c_buffers_ = at(plan.a_slots.all_bytes() + plan.b_slots.all_bytes());
    a_kept_.make(plan.a_slots);
    b_kept_.make(plan.b_slots);
  }
  ~TileWorker() {
    if (memory_) {
      buffers_.give_back(std::move(memory_));
    }
  }
  TileWorker(TileWorker&&) noexcept = default;
  TileWorker(const TileWorker&) = delete;
  TileWorker& operator=(TileWorker&&) = delete;
  TileWorker& operator=(const TileWorker&) = delete;

  /// Returns the buffer for a tile of B.
  [[nodiscard]] Element* b_buffer() const { return b_kept_.first; }

  /// Uses the other worker's buffers for kept tiles of A and for incomplete sums of C from now on. The two workers must not work on the
  /// same tile at once.
  void keep_tiles_in(TileWorker& other) {
    if (plan_.tiling.keep_a) {
      a_kept_.share(other.a_kept_);
    }
    if (plan_.sums_up && plan_.k.size() > 1) {
      c_buffers_ = other.c_buffers_;
    }
  }

  /// Selects the element of the batch to work on.
  void take_batch(std::int64_t batch) {
    const Fold& batches = plan_.folded.batch;
    at_a_ = a_ + batches.a[static_cast<std::size_t>(batch)];
    at_b_ = b_ + batches.b[static_cast<std::size_t>(batch)];
    at_c_ = c_ + batches.c[static_cast<std::size_t>(batch)];
  }

  /// Selects the unit's element of the batch and, if the threads share K, the buffer of its sums.
  void take_unit(const WorkUnit& unit) {
    take_batch(unit.batch);
    if (plan_.split) {
      at_c_ += static_cast<std::int64_t>(unit.part) * plan_.split->elements();
      first_k_ = unit.first.k();
    }
  }

  /// Selects the tile of B to multiply with, and packs it if it must be packed and no buffer holds it yet. Returns whether the tile was
  /// newly taken.
  bool take_columns(const TileAt& at) {
    if (!b_kept_.turns_to({at_b_, at.n(), at.k()})) {
      return false;
    }
    const std::size_t slot = b_kept_.tags == nullptr ? 0 : plan_.b_slots.of(at);
    const bool is_packed = b_kept_.holds(slot);
    take_columns(at, b_kept_.first + static_cast<std::int64_t>(slot) * elements_of(plan_.b_slots));
    for (std::size_t part = 0; part < b_parts() && !is_packed; ++part) {
      pack_b(part);
    }
    moves_.b += is_packed ? 0 : 1;
    return !is_packed;
  }

  /// Selects the tile of B to multiply with. If the tile must be packed, the caller packs it into `b_buffer` with pack_b().
  void take_columns(const TileAt& at, Element* b_buffer) {
    k_ = &plan_.k[at.k()];
    n_ = &plan_.n[at.n()];
    if constexpr (std::is_floating_point_v<Element>) {
      if (panels_) {
        panels_->take_columns(at_b_, plan_.column_panels[at.n()], {k_->first, k_->length, k_->step_a, k_->step_b}, plan_.tiling.pack_b,
                              b_buffer);
        panel_count_ = plan_.column_panels[at.n()].size();
        return;
      }
    }
    const Folded& folded = plan_.folded;
    const Element* data = at_b_ + offset(folded.k.b, *k_) + offset(folded.n.b, *n_);
    packed_b_ = nullptr;
    if (streams() || !in_place(data, k_->length, k_->step_b, n_->length, n_->step_b, b_matrix_)) {
      packed_b_ = b_buffer;
      b_matrix_ = {b_buffer, std::max<std::int64_t>(1, k_->length), false};
    }
  }

  /// Returns the number of parts in which the tile of B is packed. All parts must be packed, by any worker, before multiply().
  [[nodiscard]] std::size_t b_parts() const {
    if (panels_) {
      return ceil_div(panel_count_, panels_per_part);
    }
    return packed_b_ == nullptr ? 0 : static_cast<std::size_t>(ceil_div(n_->length, columns_per_part));
  }
  void pack_b(std::size_t part) {
    if constexpr (std::is_floating_point_v<Element>) {
      if (panels_) {
        panels_->pack_columns(part * panels_per_part, std::min((part + 1) * panels_per_part, panel_count_));
        return;
      }
    }
    const std::int64_t first = static_cast<std::int64_t>(part) * columns_per_part, length = std::min(columns_per_part, n_->length - first);
    const Folded& folded = plan_.folded;
    pack_dense(ScatteredMatrix<Element>{at_b_, folded.k.b.data() + k_->first, k_->length, folded.n.b.data() + n_->first + first, length},
               packed_b_ + first * b_matrix_.leading_dimension);
  }

  /// Selects the tile of A to multiply with, and packs it if it must be packed and no buffer holds it yet. Returns whether the tile was
  /// newly taken. Requires that a tile of B of the same part of K is selected.
  bool take_rows(const TileAt& at) {
    if (!a_kept_.turns_to({at_a_, at.m(), at.k()})) {
      return false;
    }
    const std::size_t slot = a_kept_.tags == nullptr ? 0 : plan_.a_slots.of(at);
    const bool is_packed = a_kept_.holds(slot);
    Element* const buffer = a_kept_.first + static_cast<std::int64_t>(slot) * elements_of(plan_.a_slots);
    moves_.a += is_packed ? 0 : 1;
    if constexpr (std::is_floating_point_v<Element>) {
      if (panels_) {
        panels_->take_rows(at_a_, plan_.row_panels[at.m()], plan_.packing_orders[at.m()], plan_.tiling.pack_a, buffer, is_packed);
        return !is_packed;
      }
    }
    a_matrix_ = matrix_a(plan_.m[at.m()], *k_, buffer, is_packed);
    return !is_packed;
  }

  /// Multiplies the selected tiles of A and B into the tile of C at `at`.
  void multiply(const TileAt& at) {
    const bool is_first = at.k() == first_k_;
    if constexpr (std::is_floating_point_v<Element>) {
      if (panels_) {
        panels_->multiply(at_c_, alpha_, is_first ? beta_ : Element(1));
        return;
      }
    }
    const Tile &m = plan_.m[at.m()], &n = plan_.n[at.n()];
    Element* const c = at_c_ + offset(plan_.folded.m.c, m) + offset(plan_.folded.n.c, n);
    if (streams()) {
      if constexpr (std::is_same_v<Element, double>) {
        stream_product(m.length, n.length, k_->length, alpha_, a_matrix_.data, b_matrix_.data, b_matrix_.leading_dimension, c,
                       n.length == 1 ? m.length : n.step_c);
      }
      return;
    }
    GemmOperand<Element*> matrix;
    if (in_place(c, m.length, m.step_c, n.length, n.step_c, matrix) && !matrix.transposed) {
      gemm(m.length, n.length, is_first ? beta_ : Element(1), matrix.data, matrix.leading_dimension);
      return;
    }
    multiply_in_buffer(at, c_buffers_ + static_cast<std::int64_t>(plan_.c_slots.of(at)) * elements_of(plan_.c_slots));
  }

  [[nodiscard]] const TileMoves& moves() const { return moves_; }

  /// Must be called after the last tile: makes stores past the caches visible to other threads.
  void finish() {
    if (streams() || plan_.tiling.stream_c) {
      finish_streaming();
    }
  }

 private:
  static constexpr std::size_t panels_per_part = 16;
  static constexpr std::int64_t columns_per_part = 64;

  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  /// Identifies a tile of an operand.
  struct Tag {
    const Element* from = nullptr;  ///< the operand's first element, in this element of the batch
    std::size_t outer = none, k = 0;
    friend bool operator==(const Tag&, const Tag&) = default;
  };

  /// An operand's buffers, the selected tile and, if there are several buffers, the tiles in them.
  struct Kept {
    Element* first = nullptr;
    Tag now = {};
    std::unique_ptr<Tag[]> own = {};
    Tag* tags = nullptr;

    void make(const Slots& slots) {
      if (slots.count > 1) {
        own = std::make_unique<Tag[]>(slots.count);
        tags = own.get();
      }
    }
    void share(const Kept& other) {
      first = other.first;
      tags = other.tags;
    }
    /// Selects a tile; returns whether it differs from the one before.
    bool turns_to(const Tag& tag) { return std::exchange(now, tag) != tag; }
    /// Returns whether buffer `slot` holds the selected tile, and marks it as holding this tile from now on.
    bool holds(std::size_t slot) { return tags != nullptr && std::exchange(tags[slot], now) == now; }
  };

  [[nodiscard]] static std::int64_t elements_of(const Slots& slots) { return slots.bytes / static_cast<std::int64_t>(sizeof(Element)); }
  [[nodiscard]] bool streams() const { return plan_.tiling.kernel == TileKernel::streaming; }

  GemmOperand<const Element*> matrix_a(const Tile& m, const Tile& k, Element* buffer, bool is_packed) {
    const Folded& folded = plan_.folded;
    GemmOperand<const Element*> matrix;
    const Element* data = at_a_ + offset(folded.m.a, m) + offset(folded.k.a, k);
    if (!streams() && in_place(data, m.length, m.step_a, k.length, k.step_a, matrix)) {
      return matrix;
    }
    if (!is_packed) {
      pack_dense(ScatteredMatrix<Element>{at_a_, folded.m.a.data() + m.first, m.length, folded.k.a.data() + k.first, k.length}, buffer);
    }
    return {buffer, std::max<std::int64_t>(1, m.length), false};
  }

  static std::int64_t offset(const std::vector<std::int64_t>& offsets, const Tile& tile) {
    return tile.length == 0 ? 0 : offsets[static_cast<std::size_t>(tile.first)];
  }

  /// Computes the sum of all tiles of K in a buffer before it is written to C, or the sum of one tile, which is added to C.
  void multiply_in_buffer(const TileAt& at, Element* sum) {
    const Tile &m = plan_.m[at.m()], &n = plan_.n[at.n()];
    const bool is_first = at.k() == 0, takes_all = plan_.sums_up;
    gemm(m.length, n.length, Element(is_first || !takes_all ? 0 : 1), sum, m.length);
    if (!takes_all || at.k() + 1 == plan_.k.size()) {
      write_back(sum, m, n, is_first || takes_all ? beta_ : Element(1));
      ++moves_.c;
    }
  }

  void write_back(const Element* result, const Tile& m, const Tile& n, Element beta) {
    const std::int64_t* row = plan_.folded.m.c.data() + m.first;
    const std::int64_t* column = plan_.folded.n.c.data() + n.first;
    for (std::int64_t j = 0; j < n.length; ++j) {
      Element* const to = at_c_ + column[j];
      const Element* const from = result + j * m.length;
      if (beta == Element(0)) {
        for (std::int64_t i = 0; i < m.length; ++i) {
          to[row[i]] = from[i];
        }
      } else {
        for (std::int64_t i = 0; i < m.length; ++i) {
          to[row[i]] = from[i] + beta * to[row[i]];
        }
      }
    }
  }

  /// C := alpha A B + beta C for the selected tiles of A and B.
  void gemm(std::int64_t m, std::int64_t n, Element beta, Element* c, std::int64_t ldc) {
    const GemmOperand<const Element*>&a = a_matrix_, &b = b_matrix_;
    const std::int64_t k = k_->length;
    const char transa = a.transposed ? 'T' : 'N', transb = b.transposed ? 'T' : 'N';
    const std::array<Integer, 6> integers = {static_cast<Integer>(m),
                                             static_cast<Integer>(n),
                                             static_cast<Integer>(k),
                                             static_cast<Integer>(a.leading_dimension),
                                             static_cast<Integer>(b.leading_dimension),
                                             static_cast<Integer>(ldc)};
    if (blas_.gemv != nullptr && (m == 1 || n == 1) && k > 0) {
      n == 1 && m > 1 ? multiply_column(m, beta, c) : multiply_row(n, beta, c, ldc);
      return;
    }
    const std::unique_lock lock = blas_.turn();
    blas_.gemm(&transa, &transb, &integers[0], &integers[1], &integers[2], &alpha_, a.data, &integers[3], b.data, &integers[4], &beta, c,
               &integers[5], 1, 1);
  }

  /// Multiplies A by the only column of B into the only column of C. gemm packs A for a single column, and takes twice as long.
  void multiply_column(std::int64_t m, Element beta, Element* c) {
    const GemmOperand<const Element*>& b = b_matrix_;
    gemv(a_matrix_, a_matrix_.transposed, m, b.data, b.transposed ? b.leading_dimension : 1, beta, c, 1);
  }

  /// Multiplies the only row of A by B into the only row of C, as the transposed B times a column. For a single element OpenBLAS's gemm takes
  /// six times as long.
  void multiply_row(std::int64_t n, Element beta, Element* c, std::int64_t ldc) {
    const GemmOperand<const Element*>& a = a_matrix_;
    gemv(b_matrix_, !b_matrix_.transposed, n, a.data, a.transposed ? 1 : a.leading_dimension, beta, c, ldc);
  }

  /// y := alpha M x + beta y. `matrix` is stored as M, or as its transpose if `is_transpose`. `length`: elements of y. Steps count elements.
  void gemv(const GemmOperand<const Element*>& matrix, bool is_transpose, std::int64_t length, const Element* x, std::int64_t x_step,
            Element beta, Element* y, std::int64_t y_step) {
    const char trans = is_transpose ? 'T' : 'N';
    const std::int64_t k = k_->length;
    const std::array<Integer, 5> integers = {
        static_cast<Integer>(is_transpose ? k : length), static_cast<Integer>(is_transpose ? length : k),
        static_cast<Integer>(matrix.leading_dimension), static_cast<Integer>(x_step), static_cast<Integer>(y_step)};
    const std::unique_lock lock = blas_.turn();
    blas_.gemv(&trans, &integers[0], &integers[1], &alpha_, matrix.data, &integers[2], x, &integers[3], &beta, y, &integers[4], 1);
  }

  /// Placeholder for types without a panel kernel.
  struct NoPanels {
    explicit operator bool() const { return false; }
  };
  using Panels =
      typename std::conditional_t<std::is_floating_point_v<Element>,
                                  std::optional<PanelTiles<std::conditional_t<std::is_floating_point_v<Element>, Element, double>>>,
                                  NoPanels>;

  const TilePlan& plan_;
  const BlasKernels& blas_;
  BufferPool& buffers_;
  AlignedMemory memory_;
  Panels panels_;
  const Element *a_, *b_;
  Element* c_;
  Element alpha_, beta_;
  const Element *at_a_ = nullptr, *at_b_ = nullptr;
  Element* at_c_ = nullptr;
  Kept a_kept_, b_kept_;
  Element* c_buffers_ = nullptr;
  TileMoves moves_;
  static constexpr Tile nothing{};
  std::size_t first_k_ = 0;                              ///< the unit's first tile of K
  const Tile *n_ = &nothing, *k_ = &nothing;             ///< columns and depth of the selected tile of B
  std::size_t panel_count_ = 0;                          ///< column panels of the selected tile of B, for the panel kernel
  GemmOperand<const Element*> a_matrix_{}, b_matrix_{};  ///< selected tiles, for the other kernels
  Element* packed_b_ = nullptr;                          ///< buffer to pack the tile of B into, or nullptr if it is read in place
};

}  // namespace flopcast::contract
