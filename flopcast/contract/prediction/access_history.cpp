#include "flopcast/contract/prediction/access_history.hpp"

#include <algorithm>

namespace flopcast::contract {
namespace {

/// Returns the nodes from the root to the call, both included.
std::vector<const Node*> nodes_along(const Node& root, const std::vector<std::size_t>& path) {
  std::vector<const Node*> nodes = {&root};
  for (const std::size_t i : path) {
    nodes.push_back(&nodes.back()->body[i]);
  }
  return nodes;
}

std::int64_t total_bytes(const std::vector<Slice>& set, const Contraction& contraction) {
  std::int64_t sum = 0;
  for (const Slice& slice : set) {
    sum += slice_bytes(slice, contraction);
  }
  return sum;
}

bool contains(const std::vector<Slice>& set, const Slice& slice) { return std::find(set.begin(), set.end(), slice) != set.end(); }

/// A backward search from a call that collects the touched slices.
class HistorySearch {
 public:
  HistorySearch(const Slice& slice, const Contraction& contraction) : wanted_(slice), contraction_(contraction) {}

  /// Passes the nodes [first, past_last) of `body` in reverse order. Returns true, and stops, at a node that touches the wanted slice.
  bool pass(const std::vector<Node>& body, std::size_t first, std::size_t past_last) {
    for (std::size_t i = past_last; i > first; --i) {
      const std::vector<Slice> touched = all_touched(body[i - 1], contraction_);
      if (contains(touched, wanted_)) {
        return true;
      }
      merge(collected_, touched);
    }
    return false;
  }

  /// Leaves a loop. Returns true if the previous iteration of the loop touched the wanted slice; otherwise joins everything that the loop
  /// touches.
  bool leave(const Node& loop) {
    if (!varies(wanted_, loop.index, contraction_)) {
      return true;
    }
    join(loop);
    return false;
  }
  /// Joins everything that the loop touches, whether or not the wanted slice is among it.
  void join(const Node& loop) {
    merge(collected_, all_touched(loop, contraction_));
    wanted_ = joined(wanted_, loop.index, contraction_);
  }

  [[nodiscard]] std::int64_t bytes() const { return total_bytes(collected_, contraction_); }
  [[nodiscard]] bool stays_in(const Node& loop) const { return !varies(wanted_, loop.index, contraction_); }

