#include "flopcast/cli/shared/exit_codes.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <new>

namespace flopcast::cli {

Error as_error(const std::exception& exception) {
  if (const auto* const error = dynamic_cast<const Error*>(&exception)) {
    return *error;
  }
  if (dynamic_cast<const std::bad_alloc*>(&exception) != nullptr) {
    return environment_error("out of memory");
  }
  if (dynamic_cast<const std::filesystem::filesystem_error*>(&exception) != nullptr) {
    return environment_error("{}", exception.what());
  }
  return internal_error("internal error: {}\nThis is a bug of flopcast; please report it with the command line that led here.",
                        exception.what());
}

}  // namespace flopcast::cli
