#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/support/error.hpp"

namespace flopcast::machine {

/// The process has no address space left for reading a file.
class NoAddressSpace : public Error {
  using Error::Error;
};

/// A shared library's file, or a program's, read without loading it: names and symbols only.
class ElfFile {
 public:
  enum class FileKind : unsigned char { library, program };  ///< a library is a program as well

  /// Throws NoAddressSpace where that is the reason, and environment_error if the file can't be read otherwise or is not of this kind for this machine (the message says which).
  explicit ElfFile(const std::filesystem::path& path, FileKind kind = FileKind::library);
  ~ElfFile();
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;

  /// Name by which other files need it (DT_SONAME); empty if it has none.
  [[nodiscard]] std::string soname() const;
  /// Names of the libraries that it needs (DT_NEEDED).
  [[nodiscard]] std::vector<std::string> needed() const;
  /// Folders, separated by colons, in which needed libraries are searched before LD_LIBRARY_PATH (DT_RPATH, which DT_RUNPATH makes void).
  /// Empty if it has none.
  [[nodiscard]] std::string rpath() const;
  /// Returns true if the file defines the dynamic symbol `name` exactly ("dgemm_").
  [[nodiscard]] bool defines(std::string_view name) const;
  /// Returns true if the dynamic linker decides which definition of `name` the file calls, even if the file defines `name` itself.
  [[nodiscard]] bool calls_through_linker(std::string_view name) const;
  /// `build-id:<hex>` as the linker left it, else `fnv:<hex>` of the contents: differs between builds.
  [[nodiscard]] std::string digest() const;

 private:
  [[nodiscard]] std::optional<std::string> build_id() const;

  std::filesystem::path path_;
  const std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Returns the name of the first function of the program or library `path`, exported or not, that `wanted` accepts. Returns nothing if
/// there is none, if the file was stripped of such names, or if it can't be read.
std::optional<std::string> contained_function(const std::filesystem::path& path, const std::function<bool(std::string_view)>& wanted);

}  // namespace flopcast::machine