 private:
  Slice wanted_;
  const Contraction& contraction_;
  std::vector<Slice> collected_;
};

/// Returns the slice's number of elements along its contiguous index, or 1 if the slice isn't whole along this index.
std::int64_t contiguous_extent(const Slice& slice, char contiguous, const Contraction& contraction) {
  return contiguous != '\0' && slice.whole.find(contiguous) != std::string::npos ? contraction.extent(contiguous) : 1;
}

/// Returns the indices of a tensor by rising stride.
std::string by_stride(const Tensor& tensor) {
  std::string indices = tensor.indices;
  std::stable_sort(indices.begin(), indices.end(), [&](char x, char y) { return tensor.stride(x) < tensor.stride(y); });
  return indices;
}

void find_prefetching(OperandHistory& history, char loop, const Contraction& contraction, std::int64_t line_bytes,
                      std::int64_t prefetched_lines) {
  if (history.slice.buffer || !varies(history.slice, loop, contraction)) {
    return;
  }
  const std::string order = by_stride(contraction.tensor(history.slice.operand));
  const std::int64_t element = element_bytes(contraction.precision);
  const bool along_first = order[0] == loop;
  const bool along_second =
      order.size() > 1 && order[1] == loop &&
      (history.slice.whole.find(order[0]) != std::string::npos || contraction.extent(order[0]) * element <= line_bytes);
  history.prefetched = along_first || along_second;
  history.shares_lines = along_first;
  const std::int64_t run = contiguous_extent(history.slice, order[0], contraction) * element;
  const std::int64_t most = prefetched_lines * line_bytes;
  history.prefetch_bytes = run > most ? history.bytes / run * most : history.bytes;
}

/// An access of a setup list, with the bytes touched since then and those since the last access of its operand.
struct HistoryEntry {
  SetupAccess access;
  std::int64_t distance_bytes, far_bytes;
};

/// Returns the accesses of all operands, the farthest first.
std::vector<HistoryEntry> entries_of(const std::vector<OperandHistory>& histories, const SetupOptions& options) {
  std::vector<HistoryEntry> entries;
  for (std::size_t i = 0; i < histories.size(); ++i) {
    const OperandHistory& history = histories[i];
    const bool prefetched = options.prefetching && history.prefetched && !(options.prefetching_fails && history.shares_lines);
    const auto operand = static_cast<int>(i);
    if (!prefetched || !history.is_wholly_prefetched()) {
      entries.push_back({{operand, history.bytes, false}, history.distance_bytes, history.distance_bytes});
    }
    if (prefetched && history.prefetch_distance_bytes <= history.distance_bytes) {
      entries.push_back({{operand, history.prefetch_bytes, true}, history.prefetch_distance_bytes, history.distance_bytes});
    }
  }
  std::stable_sort(entries.begin(), entries.end(), [](const HistoryEntry& x, const HistoryEntry& y) {
    return x.distance_bytes != y.distance_bytes ? x.distance_bytes > y.distance_bytes : x.far_bytes > y.far_bytes;
  });
  return entries;
}

}  // namespace

std::int64_t access_distance(const Node& root, const std::vector<std::size_t>& path, const Slice& slice, const Contraction& contraction,
                             std::size_t first_of) {
  const std::vector<const Node*> nodes = nodes_along(root, path);
  HistorySearch search(slice, contraction);
  std::size_t level = path.size();  // nodes[level] is the current node, in the body of nodes[level - 1]
  for (std::size_t i = 0; i < first_of; ++i) {
    search.join(*nodes[--level]);
  }
  for (; level > 0; --level) {
    const Node& parent = *nodes[level - 1];
    const std::size_t here = path[level - 1];
    if (search.pass(parent.body, 0, here)) {
      break;
    }
    const bool same_before = parent.kind == NodeKind::root || search.stays_in(parent);
    if (same_before) {
      search.pass(parent.body, here + 1, parent.body.size());
      break;
    }
    search.leave(parent);
  }
  return search.bytes();
}

std::vector<OperandHistory> histories(const Node& root, const std::vector<std::size_t>& path, const Contraction& contraction,
                                      std::int64_t line_bytes, std::size_t first_of, std::int64_t prefetched_lines) {
  const std::vector<const Node*> nodes = nodes_along(root, path);
  const Node& parent = *nodes[path.size() - 1];
  std::vector<OperandHistory> all;
  for (const Slice& slice : nodes.back()->touched) {
    OperandHistory history;
    history.slice = slice;
    history.bytes = slice_bytes(slice, contraction);
    history.distance_bytes = access_distance(root, path, slice, contraction, first_of);
    if (first_of == 0 && parent.kind == NodeKind::loop) {
      find_prefetching(history, parent.index, contraction, line_bytes, prefetched_lines);
    }
    if (history.prefetched) {
      std::vector<Slice> since;  // slices of the other nodes in the body, which are touched between the previous call and this one
      for (const Node& node : parent.body) {
        if (&node != nodes.back()) {
          merge(since, all_touched(node, contraction));
        }
      }
      history.prefetch_distance_bytes = total_bytes(since, contraction);
    }
    all.push_back(history);
  }
  return all;
}

std::vector<SetupAccess> setup_list(const std::vector<OperandHistory>& histories, const SetupOptions& options) {
  const std::vector<HistoryEntry> entries = entries_of(histories, options);
  std::vector<SetupAccess> reversed;  // last access first, because the list is cut at its front
  std::int64_t since = 0;
  bool is_cut = false, touches_other = false;
  const auto add = [&](SetupAccess access) {
    const std::int64_t room = options.limit_bytes - since;
    if (access.operand < 0) {
      access.bytes = std::min(access.bytes, room);
      touches_other = touches_other || access.bytes > 0;
    }
    if (access.bytes > 0 && access.bytes <= room) {
      reversed.push_back(access);
      since += access.bytes;
      return true;
    }
    return false;
  };
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    if (entry->distance_bytes > since) {
      add({-1, entry->distance_bytes - since, false});
    }
    if (!add(entry->access)) {
      is_cut = true;
      break;
    }
  }
  if (!touches_other && !is_cut) {
    return {};
  }
  return {reversed.rbegin(), reversed.rend()};
}

}  // namespace flopcast::contract
