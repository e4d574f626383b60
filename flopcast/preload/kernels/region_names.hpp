#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace flopcast::interpose::mpi {

/// A region's number and the start of its name. A plain record: it travels in messages.
struct RegionName {
  std::uint32_t number = 0;
  std::array<char, 60> text{};  ///< ends with a zero
};

/// Names of the program's regions. Their numbers are hashes of the names, so that they mean the same in every process, whoever meets a
/// region first.
class RegionNames {
 public:
  /// The number of `name`; kept from here on.
  std::uint32_t number(std::string_view name);
  void add(const RegionName& name);
  /// `region 17` if it is not known.
  [[nodiscard]] std::string name(std::uint32_t number) const;
  [[nodiscard]] const std::unordered_map<std::uint32_t, RegionName>& all() const noexcept { return all_; }

 private:
  std::unordered_map<std::uint32_t, RegionName> all_;
};

}  // namespace flopcast::interpose::mpi
