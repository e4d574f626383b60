#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/preload/common/cblas_interface.hpp"
#include "flopcast/preload/common/generator.hpp"
#include "flopcast/preload/trace/trace.hpp"
#include "flopcast/protocol/record_layout.hpp"
#include "flopcast/protocol/trace_format.hpp"
#include "flopcast/support/error.hpp"

/// Writes the stubs of libflopcast-trace.so: a function per routine of the catalogue, of CBLAS and of the list of standard routines.
namespace flopcast::preload {
namespace {

constexpr int words_in_registers = 6;
/// Arguments and hidden lengths of a routine of which only the name is known. LAPACK's longest list (zuncsd) has 38.
constexpr int max_words = words_in_registers + static_cast<int>(UnnamedCall::stack_words);
constexpr int max_numbers = 8;  ///< arguments in floating-point registers (CBLAS passes real scalars by value)

/// Returns `count` comma-separated copies of `item`, with {} replaced by the number.
std::string repeated(const char* item, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += (i > 0 ? ", " : "") + fmt::format(fmt::runtime(item), i);
  }
  return text;
}

/// Collects the stubs and the table of intercepted routines.
class Stubs {
 public:
  void add_fortran(const Routine& routine) {
    const std::string layout = protocol::record_layout(routine);
    const std::string wide = protocol::record_layout(routine, 8);
    const std::size_t flags = static_cast<std::size_t>(std::count(layout.begin(), layout.end(), 'f'));
    const int pointers = static_cast<int>(layout.size() + flags);  // hidden lengths last
    const std::string result = result_type(routine);
    const std::size_t id = add(routine.name + "_", layout);
    add(routine.name + "_", wide);
    ids_[routine.name] = id;
    std::string writes;
    for (std::size_t i = 0; i < layout.size(); ++i) {
      writes += write_pointer(layout[i], i);
    }
    begin(result, routine.name + "_", repeated("void* a{}", pointers), repeated("void*", pointers), id);
    code_ += recording(id, layout, wide, queries(routine));
    code_ += block(writes, result, info(routine));
    end(result, repeated("a{}", pointers));
  }

  /// Adds a CBLAS function. Returns false if it couldn't be translated.
  bool add_cblas(const std::string& symbol) {
    const std::optional<CblasFunction> function = cblas_function(symbol);
    if (function) {
      add_cblas(symbol, *function);
    }
    return function.has_value();
  }

  void add_unnamed(const std::string& symbol, const std::string& kind) {
    const char* result = kind == "real" ? "double" : kind == "complex" ? "_Complex double" : kind.empty() ? "long" : nullptr;
    if (result == nullptr) {
      throw bad_input("{}: '{}' is no kind of result; it must be real, complex or nothing", symbol, kind);
    }
    code_ +=
        fmt::format("[[gnu::visibility(\"default\")]] {} {}(PARAMETERS) {{ FORWARD({}, {}) }}\n", result, symbol, result, add(symbol, ""));
  }

  [[nodiscard]] bool has(const std::string& symbol) const {
    return std::any_of(table_.begin(), table_.end(), [&](const auto& known) { return known.first == symbol; });
  }

  [[nodiscard]] std::string text() const {
    std::string all = "#include \"flopcast/preload/trace/trace.hpp\"\n\nusing namespace flopcast::preload;\n\n";
    // Words beyond those in registers may lie behind the end of the caller's stack, where their copies are zeros.
    const std::string in_registers = repeated("w{}", words_in_registers), numbers = repeated("d{}", max_numbers);
    all += fmt::format(
        "#if defined(__x86_64__)\n#define PARAMETERS {0}, {1}\n#define ALL_WORDS {2}, {3}\n#else\n#define PARAMETERS {4}, {1}\n"
        "#define ALL_WORDS {5}\n#endif\n",
        repeated("void* w{}", words_in_registers), repeated("double d{}", max_numbers), in_registers,
        repeated("call.stack[{}]", max_words - words_in_registers), repeated("void* w{}", max_words), repeated("w{}", max_words));
    all += fmt::format(
        "#define FORWARD(Result, id) \\\n  using Type = Result (*)({}, {}); \\\n  UnnamedCall call; \\\n"
        "  const UnnamedWords words = {{{{{}}}, __builtin_frame_address(0)}}; \\\n"
        "  const auto next = reinterpret_cast<Type>(begin(call, id, words, __builtin_return_address(0))); \\\n"
        "  const Result result = next(ALL_WORDS, {}); \\\n  finish(call); \\\n  return result;\n\n",
        repeated("void*", max_words), repeated("double", max_numbers), in_registers, numbers);
    all += "extern \"C\" {\n" + code_ + "}\n\nnamespace flopcast::preload {\n\nconst Intercepted intercepted[] = {\n";
    for (const auto& [symbol, layout] : table_) {
      all += fmt::format("    {{\"{}\", \"{}\"}},\n", symbol, layout);
    }
    all += fmt::format("}};\nconst std::uint32_t intercepted_count = {0};\nstd::atomic<std::uint64_t> definitions[{0}];\n\n}}\n",
                       table_.size());
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
        "[[gnu::visibility(\"default\")]] {} {}({}) {{\n  const Definition found = definition({}, __builtin_return_address(0));\n"
        "  const auto next = reinterpret_cast<{} (*)({})>(found.address);\n",
        result, symbol, parameters, id, result, types);
  }

