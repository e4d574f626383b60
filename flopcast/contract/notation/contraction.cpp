#include "flopcast/contract/notation/contraction.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <utility>

#include "flopcast/contract/notation/overlap.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::contract {
namespace {

constexpr std::int64_t largest_extent = std::numeric_limits<std::int32_t>::max();

std::string without_blanks(std::string_view text) {
  std::string dense;
  std::copy_if(text.begin(), text.end(), std::back_inserter(dense), [](unsigned char c) { return std::isspace(c) == 0; });
  return dense;
}

/// Returns the whole UTF-8 letter at `at`, or the byte as a number if there is none.
std::string letter_at(std::string_view text, std::size_t at) {
  constexpr std::array<std::pair<unsigned, unsigned>, 4> leads = {{{0x80, 0x00}, {0xe0, 0xc0}, {0xf0, 0xe0}, {0xf8, 0xf0}}};
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  for (std::size_t length = 1; length <= leads.size(); ++length) {
    bool whole = (byte(at) & leads[length - 1].first) == leads[length - 1].second && byte(at) >= ' ' && byte(at) != 0x7f;
    for (std::size_t i = 1; i < length; ++i) {
      whole = whole && (byte(at + i) & 0xc0U) == 0x80U;
    }
    if (whole) {
      return std::string(text.substr(at, length));
    }
  }
  return fmt::format("\\x{:02x}", byte(at));
}

/// Returns the text for messages; bytes that are no UTF-8 appear as numbers.
std::string legible(std::string_view text) {
  std::string shown;
  for (std::size_t at = 0; at < text.size();) {
    const std::string letter = letter_at(text, at);
    shown += letter;
    at += letter.front() == '\\' && letter.size() == 4 ? 1 : letter.size();
  }
  return shown;
}

Error unreadable(std::string_view text) {
  return bad_input(
      "contraction '{}' is none of 'abc=ai,ibc', 'C_abc := A_ai B_ibc' and 'ai,ibc->abc' (in a shell, the last two need quotes)",
      legible(text));
}

/// Converts `A_{ij}` or `A_ij` to `ij`; `A` alone is a scalar.
std::string subscript(std::string_view word, std::string_view whole) {
  if (word.empty() || std::isalpha(static_cast<unsigned char>(word.front())) == 0) {
    throw unreadable(whole);
  }
  if (word.size() == 1) {
    return {};
  }
  std::string_view indices = word.substr(2);
  if (word[1] != '_' || indices.empty()) {
    throw unreadable(whole);
  }
  if (indices.front() == '{') {
    if (indices.back() != '}') {
      throw unreadable(whole);
    }
    indices = indices.substr(1, indices.size() - 2);
  }
  return without_blanks(indices);
}

/// Reads `C_abc := A_ai B_ibc`, or the same with `=` only. A blank or `*` may separate the tensors on the right; otherwise the second one's
/// `X_` does.
Notation parse_assignment(std::string_view text) {
  const std::size_t sign = text.find('=');
  const bool has_colon = sign > 0 && text[sign - 1] == ':';
  const std::string left = without_blanks(text.substr(0, has_colon ? sign - 1 : sign));
  const std::string right = without_blanks(text.substr(sign + 1));
  std::size_t second = right.find('*');
  const bool has_star = second != std::string::npos;
  if (!has_star) {
    constexpr std::string_view two_numbers = "AB";  // without indices
    second = right.rfind('_');
    if (second == 0 || (second == std::string::npos && right.size() != two_numbers.size())) {
      throw unreadable(text);
    }
    second = second == std::string::npos ? 1 : second - 1;
  }
  return {subscript(right.substr(0, second), text), subscript(right.substr(second + (has_star ? 1 : 0)), text), subscript(left, text)};
}

Notation parse_list(std::string_view text) {
  const std::string dense = without_blanks(text);
  const std::size_t arrow = dense.find("->");
  const std::size_t sign = dense.find('=');
  if ((arrow == std::string::npos) == (sign == std::string::npos)) {
    throw unreadable(text);
  }
  const std::string inputs = arrow != std::string::npos ? dense.substr(0, arrow) : dense.substr(sign + 1);
  const std::string result = arrow != std::string::npos ? dense.substr(arrow + 2) : dense.substr(0, sign);
  const std::size_t comma = inputs.find(',');
  if (comma == std::string::npos || inputs.find(',', comma + 1) != std::string::npos) {
    throw bad_input("contraction '{}' has {} operand{}; it takes two", legible(text), std::count(inputs.begin(), inputs.end(), ',') + 1,
                    comma == std::string::npos ? "" : "s");
  }
  return {inputs.substr(0, comma), inputs.substr(comma + 1), result};
}

void check_letters(const std::string& indices, Operand operand, std::string_view text) {
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (std::isalpha(static_cast<unsigned char>(indices[i])) == 0) {
      throw bad_input("contraction '{}': '{}' in {} is no index; an index is one of the letters a to z and A to Z", legible(text),
                      letter_at(indices, i), letter(operand));
    }
    if (indices.find(indices[i], i + 1) != std::string::npos) {
      throw bad_input("contraction '{}': index {} is repeated in {}; take its diagonal first", text, indices[i], letter(operand));
    }
  }
}

