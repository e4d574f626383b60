#include "flopcast/preload/kernels/region_names.hpp"

#include <algorithm>

namespace flopcast::preload::mpi {

std::uint32_t RegionNames::number(std::string_view name) {
  RegionName known;
  name = name.substr(0, known.text.size() - 1);
  std::uint32_t hash = 0x811c9dc5U;  // FNV-1a
  for (const char letter : name) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x01000193U;
  }
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

}  // namespace flopcast::preload::mpi
