#include "flopcast/machine/libraries/elf_file.hpp"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>

#include "flopcast/support/digest.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::machine {
namespace {

#if defined(__x86_64__)
constexpr ElfW(Half) this_machine = EM_X86_64;
#elif defined(__aarch64__)
constexpr ElfW(Half) this_machine = EM_AARCH64;
#elif defined(__riscv)
constexpr ElfW(Half) this_machine = EM_RISCV;
#elif defined(__powerpc64__)
constexpr ElfW(Half) this_machine = EM_PPC64;
#else
#error "this machine's ELF number is not in the list above"
#endif

/// Returns the `count` records of type T at `offset`; empty if they don't lie within the file.
template <class T>
std::span<const T> records(std::span<const std::byte> file, std::uint64_t offset, std::uint64_t count) {
  if (offset > file.size() || count > (file.size() - offset) / sizeof(T) || offset % alignof(T) != 0) {
    return {};
  }
  return {reinterpret_cast<const T*>(file.data() + offset), static_cast<std::size_t>(count)};
}

const ElfW(Ehdr) & header(std::span<const std::byte> file) { return *reinterpret_cast<const ElfW(Ehdr)*>(file.data()); }

std::span<const ElfW(Shdr)> sections(std::span<const std::byte> file) {
  return records<ElfW(Shdr)>(file, header(file).e_shoff, header(file).e_shnum);
}

const ElfW(Shdr) * section(std::span<const std::byte> file, ElfW(Word) type) {
  for (const ElfW(Shdr) & candidate : sections(file)) {
    if (candidate.sh_type == type) {
      return &candidate;
    }
  }
  return nullptr;
}

template <class T>
std::span<const T> section_records(std::span<const std::byte> file, const ElfW(Shdr) * from) {
  return from == nullptr ? std::span<const T>() : records<T>(file, from->sh_offset, from->sh_size / sizeof(T));
}

/// The string at `index` of the string table that `table` links to; empty if it is out of bounds.
std::string_view linked_string(std::span<const std::byte> file, const ElfW(Shdr) & table, std::uint64_t index) {
  const auto all = sections(file);
  if (table.sh_link >= all.size()) {
    return {};
  }
  const std::span<const char> text = section_records<char>(file, &all[table.sh_link]);
  if (index >= text.size()) {
    return {};
  }
  return {text.data() + index, strnlen(text.data() + index, text.size() - index)};
}

std::vector<std::string> dynamic_strings(std::span<const std::byte> file, ElfW(Sxword) tag) {
  std::vector<std::string> found;
  const ElfW(Shdr)* table = section(file, SHT_DYNAMIC);
  for (const ElfW(Dyn) & entry : section_records<ElfW(Dyn)>(file, table)) {
    if (entry.d_tag == tag) {
      found.emplace_back(linked_string(file, *table, entry.d_un.d_val));
    }
  }
  return found;
}

std::string why_not_loadable(std::span<const std::byte> file, ElfFile::FileKind kind) {
  if (file.size() < sizeof(ElfW(Ehdr)) || std::memcmp(file.data(), ELFMAG, SELFMAG) != 0) {
    return "it is no ELF file";
  }
  if (header(file).e_type != ET_DYN && (kind == ElfFile::FileKind::library || header(file).e_type != ET_EXEC)) {
    return "it is an ELF file of another kind";
  }
  if (header(file).e_machine != this_machine || header(file).e_ident[EI_CLASS] != ELFCLASS64) {
    return "it is for another architecture";
  }
  return section(file, SHT_DYNSYM) == nullptr ? "it has no dynamic symbols (cut off or stripped?)" : "";
}

}  // namespace

ElfFile::ElfFile(const std::filesystem::path& path, FileKind kind) : path_(path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status {};
  if (descriptor < 0 || fstat(descriptor, &status) != 0) {
    const int error = errno;
    if (descriptor >= 0) {
      close(descriptor);
    }
    throw environment_error("library {} can't be opened: {}", path.string(), std::strerror(error));
  }
  bytes_ = static_cast<std::size_t>(status.st_size);
  const bool has_contents = S_ISREG(status.st_mode) && bytes_ > 0;
  void* mapped = has_contents ? mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, descriptor, 0) : MAP_FAILED;
  const int error = errno;
  close(descriptor);
  if (!has_contents) {
    throw environment_error("{} is no shared library: {}", path.string(),
                            S_ISREG(status.st_mode) ? "it is empty" : "it is no regular file");
  }
  if (mapped == MAP_FAILED && error == ENOMEM) {
    throw NoAddressSpace(ExitCode::environment, fmt::format("there is no address space left to read {} ({}). It may be limited (ulimit -v)",
                                                            path.string(), format_bytes(static_cast<double>(bytes_))));
  }
  if (mapped == MAP_FAILED) {
    throw environment_error("{} can't be read: {}", path.string(), std::strerror(error));
  }
  data_ = static_cast<const std::byte*>(mapped);
  if (const std::string reason = why_not_loadable({data_, bytes_}, kind); !reason.empty()) {
    munmap(mapped, bytes_);
    throw environment_error("{} is no shared library for this machine: {}", path.string(), reason);
  }
}

