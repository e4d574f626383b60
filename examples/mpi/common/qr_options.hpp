#pragma once

#include "command_line.hpp"
#include "grid.hpp"

namespace subject {

/// Options of every QR factorisation: an m x n matrix with m >= n in blocks of nb, and a grid of processes.
struct QrOptions {
  int m = 0, n = 0, nb = 0;
  Extents grid;
  bool check = false;
};

/// Reads --m, --n, --nb (`default_nb` if it isn't given), --grid and --check. Throws UsageError if m < n.
QrOptions qr_options(CommandLine& line, int default_nb);

}  // namespace subject
