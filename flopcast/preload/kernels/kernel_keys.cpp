#include "flopcast/preload/kernels/kernel_keys.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/preload/kernels/routine_digest.hpp"
#include "flopcast/preload/kernels/routine_list.hpp"
#include "flopcast/support/fnv_hash.hpp"

namespace flopcast::preload::mpi {
namespace {

constexpr std::size_t flags_word = RoutineDigest::flags_word;
constexpr std::size_t strides_word = RoutineDigest::strides_word;

std::string unpacked(std::int64_t word) {
  std::string text;
  for (; word != 0; word >>= 8U) {
    text.insert(text.begin(), static_cast<char>(word & 0xff));
  }
  return text;
}

std::string computation_name(const selective::KernelKey& key) {
  const flopcast::Routine& routine = kernel::catalogue()[key.routine];
  std::size_t count = 0;
  for (const Argument& argument : routine.arguments) {
    count += argument.kind == Kind::size ? 1 : 0;
  }
  std::vector<std::string> parts;
  if (const std::string letters = unpacked(key.words[flags_word]); !letters.empty()) {
    parts.push_back(letters);
  }
  for (std::size_t i = 0; i < count && i < flags_word; ++i) {
    parts.push_back(std::to_string(key.words[i]));
  }
  if (key.words[strides_word] != 0) {
    parts.emplace_back("strided");
  }
  return fmt::format("{}({})", routine.name, fmt::join(parts, ", "));
}

std::string region_name(const selective::KernelKey& key, const RegionNames& regions) {
  return fmt::format("{}({})", regions.name(key.routine), fmt::join(key.words.begin(), key.words.begin() + key.size_count, ", "));
}

}  // namespace

std::uint32_t RegionNames::number(std::string_view name) {
  RegionName known;
  name = name.substr(0, known.text.size() - 1);
  const std::uint32_t hash = fnv_hash_32(name);
  known.number = hash;
  std::copy(name.begin(), name.end(), known.text.begin());
  all_.try_emplace(hash, known);
  return hash;
}

void RegionNames::add(const RegionName& name) { all_.try_emplace(name.number, name); }

std::string RegionNames::name(std::uint32_t number) const {
  const auto found = all_.find(number);
  return found != all_.end() ? found->second.text.data() : "region " + std::to_string(number);
}

std::string routine_of(const selective::KernelKey& key, const RegionNames& regions) {
  switch (key.kind) {
    case selective::KernelKind::computation: return kernel::catalogue()[key.routine].name;
    case selective::KernelKind::region: return regions.name(key.routine);
    case selective::KernelKind::communication: break;
  }
  return routine_name(static_cast<mpi::Routine>(key.routine));
}

std::optional<selective::KernelKey> key_of(selective::KernelKind kind, const std::string& routine, RegionNames& regions) {
  if (kind == selective::KernelKind::computation) {
    const flopcast::Routine* found = kernel::find(routine);
    return found == nullptr
               ? std::nullopt
               : std::optional<selective::KernelKey>({kind, static_cast<std::uint32_t>(found - kernel::catalogue().data()), {}});
  }
  if (kind == selective::KernelKind::region) {
    return selective::KernelKey{kind, regions.number(routine), {}};
  }
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(mpi::Routine::count); ++i) {
    if (routine == routine_name(static_cast<mpi::Routine>(i))) {
      return selective::KernelKey{kind, i, {}};
    }
  }
  return std::nullopt;
}

std::string kernel_name(const selective::KernelKey& key, const RegionNames& regions) {
  switch (key.kind) {
    case selective::KernelKind::computation: return computation_name(key);
    case selective::KernelKind::region: return region_name(key, regions);
    case selective::KernelKind::communication: break;
  }
  const char* name = routine_name(static_cast<mpi::Routine>(key.routine));
  return fmt::format("{}({} bytes, {} rank{}, stride {})", name, key.words[0], key.words[1], key.words[1] == 1 ? "" : "s", key.words[2]);
}

}  // namespace flopcast::preload::mpi