  /// Returns the declaration of the recording. The routine's number is `id` with 4-byte integers, `id` + 1 with 8-byte integers.
  static std::string recording(std::size_t id, const std::string& layout, const std::string& wide, const std::string& query) {
    return fmt::format(
        "  Recording recording(found.wide ? {} : {}, found.library, found.wide ? {} : {}, __builtin_frame_address(0), "
        "__builtin_return_address(0), {});\n",
        id + 1, id, sizeof(protocol::RecordHeader) + protocol::record_bytes(wide),
        sizeof(protocol::RecordHeader) + protocol::record_bytes(layout), query);
  }

  static std::string block(const std::string& writes, const std::string& result, const std::string& info = "",
                           const std::string& skipped = "") {
    const std::string value = !skipped.empty()   ? skipped
                              : result == "void" ? "return;"
                                                 : fmt::format("return skipped_result<{}>(recording);", result);
    return fmt::format(
        "  if (recording) {{\n    Arguments arguments(recording.arguments(), found.wide);\n{}    if (!recording.start({}found.wide)) {{ {} "
        "}}\n  }}\n",
        writes, info.empty() ? "nullptr, " : info + ", ", value);
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

  /// Returns the name of the argument info, empty if there is none.
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

  static std::string write_value(char letter, const RowMajorSource& source) {
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

  void add_cblas(const std::string& symbol, const CblasFunction& function) {
    std::string columns;
    std::string rows;
    for (std::size_t i = 0; i < function.layout.size(); ++i) {
      columns += write_value(function.layout[i], {i, ""});
      rows += write_value(function.layout[i], function.rows[i]);
    }
    begin(function.result, symbol, function.parameters(), fmt::format("{}", fmt::join(function.types, ", ")), add(symbol, ""));
    code_ += recording(ids_.at(function.routine->name), function.layout, protocol::record_layout(*function.routine, 8), "false");
    code_ += block(function.has_order
                       ? fmt::format("    if (static_cast<int>(order) == row_major) {{\n{}    }} else {{\n{}    }}\n", rows, columns)
                       : columns,
                   function.result, "", skipped_return(function));
    end(function.result, fmt::format("{}", fmt::join(function.names, ", ")));
  }

  /// Returns the statement with a skipped function's result; empty if the Fortran result fits.
  static std::string skipped_return(const CblasFunction& function) {
    if (function.routine->returns == Returns::integer) {
      return "return recording.value() < 1 ? 0 : static_cast<std::size_t>(recording.value()) - 1;";  // counted from 0
    }
    if (!function.has_target) {
      return "";
    }
    return fmt::format(
        "static_cast<{0}*>(to)[0] = static_cast<{0}>(recording.value(0)); static_cast<{0}*>(to)[1] = "
        "static_cast<{0}>(recording.value(1)); return;",
        function.result_part);
  }

  std::vector<std::pair<std::string, std::string>> table_;  ///< symbols and layouts
  std::map<std::string, std::size_t> ids_;                  ///< keys: the catalogue's routines
  std::string code_;
};

/// Adds every routine of the list that the catalogue lacks. A line is a name, followed by the kind of the result for functions.
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
}  // namespace flopcast::preload

/// Usage: generate_trace_stubs LIST FILE. Reads the names of standard routines from LIST and writes the stubs to FILE.
int main(int argc, char** argv) {
  using namespace flopcast::preload;
  return run_generator(argc, argv, 2, "two arguments, the list to read and the file to write",
                       [](char** arguments) { write_source(arguments[1], stubs_of(arguments[0])); });
}
