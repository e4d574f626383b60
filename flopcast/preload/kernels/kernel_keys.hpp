#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "flopcast/selective/kernel_table.hpp"

namespace flopcast::preload::mpi {

/// A region's number and the start of its name. The struct is trivially copyable, because it travels in messages.
struct RegionName {
  std::uint32_t number = 0;
  std::array<char, 60> text{};  ///< ends with a zero
};

/// Names of the program's regions. Their numbers are hashes of the names, so that they are the same in every process, whichever meets a
/// region first.
class RegionNames {
 public:
  /// Returns the number of `name`, and keeps the name.
  std::uint32_t number(std::string_view name);
  void add(const RegionName& name);
  /// Returns the region's name; `region 17` if it is not known.
  [[nodiscard]] std::string name(std::uint32_t number) const;
  [[nodiscard]] const std::unordered_map<std::uint32_t, RegionName>& all() const noexcept { return all_; }

 private:
  std::unordered_map<std::uint32_t, RegionName> all_;
};

/// Returns a name such as `dgemm`, `MPI_Bcast`, `pack`.
std::string routine_of(const selective::KernelKey& key, const RegionNames& regions);
/// Returns a key, without sizes, of the routine that routine_of() named; nothing if there is no such routine. A region's name is added to
/// `regions`.
std::optional<selective::KernelKey> key_of(selective::KernelKind kind, const std::string& routine, RegionNames& regions);

/// Returns a name such as `dgemm(NN, 100, 100, 64)`, `MPI_Bcast(8192 bytes, 4 ranks, stride 1)`, `pack(100, 64)`.
std::string kernel_name(const selective::KernelKey& key, const RegionNames& regions);

}  // namespace flopcast::preload::mpi
