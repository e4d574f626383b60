#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/core/error.hpp"
#include "flopcast/interpose/preloaded/generator.hpp"
#include "flopcast/interpose/record_layout.hpp"
#include "flopcast/interpose/trace_format.hpp"
#include "flopcast/kernel/catalogue.hpp"

/// Writes the stubs of libflopcast-trace.so: a function per routine of the catalogue, of CBLAS and of the list of standard routines.
namespace flopcast::interpose {
namespace {

constexpr int most_words =
    40;  ///< arguments and hidden lengths of a routine that only its name is known of; LAPACK's longest (zuncsd) has 38
constexpr int most_numbers = 8;  ///< its arguments in floating-point registers (CBLAS passes real scalars by value)

/// The C type of a function's result in gfortran's interface.
const char* result_type(const Routine& routine) {
  const bool wide = real_bytes(routine.precision) == 8 || routine.double_result;
  switch (routine.returns) {
    case Returns::nothing: return "void";
    case Returns::integer: return "int";
    case Returns::real: return wide ? "double" : "float";
    case Returns::element:
      if (is_complex(routine.precision)) {
        return wide ? "_Complex double" : "_Complex float";
      }
      return wide ? "double" : "float";
  }
  throw internal_error("routine {} has an unknown kind of result", routine.name);
}

/// `count` times `item`, in which {} is the number, with commas between.
std::string repeated(const char* item, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += (i > 0 ? ", " : "") + fmt::format(fmt::runtime(item), i);
  }
  return text;
}

/// How the row-major problem's transpose, which is column-major, takes one of its arguments from the row-major ones.
struct Source {
  std::size_t from = 0;
  const char* turn = "";  ///< function of trace.hpp for a flag
};

/// The stubs, and the table of what they intercept.
class Stubs {
 public:
  void add_fortran(const Routine& routine) {
    const std::string layout = record_layout(routine);
    const std::size_t flags = static_cast<std::size_t>(std::count(layout.begin(), layout.end(), 'f'));
    const int pointers = static_cast<int>(layout.size() + flags);  // hidden lengths last
    const std::string result = result_type(routine);
    const std::size_t id = add(routine.name + "_", layout);
    ids_[routine.name] = id;
    std::string writes;
    for (std::size_t i = 0; i < layout.size(); ++i) {
      writes += write_pointer(layout[i], i);
    }
    begin(result, routine.name + "_", repeated("void* a{}", pointers), repeated("void*", pointers), id);
    code_ += recording(id, layout, queries(routine));
    code_ += block(writes, result, info(routine));
    end(result, repeated("a{}", pointers));
  }

  /// Whether the C function could be translated.
  bool add_cblas(const std::string& symbol) {
    const bool sub = symbol.size() > 4 && symbol.substr(symbol.size() - 4) == "_sub";
    const std::string name = symbol.substr(6, symbol.size() - 6 - (sub ? 4 : 0));
    const auto fortran = ids_.find(name);
    if (fortran == ids_.end()) {
      return false;
    }
    const Routine& routine = kernel::require(name);
    const bool complex_result = routine.returns == Returns::element && is_complex(routine.precision);
    const std::optional<std::vector<Source>> rows = row_major_sources(routine);
    if (complex_result != sub || !rows) {
      return false;
    }
    add_cblas(symbol, routine, fortran->second, *rows);
    return true;
  }

  void add_unnamed(const std::string& symbol, const std::string& kind) {
    const char* result = kind == "real" ? "double" : kind == "complex" ? "_Complex double" : kind.empty() ? "long" : nullptr;
    if (result == nullptr) {
      throw bad_input("{}: '{}' is no kind of result; it must be real, complex or nothing", symbol, kind);
    }
    code_ += fmt::format("[[gnu::visibility(\"default\")]] {} {}(WORDS, NUMBERS) {{ FORWARD({}, {}) }}\n", result, symbol, result,
                         add(symbol, ""));
  }

  [[nodiscard]] bool has(const std::string& symbol) const {
    return std::any_of(table_.begin(), table_.end(), [&](const auto& known) { return known.first == symbol; });
  }

