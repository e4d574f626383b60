#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace flopcast::machine {

/// A shared library's file, read without loading it: names and symbols only.
class ElfFile {
 public:
  /// Throws bad_input if the file can't be read or is no shared library for this machine (saying which).
  explicit ElfFile(const std::filesystem::path& path);
  ~ElfFile();
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;

  /// Name by which others ask for it (DT_SONAME); empty if it has none.
  [[nodiscard]] std::string soname() const;
  /// Names of the libraries it asks for (DT_NEEDED).
  [[nodiscard]] std::vector<std::string> needed() const;
  /// Whether it defines the dynamic symbol `name`, exactly ("dgemm_").
  [[nodiscard]] bool defines(std::string_view name) const;
  /// `build-id:<hex>` as the linker left it, else `fnv:<hex>` of the contents: tells builds apart.
  [[nodiscard]] std::string digest() const;

 private:
  [[nodiscard]] std::optional<std::string> build_id() const;

  std::filesystem::path path_;
  const std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace flopcast::machine
