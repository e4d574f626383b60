#include "flopcast/contract/planner/tiled_contraction.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "flopcast/contract/kernels/scattered_matrix.hpp"
#include "flopcast/contract/kernels/streaming.hpp"
#include "flopcast/contract/notation/element.hpp"
#include "flopcast/contract/notation/helper_threads.hpp"
#include "flopcast/contract/planner/mirror.hpp"
#include "flopcast/machine/libraries/library_identity.hpp"
#include "flopcast/support/division.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::contract {
namespace {

using Tile = TiledContraction::Tile;

struct Free {
  void operator()(std::byte* memory) const noexcept { std::free(memory); }
};
using AlignedMemory = std::unique_ptr<std::byte, Free>;

/// Allocates memory at the start of a cache line. Large buffers lie in huge pages if the system has some, which saves page faults, address
/// translations and conflicts in L2. Throws std::bad_alloc.
AlignedMemory allocate(std::int64_t bytes) {
  constexpr std::size_t line = 64, huge_page = std::size_t{2} << 20;
  const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1));
  const std::size_t alignment = wanted >= huge_page ? huge_page : line;
  const std::size_t size = round_up(wanted, alignment);
  AlignedMemory memory(static_cast<std::byte*>(std::aligned_alloc(alignment, size)));
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  if (alignment == huge_page) {
    static_cast<void>(madvise(memory.get(), size, MADV_HUGEPAGE));  // a hint: small pages work too, only slower
  }
  return memory;
}

std::int64_t rounded(std::int64_t bytes) { return (bytes + 63) / 64 * 64; }

/// Calls `work` with the panel kernel for the precision's type if the type is real.
template <class Work>
void with_panel_kernel(Precision precision, Work&& work) {
  with_element(precision, [&](auto zero) {
    using Element = decltype(zero);
    if constexpr (std::is_floating_point_v<Element>) {
      work(panel_kernels<Element>().front());
    }
  });
}

using Integer = std::int32_t;
using Gemm = void (*)(const char*, const char*, const Integer*, const Integer*, const Integer*, const void*, const void*, const Integer*,
                      const void*, const Integer*, const void*, void*, const Integer*, std::size_t, std::size_t);

/// A matrix operand of gemm.
template <class Pointer>
struct Matrix {
  Pointer data = nullptr;
  std::int64_t leading_dimension = 1;
  bool transposed = false;
};

/// Returns whether rows and columns with these steps form a BLAS matrix, and fills `matrix`. A matrix with rows and columns exchanged is
/// marked as transposed.
template <class Pointer>
bool in_place(Pointer data, std::int64_t rows, std::int64_t row_step, std::int64_t columns, std::int64_t column_step,
              Matrix<Pointer>& matrix) {
  constexpr std::int64_t most = std::numeric_limits<Integer>::max();
  const auto fits = [&](std::int64_t unit, std::int64_t height, std::int64_t other, std::int64_t width) {
    return (unit == 1 || height == 1) && (other >= height || width == 1) && other > 0 && other <= most;
  };
  if (fits(row_step, rows, column_step, columns)) {
    matrix = {data, columns == 1 ? std::max(rows, column_step) : column_step, false};
    return true;
  }
  if (fits(column_step, columns, row_step, rows)) {
    matrix = {data, rows == 1 ? std::max(columns, row_step) : row_step, true};
    return true;
  }
  return false;
}

/// Returns the lock of all calls of a library that several threads may not call at once. All plans share the lock.
std::mutex& turn() {
  static std::mutex mutex;
  return mutex;
}

using Gemv = void (*)(const char*, const Integer*, const Integer*, const void*, const void*, const Integer*, const void*, const Integer*,
                      const void*, void*, const Integer*, std::size_t);

/// Returns whether gemv multiplies a 2 x 3 matrix correctly, both untransposed and transposed.
bool is_right(Gemv gemv, Precision precision) {
  return with_element(precision, [&](auto zero) {
    using Element = decltype(zero);
    const std::array<Element, 6> a = {Element(1), Element(2), Element(3), Element(4), Element(5), Element(6)};
    const std::array<Element, 3> x = {Element(1), Element(2), Element(3)};
    const Integer m = 2, n = 3, step = 1;
    const Element one(1), none(0);
    const Element never_read(std::numeric_limits<float>::quiet_NaN());
    std::array<Element, 2> y{};
    std::array<Element, 3> transposed{};
    y.fill(never_read);
    transposed.fill(never_read);
    gemv("N", &m, &n, &one, a.data(), &m, x.data(), &step, &none, y.data(), &step, 1);
    gemv("T", &m, &n, &one, a.data(), &m, x.data(), &step, &none, transposed.data(), &step, 1);
    return y == std::array<Element, 2>{Element(22), Element(28)} &&
           transposed == std::array<Element, 3>{Element(5), Element(11), Element(17)};
  });
}

