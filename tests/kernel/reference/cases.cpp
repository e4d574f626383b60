#include "tests/kernel/reference/cases.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <type_traits>

#include "flopcast/kernel/fill.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::kernel::reference {
namespace {

using Values = std::map<std::string, std::string>;
using Sizes = std::map<std::string, std::int64_t>;

std::vector<Sizes> size_choices(Extent extent) {
  switch (extent) {
    case Extent::small:
      return {{{"m", 7}, {"n", 5}, {"k", 3}, {"kl", 2}, {"ku", 1}, {"nrhs", 4}, {"nb", 2}, {"k1", 2}, {"k2", 4}, {"ilo", 1}, {"ihi", 5}},
              {{"m", 5}, {"n", 8}, {"k", 4}, {"kl", 0}, {"ku", 3}, {"nrhs", 1}, {"nb", 3}, {"k1", 1}, {"k2", 5}, {"ilo", 3}, {"ihi", 7}},
              {{"m", 6}, {"n", 6}, {"k", 6}, {"kl", 5}, {"ku", 0}, {"nrhs", 6}, {"nb", 6}, {"k1", 3}, {"k2", 3}, {"ilo", 1}, {"ihi", 6}},
              {{"m", 4}, {"n", 6}, {"k", 9}, {"kl", 8}, {"ku", 9}, {"nrhs", 2}, {"nb", 4}, {"k1", 6}, {"k2", 7}, {"ilo", 2}, {"ihi", 4}},
              {{"m", 9}, {"n", 2}, {"k", 0}, {"kl", 3}, {"ku", 1}, {"nrhs", 3}, {"nb", 1}, {"k1", 2}, {"k2", 9}, {"ilo", 1}, {"ihi", 2}},
              {{"m", 1}, {"n", 1}, {"k", 1}, {"kl", 0}, {"ku", 0}, {"nrhs", 1}, {"nb", 1}, {"k1", 1}, {"k2", 1}, {"ilo", 1}, {"ihi", 1}},
              {{"m", 0}, {"n", 0}, {"k", 0}, {"kl", 0}, {"ku", 0}, {"nrhs", 0}, {"nb", 1}, {"k1", 1}, {"k2", 1}, {"ilo", 1}, {"ihi", 0}}};
    case Extent::medium:
      return {
          {{"m", 41}, {"n", 33}, {"k", 17}, {"kl", 9}, {"ku", 12}, {"nrhs", 11}, {"nb", 8}, {"k1", 3}, {"k2", 29}, {"ilo", 1}, {"ihi", 33}},
          {{"m", 26},
           {"n", 37},
           {"k", 20},
           {"kl", 4},
           {"ku", 30},
           {"nrhs", 5},
           {"nb", 26},
           {"k1", 10},
           {"k2", 26},
           {"ilo", 5},
           {"ihi", 30}}};
    case Extent::large:
      return {{{"m", 147},
               {"n", 139},
               {"k", 135},
               {"kl", 20},
               {"ku", 31},
               {"nrhs", 70},
               {"nb", 32},
               {"k1", 5},
               {"k2", 133},
               {"ilo", 2},
               {"ihi", 137}},
              {{"m", 131},
               {"n", 147},
               {"k", 40},
               {"kl", 40},
               {"ku", 9},
               {"nrhs", 33},
               {"nb", 48},
               {"k1", 1},
               {"k2", 131},
               {"ilo", 1},
               {"ihi", 147}}};
  }
  return {};
}

/// Extends each of `all` by every legal value of a flag or sign.
std::vector<Values> with_choices(const std::vector<Values>& all, const Argument& argument) {
  std::vector<Values> extended;
  for (const Values& values : all) {
    for (const char letter : argument.values) {
      extended.push_back(values);
      extended.back()[argument.name] = std::string(1, letter);
    }
  }
  return extended;
}

/// Returns the value of alpha and beta, or c and s, or b: a general number, or a number that libraries treat specially.
std::string scalar_text(const Routine& routine, const Argument& argument, bool second, std::size_t variant) {
  const bool complex = is_complex(routine.precision) && argument.kind == Kind::scalar;
  switch (variant % 3) {
    case 0: return second ? (complex ? "(-0.375,0.25)" : "-0.375") : complex ? "(0.75,0.5)" : "0.75";
    case 1: return second ? "0" : "-1";
    default: return "1";
  }
}

/// Sets leading dimensions and increments: the least ones, or larger ones, some of them negative.
void set_strides(Values& values, const Routine& routine, std::size_t variant) {
  if (variant == 0) {
    return;
  }
  const Call tight = parse_call(routine, values);
  std::int64_t increment = variant % 2 == 1 ? 2 : -3;
  for (std::size_t i = 0; i < routine.arguments.size(); ++i) {
    const Argument& argument = routine.arguments[i];
    if (argument.kind == Kind::leading_dimension) {
      const std::int64_t least = min_leading_dimension(tight, i - 1);
      values[argument.name] = std::to_string(least + 3 * static_cast<std::int64_t>(variant));
    } else if (argument.kind == Kind::increment) {
      values[argument.name] = std::to_string(increment);
      increment = increment == 2 ? -3 : 2;
    }
  }
}

bool try_append(std::vector<Call>& calls, const Routine& routine, const Values& values) {
  try {
    calls.push_back(parse_call(routine, values));
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// Tight leading dimensions differ from parse_call's default, which rounds up.
void make_tight(Call& call) {
  for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
    if (call.routine->arguments[i].kind == Kind::leading_dimension) {
      call.arguments[i] = min_leading_dimension(call, i - 1);
    }
  }
}

void append_variant(std::vector<Call>& calls, const Routine& routine, Values values, std::size_t variant) {
  bool second = false;
  for (const Argument& argument : routine.arguments) {
    if (argument.kind == Kind::scalar || argument.kind == Kind::real_scalar) {
      values[argument.name] = argument.name == "anorm"    ? "1.5"
                              : argument.name == "abstol" ? "0"
                                                          : scalar_text(routine, argument, second, variant);
      second = true;
    }
  }
  try {
    set_strides(values, routine, variant);
  } catch (const Error&) {
    return;  // sizes that are illegal for this routine
  }
  if (try_append(calls, routine, values)) {
    if (variant == 0) {
      make_tight(calls.back());
    }
  } else if (variant > 0) {  // increments may be negative
    for (const Argument& argument : routine.arguments) {
      if (argument.kind == Kind::increment) {
        values[argument.name] = std::to_string(4);
      }
    }
    try_append(calls, routine, values);
  }
}

/// Sets element `element` of argument i to `value`, with no imaginary part.
void set_element(const Call& call, std::size_t i, std::int64_t element, double value) {
  const std::int64_t parts = argument_element_bytes(call, i) / real_bytes(call.routine->precision);
  const auto set = [&](auto* numbers) {
    std::fill_n(numbers + element * parts, parts, 0);
    numbers[element * parts] = static_cast<std::remove_reference_t<decltype(*numbers)>>(value);
  };
  if (real_bytes(call.routine->precision) == 4) {
    set(reinterpret_cast<float*>(call.address(i)));
  } else {
    set(reinterpret_cast<double*>(call.address(i)));
  }
}

}  // namespace

std::vector<Call> cases(const Routine& routine, Extent extent) {
  std::vector<Values> all;
  std::int64_t share = 0;
  for (Sizes sizes : size_choices(extent)) {
    // The trapezoidal rows of a pentagon (tpqrt): none, half or all of the possible number.
    sizes["l"] = std::min({sizes.at("m"), sizes.at("n"), sizes.at("k")}) * (++share % 3) / 2;
    sizes["offset"] = share % 3;
    Values values;
    for (const Argument& argument : routine.arguments) {
      if (argument.kind == Kind::size) {
        values[argument.name] = std::to_string(sizes.at(argument.name));
      }
    }
    all.push_back(values);
  }
  for (const Argument& argument : routine.arguments) {
    if (argument.kind == Kind::flag || argument.kind == Kind::sign) {
      all = with_choices(all, argument);
    }
  }
  std::vector<Call> calls;
  for (const Values& values : all) {
    for (std::size_t variant = extent == Extent::large ? 2 : 0; variant < 3; ++variant) {
      append_variant(calls, routine, values, variant);
    }
  }
  return calls;
}

GuardedMemory::GuardedMemory(Call& call) {
  static constexpr std::size_t guard = 64;
  for (const Operand& operand : operands(call)) {
    const std::size_t i = operand.argument;
    const std::int64_t bytes = span_elements(call, i) * argument_element_bytes(call, i);
    Block block{i, std::vector<std::byte>(2 * guard + static_cast<std::size_t>(bytes), std::byte{0xff}), guard};
    blocks_.push_back(std::move(block));
    call.arguments[i] = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(blocks_.back().bytes.data()) + guard);
  }
}

