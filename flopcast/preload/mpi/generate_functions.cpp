#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "flopcast/preload/common/generator.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::preload {
namespace {

/// The types of a kind of parameter in C.
struct Parameter {
  const char* type;
  const char* large_type = "";  ///< type in functions with large counts, if that is another one
};

const std::map<std::string, Parameter>& kinds() {
  static const std::map<std::string, Parameter> all = {{"buffer", {"void*"}},
                                                       {"in_buffer", {"const void*"}},
                                                       {"elements", {"int", "MPI_Count"}},
                                                       {"counts", {"const int*", "const MPI_Count*"}},
                                                       {"displacements", {"const int*", "const MPI_Aint*"}},
                                                       {"int", {"int"}},
                                                       {"out_int", {"int*"}},
                                                       {"ints", {"const int*"}},
                                                       {"type", {"MPI_Datatype"}},
                                                       {"types", {"const MPI_Datatype*"}},
                                                       {"op", {"MPI_Op"}},
                                                       {"new_op", {"MPI_Op*"}},
                                                       {"operation", {"MPI_User_function*", "MPI_User_function_c*"}},
                                                       {"comm", {"MPI_Comm"}},
                                                       {"group", {"MPI_Group"}},
                                                       {"info", {"MPI_Info"}},
                                                       {"new_comm", {"MPI_Comm*"}},
                                                       {"new_request", {"MPI_Request*"}},
                                                       {"request", {"MPI_Request"}},
                                                       {"requests", {"MPI_Request*"}},
                                                       {"message", {"MPI_Message*"}},
                                                       {"status", {"MPI_Status*"}}};
  return all;
}

struct MpiFunction {
  int version = 0;         ///< version of MPI that introduced it
  bool is_kernel = false;  ///< it has a number in the enumeration of routines
  bool under_smpi = true;  ///< it is traced under SMPI if it is a collective or makes a communicator
  bool is_plain = true;    ///< its definition and its name with PMPI_ need nothing beyond its parameters
  std::string name;
  std::vector<std::string> kinds;
  std::string description;  ///< describes a collective, or a function that completes requests; empty for others
};

std::vector<MpiFunction> read_functions(const char* file) {
  std::ifstream in(file);
  std::vector<MpiFunction> all;
  for (std::string line; std::getline(in, line);) {
    line.resize(std::min(line.find('#'), line.size()));
    const std::size_t end = std::min(line.find(" = "), line.size());
    std::istringstream words(line.substr(0, end));
    MpiFunction function;
    function.description = end < line.size() ? line.substr(end + 3) : "";
    if (!(words >> function.version)) {
      function.version = 0;
      words.clear();
    }
    words >> function.name;
    for (std::string kind; words >> kind;) {
      if (kind == "by_hand") {
        function.is_plain = false;
        continue;
      }
      if (kind == "kernel") {
        function.is_kernel = true;
        continue;
      }
      if (kind == "without_smpi") {
        function.under_smpi = false;
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
std::string parameter_of(const MpiFunction& function, const std::string& kind, const std::string& otherwise) {
  const auto found = std::find(function.kinds.begin(), function.kinds.end(), kind);
  return found == function.kinds.end() ? otherwise : 'a' + std::to_string(found - function.kinds.begin());
}

std::string lower_case(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return name;
}

bool has(const MpiFunction& function, const char* kind) {
  return std::find(function.kinds.begin(), function.kinds.end(), kind) != function.kinds.end();
}

bool is_collective(const MpiFunction& function) { return !function.description.empty() && has(function, "comm"); }

bool has_buffer(const MpiFunction& function) { return has(function, "buffer") || has(function, "in_buffer"); }

std::string with_version(int version, const std::string& text) {
  return text.empty() ? "" : fmt::format("#if MPI_VERSION >= {}\n{}#endif\n", version, text);
}

/// Returns the enumerator of a routine, for example `send` for MPI_Send.
std::string enumerator(const std::string& name) { return lower_case(name.substr(std::string("MPI_").size())); }

/// Returns the header with the enumeration of routines and their names.
std::string routine_list(const std::vector<MpiFunction>& functions) {
  std::string enumerators;
  std::string names;
  for (const MpiFunction& function : functions) {
    if (function.is_kernel) {
      enumerators += fmt::format("  {},\n", enumerator(function.name));
      names += fmt::format("    \"{}\",\n", function.name);
    }
  }
  return fmt::format(
      "#pragma once\n\n#include <array>\n#include <cstddef>\n#include <cstdint>\n\nnamespace flopcast::preload::mpi {{\n\n"
      "/// Intercepted communication routines whose executions are kernels. A kernel's key holds the number.\n"
      "enum class Routine : std::uint32_t {{\n{}  count\n}};\n\n"
      "/// Names by number, for example `MPI_Send`.\n"
      "inline constexpr std::array<const char*, static_cast<std::size_t>(Routine::count)> routine_names = {{\n{}}};\n\n"
      "/// Returns a name such as `MPI_Send`.\n"
      "inline const char* routine_name(Routine routine) noexcept {{ return routine_names[static_cast<std::size_t>(routine)]; }}\n\n"
      "}}  // namespace flopcast::preload::mpi\n",
      enumerators, names);
}

/// Returns the head of a C function, `large` with large counts, for example `int MPI_Send_c(const void* a0, ...)`.
std::string head(const MpiFunction& function, bool large) {
  std::string parameters;
  for (std::size_t i = 0; i < function.kinds.size(); ++i) {
    const Parameter& kind = kinds().at(function.kinds[i]);
    const char* type = large && *kind.large_type != '\0' ? kind.large_type : kind.type;
    parameters += fmt::format("{}{} a{}", i > 0 ? ", " : "", type, i);
  }
  return fmt::format("int {}{}({})", function.name, large ? "_c" : "", parameters);
}

/// Returns a call of `name` with the function's parameters, and with `other` in place of the one of kind `replaced`.
std::string call(const std::string& name, const MpiFunction& function, const std::string& replaced = "", const std::string& other = "") {
  std::string arguments;
  for (std::size_t i = 0; i < function.kinds.size(); ++i) {
    arguments += (i > 0 ? ", " : "") + (function.kinds[i] == replaced ? other : 'a' + std::to_string(i));
  }
  return fmt::format("{}({})", name, arguments);
}

/// Returns the description of a collective. One with an operation that may be the program's own says so.
std::string description_of(const MpiFunction& function) {
  return has(function, "op") ? fmt::format("with_operation({}, {})", parameter_of(function, "op", ""), function.description)
                             : function.description;
}

/// Returns a collective, which is executed with its own large counts: reductions can't work on elements made of many.
std::string collective(const MpiFunction& function, bool large) {
  const std::string request = has(function, "new_request") ? parameter_of(function, "new_request", "") + ", " : "";
  return fmt::format("{} {{\n  return {}(Routine::{}, {}, {}{}, [&] {{ return {}; }});\n}}\n", head(function, large),
                     request.empty() ? "executed" : "begun", enumerator(function.name), parameter_of(function, "comm", ""), request,
                     description_of(function), call('P' + function.name + (large ? "_c" : ""), function));
}

/// Returns the function with large counts that calls the one with small counts, with elements made of many if necessary. A receive must
/// find a piggyback message whichever of the two functions sent its message.
std::string with_large_elements(const MpiFunction& function) {
  std::string before;
  std::string arguments;
  for (std::size_t i = 0; i < function.kinds.size(); ++i) {
    std::string argument = fmt::format("a{}", i);
    if (function.kinds[i] == "elements") {
      before += fmt::format("  const Elements e{0}(a{0}, a{1});\n", i, i + 1);
      argument = fmt::format("e{}.count()", i);
    } else if (i > 0 && function.kinds[i - 1] == "elements") {
      argument = fmt::format("e{}.type()", i - 1);
    }
    arguments += (i > 0 ? ", " : "") + argument;
  }
  return fmt::format("{} {{\n{}  return {}({});\n}}\n", head(function, true), before, function.name, arguments);
}

bool makes_persistent(const MpiFunction& function) {
  const std::string end = "_init";
  return has_buffer(function) && function.name.size() > end.size() && function.name.ends_with(end);
}

/// Returns a function that makes a persistent request.
std::string persistent(const MpiFunction& function) {
  const std::string routine = enumerator(function.name.substr(0, function.name.rfind('_')));
  return fmt::format(
      "{} {{\n  const InterceptGuard inside;\n  const int result = {};\n"
      "  return note_persistent(inside, result, Routine::{}, {{a1, a2, a3, a4}}, a5, *a6);\n}}\n",
      head(function, false), call('P' + function.name, function), routine);
}

/// Returns whether a function sends a message: its parameters are the message's, and a nonblocking one has a request.
bool is_send(const MpiFunction& function) {
  const std::string kinds = fmt::format("{}", fmt::join(function.kinds, " "));
  return function.is_kernel && kinds.starts_with("in_buffer elements type int int comm");
}

/// Returns a function that sends a message.
std::string send(const MpiFunction& function) {
  return fmt::format("{} {{\n  TracedSend sending({{Routine::{}, a1, a2, a3, a4}}, a5);\n  return sending.made({}, {});\n}}\n",
                     head(function, false), enumerator(function.name),
                     call('P' + function.name, function, "elements", "sending.elements()"), !has(function, "new_request"));
}

/// Returns a function that makes a communicator.
std::string communicator(const MpiFunction& function) {
  const std::string request = has(function, "new_request") ? fmt::format(", {}, a0", parameter_of(function, "new_request", "")) : "";
  return fmt::format("{} {{\n  const InterceptGuard inside;\n  return made_with_channel(inside, {}, {}{});\n}}\n", head(function, false),
                     call('P' + function.name, function), parameter_of(function, "new_comm", ""), request);
}

/// Returns the function with the prefix PMPI_, which programs, bindings of other languages, MPI and this library call.
std::string with_prefix(const MpiFunction& function, bool large) {
  const std::string name = function.name + (large ? "_c" : "");
  MpiFunction prefixed = function;
  prefixed.name = 'P' + function.name;
  return fmt::format("{} {{\n  static const auto next = function_of_mpi<decltype(P{})>(\"P{}\");\n  return {} ? {} : {};\n}}\n",
                     head(prefixed, large), name, name, "is_called_in_place_of_mpi(__builtin_return_address(0))", call(name, function),
                     call("next", function));
}

std::string c_functions(const std::vector<MpiFunction>& functions) {
  std::string text =
      "#include <mpi.h>\n\n#include \"flopcast/preload/mpi/collective.hpp\"\n#include \"flopcast/preload/mpi/elements.hpp\"\n"
      "#include \"flopcast/preload/mpi/point_to_point.hpp\"\n#include \"flopcast/preload/mpi/prefixed_names.hpp\"\n\nusing namespace "
      "flopcast::preload::mpi;\n\n"
      "#pragma GCC visibility push(default)\nextern \"C\" {\n\n";
  constexpr int version_of_large_counts = 4;
  for (const MpiFunction& function : functions) {
    const bool has_counts = has(function, "elements") || has(function, "counts");
    if (function.is_plain) {
      text += with_version(function.version, with_prefix(function, false));
      text += has_counts || has(function, "operation") ? with_version(version_of_large_counts, with_prefix(function, true)) : "";
    }
    if (is_collective(function)) {
      text += with_version(function.version, collective(function, false));
      text += has_counts ? with_version(version_of_large_counts, collective(function, true)) : "";
    } else if (has(function, "new_comm")) {
      text += with_version(function.version, communicator(function));
    } else if (has_counts) {
      text += is_send(function) ? with_version(function.version, send(function)) : "";
      text += makes_persistent(function) ? with_version(function.version, persistent(function)) : "";
      text += with_version(version_of_large_counts, with_large_elements(function));
    }
  }
  return text + "}\n#pragma GCC visibility pop\n";
}

/// Returns a function of a message between two processes under SMPI; nothing for functions that are written by hand.
std::string message(const MpiFunction& function) {
  using Kinds = std::vector<std::string>;
  const auto takes = [&function](const Kinds& first, const Kinds& last) {
    Kinds all = {"elements", "type", "int", "int", "comm"};
    all.insert(all.begin(), first.begin(), first.end());
    all.insert(all.end(), last.begin(), last.end());
    return function.kinds == all;
  };
  const bool sends = takes({"in_buffer"}, {}) || takes({"in_buffer"}, {"new_request"});
  const std::string envelope = fmt::format("{{{}, a3, a4, a5, bytes_of(a1, a2)}}", sends);
  const std::string next = call('P' + function.name, function), routine = enumerator(function.name);
  std::string body;
  if (makes_persistent(function)) {
    body = fmt::format("kept_message({}, {}, a6)", next, envelope);
  } else if (sends && !has(function, "new_request")) {
    body = fmt::format("transferred(Routine::{}, {}, nullptr, [&](MPI_Status*) {{ return {}; }})", routine, envelope, next);
  } else if (takes({"buffer"}, {"status"})) {
    body = fmt::format("transferred(Routine::{}, {}, a6, [&](MPI_Status* filled) {{ return {}; }})", routine, envelope,
                       call('P' + function.name, function, "status", "filled"));
  } else if (sends || takes({"buffer"}, {"new_request"})) {
    body = fmt::format("begun_message(Routine::{}, {}, a6, [&] {{ return {}; }})", routine, envelope, next);
  }
  return body.empty() ? "" : fmt::format("{} {{\n  return {};\n}}\n", head(function, false), body);
}

/// Returns a function that makes a communicator under SMPI.
std::string communicator_maker(const MpiFunction& function) {
  if (has(function, "new_request")) {
    throw bad_input("{} makes a communicator with a request, which can't be traced under SMPI; mark it without_smpi", function.name);
  }
  return fmt::format("{} {{\n  return made_communicator({}, [&] {{ return {}; }});\n}}\n", head(function, false),
                     parameter_of(function, "comm", ""), call('P' + function.name, function));
}

/// Returns the C functions for SMPI, which has no large counts.
std::string smpi_functions(const std::vector<MpiFunction>& functions) {
  std::string text =
      "#include \"flopcast/preload/smpi/collective.hpp\"\n#include \"flopcast/preload/smpi/point_to_point.hpp\"\n\n"
      "using namespace flopcast::preload::smpi;\n"
      "using flopcast::preload::mpi::Routine;\n\n#pragma GCC visibility push(default)\nextern \"C\" {\n\n";
  for (const MpiFunction& function : functions) {
    if (!function.under_smpi) {
      continue;
    }
    if (is_collective(function)) {
      text += with_version(function.version, collective(function, false));
    } else if (has(function, "new_comm")) {
      text += with_version(function.version, communicator_maker(function));
    } else {
      text += with_version(function.version, message(function));
    }
  }
  return text + "}\n#pragma GCC visibility pop\n";
}

/// Returns the functions that complete requests, which both libraries include behind the functions that do so.
std::string completions(const std::vector<MpiFunction>& functions) {
  std::string text = "#pragma once\n\n";
  for (const MpiFunction& function : functions) {
    if (!function.description.empty() && !is_collective(function)) {
      text += fmt::format("{} {{\n  return {}, [&](MPI_Status* filled) {{ return {}; }});\n}}\n", head(function, false),
                          function.description.substr(0, function.description.rfind(')')),
                          call('P' + function.name, function, "status", "filled"));
    }
  }
  return text;
}

std::string generated(const char* list, const std::string& what) {
  const std::vector<MpiFunction> functions = read_functions(list);
  if (what == "c") {
    return c_functions(functions);
  }
  if (what == "smpi") {
    return smpi_functions(functions);
  }
  if (what == "routines") {
    return routine_list(functions);
  }
  if (what == "completions") {
    return completions(functions);
  }
  throw usage_error("'{}' can't be generated; c, smpi, routines or completions was expected", what);
}

}  // namespace
}  // namespace flopcast::preload

/// Usage: generate_functions LIST FILE WHAT. Generates FILE from the functions in LIST. With WHAT `c` it contains C functions, with `smpi`
/// those for SMPI, with `routines` the enumeration of routines, with `completions` the functions of both libraries that complete requests.
int main(int argc, char** argv) {
  using namespace flopcast::preload;
  return run_generator(argc, argv, 3, "three arguments: the list, the file to write, and what to generate",
                       [](char** arguments) { write_source(arguments[1], generated(arguments[0], arguments[2])); });
}
