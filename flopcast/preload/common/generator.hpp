#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <fstream>
#include <string>

#include "flopcast/core/routine.hpp"
#include "flopcast/support/error.hpp"

/// Code shared by the generators that write source files while flopcast is built.
namespace flopcast::preload {

/// Returns `count` comma-separated copies of `item`, with {} replaced by the number.
inline std::string repeated(const char* item, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += (i > 0 ? ", " : "") + fmt::format(fmt::runtime(item), i);
  }
  return text;
}

/// Returns the number of pointers that a routine takes in Fortran's interface: its arguments, and then the hidden lengths of its flags.
inline std::size_t pointers_of(const Routine& routine) {
  const auto is_flag = [](const Argument& argument) { return argument.kind == Kind::flag; };
  return routine.arguments.size() + static_cast<std::size_t>(std::count_if(routine.arguments.begin(), routine.arguments.end(), is_flag));
}

/// Throws environment_error if the file can't be written.
inline void write_source(const std::string& file, const std::string& text) {
  std::ofstream out(file);
  out << text;
  if (!out.flush()) {
    throw environment_error("can't write {}", file);
  }
}

/// Runs generate(arguments) in a generator that takes `count` arguments, described by `usage`. Returns its exit code.
template <class Generate>
int run_generator(int argc, char** argv, int count, const char* usage, Generate generate) try {
  if (argc != count + 1) {
    throw usage_error("expected {}", usage);
  }
  generate(argv + 1);
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "{}: {}\n", argv[0], error.what());
  return 1;
}

}  // namespace flopcast::preload
