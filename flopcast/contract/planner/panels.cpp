#include "flopcast/contract/planner/panels.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "flopcast/contract/kernels/cache_lines.hpp"
#include "flopcast/contract/kernels/scattered_matrix.hpp"
#include "flopcast/contract/notation/element.hpp"
#include "flopcast/support/division.hpp"

namespace flopcast::contract {
namespace {

/// Returns the number of elements from `first` on, at most `most`, that are neighbours in memory.
std::int64_t run_length(const std::vector<std::int64_t>& offsets, std::int64_t first, std::int64_t most) {
  const std::int64_t* at = offsets.data() + first;
  std::int64_t length = 1;
  while (length < most && at[length] - at[length - 1] == 1) {
    ++length;
  }
  return length;
}

/// Returns the runs of neighbours in C, cut where vectors end.
std::vector<RowPiece> row_pieces(const Fold& m, std::int64_t first, std::int64_t rows, std::int64_t lanes) {
  std::vector<RowPiece> all;
  for (std::int64_t i = 0; i < rows;) {
    const std::int64_t lane = i % lanes;
    const std::int64_t length = run_length(m.c, first + i, std::min(lanes - lane, rows - i));
    all.push_back({i / lanes, lane, lane + length, m.c[static_cast<std::size_t>(first + i)] - lane});
    i += length;
  }
  return all;
}

/// Four consecutive rows of a panel.
struct Quad {
  std::int64_t panel = 0, at = 0;
  bool taken = false;
};

/// Returns the offset in A of a row of a panel.
std::int64_t offset_of(const Fold& m, const RowPanel& panel, std::int64_t i) { return m.a[static_cast<std::size_t>(panel.first + i)]; }

/// Groups quads that are neighbours in A into squares; all panels of a square have the same height.
class SquareFinder {
 public:
  SquareFinder(const Fold& m, const std::vector<RowPanel>& panels) : m_(m), panels_(panels) {
    for (std::size_t panel = 0; panel < panels.size(); ++panel) {
      for (std::int64_t at = 0; at + Square::side <= panels[panel].rows; at += Square::side) {
        quads_.emplace(offset_of(m, panels[panel], at), Quad{static_cast<std::int64_t>(panel), at});
      }
    }
  }

  std::vector<PackingOrder::RowSquare> find() {
    std::vector<PackingOrder::RowSquare> all;
    for (auto& [offset, quad] : quads_) {
      std::array<Quad*, Square::side> four{};
      if (!quad.taken && are_together(offset, quad, four)) {
        PackingOrder::RowSquare square;
        for (std::size_t k = 0; k < four.size(); ++k) {
          four[k]->taken = true;
          square.panel[k] = four[k]->panel;
          square.at[k] = four[k]->at;
          square.offset_a[k] = offset_of(m_, panel(quad), quad.at + static_cast<std::int64_t>(k));
        }
        all.push_back(square);
      }
    }
    return all;
  }

  [[nodiscard]] bool is_taken(const PackingOrder::SingleRow& row) const {
    const std::int64_t at = row.at / Square::side * Square::side;
    const auto found = quads_.find(offset_of(m_, panels_[static_cast<std::size_t>(row.panel)], at));
    return found != quads_.end() && found->second.taken && found->second.panel == row.panel && found->second.at == at;
  }

 private:
  [[nodiscard]] const RowPanel& panel(const Quad& quad) const { return panels_[static_cast<std::size_t>(quad.panel)]; }

  bool are_together(std::int64_t offset, Quad& first, std::array<Quad*, Square::side>& four) {
    four[0] = &first;
    for (std::int64_t k = 1; k < Square::side; ++k) {
      const auto found = quads_.find(offset + k);
      if (found == quads_.end() || found->second.taken || panel(found->second).rows != panel(first).rows) {
        return false;
      }
      for (std::int64_t j = 0; j < Square::side; ++j) {
        if (offset_of(m_, panel(found->second), found->second.at + j) != offset_of(m_, panel(first), first.at + j) + k) {
          return false;
        }
      }
      four[static_cast<std::size_t>(k)] = &found->second;
    }
    return true;
  }

