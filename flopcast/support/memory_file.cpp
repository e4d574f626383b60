#include "flopcast/support/memory_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "flopcast/support/error.hpp"

namespace flopcast {

MemoryFile::MemoryFile(const char* name) : file_(memfd_create(name, MFD_CLOEXEC)) {
  if (file_ < 0) {
    throw environment_error("can't make a file in memory: {}", std::strerror(errno));
  }
}

MemoryFile::~MemoryFile() { close(file_); }

std::string MemoryFile::path() const { return fmt::format("/proc/{}/fd/{}", getpid(), file_); }

std::string MemoryFile::contents() const {
  std::string text(static_cast<std::size_t>(std::max<off_t>(lseek(file_, 0, SEEK_END), 0)), '\0');
  std::size_t read = 0;
  for (ssize_t bytes = 0; (bytes = pread(file_, text.data() + read, text.size() - read, static_cast<off_t>(read))) > 0;) {
    read += static_cast<std::size_t>(bytes);
  }
  text.resize(read);
  return text;
}

void* MemoryFile::map(std::size_t bytes) const {
  const int error = posix_fallocate(file_, 0, static_cast<off_t>(bytes));
  void* mapped = error == 0 ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0) : MAP_FAILED;
  if (mapped == MAP_FAILED) {
    throw environment_error("can't allocate {} bytes of a file in memory: {}", bytes, std::strerror(error != 0 ? error : errno));
  }
  return mapped;
}

}  // namespace flopcast
