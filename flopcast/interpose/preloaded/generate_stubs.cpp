#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "flopcast/core/error.hpp"
#include "flopcast/interpose/preloaded/generator.hpp"
#include "flopcast/kernel/catalogue.hpp"

namespace flopcast::interpose {
namespace {

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

/// Arguments, then the hidden lengths of the flags; every one of them travels as a pointer.
std::size_t pointers(const Routine& routine) {
  const auto flags =
      std::count_if(routine.arguments.begin(), routine.arguments.end(), [](const Argument& a) { return a.kind == Kind::flag; });
  return routine.arguments.size() + static_cast<std::size_t>(flags);
}

std::string stub(std::size_t index, const Routine& routine) {
  std::string parameters;
  std::string arguments;
  for (std::size_t i = 0; i < pointers(routine); ++i) {
    parameters += fmt::format("{}void* a{}", i > 0 ? ", " : "", i);
    arguments += fmt::format(", a{}", i);
  }
  return fmt::format("[[gnu::visibility(\"default\")]] {} {}_({}) {{ return intercept<{}>({}, __builtin_return_address(0){}); }}\n",
                     result_type(routine), routine.name, parameters, result_type(routine), index, arguments);
}

std::string stubs() {
  std::string text = "#include \"flopcast/interpose/preloaded/intercept.hpp\"\n\nusing flopcast::interpose::intercept;\n\nextern \"C\" {\n";
  for (std::size_t i = 0; i < kernel::catalogue().size(); ++i) {
    text += stub(i, kernel::catalogue()[i]);
  }
  return text + "}\n";
}

}  // namespace
}  // namespace flopcast::interpose

/// Writes the recording library's stubs, one per routine of the catalogue, to the file argv[1].
int main(int argc, char** argv) {
  using namespace flopcast::interpose;
  return run_generator(argc, argv, 1, "one argument, the file to write", [](char** arguments) { write_source(arguments[0], stubs()); });
}
