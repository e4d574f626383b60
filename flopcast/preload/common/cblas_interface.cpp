#include "flopcast/preload/common/cblas_interface.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/protocol/record_layout.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::preload {
namespace {

std::vector<RowMajorSource> row_major_sources(const Routine& routine) {
  std::vector<RowMajorSource> sources(routine.arguments.size());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    sources[i].from = i;
  }
  const auto exchange = [&](const char* a, const char* b) {
    const int first = routine.index(a);
    const int second = routine.index(b);
    if (first >= 0 && second >= 0) {
      std::swap(sources[static_cast<std::size_t>(first)].from, sources[static_cast<std::size_t>(second)].from);
    }
  };
  const auto turn = [&](const char* flag, const char* how) {
    if (const int i = routine.index(flag); i >= 0) {
      sources[static_cast<std::size_t>(i)].turn = how;
    }
  };
  const auto is_one_of = [&routine](std::initializer_list<std::string_view> families) {
    return std::find(families.begin(), families.end(), routine.family) != families.end();
  };
  const bool product = is_one_of({"gemm", "gemmt", "gemm3m"});
  const bool rank_one_update = routine.family.rfind("ger", 0) == 0;
  const bool two_sided = routine.index("side") >= 0;  // symm, hemm, trmm, trsm
  turn("uplo", "other_triangle");
  turn("side", "other_side");
  if (product) {
    exchange("transa", "transb");
    exchange("A", "B");
    exchange("lda", "ldb");
  } else if (!two_sided) {
    turn(routine.index("transa") >= 0 ? "transa" : "trans", is_one_of({"herk", "her2k"}) ? "conjugated" : "transposed");
  }
  if (product || two_sided || rank_one_update || is_one_of({"gemv", "gbmv"})) {
    exchange("m", "n");
  }
  exchange("kl", "ku");
  if (rank_one_update) {
    exchange("x", "y");
    exchange("incx", "incy");
  }
  return sources;
}

/// Returns the parameter's type in C. A 32-bit integer is passed in the place of a 64-bit one, and its upper half is ignored.
const char* c_type(char letter) {
  switch (letter) {
    case 'f':
    case 'i': return "long";
    case 's': return "float";
    case 'd': return "double";
    default: return "void*";
  }
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() > end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

const char* result_type(const Routine& routine) {
  const bool wide = real_bytes(routine.precision) == 8 || routine.double_result;
  switch (routine.returns) {
    case Returns::nothing: return "void";
    case Returns::integer: return "long";  // with the upper half as returned: routines with 64-bit integers use it
    case Returns::real: return wide ? "double" : "float";
    case Returns::element:
      if (is_complex(routine.precision)) {
        return wide ? "_Complex double" : "_Complex float";
      }
      return wide ? "double" : "float";
  }
  throw internal_error("routine {} has an unknown kind of result", routine.name);
}

std::string CblasFunction::parameters() const {
  std::string text;
  for (std::size_t i = 0; i < types.size(); ++i) {
    text += fmt::format("{}{} {}", i > 0 ? ", " : "", types[i], names[i]);
  }
  return text;
}

std::optional<CblasFunction> cblas_function(const std::string& symbol) {
  const std::string prefix = "cblas_";
  const std::string suffix = "_sub";
  if (symbol.rfind(prefix, 0) != 0) {
    return std::nullopt;
  }
  CblasFunction function;
  function.has_target = ends_with(symbol, suffix);
  const std::size_t length = symbol.size() - prefix.size() - (function.has_target ? suffix.size() : 0);
  function.routine = kernel::find(symbol.substr(prefix.size(), length));
  if (function.routine == nullptr) {
    return std::nullopt;
  }
  const Routine& routine = *function.routine;
  if ((routine.returns == Returns::element && is_complex(routine.precision)) != function.has_target) {
    return std::nullopt;
  }
  function.layout = protocol::record_layout(routine);
  function.rows = row_major_sources(routine);
  function.has_order = function.layout.find('f') != std::string::npos || routine.family.rfind("ger", 0) == 0;
  if (function.has_order) {
    function.types.emplace_back("long");
    function.names.emplace_back("order");
  }
  for (std::size_t i = 0; i < function.layout.size(); ++i) {
    function.types.emplace_back(c_type(function.layout[i]));
    function.names.push_back(fmt::format("a{}", i));
  }
  function.result = routine.returns == Returns::integer ? "std::size_t" : result_type(routine);
  if (function.has_target) {
    function.types.emplace_back("void*");
    function.names.emplace_back("to");
    function.result_part = function.result.substr(std::string("_Complex ").size());
    function.result = "void";
  }
  return function;
}

}  // namespace flopcast::preload
