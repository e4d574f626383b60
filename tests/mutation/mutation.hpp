#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

/// Seeded changes to flopcast's input, as damaged disks, other programs and tired people cause them.
namespace flopcast::testing {

using Random = std::mt19937_64;

inline std::size_t below(Random& random, std::size_t bound) { return static_cast<std::size_t>(random() % bound); }

/// Makes one to four changes of bits, bytes, words, lengths and order.
inline std::string mutate_bytes(std::string bytes, Random& random) {
  constexpr std::array<std::uint64_t, 14> words = {0,          1,          2,          0x7f,  0xff,    0x7fffffff, 0x80000000,
                                                   0xffffffff, ~0ULL >> 1, 1ULL << 63, ~0ULL, 1000000, 1000000000, 1000000000000};
  for (std::size_t change = 0, changes = std::array<std::size_t, 4>{1, 1, 2, 4}.at(below(random, 4)); change < changes && !bytes.empty();
       ++change) {
    const std::size_t used = std::min(bytes.size(), std::max<std::size_t>(16, bytes.find_last_not_of('\0') + 1));
    const std::size_t at = below(random, used);
    const std::uint64_t word = words.at(below(random, words.size()));
    const auto put = [&](std::size_t size) {
      const std::size_t from = at - at % size;
      for (std::size_t i = from; i < std::min(from + size, bytes.size()); ++i) {
        bytes[i] = static_cast<char>(word >> 8 * (i - from));
      }
    };
    switch (below(random, 6)) {
      case 0: bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(random, 8))); break;
      case 1: bytes[at] = static_cast<char>(random()); break;
      case 2: put(8); break;
      case 3: put(4); break;
      case 4: bytes.resize(at); break;
      default: bytes.insert(at, bytes.substr(at, std::array<std::size_t, 3>{1, 8, 64}.at(below(random, 3))));
    }
  }
  return bytes;
}

namespace detail {

/// Represents a number that no double holds, which nlohmann::json can't have.
inline constexpr std::string_view overflowing = "\"@1e400@\"";

inline void collect(nlohmann::json& value, std::vector<nlohmann::json*>& holders) {
  if (value.is_structured() && !value.empty()) {
    holders.push_back(&value);
    for (nlohmann::json& member : value) {
      collect(member, holders);
    }
  }
}

inline nlohmann::json junk(Random& random) {
  static const std::vector<nlohmann::json> all = {nullptr,
                                                  true,
                                                  -1,
                                                  0,
                                                  1,
                                                  std::int64_t{1} << 31,
                                                  std::uint64_t{1} << 63,
                                                  INT64_MIN,
                                                  "@1e400@",
                                                  -1e308,
                                                  1e-320,
                                                  1e30,
                                                  0.5,
                                                  "",
                                                  "x",
                                                  "..",
                                                  std::string(1, '\0'),
                                                  nlohmann::json::array(),
                                                  nlohmann::json::object(),
                                                  {nlohmann::json::array()},
                                                  {1, "a"},
                                                  {{"a", 1}}};
  return all.at(below(random, all.size()));
}

inline void change(nlohmann::json& holder, Random& random) {
  const std::size_t at = below(random, holder.size());
  auto place = holder.begin();
  std::advance(place, static_cast<std::ptrdiff_t>(at));
  switch (below(random, 4)) {
    case 0: holder.erase(place); return;
    case 1:
      if (place->is_number()) {
        *place = place->get<double>() * std::array<double, 5>{-1, 0, 1e-9, 1e9, 1e30}.at(below(random, 5));
        return;
      }
      [[fallthrough]];
    default: *place = junk(random);
  }
}

}  // namespace detail

/// Removes one or two members of a JSON document, or gives them another size or type.
inline std::string mutate_json(const std::string& text, Random& random) {
  nlohmann::json document = nlohmann::json::parse(text);
  for (std::size_t change = 0, changes = 1 + below(random, 3) / 2; change < changes; ++change) {
    std::vector<nlohmann::json*> holders;
    detail::collect(document, holders);
    if (holders.empty()) {
      break;
    }
    detail::change(*holders.at(below(random, holders.size())), random);
  }
  std::string mutated = document.dump();
  for (std::size_t at = mutated.find(detail::overflowing); at != std::string::npos; at = mutated.find(detail::overflowing)) {
    mutated.replace(at, detail::overflowing.size(), "1e400");
  }
  return mutated;
}

/// Changes a member of a JSON document, or (one time in five) its bytes.
inline std::string mutate_document(const std::string& text, Random& random) {
  return below(random, 5) == 0 ? mutate_bytes(text, random) : mutate_json(text, random);
}

}  // namespace flopcast::testing
