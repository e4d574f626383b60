#include "flopcast/program/launch.hpp"

#include <elf.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

#include "flopcast/support/child_process.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/file.hpp"

namespace flopcast::program {
namespace {

namespace fs = std::filesystem;

ElfW(Ehdr) elf_header(std::ifstream& in) {
  ElfW(Ehdr) header{};
  in.read(reinterpret_cast<char*>(&header), sizeof header);
  return header;
}

/// Throws environment_error if `file` with this header isn't a program for this machine.
void require_this_machine(const fs::path& file, const ElfW(Ehdr) & header) {
  if (header.e_ident[EI_CLASS] != (sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32)) {
    throw environment_error("{} is a {}-bit program. Libraries of flopcast can only be preloaded into {}-bit programs", file.string(),
                            header.e_ident[EI_CLASS] == ELFCLASS64 ? 64 : 32, 8 * sizeof(void*));
  }
  std::ifstream self("/proc/self/exe", std::ios::binary);
  const ElfW(Ehdr) own = elf_header(self);
  if (self && (header.e_machine != own.e_machine || header.e_ident[EI_DATA] != own.e_ident[EI_DATA])) {
    throw environment_error(
        "{} is built for another architecture than flopcast (number {} of the ELF format, not {}). Libraries of flopcast can't be "
        "preloaded into it. Build flopcast for that architecture",
        file.string(), header.e_machine, own.e_machine);
  }
}

/// Returns the dynamic loader that an ELF program names; empty if it names none. Throws environment_error if `file` isn't a program for
/// this machine.
fs::path loader_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  const ElfW(Ehdr) header = elf_header(in);
  if (!in || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
    throw environment_error("{} is neither a program nor a script", file.string());
  }
  require_this_machine(file, header);
  in.seekg(static_cast<std::streamoff>(header.e_phoff));
  for (int i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) segment{};
    if (!in.read(reinterpret_cast<char*>(&segment), sizeof segment)) {
      throw environment_error("{} is a damaged program: its headers are cut off", file.string());
    }
    if (segment.p_type == PT_INTERP) {
      std::string loader(std::min<std::size_t>(segment.p_filesz, PATH_MAX), '\0');
      in.seekg(static_cast<std::streamoff>(segment.p_offset));
      in.read(loader.data(), static_cast<std::streamsize>(loader.size()));
      return loader.c_str();
    }
  }
  return {};
}

/// Throws environment_error unless the program uses glibc, which flopcast's libraries need. Its loader identifies it.
void require_glibc(const fs::path& file, const fs::path& loader) {
  if (std::error_code none; !fs::exists(loader, none)) {
    throw environment_error("{} can't be started: its dynamic loader {} isn't on this machine", file.string(), loader.string());
  }
  std::ostringstream code;
  code << std::ifstream(loader, std::ios::binary).rdbuf();
  const bool is_glibc =
      code.str().find("GLIBC_PRIVATE") != std::string::npos;  // version of symbols that the loader shares with its C library
  if (!is_glibc) {
    throw environment_error(
        "{} is built for another C library than glibc: its dynamic loader is {}. Libraries of flopcast can't be preloaded into it. Build "
        "it with glibc",
        file.string(), loader.string());
  }
}

void require_own_rights(const fs::path& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) {
    throw environment_error("can't read the status of file {}: {}", file.string(), std::strerror(errno));
  }
  const bool other_user = (status.st_mode & S_ISUID) != 0 && status.st_uid != geteuid();
  const bool other_group = (status.st_mode & S_ISGID) != 0 && status.st_gid != getegid();
  if (other_user || other_group) {
    throw environment_error("{} runs with another {}'s rights (set{}id). The system allows no libraries to be preloaded into it",
                            file.string(), other_user ? "user" : "group", other_user ? "u" : "g");
  }
}

}  // namespace

fs::path interpreter_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string line;
  if (!std::getline(in, line) || line.rfind("#!", 0) != 0) {
    return {};
  }
  std::string interpreter;
  std::istringstream(line.substr(2)) >> interpreter;
  return interpreter;
}

fs::path find_program(const std::string& command) {
  if (command.find('/') != std::string::npos) {
    if (std::error_code none; !fs::exists(command, none)) {
      throw environment_error("there is no program {}", command);
    }
    if (!is_executable_file(command)) {
      throw environment_error("{} can't be executed: it isn't an executable file", command);
    }
    return command;
  }
  if (std::optional<fs::path> found = program_in_path(command)) {
    return *found;
  }
  throw environment_error("there is no program '{}' in any folder of PATH", command);
}

std::string command_identity(const std::vector<std::string>& command) {
  std::string identity = file_identity(find_program(command.front()));
  for (const std::string& word : command) {
    identity += file_identity(word);
  }
  return identity;
}

void require_preloadable(const fs::path& program) {
  constexpr int max_interpreters = 5;  // the kernel's limit
  fs::path file = program;
  for (int depth = 0; depth < max_interpreters; ++depth) {
    const fs::path interpreter = interpreter_of(file);
    if (interpreter.empty()) {
      break;
    }
    if (!is_executable_file(interpreter)) {
      throw environment_error("script {} names the interpreter {}, which can't be executed", file.string(), interpreter.string());
    }
    file = interpreter;
  }
  const fs::path loader = loader_of(file);
  if (loader.empty()) {
    throw environment_error("{} is linked statically. No library can be preloaded before its LAPACK. Link LAPACK dynamically",
                            file.string());
  }
  require_glibc(file, loader);
  require_own_rights(file);
}

int run_program(const fs::path& program, std::vector<std::string> arguments, std::vector<std::string> environment, int last,
                Seconds limit) {
  ChildSetup setup;
  setup.soft_limit = limit;
  setup.on_parent_end = last;
  return run_in_foreground(program, std::move(arguments), std::move(environment), setup).code();
}

}  // namespace flopcast::program