  const Fold& m_;
  const std::vector<RowPanel>& panels_;
  std::map<std::int64_t, Quad> quads_;
};

/// Returns one offset for each cache line that the squares use.
std::vector<std::int64_t> lines_of(const std::vector<PackingOrder::RowSquare>& squares, std::int64_t line_elements) {
  std::vector<std::int64_t> offsets, lines;
  for (const PackingOrder::RowSquare& rows : squares) {
    offsets.insert(offsets.end(), std::begin(rows.offset_a), std::end(rows.offset_a));
  }
  std::sort(offsets.begin(), offsets.end());
  for (const std::int64_t offset : offsets) {
    if (lines.empty() || offset - lines.back() >= line_elements) {
      lines.push_back(offset);
    }
  }
  return lines;
}

}  // namespace

RowPanels::RowPanels(const Fold& m, std::int64_t most, std::int64_t lanes, bool in_pieces)
    : m_(&m), most_(most), lanes_(lanes), in_pieces_(in_pieces), last_a_(m.a.empty() ? 0 : *std::max_element(m.a.begin(), m.a.end())) {}

std::int64_t RowPanels::rows_from(std::int64_t at, std::int64_t most) const {
  const std::int64_t run_in_c = run_length(m_->c, at, most), run_in_a = run_length(m_->a, at, most);
  const bool is_readable = run_in_c % lanes_ == 0 && run_in_a >= run_in_c;
  if (run_in_c >= lanes_ && (!in_pieces_ || is_readable)) {
    return run_in_c;
  }
  const std::int64_t empty_lanes = round_up(run_in_a, lanes_) - run_in_a;
  return run_in_c < lanes_ && run_in_a >= lanes_ && 3 * empty_lanes <= run_in_a ? run_in_a : most;
}

std::vector<RowPanel> RowPanels::of(std::int64_t first, std::int64_t length) const {
  std::vector<RowPanel> all;
  for (std::int64_t at = first; at < first + length;) {
    RowPanel panel;
    panel.first = at;
    panel.rows = rows_from(at, std::min(most_, first + length - at));
    panel.contiguous_a = run_length(m_->a, at, panel.rows) == panel.rows;
    panel.contiguous_c = run_length(m_->c, at, panel.rows) == panel.rows;
    panel.vectors_in_a = panel.contiguous_a && m_->a[static_cast<std::size_t>(at)] + round_up(panel.rows, lanes_) - 1 <= last_a_;
    if (in_pieces_ && (!panel.contiguous_c || panel.rows % lanes_ != 0)) {
      panel.pieces = row_pieces(*m_, at, panel.rows, lanes_);
    }
    at += panel.rows;
    all.push_back(std::move(panel));
  }
  return all;
}

PackingOrder packing_order(const Fold& m, const std::vector<RowPanel>& panels, const std::vector<std::int64_t>& depth_offsets,
                           std::int64_t line_elements) {
  if (first_step(depth_offsets.data(), std::ssize(depth_offsets)) == 1) {
    return {};  // A is read along K
  }
  PackingOrder order;
  std::int64_t neighbours = 0;
  for (std::size_t panel = 0; panel < panels.size(); ++panel) {
    for (std::int64_t i = 0; i < panels[panel].rows; ++i) {
      order.rows.push_back({m.a[static_cast<std::size_t>(panels[panel].first + i)], static_cast<std::int64_t>(panel), i});
      neighbours += i > 0 && order.rows.back().offset_a - (order.rows.end() - 2)->offset_a == 1 ? 1 : 0;
    }
  }
  std::sort(order.rows.begin(), order.rows.end(), [](const auto& x, const auto& y) { return x.offset_a < y.offset_a; });
  for (std::size_t i = 1; i < order.rows.size(); ++i) {
    neighbours -= order.rows[i].offset_a - order.rows[i - 1].offset_a == 1 ? 1 : 0;
  }
  // Negative if sorting creates neighbours: at least half of the rows must gain one.
  if (-2 * neighbours < std::ssize(order.rows)) {
    return {};
  }
  SquareFinder finder(m, panels);
  order.squares = finder.find();
  order.rows.erase(std::remove_if(order.rows.begin(), order.rows.end(), [&](const auto& row) { return finder.is_taken(row); }),
                   order.rows.end());
  if (line_elements > 0) {
    order.lines = lines_of(order.squares, line_elements);
  }
  return order;
}

std::vector<ColumnPanel> column_panels(const Fold& n, std::int64_t first, std::int64_t length, std::int64_t most) {
  std::vector<ColumnPanel> all;
  for (std::int64_t at = first; at < first + length; at += most) {
    const std::int64_t columns = std::min(most, first + length - at);
    all.push_back({at, columns, constant_step(n.b, at, columns)});
  }
  return all;
}

std::int64_t packed_elements(const std::vector<RowPanel>& panels, std::int64_t lanes, std::int64_t depth) {
  std::int64_t rows = 0;
  for (const RowPanel& panel : panels) {
    rows += round_up(panel.rows, lanes);
  }
  return rows * depth;
}

std::int64_t packed_elements(const std::vector<ColumnPanel>& panels, std::int64_t depth) {
  std::int64_t columns = 0;
  for (const ColumnPanel& panel : panels) {
    columns += panel.columns;
  }
  return columns * depth;
}

PanelSize panel_size(Precision precision) {
  const auto size = [](const auto& kernel) { return PanelSize{kernel.rows, kernel.columns, kernel.lanes}; };
  const bool is_single = precision == Precision::s || precision == Precision::c;
  return is_single ? size(panel_kernels<float>().front()) : size(panel_kernels<double>().front());
}

PanelCounts panels_of(std::int64_t extent, std::int64_t length, std::int64_t most) {
  PanelCounts counts;
  const auto add = [&](std::int64_t panel, std::int64_t panels) {
    if (panel > 0 && panels > 0) {
      counts[panel] += static_cast<double>(panels);
    }
  };
  const std::int64_t tiles = extent / length, rest = extent % length;
  add(most, tiles * (length / most) + rest / most);
  add(length % most, tiles);
  add(rest % most, 1);
  return counts;
}

PanelCounts panels_of_rows(const Fold& m, std::int64_t length, Precision precision) {
  constexpr std::int64_t enough = 1024;
  const auto count = [&](const auto& kernel) {
    const RowPanels panels(m, kernel.rows, kernel.lanes, kernel.takes_pieces);
    PanelCounts counts;
    std::int64_t at = 0;
    for (; at < std::min(enough, m.extent); at += length) {
      for (const RowPanel& panel : panels.of(at, std::min(length, m.extent - at))) {
        counts[panel.rows] += 1;
      }
    }
    const double all = static_cast<double>(m.extent) / static_cast<double>(std::clamp<std::int64_t>(at, 1, m.extent));
    for (auto& [rows, number] : counts) {
      number *= all;
    }
    return counts;
  };
  const bool is_single = precision == Precision::s || precision == Precision::c;
  return is_single ? count(panel_kernels<float>().front()) : count(panel_kernels<double>().front());
}

double cycles_of_panel(std::int64_t rows, std::int64_t columns, std::int64_t lanes) {
  constexpr double of_an_addition = 4, units = 2;
  const auto vectors = static_cast<double>(ceil_div(rows, lanes)), numbers = static_cast<double>(columns);
  return std::max({of_an_addition, vectors * numbers / units, (vectors + numbers) / units});
}

double products_in_full_panels(const PanelCounts& rows, const PanelCounts& columns, const PanelSize& full) {
  double all = 0;
  for (const auto& [height, high] : rows) {
    for (const auto& [width, wide] : columns) {
      all += high * wide * cycles_of_panel(height, width, full.lanes);
    }
  }
  return all / cycles_of_panel(full.rows, full.columns, full.lanes) * static_cast<double>(full.rows * full.columns);
}

bool panels_stream(Precision precision) {
  return precision == Precision::s ? panel_kernels<float>().front().streams
                                   : precision == Precision::d && panel_kernels<double>().front().streams;
}

double share_of_scattered_rows(const Fold& m, std::int64_t length, Precision precision) {
  constexpr std::int64_t enough = 4096;
  const auto share = [&](const auto& kernel) {
    double scattered = 0, all = 0;
    for (const RowPanel& panel : RowPanels(m, kernel.rows, kernel.lanes, kernel.takes_pieces).of(0, std::min({length, enough, m.extent}))) {
      all += static_cast<double>(panel.rows);
      scattered += panel.vectors_in_a ? 0 : static_cast<double>(panel.rows);
    }
    return all > 0 ? scattered / all : 0;
  };
  const bool is_single = precision == Precision::s || precision == Precision::c;
  return is_single ? share(panel_kernels<float>().front()) : share(panel_kernels<double>().front());
}

}  // namespace flopcast::contract
