#include "flopcast/cli/mpi/earlier_profile.hpp"

#include <filesystem>

#include "flopcast/support/error.hpp"

namespace flopcast::cli {

namespace fs = std::filesystem;

EarlierProfile::EarlierProfile(const std::string& file, bool is_read, bool is_first_process) : aside_(file + ".before") {
  std::error_code error;
  if (file == "-" || is_read || !is_first_process || !fs::is_regular_file(file, error)) {
    return;
  }
  fs::rename(file, aside_, error);
  if (error) {
    throw environment_error("can't move the earlier {} aside to {}: {}", file, aside_, error.message());
  }
  exists_ = true;
}

void EarlierProfile::remove() const noexcept {
  std::error_code none;
  if (exists_) {
    fs::remove(aside_, none);
  }
}

}  // namespace flopcast::cli
