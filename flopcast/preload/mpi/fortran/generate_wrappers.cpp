#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "flopcast/preload/common/generator.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::interpose {
namespace {

/// Conversion of a kind of parameter between Fortran and C. In each text {0} is the parameter's name; {comm}, {count} and {completed} are
/// the names of the function's communicator, first count, and number of completed requests.
struct Parameter {
  const char* type;      ///< type in Fortran's interface
  const char* before;    ///< declarations before the call
  const char* argument;  ///< argument of the call
  const char* after;     ///< statements after the call, if it succeeded
};

const std::map<std::string, Parameter>& kinds() {
  static const std::map<std::string, Parameter> all = {
      {"program", {nullptr, "", "nullptr, nullptr", ""}},
      {"buffer", {"void*", "", "fortran::buffer({0})", ""}},
      {"int", {"MPI_Fint*", "", "*{0}", ""}},
      {"count", {"MPI_Fint*", "", "*{0}", ""}},
      {"out_int", {"MPI_Fint*", "", "{0}", ""}},
      {"completed", {"MPI_Fint*", "", "{0}", ""}},
      {"flag", {"MPI_Fint*", "", "{0}", ""}},
      {"ints", {"MPI_Fint*", "", "{0}", ""}},
      {"weights", {"MPI_Fint*", "", "fortran::weights({0})", ""}},
      {"type", {"MPI_Fint*", "", "PMPI_Type_f2c(*{0})", ""}},
      {"types", {"MPI_Fint*", "", "fortran::types({0}, *{comm}, {slot}, false)", ""}},
      {"long_types", {"MPI_Fint*", "", "fortran::types({0}, *{comm}, {slot}, true)", ""}},
      {"op", {"MPI_Fint*", "", "PMPI_Op_f2c(*{0})", ""}},
      {"comm", {"MPI_Fint*", "", "PMPI_Comm_f2c(*{0})", ""}},
      {"group", {"MPI_Fint*", "", "PMPI_Group_f2c(*{0})", ""}},
      {"info", {"MPI_Fint*", "", "PMPI_Info_f2c(*{0})", ""}},
      {"errhandler", {"MPI_Fint*", "", "PMPI_Errhandler_f2c(*{0})", ""}},
      {"new_session", {"MPI_Fint*", "MPI_Session c{0} = MPI_SESSION_NULL;", "&c{0}", "*{0} = PMPI_Session_c2f(c{0});"}},
      {"new_comm", {"MPI_Fint*", "MPI_Comm c{0} = MPI_COMM_NULL;", "&c{0}", "*{0} = PMPI_Comm_c2f(c{0});"}},
      {"new_request", {"MPI_Fint*", "MPI_Request c{0} = MPI_REQUEST_NULL;", "&c{0}", "*{0} = PMPI_Request_c2f(c{0});"}},
      {"request", {"MPI_Fint*", "MPI_Request c{0} = PMPI_Request_f2c(*{0});", "&c{0}", "*{0} = PMPI_Request_c2f(c{0});"}},
      {"same_request", {"MPI_Fint*", "", "PMPI_Request_f2c(*{0})", ""}},
      {"requests", {"MPI_Fint*", "fortran::Requests c{0}({0}, *{count});", "c{0}.get()", ""}},
      {"new_message", {"MPI_Fint*", "MPI_Message c{0} = MPI_MESSAGE_NULL;", "&c{0}", "*{0} = PMPI_Message_c2f(c{0});"}},
      {"message", {"MPI_Fint*", "MPI_Message c{0} = PMPI_Message_f2c(*{0});", "&c{0}", "*{0} = PMPI_Message_c2f(c{0});"}},
      {"status", {"MPI_Fint*", "fortran::Status c{0}({0});", "c{0}.get()", ""}},
      {"statuses", {"MPI_Fint*", "fortran::Statuses c{0}({0}, *{count}, {completed});", "c{0}.get()", ""}},
      {"index", {"MPI_Fint*", "", "{0}", "fortran::count_from_one(*{0});"}},
      {"indices", {"MPI_Fint*", "", "{0}", "fortran::count_from_one({0}, *{completed});"}}};
  return all;
}

struct Function {
  int version = 0;           ///< version of MPI that introduced it
  bool tells_errors = true;  ///< by its last argument
  std::string name;
  std::vector<std::string> kinds;
};

std::vector<Function> read_functions(const char* file) {
  std::ifstream in(file);
  std::vector<Function> all;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    Function function;
    if (!(words >> function.version)) {
      function.version = 0;
      words.clear();
    }
    words >> function.name;
    for (std::string kind; words >> kind;) {
      if (kind == "without_error") {
        function.tells_errors = false;
        continue;
      }
      if (kinds().count(kind) == 0) {
        throw bad_input("{}: {} has a parameter of the unknown kind '{}'", file, function.name, kind);
      }
      function.kinds.push_back(kind);
    }
    if (!function.name.empty()) {
      all.push_back(std::move(function));
    }
  }
  if (all.empty()) {
    throw bad_input("{} has no functions", file);
  }
  return all;
}

