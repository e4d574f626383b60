#include <algorithm>
#include <set>
#include <string>

#include "flopcast/contract/notation/expression.hpp"
#include "flopcast/contract/notation/utf8.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::contract {
namespace {

std::set<Label> labels_of(const Expression& expression) {
  std::set<Label> labels;
  for (const Subscripts& operand : expression.operands) {
    labels.insert(operand.labels.begin(), operand.labels.end());
  }
  return labels;
}

/// Reads `a=b=400`.
class SizeReader {
 public:
  explicit SizeReader(const Expression& expression) : expression_(expression), known_(labels_of(expression)) {}

  void read(std::string_view item) {
    constexpr std::int64_t largest = std::int64_t{1} << 40;
    const std::size_t last = item.rfind('=');
    if (last == std::string_view::npos || last == 0) {
      throw bad_input("size '{}' is not LABEL=SIZE, such as a=400", visible(item));
    }
    const std::int64_t size = parse_integer(item.substr(last + 1), "size of " + visible(item.substr(0, last)), 0, largest);
    for (std::string_view names = item.substr(0, last);;) {
      const std::size_t end = std::min(names.find('='), names.size());
      set(names.substr(0, end), size, item);
      if (end == names.size()) {
        return;
      }
      names.remove_prefix(end + 1);
    }
  }

  std::map<Label, std::int64_t> sizes;

 private:
  void set(std::string_view name, std::int64_t size, std::string_view item) {
    const std::optional<CodePoint> label = name.empty() ? std::nullopt : code_point_at(name, 0);
    if (!label || label->bytes != name.size() || known_.count(static_cast<Label>(label->value)) == 0) {
      throw bad_input("size '{}': '{}' is no label of {}", visible(item), visible(name), to_string(expression_));
    }
    const auto [place, is_new] = sizes.emplace(static_cast<Label>(label->value), size);
    if (!is_new && place->second != size) {
      throw bad_input("label {} is given two sizes, {} and {}", visible(name), place->second, size);
    }
  }

  const Expression& expression_;
  std::set<Label> known_;
};

}  // namespace

std::map<Label, std::int64_t> parse_sizes(std::span<const std::string> words, const Expression& expression) {
  SizeReader reader(expression);
  for (const std::string& word : words) {
    for (std::size_t begin = 0; begin <= word.size();) {
      const std::size_t comma = std::min(word.find(',', begin), word.size());
      reader.read(std::string_view(word).substr(begin, comma - begin));
      begin = comma + 1;
    }
  }
  return std::move(reader.sizes);
}

}  // namespace flopcast::contract
