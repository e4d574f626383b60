#pragma once

#include <string>
#include <vector>

namespace flopcast::testing {

/// Results of a program that has ended.
struct Ended {
  int code = -1;  ///< exit code; 128 + the signal's number if a signal ended it
  std::string out, err;
};

/// Runs `arguments` (the first one is the program) with `input` on standard input and `environment` ("NAME=value") besides the present one.
Ended run_program(const std::vector<std::string>& arguments, const std::string& input = "",
                  const std::vector<std::string>& environment = {});

/// Runs the flopcast that was built, with a data directory that only these tests use and in which the machine has been measured.
Ended flopcast(const std::vector<std::string>& arguments, const std::string& input = "");

/// Runs a shell command in that data directory; `flopcast` is the program that was built.
Ended shell(const std::string& command);

}  // namespace flopcast::testing
