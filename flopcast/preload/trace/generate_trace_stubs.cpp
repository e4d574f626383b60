#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/fill.hpp"
#include "flopcast/preload/common/cblas_interface.hpp"
#include "flopcast/preload/common/generator.hpp"
#include "flopcast/preload/trace/trace.hpp"
#include "flopcast/protocol/record_layout.hpp"
#include "flopcast/protocol/trace_format.hpp"
#include "flopcast/support/error.hpp"

/// Writes the stubs of libflopcast-trace.so: a function per routine of the catalogue, of CBLAS and of the list of standard routines.
namespace flopcast::preload {
namespace {

constexpr std::size_t words_in_registers = 6;
/// Arguments and hidden lengths of a routine of which only the name is known. LAPACK's longest list (zuncsd) has 38.
constexpr std::size_t max_words = words_in_registers + UnnamedCall::stack_words;
constexpr std::size_t max_numbers = 8;  ///< arguments in floating-point registers (CBLAS passes real scalars by value)

/// Finds the arguments of a routine in its record.
class RecordPlaces {
 public:
  RecordPlaces(const Routine& routine, const std::string& layout) : routine_(routine) {
    std::size_t at = 0;
    for (const char letter : layout) {
      places_.push_back(at);
      at += protocol::layout_bytes(letter);
    }
  }

  [[nodiscard]] std::string of(int argument) const {
    return argument < 0 ? "ExaminedResult::none" : std::to_string(places_.at(static_cast<std::size_t>(argument)));
  }
  /// Returns the place of the size argument that a formula consists of; nothing for other formulae.
  [[nodiscard]] std::optional<std::string> of_size(const std::string& formula) const {
    const int argument = routine_.index(formula);
    const bool is_size = argument >= 0 && routine_.arguments[static_cast<std::size_t>(argument)].kind == Kind::size;
    return is_size ? std::optional(of(argument)) : std::nullopt;
  }

 private:
  const Routine& routine_;
  std::vector<std::size_t> places_;
};

/// Returns "flag, letter, rows, other rows" of a number of rows: a size (n) or one of two (trans=N ? m : n).
std::optional<std::array<std::string, 4>> rows_of(const Routine& routine, const RecordPlaces& places, const std::string& formula) {
  if (const auto plain = places.of_size(formula)) {
    return std::array<std::string, 4>{"ExaminedResult::none", "' '", *plain, "ExaminedResult::none"};
  }
  static const std::regex choice(R"((\w+)=(\w) \? (\w+) : (\w+))");
  std::smatch parts;
  if (!std::regex_match(formula, parts, choice) || routine.index(parts[1].str()) < 0) {
    return std::nullopt;
  }
  const auto rows = places.of_size(parts[3]), others = places.of_size(parts[4]);
  return rows && others ? std::optional(std::array<std::string, 4>{places.of(routine.index(parts[1].str())),
                                                                   fmt::format("'{}'", parts[2].str()), *rows, *others})
                        : std::nullopt;
}

/// Returns whether an argument is a result that can be examined for NaN: a whole matrix, a triangle or a vector of real numbers.
bool is_examined(const Argument& argument) {
  const bool is_result = argument.kind == Kind::data && argument.access != Access::read && !argument.integer;
  const bool is_whole = argument.offset.empty() && argument.column_offset.empty();
  const bool has_form =
      argument.form == Form::full || argument.form == Form::vector || (argument.form == Form::triangle && argument.uplo >= 0);
  return is_result && is_whole && has_form;
}

/// Returns the results of a routine that are examined for NaN, as initialisers of ExaminedResult. Iterations may leave parts of results
/// unset.
std::string results_of(const Routine& routine, const std::string& layout) {
  if (kernel::iterates(routine)) {
    return "";
  }
  const RecordPlaces places(routine, layout);
  std::string all;
  for (std::size_t i = 0; i < routine.arguments.size(); ++i) {
    const Argument& argument = routine.arguments[i];
    if (!is_examined(argument)) {
      continue;
    }
    const bool is_triangle = argument.form == Form::triangle;
    const auto rows = rows_of(routine, places, argument.rows.text());
    const auto columns = argument.form == Form::vector ? std::optional<std::string>("ExaminedResult::none")
                         : is_triangle                 ? (rows ? std::optional((*rows)[2]) : std::nullopt)
                                                       : places.of_size(argument.columns.text());
    if (!rows || !columns || (is_triangle && (*rows)[0] != "ExaminedResult::none")) {
      continue;
    }
    all += fmt::format("{{{}, {}, {}, {}, {}, {}, {}, {}, ResultForm::{}, {}, {}}}, ", places.of(static_cast<int>(i)), (*rows)[2], *columns,
                       places.of(argument.stride), (*rows)[0], (*rows)[3], places.of(is_triangle ? argument.uplo : -1), (*rows)[1],
                       argument.form == Form::vector ? "vector"
                       : is_triangle                 ? "triangle"
                                                     : "full",
                       real_bytes(routine.precision), is_complex(routine.precision) && !argument.real ? 2 : 1);
  }
  return all;
}

/// Collects the stubs and the table of intercepted routines.
class Stubs {
 public:
  void add_fortran(const Routine& routine) {
    const std::string layout = protocol::record_layout(routine);
    const std::string wide = protocol::record_layout(routine, 8);
    const std::size_t pointers = pointers_of(routine);
    const std::string result = result_type(routine);
    const std::size_t id = add(routine.name + "_", layout, results_of(routine, layout));
    add(routine.name + "_", wide, results_of(routine, wide));
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
    return std::any_of(table_.begin(), table_.end(), [&](const StubEntry& known) { return known.symbol == symbol; });
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
    all += "extern \"C\" {\n" + code_ + "}\n\nnamespace flopcast::preload {\n\n";
    for (std::size_t i = 0; i < table_.size(); ++i) {
      all += table_[i].results.empty() ? "" : fmt::format("constexpr ExaminedResult results_{}[] = {{{}}};\n", i, table_[i].results);
    }
    all += "\nconst Intercepted intercepted[] = {\n";
    for (std::size_t i = 0; i < table_.size(); ++i) {
      const auto& [symbol, layout, results] = table_[i];
      all += results.empty()
                 ? fmt::format("    {{\"{}\", \"{}\", nullptr, 0}},\n", symbol, layout)
                 : fmt::format("    {{\"{0}\", \"{1}\", results_{2}, sizeof results_{2} / sizeof(ExaminedResult)}},\n", symbol, layout, i);
    }
    all += fmt::format("}};\nconst std::uint32_t intercepted_count = {0};\nstd::atomic<std::uint64_t> definitions[{0}];\n\n}}\n",
                       table_.size());
    return all;
  }

 private:
  /// A routine of the table; `results` has the initialisers of its ExaminedResult structures.
  struct StubEntry {
    std::string symbol, layout, results;
  };

  std::size_t add(const std::string& symbol, const std::string& layout, const std::string& results = "") {
    table_.push_back({symbol, layout, results});
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
        "  RecordedCall recording(found.wide ? {} : {}, found.library, found.wide ? {} : {}, __builtin_frame_address(0), "
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
        "  if (recording) {{\n    RecordedArguments arguments(recording.arguments(), found.wide);\n{}    if "
        "(!recording.start({}found.wide)) {{ {} "
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

  std::vector<StubEntry> table_;
  std::map<std::string, std::size_t> ids_;  ///< keys: the catalogue's routines
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
