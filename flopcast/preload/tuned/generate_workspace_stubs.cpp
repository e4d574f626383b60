#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/preload/common/cblas_interface.hpp"
#include "flopcast/preload/common/generator.hpp"
#include "flopcast/protocol/threaded_routines.hpp"

/// Writes the stubs of libflopcast-tuned.so: a function per routine of the catalogue whose workspace has a size, and per routine whose calls
/// get their own number of threads.
namespace flopcast::preload {
namespace {

/// Returns whether the routine has exactly one workspace and reports failures.
bool has_workspace(const Routine& routine) {
  const int size = routine.index("lwork");
  const auto sizes =
      std::count_if(routine.arguments.begin(), routine.arguments.end(), [](const Argument& a) { return a.kind == Kind::work_size; });
  return routine.returns == Returns::nothing && sizes == 1 && size > 0 && routine.index("info") >= 0 &&
         routine.arguments[static_cast<std::size_t>(size) - 1].kind == Kind::work;
}

/// Returns the statement that calls the routine behind `through`.
std::string call_of(const Routine& routine, const std::string& pointers) {
  const int size = routine.index("lwork");
  return has_workspace(routine) ? fmt::format("with_workspace<{}, {}, {}, {}>(through, \"{}\", {});", size - 1, size, routine.index("info"),
                                              real_bytes(routine.precision) == 8 ? "double" : "float", routine.name, pointers)
                                : fmt::format("forward(choice.function(), {});", pointers);
}

/// Returns a stub called `symbol`; `before` are statements before the call.
std::string stub(const std::string& symbol, const Routine& routine, const std::string& before = "") {
  const std::size_t pointers = pointers_of(routine);
  return fmt::format("[[gnu::visibility(\"default\")]] void {}({}) {{\n  Redirected* const through = entered();\n{}  {}\n}}\n", symbol,
                     repeated("void* a{}", pointers), before, call_of(routine, repeated("a{}", pointers)));
}

/// Returns the declaration of the threads' choice for routine `number`, whose argument i is value(i, "flag" or "size").
template <class Value>
std::string choice(std::size_t number, const Routine& routine, Value value) {
  std::string flags = "0U", sizes;
  std::size_t shift = 0;
  for (const std::size_t i : protocol::distinguished_flags(routine)) {
    flags += fmt::format(" | std::uint32_t{{{}}} << {}U", value(i, "flag"), shift);
    shift += 8;
  }
  for (const std::size_t i : protocol::size_places(routine)) {
    sizes += value(i, "size") + ", ";
  }
  return fmt::format("  const ThreadChoice choice(through, {}, {{{}, {{{}}}}});\n", number, flags, sizes);
}

/// Returns the stub of a function of CBLAS. A row-major problem counts as its transpose, which is column-major.
std::string cblas_stub(std::size_t number, const std::string& symbol, const CblasFunction& function) {
  const auto value = [&function](std::size_t i, std::string_view kind) {
    const RowMajorSource& source = function.rows[i];
    if (kind == "size") {
      return fmt::format("static_cast<std::int32_t>(rows ? a{} : a{})", source.from, i);
    }
    return fmt::format("table_flag(rows ? {}(flag_of(a{})) : flag_of(a{}))", source.turn, source.from, i);
  };
  return fmt::format(
      "[[gnu::visibility(\"default\")]] void {}({}) {{\n  Redirected* const through = entered();\n"
      "  const bool rows = static_cast<int>(order) == row_major;\n{}  forward(choice.function(), {});\n}}\n",
      symbol, function.parameters(), choice(number, *function.routine, value), fmt::join(function.names, ", "));
}

/// The stubs' source, and tables of their names.
struct WorkspaceStubs {
  std::string code, workspaces, threads;
  std::size_t workspace_count = 0, thread_count = 0;

  void add_workspace(const Routine& routine) {
    code += stub(workspace_symbol(routine), routine);
    workspaces += fmt::format("    \"{}\",\n", workspace_symbol(routine));
    ++workspace_count;
  }
  void add_threads(std::size_t number, const std::string& function, const std::string& stub_code) {
    code += stub_code;
    threads += fmt::format("    {{\"{}\", \"{}\", {}}},\n", thread_symbol(function), function, number);
    ++thread_count;
  }
  static std::string workspace_symbol(const Routine& routine) { return "flopcast_workspace_" + routine.name; }
  static std::string thread_symbol(const std::string& function) { return "flopcast_threads_" + function; }
};

std::string stubs() {
  WorkspaceStubs all;
  for (const Routine& routine : kernel::catalogue()) {
    if (has_workspace(routine)) {
      all.add_workspace(routine);
    }
  }
  const std::vector<const Routine*> threaded = protocol::threaded_routines(kernel::catalogue());
  for (std::size_t i = 0; i < threaded.size(); ++i) {
    const auto value = [](std::size_t a, std::string_view kind) { return fmt::format("{}_at(a{})", kind, a); };
    all.add_threads(i, threaded[i]->name,
                    stub(WorkspaceStubs::thread_symbol(threaded[i]->name), *threaded[i], choice(i, *threaded[i], value)));
  }
  for (std::size_t i = 0; i < threaded.size(); ++i) {
    const std::string function = "cblas_" + threaded[i]->name;
    const bool is_blas = threaded[i]->index("info") < 0;
    if (const auto cblas = is_blas ? cblas_function(function) : std::nullopt) {
      all.add_threads(i, function, cblas_stub(i, WorkspaceStubs::thread_symbol(function), *cblas));
    }
  }
  return fmt::format(
      "#include \"flopcast/preload/common/cblas_flags.hpp\"\n#include \"flopcast/preload/common/workspace.hpp\"\n"
      "#include \"flopcast/preload/tuned/thread_choice.hpp\"\n\nusing namespace flopcast::preload;\n\nextern \"C\" {{\n{}}}\n\n"
      "namespace flopcast::preload {{\n\nconst char* const workspace_stubs[] = {{\n{}}};\nconst std::size_t workspace_stub_count = "
      "{};\n\nconst ThreadStub thread_stubs[] = {{\n{}}};\nconst std::size_t thread_stub_count = {};\n\n}}\n",
      all.code, all.workspaces, all.workspace_count, all.threads, all.thread_count);
}

}  // namespace
}  // namespace flopcast::preload

/// Writes the stubs to the file argv[1].
int main(int argc, char** argv) {
  using namespace flopcast::preload;
  return run_generator(argc, argv, 1, "one argument, the file to write", [](char** arguments) { write_source(arguments[0], stubs()); });
}
