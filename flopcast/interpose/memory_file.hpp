#pragma once

#include <cstddef>
#include <string>

namespace flopcast::interpose {

/// A file in memory only: it goes when this process does, however that ends, and no disk can be full.
class MemoryFile {
 public:
  /// `name` is what /proc shows. Throws environment_error.
  explicit MemoryFile(const char* name);
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile();

  /// By which other processes of this user can open it as long as this one lives.
  [[nodiscard]] std::string path() const;
  /// All that was written to it.
  [[nodiscard]] std::string contents() const;
  /// Maps its first `bytes`, zeros at first, for this process and others; they have been allocated, so that touching them can't fail. Throws
  /// environment_error if there is no memory for them.
  [[nodiscard]] void* map(std::size_t bytes) const;

 private:
  int file_;
};

}  // namespace flopcast::interpose
