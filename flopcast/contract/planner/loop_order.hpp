#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace flopcast::contract {

/// A loop over the tiles of one folded dimension.
enum class TileLoop : std::uint8_t { m, n, k };

/// One value for each of the three loops over M, N and K, such as a tile's number or a number of tiles.
template <class Value>
struct PerLoop {
  std::array<Value, 3> values = {};
  [[nodiscard]] Value& operator[](TileLoop loop) { return values[static_cast<std::size_t>(loop)]; }
  [[nodiscard]] const Value& operator[](TileLoop loop) const { return values[static_cast<std::size_t>(loop)]; }
  [[nodiscard]] const Value& m() const { return values[0]; }
  [[nodiscard]] const Value& n() const { return values[1]; }
  [[nodiscard]] const Value& k() const { return values[2]; }
};

/// The order of the loops over tiles, the outermost first. The loop over the batch is outside of all of them.
enum class LoopOrder : std::uint8_t { nkm, nmk, knm, kmn, mnk, mkn };
inline constexpr std::array<LoopOrder, 6> all_loop_orders = {LoopOrder::nkm, LoopOrder::nmk, LoopOrder::knm,
                                                             LoopOrder::kmn, LoopOrder::mnk, LoopOrder::mkn};

/// Returns the loops, the outermost first.
std::array<TileLoop, 3> loops_of(LoopOrder order);
std::string_view to_string(LoopOrder order);
/// Returns the order of this name, or nothing if no order has it.
std::optional<LoopOrder> loop_order(std::string_view name);
bool runs_inside(LoopOrder order, TileLoop inner, TileLoop outer);

/// Returns the number of tiles that the loops inside of `loop` go through.
template <class Value>
Value tiles_inside(LoopOrder order, TileLoop loop, const PerLoop<Value>& tiles) {
  Value all = 1;
  for (const TileLoop inner : {TileLoop::m, TileLoop::n, TileLoop::k}) {
    all *= runs_inside(order, inner, loop) ? tiles[inner] : 1;
  }
  return all;
}

/// For each operand, the loop that doesn't move its tiles.
inline constexpr TileLoop loop_without_a = TileLoop::n, loop_without_b = TileLoop::m, loop_without_c = TileLoop::k;

}  // namespace flopcast::contract