  [[nodiscard]] std::string text() const {
    std::string all = "#include \"flopcast/interpose/preloaded/trace.hpp\"\n\nusing namespace flopcast::interpose;\n\n";
    all += fmt::format("#define WORDS {}\n#define NUMBERS {}\n", repeated("void* w{}", most_words), repeated("double d{}", most_numbers));
    all += fmt::format(
        "#define FORWARD(Result, id) \\\n  using Type = Result (*)({}, {}); \\\n  UnnamedCall call; \\\n"
        "  const UnnamedWords words = {{{{w0, w1, w2, w3, w4, w5}}, __builtin_frame_address(0)}}; \\\n"
        "  const auto next = reinterpret_cast<Type>(begin(call, id, words, __builtin_return_address(0))); \\\n"
        "  const Result result = next({}, {}); \\\n  finish(call); \\\n  return result;\n\n",
        repeated("void*", most_words), repeated("double", most_numbers), repeated("w{}", most_words), repeated("d{}", most_numbers));
    all += "extern \"C\" {\n" + code_ + "}\n\nnamespace flopcast::interpose {\n\nconst Intercepted intercepted[] = {\n";
    for (const auto& [symbol, layout] : table_) {
      all += fmt::format("    {{\"{}\", \"{}\"}},\n", symbol, layout);
    }
    all += fmt::format("}};\nconst std::uint32_t intercepted_count = {0};\nstd::atomic<void*> definitions[{0}];\n\n}}\n", table_.size());
    return all;
  }

 private:
  std::size_t add(const std::string& symbol, const std::string& layout) {
    table_.emplace_back(symbol, layout);
    return table_.size() - 1;
  }

  void begin(const std::string& result, const std::string& symbol, const std::string& parameters, const std::string& types,
             std::size_t id) {
    code_ += fmt::format(
        "[[gnu::visibility(\"default\")]] {} {}({}) {{\n  const auto next = reinterpret_cast<{} (*)({})>(definition({}, "
        "__builtin_return_address(0)));\n",
        result, symbol, parameters, result, types, id);
  }

  static std::string recording(std::size_t id, const std::string& layout, const std::string& query) {
    return fmt::format("  Recording recording({}, {}, __builtin_frame_address(0), __builtin_return_address(0), {});\n", id,
                       sizeof(RecordHeader) + record_bytes(layout), query);
  }

  static std::string block(const std::string& writes, const std::string& result, const std::string& info = "",
                           const std::string& skipped = "") {
    const std::string value = !skipped.empty()   ? skipped
                              : result == "void" ? "return;"
                                                 : fmt::format("return skipped_result<{}>(recording);", result);
    return fmt::format(
        "  if (recording) {{\n    Arguments arguments(recording.arguments());\n{}    if (!recording.start({})) {{ {} }}\n  }}\n", writes,
        info, value);
  }

  void end(const std::string& result, const std::string& arguments) {
    if (result == "void") {
      code_ += fmt::format("  next({});\n  recording.finish();\n}}\n", arguments);
    } else {
      code_ += fmt::format("  const {} result = next({});\n  recording.finish();\n  return result;\n}}\n", result, arguments);
    }
  }

  static std::string write_pointer(char letter, std::size_t i) {
    switch (letter) {
      case 'f': return fmt::format("    arguments.flag(a{});\n", i);
      case 'i': return fmt::format("    arguments.integer(a{});\n", i);
      case 'a': return fmt::format("    arguments.address(a{});\n", i);
      case '-': return "";
      default: return fmt::format("    arguments.{}(a{});\n", letter, i);
    }
  }

  /// Its argument info, if it has one.
  static std::string info(const Routine& routine) {
    for (std::size_t i = 0; i < routine.arguments.size(); ++i) {
      if (routine.arguments[i].kind == Kind::info) {
        return fmt::format("a{}", i);
      }
    }
    return "";
  }

  static std::string queries(const Routine& routine) {
    std::string query;
    for (std::size_t i = 0; i < routine.arguments.size(); ++i) {
      if (routine.arguments[i].kind == Kind::work_size) {
        query += fmt::format("{}is_query(a{})", query.empty() ? "" : " || ", i);
      }
    }
    return query.empty() ? "false" : query;
  }

  /// Nothing for a routine that isn't BLAS's: there is no C interface to it.
  static std::optional<std::vector<Source>> row_major_sources(const Routine& routine) {
    std::vector<Source> sources(routine.arguments.size());
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
    const std::string& family = routine.family;
    const bool product = family == "gemm" || family == "gemmt" || family == "gemm3m";
    const bool two_sided = routine.index("side") >= 0;  // symm, hemm, trmm, trsm
    const bool hermitian_update = family == "herk" || family == "her2k";
    turn("uplo", "other_triangle");
    turn("side", "other_side");
    if (product) {
      exchange("transa", "transb");
      exchange("A", "B");
      exchange("lda", "ldb");
    } else if (!two_sided) {
      turn(routine.index("transa") >= 0 ? "transa" : "trans", hermitian_update ? "conjugated" : "transposed");
    }
    if (product || two_sided || family == "gemv" || family == "gbmv" || family.rfind("ger", 0) == 0) {
      exchange("m", "n");
    }
    exchange("kl", "ku");
    if (family.rfind("ger", 0) == 0) {
      exchange("x", "y");
      exchange("incx", "incy");
    }
    return sources;
  }

