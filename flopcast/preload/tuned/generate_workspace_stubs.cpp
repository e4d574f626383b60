#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/preload/common/generator.hpp"

/// Writes the stubs of libflopcast-tuned.so: a function per routine of the catalogue whose workspace has a size.
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

std::string symbol_of(const Routine& routine) { return "flopcast_workspace_" + routine.name; }

std::string stub(const Routine& routine) {
  const std::size_t pointers = pointers_of(routine);
  const int size = routine.index("lwork");
  return fmt::format("[[gnu::visibility(\"default\")]] void {}({}) {{ with_workspace<{}, {}, {}, {}>(\"{}\", {}); }}\n", symbol_of(routine),
                     repeated("void* a{}", pointers), size - 1, size, routine.index("info"),
                     real_bytes(routine.precision) == 8 ? "double" : "float", routine.name, repeated("a{}", pointers));
}

std::string stubs() {
  std::string code;
  std::string table;
  std::size_t count = 0;
  for (const Routine& routine : kernel::catalogue()) {
    if (has_workspace(routine)) {
      code += stub(routine);
      table += fmt::format("    \"{}\",\n", symbol_of(routine));
      ++count;
    }
  }
  return fmt::format(
      "#include \"flopcast/preload/common/workspace.hpp\"\n\nusing flopcast::preload::with_workspace;\n\nextern \"C\" {{\n{}}}\n\n"
      "namespace flopcast::preload {{\n\nconst char* const workspace_stubs[] = {{\n{}}};\nconst std::size_t workspace_stub_count = "
      "{};\n\n}}\n",
      code, table, count);
}

}  // namespace
}  // namespace flopcast::preload

/// Writes the stubs to the file argv[1].
int main(int argc, char** argv) {
  using namespace flopcast::preload;
  return run_generator(argc, argv, 1, "one argument, the file to write", [](char** arguments) { write_source(arguments[0], stubs()); });
}
