#pragma once

#include <cstddef>
#include <string>

namespace flopcast {

/// A file in memory only. It vanishes when this process ends, however the process ends, and no disk can be full.
class MemoryFile {
 public:
  /// Makes the file; /proc shows it as `name`. Throws environment_error if there is no memory or descriptor for it.
  explicit MemoryFile(const char* name);
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile();

  /// Returns a path by which other processes of this user can open the file while this process lives.
  [[nodiscard]] std::string path() const;
  /// Returns everything that was written to the file.
  [[nodiscard]] std::string contents() const;
  /// Maps the first `bytes` of the file, initially zero, for this process and others. The memory is allocated at once, so that touching it
  /// can't fail. Throws environment_error if there isn't enough.
  [[nodiscard]] void* map(std::size_t bytes) const;

 private:
  int file_;
};

}  // namespace flopcast
