#include "flopcast/kernel/drivers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"

namespace flopcast::kernel {

// The table keeps its own layout: job, families, arguments with and without vectors, matrices, worth, calls from SciPy, what it selects.
// clang-format off
namespace {

constexpr const char* any = "any matrix";
constexpr const char* hermitian = "symmetric, complex: Hermitian";
constexpr const char* regular = "square matrices that aren't singular";
constexpr const char* definite = "symmetric or Hermitian, positive definite";
constexpr const char* orthogonal = "backward stable, vectors orthogonal to rounding";
constexpr const char* partial_pivots = "backward stable in practice: growth of pivots is rare";
constexpr const char* by_cholesky = "backward stable, tells whether the matrix is definite";

}  // namespace

const std::vector<DriverJob>& driver_jobs() {
  static const std::vector<DriverJob> all = {{"eigh", {"n"}, true, true}, {"svd", {"m", "n"}, true}, {"lstsq", {"m", "n", "nrhs"}},
                                             {"solve", {"n", "nrhs"}, false, false, false}, {"inverse", {"n", "nrhs"}, false, false, false}};
  return all;
}

std::span<const DriverRow> driver_rows() {
  static const std::vector<DriverRow> all = {
      {"eigh", {"syev"}, {"heev"}, {{"jobz", "V"}}, {{"jobz", "N"}}, hermitian, orthogonal,
       "scipy.linalg.eigh(a, driver='ev')", "scipy.linalg.eigvalsh(a, driver='ev')"},
      {"eigh", {"syevd"}, {"heevd"}, {{"jobz", "V"}}, {{"jobz", "N"}}, hermitian, orthogonal,
       "scipy.linalg.eigh(a, driver='evd'), numpy.linalg.eigh(a)", "scipy.linalg.eigvalsh(a, driver='evd'), numpy.linalg.eigvalsh(a)"},
      {"eigh", {"syevr"}, {"heevr"}, {{"jobz", "V"}}, {{"jobz", "N"}}, hermitian, "backward stable, vectors orthogonal to some tens of roundings",
       "scipy.linalg.eigh(a, driver='evr')", "scipy.linalg.eigvalsh(a, driver='evr')", true},
      {"eigh", {"syevx"}, {"heevx"}, {{"jobz", "V"}}, {{"jobz", "N"}}, hermitian, "backward stable, some vectors of a cluster may fail to converge",
       "scipy.linalg.eigh(a, driver='evx')", "scipy.linalg.eigvalsh(a, driver='evx')", true},
      {"svd", {"gesdd"}, {"gesdd"}, {{"jobz", "S"}}, {{"jobz", "N"}}, any, orthogonal,
       "scipy.linalg.svd(a, full_matrices=False), numpy.linalg.svd(a, full_matrices=False)", "scipy.linalg.svdvals(a)"},
      {"svd", {"gesvd"}, {"gesvd"}, {{"jobu", "S"}, {"jobvt", "S"}}, {{"jobu", "N"}, {"jobvt", "N"}}, any, orthogonal,
       "scipy.linalg.svd(a, full_matrices=False, lapack_driver='gesvd')", "scipy.linalg.svd(a, compute_uv=False, lapack_driver='gesvd')"},
      {"svd", {"gejsv"}, {"gejsv"}, {{"jobu", "U"}, {"jobv", "V"}}, {{"jobu", "N"}, {"jobv", "N"}}, any,
       "backward stable, small values accurate where only columns are badly scaled",
       "scipy.linalg.lapack.Pgejsv(a, joba=0, jobt=1, jobp=0)", "scipy.linalg.lapack.Pgejsv(a, joba=0, jobu=3, jobv=3, jobt=1, jobp=0)"},
      {"lstsq", {"gels"}, {"gels"}, {}, {}, "matrices of full rank", "backward stable, doesn't notice a deficient rank",
       "scipy.linalg.lapack.Pgels(a, b)"},
      {"lstsq", {"gelsy"}, {"gelsy"}, {{"rcond", "-1"}}, {}, any, "backward stable, reveals the rank by QR with column pivots",
       "scipy.linalg.lstsq(a, b, lapack_driver='gelsy')"},
      {"lstsq", {"gelsd"}, {"gelsd"}, {{"rcond", "-1"}}, {}, any, "backward stable, reveals the rank by singular values, the surest",
       "scipy.linalg.lstsq(a, b), numpy.linalg.lstsq(a, b, rcond=None)"},
      {"solve", {"gesv"}, {"gesv"}, {}, {}, regular, partial_pivots, "scipy.linalg.solve(a, b), numpy.linalg.solve(a, b)"},
      {"solve", {"sysv"}, {"hesv"}, {}, {}, hermitian, "backward stable in practice: pivots of Bunch and Kaufman",
       "scipy.linalg.solve(a, b, assume_a='her')"},
      {"solve", {"posv"}, {"posv"}, {}, {}, definite, by_cholesky, "scipy.linalg.solve(a, b, assume_a='pos')"},
      {"inverse", {"getrf", "getri"}, {"getrf", "getri"}, {}, {}, regular, "small right or left residual, not both", "scipy.linalg.inv(a)"},
      {"inverse", {"gesv"}, {"gesv"}, {}, {}, regular, "small right residual", "numpy.linalg.inv(a)", "", false, "identity", true},
      {"inverse", {"potrf", "potri"}, {"potrf", "potri"}, {}, {}, definite, "small residuals; gives one triangle",
       "scipy.linalg.lapack.Ppotri(scipy.linalg.cholesky(a))"},
      {"inverse", {"posv"}, {"posv"}, {}, {}, definite, by_cholesky, "scipy.linalg.solve(a, numpy.eye(len(a)), assume_a='pos')", "", false,
       "identity", true},
      {"inverse", {"gesv"}, {"gesv"}, {}, {}, regular, partial_pivots, "numpy.linalg.solve(a, b) in place of numpy.linalg.inv(a) @ b", "", false,
       "no inverse"},
  };
  return all;
}
// clang-format on

namespace {

/// Returns the call of one routine. The values of `arguments` that it doesn't have are skipped.
Call call_of(const Routine& routine, const std::map<std::string, std::string>& arguments) {
  std::map<std::string, std::string> own;
  for (const auto& [name, value] : arguments) {
    const int index = routine.index(name);
    if (index >= 0 && !is_operand(routine.arguments[static_cast<std::size_t>(index)])) {  // syevr's m is a result
      own.emplace(name, value);
    }
  }
  Call call = parse_call(routine, own);
  for (std::size_t i = 1; i < routine.arguments.size(); ++i) {
    if (routine.arguments[i].kind == Kind::leading_dimension) {
      call.arguments[i] = min_leading_dimension(call, i - 1);
    }
  }
  return call;
}

}  // namespace

std::string driver_name(const DriverRow& row, Precision precision) {
  std::string name;
  for (const std::string_view family : is_complex(precision) ? row.complex : row.real) {
    name += fmt::format("{}{}{}", name.empty() ? "" : "+", static_cast<char>(precision), family);
  }
  return row.remark.empty() ? name : name + " (" + std::string(row.remark) + ")";
}

std::vector<Call> driver_calls(const DriverRow& row, Precision precision, const DriverWish& wish) {
  std::map<std::string, std::string> arguments = wish.vectors ? row.with_vectors : row.without;
  for (const auto& [name, size] : wish.sizes) {
    arguments[name] = std::to_string(size);
  }
  if (row.inverts) {
    arguments["nrhs"] = arguments.at("n");
  }
  if (row.selects && wish.values > 0) {
    arguments["range"] = "I";
  }
  std::vector<Call> calls;
  for (const std::string_view family : is_complex(precision) ? row.complex : row.real) {
    const Routine& routine = require(static_cast<char>(precision) + std::string(family));
    if (family == "gejsv" && wish.sizes.at("m") < wish.sizes.at("n")) {
      std::swap(arguments["m"], arguments["n"]);
    }
    calls.push_back(call_of(routine, arguments));
  }
  return calls;
}

std::string driver_call_text(const DriverRow& row, Precision precision, const DriverWish& wish) {
  if (is_complex(precision) && row.real.front() == "gejsv") {
    return "LAPACKE_" + driver_name(row, precision) + " in C; SciPy has no call of it";
  }
  std::string text(wish.vectors ? row.scipy : row.scipy_without);
  if (const std::size_t letter = text.find(".P"); letter != std::string::npos) {
    text[letter + 1] = static_cast<char>(precision);
  }
  if (const std::size_t assumption = text.find("'her'"); assumption != std::string::npos && !is_complex(precision)) {
    text.replace(assumption, 5, "'sym'");
  }
  if (row.selects && wish.values > 0) {
    text.insert(text.size() - 1, ", subset_by_index=[0, " + std::to_string(wish.values - 1) + "]");
  }
  return text;
}

namespace {

/// Returns whether two calls of one routine want the same. The triangle doesn't matter, nor whether the vectors of a square matrix are all (A).
bool want_the_same(const Call& a, const Call& b) {
  const auto all = sizes(a);
  const bool square = std::all_of(all.begin(), all.end(), [&](std::int64_t size) { return size == all[0]; });
  for (std::size_t i = 0; i < a.routine->arguments.size(); ++i) {
    const Argument& argument = a.routine->arguments[i];
    const auto kind = [&](char letter) { return square && letter == 'A' && argument.name.starts_with("job") ? 'S' : letter; };
    if (argument.kind == Kind::flag && argument.name != "uplo" && kind(a.flag(i)) != kind(b.flag(i))) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::vector<OtherDriver> other_drivers(const Call& call) {
  const Precision precision = call.routine->precision;
  DriverWish wish;
  for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
    if (call.routine->arguments[i].kind == Kind::size) {
      wish.sizes[call.routine->arguments[i].name] = call.arguments[i];
    }
  }
  std::vector<OtherDriver> others;
  for (const DriverJob& job : driver_jobs()) {
    for (const DriverRow& own : driver_rows()) {
      if (own.job != job.name || !job.depends_on_spectrum || driver_name(own, precision) != call.routine->name) {
        continue;
      }
      wish.sizes.try_emplace("m", wish.sizes.at("n"));
      wish.vectors = want_the_same(driver_calls(own, precision, wish).front(), call);
      if (!wish.vectors && (!job.has_vectors || !want_the_same(driver_calls(own, precision, wish).front(), call))) {
        continue;
      }
      for (const DriverRow& row : driver_rows()) {
        if (row.job == own.job && row.needs == own.needs && &row != &own) {
          OtherDriver other{&job, &row, wish, driver_calls(row, precision, wish).front()};
          other.call.threads = call.threads;
          other.call.integer_bytes = call.integer_bytes;
          others.push_back(std::move(other));
        }
      }
    }
  }
  return others;
}

}  // namespace flopcast::kernel
