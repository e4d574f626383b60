#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flopcast {

/// Sizes in a request. Where one is asked, a number, a list and a text of parse_sizes(), such as "200:3200:200", are read alike
/// (support/request_types.hpp).
class SizeList : public std::vector<std::int64_t> {
 public:
  static constexpr std::int64_t max_size = 1'000'000, max_count = 100'000;

  using std::vector<std::int64_t>::vector;
  SizeList(std::vector<std::int64_t> sizes) : vector(std::move(sizes)) {}  // NOLINT(google-explicit-constructor): they are one thing
};

/// Sizes by the names of arguments, such as {"m", {1000, 2000}}.
using NamedSizes = std::map<std::string, SizeList>;

/// Reads a text. Messages begin with `what`. Throws as parse_sizes() does for sizes from 1 to SizeList::max_size.
void parse_text(std::string_view text, std::string_view what, SizeList& to);

/// Returns the shortest text that parse_sizes() reads as these sorted sizes, such as "8:128:8,160".
std::string to_text(const SizeList& sizes);

}  // namespace flopcast