void check(const Notation& notation, std::string_view text) {
  check_letters(notation.a, Operand::a, text);
  check_letters(notation.b, Operand::b, text);
  check_letters(notation.c, Operand::c, text);
  const auto in = [](const std::string& tensor, char index) { return tensor.find(index) != std::string::npos; };
  for (const char index : notation.a + notation.b) {
    const int count = in(notation.a, index) + in(notation.b, index) + in(notation.c, index);
    if (count == 1) {
      throw bad_input("contraction '{}': index {} is in {} only; sum over it first, or give it to another tensor", text, index,
                      in(notation.a, index) ? 'A' : 'B');
    }
  }
  for (const char index : notation.c) {
    if (!in(notation.a, index) && !in(notation.b, index)) {
      throw bad_input("contraction '{}': index {} of C is in neither A nor B", text, index);
    }
  }
}

std::vector<std::int64_t> dense_strides(const std::string& indices, const Extents& extents, Order order, std::int64_t element_bytes,
                                        Operand operand) {
  const std::size_t count = indices.size();
  std::vector<std::int64_t> strides(count);
  std::int64_t stride = 1;
  for (std::size_t step = 0; step < count; ++step) {
    const std::size_t i = order == Order::column_major ? step : count - 1 - step;
    strides[i] = stride;
    const std::int64_t extent = std::max<std::int64_t>(1, extents.at(indices[i]));
    if (__builtin_mul_overflow(stride, extent, &stride) || stride > std::numeric_limits<std::int64_t>::max() / element_bytes) {
      throw bad_input("{} with indices {} has more elements than 63 bits can address", letter(operand), indices);
    }
  }
  return strides;
}

std::vector<Axis> axes(const Tensor& tensor, const Extents& extents) {
  std::vector<Axis> all;
  for (std::size_t i = 0; i < tensor.indices.size(); ++i) {
    all.push_back({tensor.strides[i], extents.at(tensor.indices[i])});
  }
  return all;
}

bool is_empty(const std::vector<Axis>& axes) {
  return std::any_of(axes.begin(), axes.end(), [](const Axis& axis) { return axis.extent == 0; });
}

/// Throws unless the differences of addresses within a tensor, in bytes, fit 62 bits.
void refuse_far_strides(const std::vector<Axis>& axes, std::int64_t element_bytes, Operand operand) {
  constexpr double most = 4e18;
  double reach = 0;
  for (const Axis& axis : axes) {
    reach += std::abs(static_cast<double>(axis.stride)) * static_cast<double>(axis.extent - 1);
  }
  if (reach * static_cast<double>(element_bytes) > most) {
    throw bad_input("strides of {} reach {:.3g} elements far, more than 62 bits can address", letter(operand), reach);
  }
}

}  // namespace

char letter(Operand operand) { return "ABC"[static_cast<std::size_t>(operand)]; }

Notation parse_notation(std::string_view text) {
  const bool is_assignment =
      text.find(":=") != std::string_view::npos || (text.find('=') != std::string_view::npos && text.find('_') != std::string_view::npos);
  Notation notation = is_assignment ? parse_assignment(text) : parse_list(text);
  check(notation, text);
  return notation;
}

std::string to_string(const Notation& notation) { return notation.c + '=' + notation.a + ',' + notation.b; }

