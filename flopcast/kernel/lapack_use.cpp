#include "flopcast/kernel/lapack_use.hpp"

#include <algorithm>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/routine_problem.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::kernel {
namespace {

constexpr std::int64_t aspect = 4;       // ratio of a rectangular matrix's sides ...
constexpr std::int64_t aspect_root = 2;  // ... and its square root
constexpr double next_precision = 0.4;   // weight of one precision beside the one before it

struct UseRow {
  const char* real;                                       ///< name without precision; empty: there is none
  const char* complex;                                    ///< name for complex matrices
  std::map<std::string, std::string> flags = {};          ///< flags for real matrices
  std::map<std::string, std::string> complex_flags = {};  ///< flags for complex matrices, where they differ
  Shapes shapes = Shapes::square;
  double weight = 1;
};

/// Solvers of linear systems, least squares and eigenproblems rest on the first routines; few programs call the last ones.
const std::vector<UseRow>& rows() {
  static const std::vector<UseRow> table = {
      {"geqrf", "geqrf", {}, {}, Shapes::rectangular, 5},
      {"getrf", "getrf", {}, {}, Shapes::square, 5},
      {"potrf", "potrf", {{"uplo", "L"}}, {}, Shapes::square, 4},
      {"potrf", "potrf", {{"uplo", "U"}}, {}, Shapes::square, 3},
      {"sytrd", "hetrd", {{"uplo", "L"}}, {}, Shapes::square, 3},
      {"gehrd", "gehrd", {}, {}, Shapes::square, 3},
      {"gebrd", "gebrd", {}, {}, Shapes::rectangular, 3},
      {"ormqr", "unmqr", {{"side", "L"}, {"trans", "T"}}, {{"side", "L"}, {"trans", "C"}}, Shapes::square, 2.5},
      {"ormqr", "unmqr", {{"side", "L"}, {"trans", "N"}}, {}, Shapes::square, 2.5},
      {"orgqr", "ungqr", {}, {}, Shapes::square, 2.5},
      {"getri", "getri", {}, {}, Shapes::square, 2},
      {"sytrd", "hetrd", {{"uplo", "U"}}, {}, Shapes::square, 2},
      {"trtri", "trtri", {{"uplo", "U"}, {"diag", "N"}}, {}, Shapes::square, 1.5},
      {"ormlq", "unmlq", {{"side", "L"}, {"trans", "T"}}, {{"side", "L"}, {"trans", "C"}}, Shapes::square, 1.5},
      {"ormlq", "unmlq", {{"side", "R"}, {"trans", "T"}}, {{"side", "R"}, {"trans", "C"}}, Shapes::square, 1.5},
      {"ormqr", "unmqr", {{"side", "R"}, {"trans", "N"}}, {}, Shapes::square, 1},
      {"orglq", "unglq", {}, {}, Shapes::square, 1},
      {"gelqf", "gelqf", {}, {}, Shapes::rectangular, 1.5},
      {"geqp3", "geqp3", {}, {}, Shapes::square, 1.5},
      {"sytrf", "sytrf", {{"uplo", "L"}}, {}, Shapes::square, 1.5},
      {"sytrf", "sytrf", {{"uplo", "U"}}, {}, Shapes::square, 1},
      {"", "hetrf", {{"uplo", "L"}}, {}, Shapes::square, 1},
      {"", "hetrf", {{"uplo", "U"}}, {}, Shapes::square, 1},
      {"sygst", "hegst", {{"itype", "1"}, {"uplo", "L"}}, {}, Shapes::square, 1},
      {"sygst", "hegst", {{"itype", "1"}, {"uplo", "U"}}, {}, Shapes::square, 1},
      {"trtri", "trtri", {{"uplo", "L"}, {"diag", "N"}}, {}, Shapes::square, 1},
      {"lauum", "lauum", {{"uplo", "U"}}, {}, Shapes::square, 1},
      {"lauum", "lauum", {{"uplo", "L"}}, {}, Shapes::square, 1},
      {"ormql", "unmql", {{"side", "L"}, {"trans", "N"}}, {}, Shapes::square, 0.7},
      {"orgql", "ungql", {}, {}, Shapes::square, 0.7},
      {"geqlf", "geqlf", {}, {}, Shapes::rectangular, 0.7},
      {"gerqf", "gerqf", {}, {}, Shapes::rectangular, 0.7},
      {"ormrq", "unmrq", {{"side", "L"}, {"trans", "N"}}, {}, Shapes::square, 0.5},
      {"orgrq", "ungrq", {}, {}, Shapes::square, 0.5},
  };
  return table;
}

}  // namespace

std::vector<LapackUse> lapack_uses(std::string_view precisions) {
  std::vector<LapackUse> all;
  double weight = 1;
  for (const char letter : precisions) {
    if (std::string_view("sdcz").find(letter) == std::string_view::npos) {
      throw usage_error("precisions: '{}' is none; expected letters of s, d, c, z, such as dz", letter);
    }
    const bool complex = is_complex(static_cast<Precision>(letter));
    for (const UseRow& row : rows()) {
      if (const std::string name = complex ? row.complex : row.real; !name.empty()) {
        all.push_back({&require(letter + name), complex && !row.complex_flags.empty() ? row.complex_flags : row.flags, row.shapes,
                       weight * row.weight});
      }
    }
    weight *= next_precision;
  }
  if (all.empty()) {
    throw usage_error("precisions: no letter given; expected letters of s, d, c, z");
  }
  std::stable_sort(all.begin(), all.end(), [](const LapackUse& a, const LapackUse& b) { return a.weight > b.weight; });
  return all;
}

std::vector<Call> typical_calls(const LapackUse& use, const std::vector<std::int64_t>& orders) {
  std::vector<Call> all;
  for (const std::int64_t n : orders) {
    const auto add = [&](const NamedSizes& sizes) {
      const std::vector<Call> made = routine_calls(*use.routine, sizes, use.flags);
      all.insert(all.end(), made.begin(), made.end());
    };
    add({{"n", {n}}});
    if (use.shapes == Shapes::rectangular && n >= aspect) {
      add({{"m", {n * aspect_root}}, {"n", {n / aspect_root}}});
      add({{"m", {n / aspect_root}}, {"n", {n * aspect_root}}});
    }
  }
  return all;
}

}  // namespace flopcast::kernel