void prepare(const Call& call, std::uint64_t seed) {
  fill(call, seed);
  static constexpr std::array<double, 5> rotation = {-1, 0.75, -0.5, 0.25, 0.875};
  for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
    const Argument& argument = call.routine->arguments[i];
    if (call.routine->family == "rotm" && argument.name == "param") {
      for (std::size_t element = 0; element < rotation.size(); ++element) {
        set_element(call, i, static_cast<std::int64_t>(element), rotation[element]);
      }
    } else if (argument.name == "vn1" || argument.name == "vn2") {  // norms far apart, so that rounding doesn't decide which is the largest
      const std::int64_t n = argument.rows.integer(call.values());
      for (std::int64_t k = 0; k < n; ++k) {
        static constexpr std::int64_t stride = 7, modulus = 1009;  // k -> 7 k mod 1009 is one to one
        set_element(call, i, k, 0x1p20 * static_cast<double>(modulus + k * stride % modulus));
      }
    } else if (argument.fill == Fill::definite && argument.form == Form::triangle) {
      const std::int64_t n = argument.rows.integer(call.values());
      for (std::int64_t k = 0; k < n; ++k) {
        set_element(call, i, k * (call.arguments[static_cast<std::size_t>(argument.stride)] + 1), 2.0 * static_cast<double>(n));
      }
    }
  }
}

std::vector<bool> footprint_mask(const Call& call, const GuardedMemory::Block& block) {
  std::vector<bool> mask(block.bytes.size());
  const auto base = reinterpret_cast<std::uintptr_t>(block.bytes.data());
  for (const Operand& operand : operands(call)) {
    if (operand.argument != block.argument) {
      continue;
    }
    for (const Region& part : operand.parts) {
      for (std::int64_t j = 0; j < part.columns; ++j) {
        const auto from = static_cast<std::int64_t>(part.address - base) + j * part.stride_bytes;
        for (std::int64_t at = from; at < from + part.column_bytes + j * part.growth_bytes; ++at) {
          if (at < 0 || static_cast<std::size_t>(at) >= mask.size() || mask[static_cast<std::size_t>(at)]) {
            throw std::logic_error("a footprint leaves its operand or counts a byte twice: " + format_call(call));
          }
          mask[static_cast<std::size_t>(at)] = true;
        }
      }
    }
  }
  return mask;
}

}  // namespace flopcast::kernel::reference
