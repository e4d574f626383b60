#include <fmt/format.h>

#include <fstream>
#include <optional>
#include <string>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/preload/common/cblas_interface.hpp"
#include "flopcast/preload/common/generator.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::preload {
namespace {

std::string stub(std::size_t index, const Routine& routine) {
  const std::size_t pointers = pointers_of(routine);
  return fmt::format("[[gnu::visibility(\"default\")]] {0} {1}_({2}) {{ return intercept<{0}>({3}, __builtin_return_address(0), {4}); }}\n",
                     result_type(routine), routine.name, repeated("void* a{}", pointers), index, repeated("a{}", pointers));
}

std::string stubs() {
  std::string text = "#include \"flopcast/preload/common/intercept.hpp\"\n\nusing flopcast::preload::intercept;\n\nextern \"C\" {\n";
  for (std::size_t i = 0; i < kernel::catalogue().size(); ++i) {
    text += stub(i, kernel::catalogue()[i]);
  }
  return text + "}\n";
}

/// Returns the address expression of the Fortran routine's argument `i`, and declares a variable where the C function lacks the argument in
/// this form.
std::string fortran_argument(const CblasFunction& function, std::size_t i, std::string& declarations) {
  const char letter = function.layout[i];
  const RowMajorSource& source = function.rows[i];
  const bool turns = function.has_order && source.turn[0] != '\0';
  const std::string value =
      function.has_order && source.from != i ? fmt::format("(rows ? a{} : a{})", source.from, i) : fmt::format("a{}", i);
  if (letter == 'f') {
    const std::string turned =
        turns ? fmt::format("rows ? {0}(flag_of({1})) : flag_of({1})", source.turn, value) : fmt::format("flag_of({})", value);
    declarations += fmt::format("  char f{} = {};\n", i, turned);
    return fmt::format("&f{}", i);
  }
  if (letter == 'i') {
    declarations += fmt::format("  long i{} = {};\n", i, value);
    return fmt::format("&i{}", i);
  }
  return letter == 's' || letter == 'd' ? fmt::format("&a{}", i) : value;
}

/// Returns the arguments of the call of the C function, with scalars as the interception left them.
std::string cblas_arguments(const CblasFunction& function) {
  std::string arguments = function.has_order ? "order" : "";
  for (std::size_t i = 0; i < function.layout.size(); ++i) {
    const char letter = function.layout[i];
    arguments += arguments.empty() ? "" : ", ";
    switch (letter) {
      case 's': arguments += fmt::format("*static_cast<float*>(all[{}])", i); break;
      case 'd': arguments += fmt::format("*static_cast<double*>(all[{}])", i); break;
      case 'c':
      case 'z': arguments += fmt::format("all[{}]", i); break;
      default: arguments += fmt::format("a{}", i);
    }
  }
  return arguments + (function.has_target ? ", to" : "");
}

/// Returns the statements for a C function that isn't executed.
std::string skipped_cblas(const CblasFunction& function) {
  if (function.has_target) {
    return fmt::format("*static_cast<std::complex<{0}>*>(to) = std::complex<{0}>(interception.skipped_value()); return;",
                       function.result_part);
  }
  return function.routine->returns == Returns::integer
             ? "return index_of(interception.skipped_value());"
             : fmt::format("return result_of<{}>(interception.skipped_value());", function.result);
}

/// Returns the stub of a CBLAS function, which has this number in the list of all stubs. It records the call of the Fortran routine, where
/// a row-major problem becomes its transpose, which is column-major.
std::string cblas_stub(std::size_t number, const std::string& symbol, const CblasFunction& function) {
  const auto index = static_cast<std::size_t>(function.routine - kernel::catalogue().data());
  std::string declarations;
  std::string all;
  bool rows = false;
  for (std::size_t i = 0; i < function.layout.size(); ++i) {
    all += (i > 0 ? ", " : "") + fortran_argument(function, i, declarations);
    rows = rows || function.rows[i].from != i || function.rows[i].turn[0] != '\0';
  }
  return fmt::format(
      "[[gnu::visibility(\"default\")]] {0} {1}({2}) {{\n"
      "{3}{4}"
      "  void* all[] = {{{5}}};\n"
      "  const Interception interception({6}, __builtin_return_address(0), all);\n"
      "  if (!interception.execute()) {{ {7} }}\n"
      "  {8}reinterpret_cast<{0} (*)({9})>(definition_of_c_call({11}, interception.trampoline(), "
      "__builtin_return_address(0)))({10});\n}}\n",
      function.result, symbol, function.parameters(),
      function.has_order && rows ? "  const bool rows = static_cast<int>(order) == row_major;\n" : "", declarations, all, index,
      skipped_cblas(function), function.result == "void" ? "" : "return ", fmt::join(function.types, ", "), cblas_arguments(function),
      number);
}

/// Returns the stubs of the CBLAS functions on the list of standard routines that match routines of the catalogue.
std::string cblas_stubs(const std::string& list) {
  std::string text =
      "#include <iterator>\n\n#include \"flopcast/preload/common/intercepted_calls.hpp\"\n"
      "#include \"flopcast/preload/common/cblas_flags.hpp\"\n"
      "#include \"flopcast/preload/common/intercept.hpp\"\n\n"
      "using namespace flopcast::preload;\n\nextern \"C\" {\n";
  std::ifstream in(list);
  std::string symbols;
  std::size_t count = 0;
  for (std::string line; std::getline(in, line);) {
    const std::string symbol = line.substr(0, line.find(' '));
    if (const std::optional<CblasFunction> function = cblas_function(symbol)) {
      text += cblas_stub(count++, symbol, *function);
      symbols += fmt::format("    \"{}\",\n", symbol);
    }
  }
  if (symbols.empty()) {
    throw environment_error("{} can't be read, or names no function of CBLAS", list);
  }
  return text + "}\n\nnamespace flopcast::preload {\n\nconst char* const c_stubs[] = {\n" + symbols +
         "};\nconst std::size_t c_stub_count = std::size(c_stubs);\n\n}\n";
}

}  // namespace
}  // namespace flopcast::preload

/// Usage: generate_stubs LIST FORTRAN CBLAS. Writes the stubs of the catalogue's routines, which call intercept(), to FORTRAN, and those of
/// the CBLAS functions in LIST to CBLAS.
int main(int argc, char** argv) {
  using namespace flopcast::preload;
  return run_generator(argc, argv, 3, "three arguments, the list to read and the two files to write", [](char** arguments) {
    write_source(arguments[1], stubs());
    write_source(arguments[2], cblas_stubs(arguments[0]));
  });
}
