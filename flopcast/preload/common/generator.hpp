#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <string>

#include "flopcast/support/error.hpp"

/// Code shared by the generators that write source files while flopcast is built.
namespace flopcast::preload {

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