/// Checks gemm on a product of 2 x 3 x 2, which costs less than a microsecond, before it is trusted with data. Throws environment_error if
/// the result is wrong.
void require_right(Gemm gemm, Precision precision, const std::string& routine) {
  with_element(precision, [&](auto zero) {
    using Element = decltype(zero);
    const std::array<Element, 4> a = {Element(1), Element(2), Element(3), Element(4)};
    const std::array<Element, 6> b = {Element(1), Element(0), Element(2), Element(1), Element(0), Element(5)};
    std::array<Element, 6> c{};
    c.fill(Element(std::numeric_limits<float>::quiet_NaN()));  // beta = 0 must overwrite the NaNs
    const std::array<Element, 6> expected = {Element(1), Element(2), Element(5), Element(8), Element(15), Element(20)};
    const Integer m = 2, n = 3, k = 2;
    const Element one(1), none(0);
    gemm("N", "N", &m, &n, &k, &one, a.data(), &m, b.data(), &k, &none, c.data(), &m, 1, 1);
    if (c != expected) {
      throw environment_error("{} of the open library gives wrong results for a product of 2 x 3 x 2", routine);
    }
  });
}

/// Length and step of a tile.
using Side = std::pair<std::int64_t, std::int64_t>;

/// Returns the distinct lengths and steps of tiles: usually one or two, whatever the number of tiles.
std::set<Side> sides(const std::vector<Tile>& tiles, std::int64_t Tile::*step) {
  std::set<Side> all;
  for (const Tile& tile : tiles) {
    all.emplace(tile.length, tile.*step);
  }
  return all;
}

}  // namespace

/// Memory that earlier runs gave back. Fresh memory of this size would cost page faults in every run.
struct TiledContraction::Buffers {
  std::mutex mutex;
  std::vector<AlignedMemory> free;

  AlignedMemory take(std::int64_t bytes) {
    {
      const std::lock_guard lock(mutex);
      if (!free.empty()) {
        AlignedMemory memory = std::move(free.back());
        free.pop_back();
        return memory;
      }
    }
    return allocate(bytes);
  }
  void give_back(AlignedMemory memory) {
    const std::lock_guard lock(mutex);
    free.push_back(std::move(memory));
  }
};

/// Computes the tiles of one thread.
template <class Element>
class Worker {
 public:
  using TileAt = TiledContraction::TileAt;

