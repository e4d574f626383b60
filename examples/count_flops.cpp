// Computes flops and memory of one kernel call from the catalogue alone.
//   for      authors of performance models
//   build    cmake --build --preset check --target example_count_flops
//   run      build/check/bin/example_count_flops dgemm m=100 n=200 k=50
//   read     docs/reference/routines.md

#include <fmt/format.h>

#include <cstdio>
#include <map>
#include <string>

#include "flopcast/core/call.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"

int main(int argc, char** argv) {
  using namespace flopcast;
  if (argc < 2) {
    fmt::print(stderr, "usage: {} ROUTINE NAME=VALUE...\n", argv[0]);
    return 2;
  }
  std::map<std::string, std::string> arguments;
  for (int i = 2; i < argc; ++i) {
    const std::string word = argv[i];
    const std::size_t equals = word.find('=');
    arguments[word.substr(0, equals)] = equals == std::string::npos ? "" : word.substr(equals + 1);
  }
  try {
    const Routine& routine = kernel::require(argv[1]);
    const Call call = kernel::parse_call(routine, arguments);
    fmt::print("{}\n{}\n", kernel::format_call(call), routine.operation);
    fmt::print("{:.0f} flops on {} of memory\n", flops(call), format_bytes(static_cast<double>(footprint_bytes(call))));
    for (const Operand& operand : operands(call)) {
      std::int64_t bytes = operand.bytes();
      fmt::print("  {:>6}  {}\n", routine.arguments[operand.argument].name, format_bytes(static_cast<double>(bytes)));
    }
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return static_cast<int>(error.code());
  }
  return 0;
}