  /// The parameter's type in C.
  static std::string c_type(char letter) {
    switch (letter) {
      case 'f':
      case 'i': return "int";
      case 's': return "float";
      case 'd': return "double";
      default: return "void*";
    }
  }

  static std::string write_value(char letter, const Source& source) {
    switch (letter) {
      case 'f':
        return source.turn[0] == '\0' ? fmt::format("      arguments.flag_value(flag_of(a{}));\n", source.from)
                                      : fmt::format("      arguments.flag_value({}(flag_of(a{})));\n", source.turn, source.from);
      case 'i': return fmt::format("      arguments.integer_value(a{});\n", source.from);
      case 's':
      case 'd': return fmt::format("      arguments.{}_value(a{});\n", letter, source.from);
      case 'a': return fmt::format("      arguments.address(a{});\n", source.from);
      default: return fmt::format("      arguments.{}(a{});\n", letter, source.from);
    }
  }

  void add_cblas(const std::string& symbol, const Routine& routine, std::size_t fortran, const std::vector<Source>& rows) {
    const std::string layout = record_layout(routine);
    const bool matrices = layout.find('f') != std::string::npos || routine.family.rfind("ger", 0) == 0;
    std::vector<std::string> types;
    std::vector<std::string> names;
    std::string columns_text;
    std::string rows_text;
    if (matrices) {
      types.emplace_back("int");
      names.emplace_back("order");
    }
    for (std::size_t i = 0; i < layout.size(); ++i) {
      types.push_back(c_type(layout[i]));
      names.push_back(fmt::format("a{}", i));
      columns_text += write_value(layout[i], {i, ""});
      rows_text += write_value(layout[i], rows[i]);
    }
    std::string result = result_type(routine);
    std::string skipped;
    if (routine.returns == Returns::integer) {
      result = "std::size_t";
      skipped = "return recording.value() < 1 ? 0 : static_cast<std::size_t>(recording.value()) - 1;";  // counted from 0
    } else if (result.rfind("_Complex", 0) == 0) {
      const std::string part = result.substr(9);
      types.emplace_back("void*");
      names.emplace_back("to");
      skipped = fmt::format(
          "static_cast<{0}*>(to)[0] = static_cast<{0}>(recording.value(0)); static_cast<{0}*>(to)[1] = "
          "static_cast<{0}>(recording.value(1)); return;",
          part);
      result = "void";
    }
    std::string parameters;
    for (std::size_t i = 0; i < types.size(); ++i) {
      parameters += fmt::format("{}{} {}", i > 0 ? ", " : "", types[i], names[i]);
    }
    begin(result, symbol, parameters, fmt::format("{}", fmt::join(types, ", ")), add(symbol, ""));
    code_ += recording(fortran, layout, "false");
    code_ += block(
        matrices ? fmt::format("    if (order == row_major) {{\n{}    }} else {{\n{}    }}\n", rows_text, columns_text) : columns_text,
        result, "", skipped);
    end(result, fmt::format("{}", fmt::join(names, ", ")));
  }

  std::vector<std::pair<std::string, std::string>> table_;  ///< symbols and layouts
  std::map<std::string, std::size_t> ids_;                  ///< of the catalogue's routines
  std::string code_;
};

/// Adds every routine of the list that the catalogue doesn't have. A line is a name, for functions followed by the kind of their result.
void add_standard_routines(Stubs& stubs, const std::string& list) {
  std::ifstream in(list);
  std::string line;
  bool any = false;
  while (std::getline(in, line)) {
    std::istringstream words(line);
    std::string name;
    std::string kind;
    words >> name >> kind;
    const bool c = name.rfind("cblas_", 0) == 0;
    const std::string symbol = c ? name : name + "_";
    any = true;
    if (!stubs.has(symbol) && !(c && stubs.add_cblas(symbol))) {
      stubs.add_unnamed(symbol, kind);
    }
  }
  if (!any) {
    throw environment_error("can't read {}", list);
  }
}

std::string stubs_of(const std::string& list) {
  Stubs stubs;
  for (const Routine& routine : kernel::catalogue()) {
    stubs.add_fortran(routine);
  }
  add_standard_routines(stubs, list);
  return stubs.text();
}

}  // namespace
}  // namespace flopcast::interpose

/// generate_trace_stubs LIST FILE: reads the names of standard routines from LIST, writes the stubs to FILE.
int main(int argc, char** argv) {
  using namespace flopcast::interpose;
  return run_generator(argc, argv, 2, "two arguments, the list to read and the file to write",
                       [](char** arguments) { write_source(arguments[1], stubs_of(arguments[0])); });
}
