#include "flopcast/cli/roofline/request.hpp"

#include <algorithm>

#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::cli {

void add_space_options(OptionSet& command, GemmSpaceTexts& texts) {
  command
      .option("--affinity", texts.affinity,
              "Order of the CPUs that threads run on: close fills one socket after the other, spread takes turns")
      .show_default()
      .choices({"close", "spread"});
  command.option("--space", texts.space, "Space of gemm shapes to search; 'flopcast roofline --help' lists the spaces (default: brief)")
      .choices({"brief", "reduced", "full"});
  command.option("--m", texts.m, "Rows of C in a space of shapes of your own, such as 500,1000 or 256:1024:256").placeholder("SIZES");
  command.option("--n", texts.n, "Columns of C in a space of shapes of your own").placeholder("SIZES");
  command.option("--k", texts.k, "Columns of A in a space of shapes of your own").placeholder("SIZES");
}

roofline::GemmSpace parse_space(const GemmSpaceTexts& texts) {
  constexpr std::int64_t largest = 1'000'000, max_shapes = 100'000;
  if (texts.m.empty() && texts.n.empty() && texts.k.empty()) {
    return roofline::gemm_space(texts.space.empty() ? "brief" : texts.space);
  }
  if (!texts.space.empty()) {
    throw usage_error("give either --space or sizes (--m, --n, --k), not both");
  }
  if (texts.m.empty() || texts.n.empty() || texts.k.empty()) {
    throw usage_error("a space of your own needs all of --m, --n and --k");
  }
  const std::vector<std::int64_t> m = parse_sizes(texts.m, "--m", 1, largest), n = parse_sizes(texts.n, "--n", 1, largest),
                                  k = parse_sizes(texts.k, "--k", 1, largest);
  const double count = static_cast<double>(m.size()) * static_cast<double>(n.size()) * static_cast<double>(k.size());
  if (count > static_cast<double>(max_shapes)) {
    throw bad_input("a space of {:.0f} shapes given, expected at most {}", count, max_shapes);
  }
  return roofline::gemm_space(m, n, k);
}

void require_distinct(std::vector<std::string> names, const char* option) {
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) {
    throw usage_error("{} names '{}' twice", option, *twice);
  }
}

void require_only(const OptionSet& command, const std::vector<std::string>& allowed, const std::string& mode) {
  for (const std::string& name : command.given_options()) {
    if (std::find(allowed.begin(), allowed.end(), name) == allowed.end()) {
      throw usage_error("{} is given, which means nothing with {}", name, mode);
    }
  }
}

}  // namespace flopcast::cli