/// Returns the name of the first parameter of `kind`, `otherwise` if there is none.
std::string parameter_of(const Function& function, const std::string& kind, const std::string& otherwise) {
  const auto found = std::find(function.kinds.begin(), function.kinds.end(), kind);
  return found == function.kinds.end() ? otherwise : 'a' + std::to_string(found - function.kinds.begin());
}

std::string lower_case(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return name;
}

/// Returns the procedure `name`, which calls C's function.
std::string wrapper(const Function& function, const std::string& name) {
  std::string parameters;
  std::string before;
  std::string arguments;
  std::string after;
  const std::string comm = parameter_of(function, "comm", "?");
  const std::string count = parameter_of(function, "count", "?");
  const std::string completed = parameter_of(function, "completed", "nullptr");
  int slot = 0;
  for (std::size_t i = 0; i < function.kinds.size(); ++i) {
    const Parameter& kind = kinds().at(function.kinds[i]);
    const std::string place = 'a' + std::to_string(i);
    const auto filled = [&](const char* text) {
      return fmt::format(fmt::runtime(text), place, fmt::arg("comm", comm), fmt::arg("count", count), fmt::arg("completed", completed),
                         fmt::arg("slot", slot));
    };
    if (kind.type != nullptr) {
      parameters += fmt::format("{} {}, ", kind.type, place);
    }
    before += filled(kind.before);
    arguments += (arguments.empty() ? "" : ", ") + filled(kind.argument);
    after += filled(kind.after);
    slot += function.kinds[i] == "types" || function.kinds[i] == "long_types" ? 1 : 0;
  }
  if (!function.tells_errors) {
    parameters.resize(parameters.size() - 2);  // removes the comma
    return fmt::format("void {}({}) {{\n  {}\n  {}({});\n}}\n", name, parameters, before, function.name, arguments);
  }
  std::string text = fmt::format("void {}({}MPI_Fint* error) {{\n  {}\n  const int result = {}({});\n", name, parameters, before,
                                 function.name, arguments);
  if (!after.empty()) {
    text += fmt::format("  if (result == MPI_SUCCESS) {{ {} }}\n", after);
  }
  return text + "  if (error != nullptr) { *error = result; }\n}\n";
}

bool has(const Function& function, const char* kind) {
  return std::find(function.kinds.begin(), function.kinds.end(), kind) != function.kinds.end();
}

/// Returns the procedures for Open MPI. Its own call no functions that can be intercepted in C, and take the same arguments in all of
/// Fortran's interfaces.
std::string for_openmpi(const Function& function) {
  const std::string name = lower_case(function.name);
  return wrapper(function, name + '_') + fmt::format("decltype({0}_) {0}_f08_ [[gnu::alias(\"{0}_\")]];\n\n", name);
}

/// Returns the procedures for MPICH. Its own call C's functions, except those of the module mpi_f08 without a buffer. MPICH's constants for
/// weights can't be recognised there.
std::string for_mpich(const Function& function) {
  return has(function, "buffer") || has(function, "weights") ? "" : wrapper(function, lower_case(function.name) + "_f08_") + '\n';
}

std::string wrappers(const char* list, const std::string& mpi) {
  if (mpi != "openmpi" && mpi != "mpich") {
    throw usage_error("'{}' is no MPI; openmpi or mpich was expected", mpi);
  }
  std::string text =
      "#include \"flopcast/preload/mpi/fortran/arguments.hpp\"\n\nnamespace fortran = flopcast::interpose::mpi::fortran;\n\n"
      "#pragma GCC visibility push(default)\nextern \"C\" {\n\n";
  for (const Function& function : read_functions(list)) {
    text +=
        fmt::format("#if MPI_VERSION >= {}\n{}#endif\n", function.version, mpi == "mpich" ? for_mpich(function) : for_openmpi(function));
  }
  return text + "}\n#pragma GCC visibility pop\n";
}

}  // namespace
}  // namespace flopcast::interpose

/// Usage: generate_wrappers LIST FILE MPI. Writes the Fortran procedures of the functions in LIST that MPI (openmpi or mpich) needs to
/// FILE. Each procedure calls C's function.
int main(int argc, char** argv) {
  using namespace flopcast::interpose;
  return run_generator(argc, argv, 3, "three arguments: the list, the file to write, and the MPI",
                       [](char** arguments) { write_source(arguments[1], wrappers(arguments[0], arguments[2])); });
}
