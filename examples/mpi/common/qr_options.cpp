#include "qr_options.hpp"

#include <algorithm>
#include <string>

namespace subject {

QrOptions qr_options(CommandLine& line, int default_nb) {
  QrOptions options;
  options.n = line.integer("--n", 500, 1);
  options.m = line.integer("--m", std::max(1000, options.n), 1);
  if (options.m < options.n) {
    throw UsageError("a matrix of " + std::to_string(options.m) + " x " + std::to_string(options.n) + " has fewer rows than columns");
  }
  options.nb = line.integer("--nb", default_nb, 1);
  options.grid = grid_option(line);
  options.check = line.flag("--check");
  return options;
}

}  // namespace subject