ElfFile::~ElfFile() { munmap(const_cast<std::byte*>(data_), bytes_); }

std::string ElfFile::soname() const {
  const std::vector<std::string> names = dynamic_strings({data_, bytes_}, DT_SONAME);
  return names.empty() ? "" : names.front();
}

std::vector<std::string> ElfFile::needed() const { return dynamic_strings({data_, bytes_}, DT_NEEDED); }

std::string ElfFile::rpath() const {
  const std::vector<std::string> paths = dynamic_strings({data_, bytes_}, DT_RPATH);
  return paths.empty() || !dynamic_strings({data_, bytes_}, DT_RUNPATH).empty() ? "" : paths.front();
}

bool ElfFile::defines(std::string_view name) const {
  const std::span file(data_, bytes_);
  const ElfW(Shdr)* table = section(file, SHT_DYNSYM);
  for (const ElfW(Sym) & symbol : section_records<ElfW(Sym)>(file, table)) {
    if (symbol.st_shndx != SHN_UNDEF && linked_string(file, *table, symbol.st_name) == name) {
      return true;
    }
  }
  return false;
}

bool ElfFile::calls_through_linker(std::string_view name) const {
  const std::span file(data_, bytes_);
  const ElfW(Shdr)* table = section(file, SHT_DYNSYM);
  const std::span symbols = section_records<ElfW(Sym)>(file, table);
  for (const ElfW(Shdr) & candidate : sections(file)) {
    if (candidate.sh_type != SHT_RELA) {
      continue;
    }
    for (const ElfW(Rela) & relocation : section_records<ElfW(Rela)>(file, &candidate)) {
      const std::size_t symbol = ELF64_R_SYM(relocation.r_info);
      if (symbol != 0 && symbol < symbols.size() && linked_string(file, *table, symbols[symbol].st_name) == name) {
        return true;
      }
    }
  }
  return false;
}

std::optional<std::string> ElfFile::build_id() const {
  const std::span file(data_, bytes_);
  for (const ElfW(Shdr) & candidate : sections(file)) {
    if (candidate.sh_type != SHT_NOTE || candidate.sh_size < sizeof(ElfW(Nhdr))) {
      continue;
    }
    const std::span<const std::byte> note = records<std::byte>(file, candidate.sh_offset, candidate.sh_size);
    const auto head = records<ElfW(Nhdr)>(note, 0, 1);
    if (head.empty() || head[0].n_type != NT_GNU_BUILD_ID) {
      continue;
    }
    const std::size_t start = sizeof(ElfW(Nhdr)) + (std::size_t{head[0].n_namesz} + 3) / 4 * 4;
    std::string hex;
    for (const std::byte byte : records<std::byte>(note, start, head[0].n_descsz)) {
      hex += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
    }
    if (!hex.empty()) {
      return hex;
    }
  }
  return std::nullopt;
}

std::string ElfFile::digest() const {
  if (const auto id = build_id()) {
    return "build-id:" + *id;
  }
  return "fnv:" + hexadecimal_digest({reinterpret_cast<const char*>(data_), bytes_});
}

std::optional<std::string> contained_function(const std::filesystem::path& path, const std::function<bool(std::string_view)>& wanted) {
  std::ifstream in(path, std::ios::binary);
  const std::string contents((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const std::span<const std::byte> file = std::as_bytes(std::span(contents));
  if (file.size() < sizeof(ElfW(Ehdr)) || std::memcmp(file.data(), ELFMAG, SELFMAG) != 0 || header(file).e_ident[EI_CLASS] != ELFCLASS64) {
    return std::nullopt;
  }
  for (const ElfW(Word) type : {ElfW(Word){SHT_SYMTAB}, ElfW(Word){SHT_DYNSYM}}) {
    const ElfW(Shdr)* table = section(file, type);
    for (const ElfW(Sym) & symbol : section_records<ElfW(Sym)>(file, table)) {
      if (symbol.st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol.st_info) == STT_FUNC) {
        if (const std::string_view name = linked_string(file, *table, symbol.st_name); wanted(name)) {
          return std::string(name);
        }
      }
    }
  }
  return std::nullopt;
}

}  // namespace flopcast::machine