  Worker(const TiledContraction& plan, const Element* a, const Element* b, Element* c, Element alpha, Element beta)
      : plan_(plan),
        memory_(plan.buffers_->take(plan.a_slots_.all_bytes() + plan.b_slots_.all_bytes() + plan.c_slots_.all_bytes())),
        a_(a),
        b_(b),
        c_(c),
        alpha_(alpha),
        beta_(beta) {
    if (plan.folded_.swapped) {
      std::swap(a_, b_);
    }
    if constexpr (std::is_floating_point_v<Element>) {
      if (plan.tiling_.kernel == TileKernel::panels) {
        panels_.emplace(plan.folded_, panel_kernels<Element>().front(), plan.tiling_.stream_c);
      }
    }
    const auto at = [&](std::int64_t bytes) { return reinterpret_cast<Element*>(memory_.get() + bytes); };
    a_kept_.first = at(0);
    b_kept_.first = at(plan.a_slots_.all_bytes());
    c_buffers_ = at(plan.a_slots_.all_bytes() + plan.b_slots_.all_bytes());
    a_kept_.make(plan.a_slots_);
    b_kept_.make(plan.b_slots_);
  }
  ~Worker() {
    if (memory_) {
      plan_.buffers_->give_back(std::move(memory_));
    }
  }
  Worker(Worker&&) noexcept = default;
  Worker(const Worker&) = delete;
  Worker& operator=(Worker&&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Returns the buffer for a tile of B.
  [[nodiscard]] Element* b_buffer() const { return b_kept_.first; }

  /// Uses the other worker's buffers for kept tiles of A and for incomplete sums of C from now on. The two workers must not work on the
  /// same tile at once.
  void keep_tiles_in(Worker& other) {
    if (plan_.tiling_.keep_a) {
      a_kept_.share(other.a_kept_);
    }
    if (plan_.sums_up_ && plan_.k_.size() > 1) {
      c_buffers_ = other.c_buffers_;
    }
  }

  /// Selects the element of the batch to work on.
  void take_batch(std::int64_t batch) {
    const Fold& batches = plan_.folded_.batch;
    at_a_ = a_ + batches.a[static_cast<std::size_t>(batch)];
    at_b_ = b_ + batches.b[static_cast<std::size_t>(batch)];
    at_c_ = c_ + batches.c[static_cast<std::size_t>(batch)];
  }

  /// Selects the tile of B to multiply with, and packs it if it must be packed and no buffer holds it yet. Returns whether the tile was
  /// newly taken.
  bool take_columns(const TileAt& at) {
    if (!b_kept_.turns_to({at_b_, at.n(), at.k()})) {
      return false;
    }
    const std::size_t slot = b_kept_.tags == nullptr ? 0 : plan_.b_slots_.of(at);
    const bool is_packed = b_kept_.holds(slot);
    take_columns(at, b_kept_.first + static_cast<std::int64_t>(slot) * elements_of(plan_.b_slots_));
    for (std::size_t part = 0; part < b_parts() && !is_packed; ++part) {
      pack_b(part);
    }
    moves_.b += is_packed ? 0 : 1;
    return !is_packed;
  }

  /// Selects the tile of B to multiply with. If the tile must be packed, the caller packs it into `b_buffer` with pack_b().
  void take_columns(const TileAt& at, Element* b_buffer) {
    k_ = &plan_.k_[at.k()];
    n_ = &plan_.n_[at.n()];
    if constexpr (std::is_floating_point_v<Element>) {
      if (panels_) {
        panels_->take_columns(at_b_, plan_.column_panels_[at.n()], {k_->first, k_->length, k_->step_a, k_->step_b}, plan_.tiling_.pack_b,
                              b_buffer);
        panel_count_ = plan_.column_panels_[at.n()].size();
        return;
      }
    }
    const Folded& folded = plan_.folded_;
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
    const Folded& folded = plan_.folded_;
    pack_dense(ScatteredMatrix<Element>{at_b_, folded.k.b.data() + k_->first, k_->length, folded.n.b.data() + n_->first + first, length},
               packed_b_ + first * b_matrix_.leading_dimension);
  }

  /// Selects the tile of A to multiply with, and packs it if it must be packed and no buffer holds it yet. Returns whether the tile was
  /// newly taken. Requires that a tile of B of the same part of K is selected.
  bool take_rows(const TileAt& at) {
    if (!a_kept_.turns_to({at_a_, at.m(), at.k()})) {
      return false;
    }
    const std::size_t slot = a_kept_.tags == nullptr ? 0 : plan_.a_slots_.of(at);
    const bool is_packed = a_kept_.holds(slot);
    Element* const buffer = a_kept_.first + static_cast<std::int64_t>(slot) * elements_of(plan_.a_slots_);
    moves_.a += is_packed ? 0 : 1;
    if constexpr (std::is_floating_point_v<Element>) {
      if (panels_) {
        panels_->take_rows(at_a_, plan_.row_panels_[at.m()], plan_.packing_orders_[at.m()], plan_.tiling_.pack_a, buffer, is_packed);
        return !is_packed;
      }
    }
    a_matrix_ = matrix_a(plan_.m_[at.m()], *k_, buffer, is_packed);
    return !is_packed;
  }

  /// Multiplies the selected tiles of A and B into the tile of C at `at`.
  void multiply(const TileAt& at) {
    const bool is_first = at.k() == 0;
    if constexpr (std::is_floating_point_v<Element>) {
      if (panels_) {
        panels_->multiply(at_c_, alpha_, is_first ? beta_ : Element(1));
        return;
      }
    }
    const Tile &m = plan_.m_[at.m()], &n = plan_.n_[at.n()];
    Element* const c = at_c_ + offset(plan_.folded_.m.c, m) + offset(plan_.folded_.n.c, n);
    if (streams()) {
      if constexpr (std::is_same_v<Element, double>) {
        stream_product(m.length, n.length, k_->length, alpha_, a_matrix_.data, b_matrix_.data, b_matrix_.leading_dimension, c,
                       n.length == 1 ? m.length : n.step_c);
      }
      return;
    }
    Matrix<Element*> matrix;
    if (in_place(c, m.length, m.step_c, n.length, n.step_c, matrix) && !matrix.transposed) {
      gemm(m.length, n.length, is_first ? beta_ : Element(1), matrix.data, matrix.leading_dimension);
      return;
    }
    multiply_in_buffer(at, c_buffers_ + static_cast<std::int64_t>(plan_.c_slots_.of(at)) * elements_of(plan_.c_slots_));
  }

  [[nodiscard]] const TileMoves& moves() const { return moves_; }

  /// Must be called after the last tile: makes stores past the caches visible to other threads.
  void finish() {
    if (streams() || plan_.tiling_.stream_c) {
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

    void make(const TiledContraction::Slots& slots) {
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

  [[nodiscard]] static std::int64_t elements_of(const TiledContraction::Slots& slots) {
    return slots.bytes / static_cast<std::int64_t>(sizeof(Element));
  }
  [[nodiscard]] bool streams() const { return plan_.tiling_.kernel == TileKernel::streaming; }

  Matrix<const Element*> matrix_a(const Tile& m, const Tile& k, Element* buffer, bool is_packed) {
    const Folded& folded = plan_.folded_;
    Matrix<const Element*> matrix;
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
    const Tile &m = plan_.m_[at.m()], &n = plan_.n_[at.n()];
    const bool is_first = at.k() == 0, takes_all = plan_.sums_up_;
    gemm(m.length, n.length, Element(is_first || !takes_all ? 0 : 1), sum, m.length);
    if (!takes_all || at.k() + 1 == plan_.k_.size()) {
      write_back(sum, m, n, is_first || takes_all ? beta_ : Element(1));
      ++moves_.c;
    }
  }

  void write_back(const Element* result, const Tile& m, const Tile& n, Element beta) {
    const std::int64_t* row = plan_.folded_.m.c.data() + m.first;
    const std::int64_t* column = plan_.folded_.n.c.data() + n.first;
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
    const Matrix<const Element*>&a = a_matrix_, &b = b_matrix_;
    const std::int64_t k = k_->length;
    const char transa = a.transposed ? 'T' : 'N', transb = b.transposed ? 'T' : 'N';
    const std::array<Integer, 6> integers = {static_cast<Integer>(m),
                                             static_cast<Integer>(n),
                                             static_cast<Integer>(k),
                                             static_cast<Integer>(a.leading_dimension),
                                             static_cast<Integer>(b.leading_dimension),
                                             static_cast<Integer>(ldc)};
    if (plan_.gemv_ != nullptr && m == 1 && n == 1 && k > 0) {
      dot(k, beta, c);
      return;
    }
    const std::unique_lock lock = plan_.takes_turns_ ? std::unique_lock(turn()) : std::unique_lock<std::mutex>();
    reinterpret_cast<Gemm>(plan_.gemm_)(&transa, &transb, &integers[0], &integers[1], &integers[2], &alpha_, a.data, &integers[3], b.data,
                                        &integers[4], &beta, c, &integers[5], 1, 1);
  }

  /// Computes a sum of k products as a transposed column of B times a row of A. OpenBLAS's gemm takes six times as long for this shape.
  void dot(std::int64_t k, Element beta, Element* c) {
    const Matrix<const Element*>&a = a_matrix_, &b = b_matrix_;
    const char trans = b.transposed ? 'N' : 'T';
    const Integer length = static_cast<Integer>(k), one = 1, ldb = static_cast<Integer>(b.leading_dimension);
    const Integer a_step = a.transposed ? 1 : static_cast<Integer>(a.leading_dimension);
    const std::unique_lock lock = plan_.takes_turns_ ? std::unique_lock(turn()) : std::unique_lock<std::mutex>();
    reinterpret_cast<Gemv>(plan_.gemv_)(&trans, b.transposed ? &one : &length, b.transposed ? &length : &one, &alpha_, b.data, &ldb, a.data,
                                        &a_step, &beta, c, &one, 1);
  }

  /// Placeholder for types without a panel kernel.
  struct NoPanels {
    explicit operator bool() const { return false; }
  };
  using Panels =
      typename std::conditional_t<std::is_floating_point_v<Element>,
                                  std::optional<PanelTiles<std::conditional_t<std::is_floating_point_v<Element>, Element, double>>>,
                                  NoPanels>;

  const TiledContraction& plan_;
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
  const Tile *n_ = &nothing, *k_ = &nothing;        ///< columns and depth of the selected tile of B
  std::size_t panel_count_ = 0;                     ///< column panels of the selected tile of B, for the panel kernel
  Matrix<const Element*> a_matrix_{}, b_matrix_{};  ///< selected tiles, for the other kernels
  Element* packed_b_ = nullptr;                     ///< buffer to pack the tile of B into, or nullptr if it is read in place
};

std::vector<Tile> tiles(const Fold& fold, std::int64_t length) {
  std::vector<Tile> all;
  for (std::int64_t first = 0; first < fold.extent; first += length) {
    const std::int64_t now = std::min(length, fold.extent - first);
    all.push_back({first, now, constant_step(fold.a, first, now), constant_step(fold.b, first, now), constant_step(fold.c, first, now)});
  }
  return all;
}

TiledContraction::TiledContraction(Folded folded, Tiling tiling, const FindRoutine& find)
    : folded_(std::move(folded)), tiling_(fitted(folded_, tiling)) {
  if (&rows_in(tiling_.rows, folded_) == &folded_.m) {
    tiling_.rows = RowOrder::as_c;  // the contraction has no other order
  } else {
    folded_.m = Fold(rows_in(tiling_.rows, folded_));
  }
  folded_.interleaved = folded_.interleaved_long_a = folded_.a_major = Folded::no_fold();  // frees these tables, which are as long as M
  if (tiling_.kernel == TileKernel::gemm) {
    const std::string routine = static_cast<char>(folded_.precision) + std::string("gemm");
    gemm_ = find(routine);
    if (gemm_ == nullptr) {
      throw environment_error("no open library has {}", routine);
    }
    takes_turns_ = !machine::may_be_called_by_several_threads(reinterpret_cast<const void*>(gemm_));
    const std::unique_lock lock = takes_turns_ ? std::unique_lock(turn()) : std::unique_lock<std::mutex>();
    if (kernel::Function gemv = find(static_cast<char>(folded_.precision) + std::string("gemv"));
        gemv != nullptr && is_right(reinterpret_cast<Gemv>(gemv), folded_.precision)) {
      gemv_ = gemv;
    }
    require_right(reinterpret_cast<Gemm>(gemm_), folded_.precision, routine);
  }
  if (tiling_.kernel == TileKernel::batch) {
    along_batch_.emplace(folded_);
    constexpr std::int64_t all = std::numeric_limits<std::int64_t>::max();
    tiling_ = fitted(folded_, {all, all, all, TileKernel::batch, tiling_.threads});
  }
  for (const std::int64_t length : {tiling_.m, tiling_.n, tiling_.k}) {
    if (length > std::numeric_limits<Integer>::max()) {
      throw bad_input("a tile of length {} exceeds the range of BLAS's 32-bit integers", length);
    }
  }
  m_ = tiles(folded_.m, tiling_.m);
  n_ = tiles(folded_.n, tiling_.n);
  k_ = tiles(folded_.k, tiling_.k);
  if (k_.empty()) {
    k_ = {{0, 0, 1, 1, 1}};  // an empty sum: C := beta C
  }
  if (tiling_.kernel == TileKernel::streaming) {
    require_streamable();
  }
  if (tiling_.mirrored && !is_symmetric_of_one(folded_)) {
    throw bad_input("C isn't symmetric even if A and B are the same tensor, so it can't be mirrored");
  }
  tiling_.stream_c = tiling_.stream_c && tiling_.kernel == TileKernel::panels && k_.size() == 1 && panels_stream(folded_.precision);
  if (tiling_.kernel == TileKernel::panels) {
    make_panels();
  } else {
    const std::int64_t element = element_bytes(folded_.precision);
    const auto none_if = [](bool absent, std::int64_t bytes) { return absent ? 0 : rounded(bytes); };
    const std::string where = packed();
    const auto is_packed = [&](char operand) { return where.find(operand) != std::string::npos; };
    a_slots_.bytes = none_if(!is_packed(folded_.swapped ? 'B' : 'A'), tiling_.m * tiling_.k * element);
    b_slots_.bytes = none_if(!is_packed(folded_.swapped ? 'A' : 'B'), tiling_.k * tiling_.n * element);
    c_slots_.bytes = none_if(!is_packed('C'), tiling_.m * tiling_.n * element);
  }
  packs_b_ = packed().find(folded_.swapped ? 'A' : 'B') != std::string::npos;
  tiles_ = {m_.size(), n_.size(), k_.size()};
  sharing_ = sharing_of(folded_, tiling_);
  loops_ = loops_of(tiling_.order);
  parts_ = parts();
  keep_tiles();
  leave_out_upper_tiles();
  buffers_ = std::make_shared<Buffers>();
}

/// Creates, for an operand that is to be kept and passes through buffers, a buffer for each of its tiles inside of the loop that doesn't
/// move it.
void TiledContraction::keep_tiles() {
  const auto keep = [&](bool& wanted, Slots& slots, TileLoop without) {
    wanted = wanted && slots.bytes > 0 && tiles_inside(tiling_.order, without, tiles_) > 1;
    for (const TileLoop loop : {TileLoop::m, TileLoop::n, TileLoop::k}) {
      if (wanted && runs_inside(tiling_.order, loop, without)) {
        slots.step[loop] = slots.count;
        slots.count *= tiles_[loop];
      }
    }
  };
  const std::string where = packed();
  tiling_.keep_a = tiling_.keep_a && where.find(folded_.swapped ? 'B' : 'A') != std::string::npos;
  tiling_.keep_b = tiling_.keep_b && packs_b_;
  keep(tiling_.keep_a, a_slots_, loop_without_a);
  keep(tiling_.keep_b, b_slots_, loop_without_b);
  keep(tiling_.keep_c, c_slots_, loop_without_c);
  sums_up_ = writes_c_once(folded_, tiling_);
}

void TiledContraction::leave_out_upper_tiles() {
  first_rows_.assign(n_.size(), 0);
  for (std::size_t n = 0; n < n_.size() && tiling_.mirrored; ++n) {
    const auto below = [&](const Tile& rows) { return rows.first + rows.length > n_[n].first; };
    first_rows_[n] = static_cast<std::size_t>(std::find_if(m_.begin(), m_.end(), below) - m_.begin());
  }
}

void TiledContraction::require_streamable() const {
  const bool contiguous = std::all_of(m_.begin(), m_.end(), [](const Tile& tile) { return tile.step_c == 1; });
  const bool regular = std::all_of(n_.begin(), n_.end(), [](const Tile& tile) { return tile.step_c != 0; });
  if (folded_.precision != Precision::d || k_.size() != 1 || folded_.k.extent > longest_streamed_sum || !contiguous || !regular ||
      !can_stream()) {
    throw bad_input(
        "tiles of {} of this contraction don't suit the streaming kernel. It needs a CPU with AVX2 and FMA, double precision, sums of "
        "at most {} products in one tile, and tiles of C with contiguous columns a constant step apart",
        to_string(tiling_), longest_streamed_sum);
  }
}

void TiledContraction::make_panels() {
  if (is_complex(folded_.precision)) {
    throw bad_input("the panel kernel multiplies real numbers, not those of precision {}", static_cast<char>(folded_.precision));
  }
  with_panel_kernel(folded_.precision, [&](const auto& kernel) {
    const std::int64_t element = element_bytes(folded_.precision);
    constexpr std::int64_t private_cache = 1 << 20, line = 64;
    const bool is_far = folded_.batch.extent * folded_.m.extent * folded_.k.extent * element > private_cache;
    const RowPanels panels(folded_.m, kernel.rows, kernel.lanes, kernel.takes_pieces);
    for (const Tile& tile : m_) {
      row_panels_.push_back(panels.of(tile.first, tile.length));
      packing_orders_.push_back(packing_order(folded_.m, row_panels_.back(), folded_.k.a, is_far ? line / element : 0));
      a_slots_.bytes = std::max(a_slots_.bytes, rounded(packed_elements(row_panels_.back(), kernel.lanes, tiling_.k) * element));
    }
    for (const Tile& tile : n_) {
      column_panels_.push_back(column_panels(folded_.n, tile.first, tile.length, kernel.columns));
      b_slots_.bytes = std::max(b_slots_.bytes, rounded(packed_elements(column_panels_.back(), tiling_.k) * element));
    }
  });
}

std::int64_t TiledContraction::workspace_bytes() const {
  return (a_slots_.all_bytes() + b_slots_.all_bytes() + c_slots_.all_bytes()) * tiling_.threads;
}

std::string TiledContraction::packed() const {
  if (along_batch_) {
    return {};
  }
  if (tiling_.kernel == TileKernel::panels) {
    return packed_in_panels();
  }
  const bool streams = tiling_.kernel == TileKernel::streaming;
  const auto any_not = [](const std::set<Side>& rows, const std::set<Side>& columns, bool transposed_too) {
    return std::any_of(rows.begin(), rows.end(), [&](const Side& row) {
      return std::any_of(columns.begin(), columns.end(), [&](const Side& column) {
        Matrix<const double*> matrix;
        return !in_place<const double*>(nullptr, row.first, row.second, column.first, column.second, matrix) ||
               (matrix.transposed && !transposed_too);
      });
    });
  };
  const bool left = streams || any_not(sides(m_, &Tile::step_a), sides(k_, &Tile::step_a), true);
  const bool right = streams || any_not(sides(k_, &Tile::step_b), sides(n_, &Tile::step_b), true);
  const bool result = !streams && any_not(sides(m_, &Tile::step_c), sides(n_, &Tile::step_c), false);
  return letters(left, right, result);
}

std::string TiledContraction::letters(bool left, bool right, bool result) const {
  std::string names;
  names += (folded_.swapped ? right : left) ? "A" : "";
  names += (folded_.swapped ? left : right) ? "B" : "";
  names += result ? "C" : "";
  return names;
}

std::string TiledContraction::packed_in_panels() const {
  bool left = tiling_.pack_a, right = tiling_.pack_b, result = false;
  const auto irregular = [&](std::int64_t Tile::*step) {
    return std::any_of(k_.begin(), k_.end(), [&](const Tile& tile) { return tile.*step == 0; });
  };
  left = left || irregular(&Tile::step_a);
  right = right || irregular(&Tile::step_b);
  for (const std::vector<RowPanel>& panels : row_panels_) {
    for (const RowPanel& panel : panels) {
      left = left || !panel.vectors_in_a;
      result = result || (!panel.contiguous_c && panel.pieces.empty());  // pieces are written in place
    }
  }
  for (const std::vector<ColumnPanel>& panels : column_panels_) {
    right = right || std::any_of(panels.begin(), panels.end(), [](const ColumnPanel& panel) { return panel.step_b == 0; });
  }
  return letters(left, right, result);
}

namespace {

/// Runs `work` on every worker: the first in the calling thread, the others in helper threads. The threads meet at `together`. If the
/// system refuses threads, the running ones do all of the work.
template <class Workers, class Work>
void in_threads(Workers& workers, Work&& work, std::barrier<>* together = nullptr) {
  run_with_helpers(
      workers.size(), [&](std::size_t i) { work(workers[i]); },
      [&](std::size_t) {
        if (together != nullptr) {
          together->arrive_and_drop();
        }
      });
}

}  // namespace

/// Returns the number of parts in which threads share the tiles of M or N in an element of the batch. Usually a part is a tile. If the loop
/// over K is outermost, each thread takes its share of the tiles through all of K.
std::size_t TiledContraction::parts() const {
  const std::size_t tiles = sharing_ == Sharing::rows ? m_.size() : n_.size();
  return loops_.front() == TileLoop::k ? std::min(tiles, static_cast<std::size_t>(tiling_.threads)) : tiles;
}

std::size_t TiledContraction::units() const { return static_cast<std::size_t>(folded_.batch.extent) * parts_; }

TiledContraction::Unit TiledContraction::unit(std::size_t number) const {
  const std::size_t batch = number / parts_, part = number - batch * parts_;
  Unit unit{static_cast<std::int64_t>(batch), {}, tiles_};
  const TileLoop shared = sharing_ == Sharing::rows ? TileLoop::m : TileLoop::n;
  const std::size_t tiles = unit.last[shared];
  const auto beginning = [&](std::size_t of) { return tiles == parts_ ? of : of * tiles / parts_; };
  unit.first[shared] = beginning(part);
  unit.last[shared] = beginning(part + 1);
  return unit;
}

/// `after` is called after each part of the work with the corresponding member of PartTimes.
template <class Element, class After>
void TiledContraction::do_unit(Worker<Element>& worker, const Unit& unit, After&& after) const {
  const auto [outer, middle, inner] = loops_;
  worker.take_batch(unit.batch);
  TileAt at;
  for (at[outer] = unit.first[outer]; at[outer] < unit.last[outer]; ++at[outer]) {
    for (at[middle] = unit.first[middle]; at[middle] < unit.last[middle]; ++at[middle]) {
      for (at[inner] = unit.first[inner]; at[inner] < unit.last[inner]; ++at[inner]) {
        if (at.m() < first_rows_[at.n()]) {
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
void TiledContraction::share_units(std::vector<Worker<Element>>& workers) const {
  std::atomic<std::size_t> next = 0;
  const std::size_t all = units();
  in_threads(workers, [&](Worker<Element>& worker) {
    for (std::size_t number = next++; number < all; number = next++) {
      do_unit(worker, unit(number), [](Seconds PartTimes::*) {});
    }
    worker.finish();
  });
}

/// All threads work on the same tiles of B, one after the other. Each thread packs parts of the tile and, once all parts are packed,
/// multiplies tiles of A with it. A thread that finds no tile of A left packs the next tile of B into another buffer and then waits for the
/// others. Requires that the loop over M is innermost.
template <class Element>
void TiledContraction::share_tiles(std::vector<Worker<Element>>& workers) const {
  struct Step {
    std::atomic<std::size_t> next_part = 0, next_tile = 0;
  };
  const TileLoop outer = loops_[0], middle = loops_[1], inner = loops_[2];  // clang 14 captures no structured bindings
  const std::size_t in_one = n_.size() * k_.size();                         // steps per element of the batch
  std::vector<Step> steps(static_cast<std::size_t>(folded_.batch.extent) * in_one);
  const std::array<Element*, 2> b_buffers = {workers[0].b_buffer(), workers[1].b_buffer()};
  for (Worker<Element>& worker : workers) {
    worker.keep_tiles_in(workers.front());
  }
  const bool in_order = k_.size() > 1 || packs_b_ || tiling_.keep_a;  // the threads add to the same C or share buffers
  std::barrier<> together(static_cast<std::ptrdiff_t>(workers.size()));
  in_threads(
      workers,
      [&](Worker<Element>& worker) {
        for (std::size_t i = 0; i < steps.size(); ++i) {
          TileAt at;
          at[outer] = i % in_one / tiles_[middle];
          at[middle] = i % tiles_[middle];
          worker.take_batch(static_cast<std::int64_t>(i / in_one));
          worker.take_columns(at, b_buffers[i % 2]);
          for (std::size_t part = steps[i].next_part++; part < worker.b_parts(); part = steps[i].next_part++) {
            worker.pack_b(part);
          }
          if (in_order) {
            together.arrive_and_wait();
          }
          const std::size_t first = first_rows_[at.n()];
          for (at[inner] = first + steps[i].next_tile++; at[inner] < tiles_[inner]; at[inner] = first + steps[i].next_tile++) {
            worker.take_rows(at);
            worker.multiply(at);
          }
        }
        worker.finish();
      },
      &together);
}

template <class Element>
Worker<Element> TiledContraction::make_worker(const Element* a, const Element* b, Element* c, Element alpha, Element beta) const {
  try {
    return Worker<Element>(*this, a, b, c, alpha, beta);
  } catch (const std::bad_alloc&) {
    throw environment_error("packing needs {} bytes of memory, which aren't available; C was not changed", workspace_bytes());
  }
}

void TiledContraction::run(const void* a, const void* b, void* c, std::complex<double> alpha, std::complex<double> beta) const {
  with_element(folded_.precision, [&](auto zero) {
    using Element = decltype(zero);
    if (along_batch_) {
      along_batch_->run(folded_, tiling_.threads, static_cast<const Element*>(a), static_cast<const Element*>(b), static_cast<Element*>(c),
                        to_element<Element>(alpha), to_element<Element>(beta));
      return;
    }
    std::vector<Worker<Element>> workers;
    workers.reserve(static_cast<std::size_t>(tiling_.threads));
    for (int i = 0; i < tiling_.threads; ++i) {
      workers.push_back(make_worker(static_cast<const Element*>(a), static_cast<const Element*>(b), static_cast<Element*>(c),
                                    to_element<Element>(alpha), to_element<Element>(beta)));
    }
    if (sharing_ == Sharing::together) {
      share_tiles(workers);
    } else {
      share_units(workers);
    }
  });
  if (tiling_.mirrored) {
    mirror(folded_, c);
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
  with_element(folded_.precision, [&](auto zero) {
    using Element = decltype(zero);
    Worker<Element> worker = make_worker(static_cast<const Element*>(a), static_cast<const Element*>(b), static_cast<Element*>(c),
                                         to_element<Element>(alpha), to_element<Element>(beta));
    std::int64_t last = clock.ticks();
    for (std::size_t number = 0; number < units(); ++number) {
      do_unit(worker, unit(number), [&](Seconds PartTimes::*part) {
        const std::int64_t now = clock.ticks();
        times.*part += clock.seconds(now - last);
        last = now;
      });
    }
    worker.finish();
    if (moves != nullptr) {
      *moves = worker.moves();
    }
  });
  return times;
}

}  // namespace flopcast::contract