Extents parse_extents(std::span<const std::string> words, const Notation& notation) {
  const std::string known = notation.a + notation.b + notation.c;
  Extents extents;
  const auto read = [&](std::string_view item) {
    const std::size_t last = item.rfind('=');
    if (last == std::string_view::npos || last == 0) {
      throw bad_input("size '{}' is not INDEX=SIZE, such as {}=400", legible(item), known.empty() ? 'a' : known.front());
    }
    const std::string_view names = item.substr(0, last);
    const std::int64_t extent = parse_integer(item.substr(last + 1), fmt::format("size of {}", names), 0, largest_extent);
    for (std::size_t i = 0; i < names.size(); i += 2) {
      const char index = names[i];
      if ((i + 1 < names.size() && names[i + 1] != '=') || known.find(index) == std::string::npos) {
        throw bad_input("size '{}': '{}' is no index of {}", legible(item),
                        letter_at(names, i + 1 < names.size() && names[i + 1] != '=' && known.find(index) != std::string::npos ? i + 1 : i),
                        to_string(notation));
      }
      const auto [place, is_new] = extents.emplace(index, extent);
      if (!is_new && place->second != extent) {
        throw bad_input("index {} is given two sizes, {} and {}", index, place->second, extent);
      }
    }
  };
  for (const std::string& word : words) {
    for (std::size_t begin = 0; begin <= word.size();) {
      const std::size_t comma = std::min(word.find(',', begin), word.size());
      read(std::string_view(word).substr(begin, comma - begin));
      begin = comma + 1;
    }
  }
  for (const char index : known) {
    if (extents.count(index) == 0) {
      throw bad_input("index {} of {} has no size; give {}=SIZE", index, to_string(notation), index);
    }
  }
  return extents;
}

std::int64_t Tensor::stride(char index) const {
  const std::size_t i = indices.find(index);
  return i == std::string::npos ? 0 : strides[i];
}

Role Contraction::role(char index) const {
  const bool in_a = tensor(Operand::a).has(index);
  const bool in_b = tensor(Operand::b).has(index);
  if (in_a && in_b) {
    return tensor(Operand::c).has(index) ? Role::batch : Role::contracted;
  }
  return in_a ? Role::free_a : Role::free_b;
}

std::string Contraction::indices(Role wanted) const {
  const std::string& from = tensor(wanted == Role::contracted ? Operand::a : Operand::c).indices;
  std::string found;
  std::copy_if(from.begin(), from.end(), std::back_inserter(found), [&](char index) { return role(index) == wanted; });
  return found;
}

std::string Contraction::indices() const { return indices(Role::contracted) + tensor(Operand::c).indices; }

std::int64_t Contraction::elements(Operand operand) const {
  std::int64_t product = 1;
  for (const char index : tensor(operand).indices) {
    product *= extent(index);
  }
  return product;
}

Contraction make_contraction(const Notation& notation, const Extents& extents, Precision precision, Order order,
                             const std::array<std::vector<std::int64_t>, 3>& strides) {
  check(notation, to_string(notation));
  Contraction contraction;
  contraction.precision = precision;
  for (const char index : notation.a + notation.b) {
    const auto found = extents.find(index);
    if (found == extents.end()) {
      throw bad_input("index {} of {} has no size", index, to_string(notation));
    }
    if (found->second < 0 || found->second > largest_extent) {
      throw bad_input("size of {}: {} is out of range; 0 to {} is possible", index, found->second, largest_extent);
    }
    contraction.extents[index] = found->second;
  }
  const std::array<std::string, 3> indices = {notation.a, notation.b, notation.c};
  for (const Operand operand : all_operands) {
    const auto i = static_cast<std::size_t>(operand);
    Tensor& tensor = contraction.tensors[i];
    tensor.indices = indices[i];
    tensor.strides = dense_strides(indices[i], contraction.extents, order, element_bytes(precision), operand);
    if (!strides[i].empty()) {
      if (strides[i].size() != indices[i].size()) {
        throw bad_input("{} strides given for {}, which has {} indices", strides[i].size(), letter(operand), indices[i].size());
      }
      tensor.strides = strides[i];
    }
    const std::vector<Axis> all = axes(tensor, contraction.extents);
    if (is_empty(all)) {
      continue;
    }
    refuse_far_strides(all, element_bytes(precision), operand);
    if (operand == Operand::c && may_share_addresses(all)) {
      throw bad_input("strides of C ({}) let elements share addresses; the result would depend on the order of work",
                      fmt::join(tensor.strides, ", "));
    }
  }
  return contraction;
}

Contraction make_contraction(const Notation& notation, const Extents& extents, Precision precision, Order order) {
  return make_contraction(notation, extents, precision, order, {});
}

double flops(const Contraction& contraction) {
  double product = is_complex(contraction.precision) ? 8 : 2;
  for (const auto& [index, extent] : contraction.extents) {
    product *= static_cast<double>(extent);
  }
  return product;
}

}  // namespace flopcast::contract
