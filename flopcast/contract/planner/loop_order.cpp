#include "flopcast/contract/planner/loop_order.hpp"

#include <algorithm>

namespace flopcast::contract {
namespace {

struct Named {
  LoopOrder order;
  std::string_view name;
  std::array<TileLoop, 3> loops;
};

using enum TileLoop;
constexpr std::array<Named, 6> table = {{{LoopOrder::nkm, "nkm", {n, k, m}},
                                         {LoopOrder::nmk, "nmk", {n, m, k}},
                                         {LoopOrder::knm, "knm", {k, n, m}},
                                         {LoopOrder::kmn, "kmn", {k, m, n}},
                                         {LoopOrder::mnk, "mnk", {m, n, k}},
                                         {LoopOrder::mkn, "mkn", {m, k, n}}}};

const Named& entry(LoopOrder order) {
  return *std::find_if(table.begin(), table.end(), [&](const Named& one) { return one.order == order; });
}

}  // namespace

std::array<TileLoop, 3> loops_of(LoopOrder order) { return entry(order).loops; }

std::string_view to_string(LoopOrder order) { return entry(order).name; }

std::optional<LoopOrder> loop_order(std::string_view name) {
  const auto* found = std::find_if(table.begin(), table.end(), [&](const Named& one) { return one.name == name; });
  return found == table.end() ? std::nullopt : std::optional(found->order);
}

bool runs_inside(LoopOrder order, TileLoop inner, TileLoop outer) {
  const std::array<TileLoop, 3> loops = loops_of(order);
  return std::find(loops.begin(), loops.end(), inner) > std::find(loops.begin(), loops.end(), outer);
}

}  // namespace flopcast::contract
