#include <alloca.h>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>

/// A preloaded library is inherited by the programs that a program starts. The loader of musl can't load flopcast's libraries and ends the
/// program, so such programs are started without them. Everything here may run between vfork and exec: it allocates nothing.
namespace flopcast::preload {
namespace {

constexpr const char variable[] = "LD_PRELOAD=";
constexpr std::size_t variable_length = sizeof variable - 1;
constexpr const char own_library[] = "libflopcast-";

bool contains(const char* text, std::size_t length, const char* wanted) noexcept {
  return memmem(text, length, wanted, std::strlen(wanted)) != nullptr;
}

/// Returns whether the program's loader is musl's.
bool is_for_musl(const char* path) noexcept {
  const int file = path == nullptr ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return false;
  }
  char loader[256];
  ssize_t length = 0;
  Elf64_Ehdr header;
  if (pread(file, &header, sizeof header, 0) == sizeof header && std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
      header.e_ident[EI_CLASS] == ELFCLASS64) {
    for (int i = 0; i < header.e_phnum && length == 0; ++i) {
      Elf64_Phdr segment;
      const auto offset = static_cast<off_t>(header.e_phoff + static_cast<std::size_t>(i) * header.e_phentsize);
      if (pread(file, &segment, sizeof segment, offset) != sizeof segment) {
        break;
      }
      if (segment.p_type == PT_INTERP) {
        const std::size_t size = segment.p_filesz < sizeof loader ? segment.p_filesz : sizeof loader;
        length = pread(file, loader, size, static_cast<off_t>(segment.p_offset));
      }
    }
  }
  close(file);
  return length > 0 && contains(loader, static_cast<std::size_t>(length), "musl");
}

bool is_separator(char letter) noexcept { return letter == ' ' || letter == ':'; }

/// Copies the variable LD_PRELOAD without flopcast's libraries. `copy` has room for all of it.
void copy_without_own(const char* from, char* copy) noexcept {
  std::memcpy(copy, variable, variable_length);
  char* end = copy + variable_length;
  for (const char* at = from + variable_length; *at != '\0';) {
    std::size_t length = 0;
    while (at[length] != '\0' && !is_separator(at[length])) {
      ++length;
    }
    if (length > 0 && !contains(at, length, own_library)) {
      if (end != copy + variable_length) {
        *end++ = ' ';
      }
      std::memcpy(end, at, length);
      end += length;
    }
    at += length;
    while (is_separator(*at)) {
      ++at;
    }
  }
  *end = '\0';
}

using Execute = int (*)(const char*, char* const*, char* const*);
Execute next_execve = nullptr;

/// Looks the function up at the start of the process, since the dynamic linker's lock can't be taken after a fork.
__attribute__((constructor)) void find_execve() noexcept { next_execve = reinterpret_cast<Execute>(dlsym(RTLD_NEXT, "execve")); }

int execute(const char* path, char* const* arguments, char* const* environment) noexcept {
  return next_execve != nullptr ? next_execve(path, arguments, environment)
                                : static_cast<int>(syscall(SYS_execve, path, arguments, environment));
}

}  // namespace
}  // namespace flopcast::preload

extern "C" __attribute__((visibility("default"))) int execve(const char* path, char* const arguments[],
                                                             char* const environment[]) noexcept {
  using namespace flopcast::preload;
  std::size_t count = 0;
  std::size_t preload = 0;
  bool has_preload = false;
  for (; environment != nullptr && environment[count] != nullptr; ++count) {
    if (std::strncmp(environment[count], variable, variable_length) == 0) {
      preload = count;
      has_preload = true;
    }
  }
  constexpr std::size_t max_variables = 10000;  // of 8 bytes each on the stack
  if (!has_preload || count > max_variables || !is_for_musl(path)) {
    return execute(path, arguments, environment);
  }
  auto** const changed = static_cast<char**>(alloca((count + 1) * sizeof(char*)));
  std::memcpy(changed, environment, (count + 1) * sizeof(char*));
  auto* const text = static_cast<char*>(alloca(std::strlen(environment[preload]) + 1));
  copy_without_own(environment[preload], text);
  changed[preload] = text;
  return execute(path, arguments, changed);
}
