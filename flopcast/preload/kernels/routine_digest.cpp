#include "flopcast/preload/kernels/routine_digest.hpp"

#include <algorithm>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/fill.hpp"

namespace flopcast::preload::mpi {
namespace {

std::int32_t integer(const void* pointer) noexcept { return *static_cast<const std::int32_t*>(pointer); }

char upper_case(const void* pointer) noexcept {
  const char letter = *static_cast<const char*>(pointer);
  return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
}

}  // namespace

RoutineDigest::RoutineDigest(std::size_t index) : index_(static_cast<std::uint32_t>(index)) {
  const flopcast::Routine& routine = kernel::catalogue()[index];
  decides_ = kernel::decides(routine);
  arguments_ = static_cast<std::uint8_t>(routine.arguments.size());
  for (std::uint8_t i = 0; i < arguments_; ++i) {
    const Argument& argument = routine.arguments[i];
    switch (argument.kind) {
      case Kind::size: sizes_.push_back(i); break;
      case Kind::flag: flags_.push_back({i, Spelling::letter}); break;
      case Kind::sign: flags_.push_back({i, argument.values == "+-" ? Spelling::sign : Spelling::digit}); break;
      case Kind::increment: increments_.push_back(i); break;
      case Kind::work_size: work_sizes_.push_back(i); break;
      default: break;
    }
  }
}

bool RoutineDigest::is_workspace_query(std::span<void* const> pointers) const noexcept {
  return std::any_of(work_sizes_.begin(), work_sizes_.end(), [&](std::uint8_t i) { return integer(pointers[i]) == -1; });
}

template <class Letter, class Number>
selective::KernelKey RoutineDigest::key_from(Letter letter, Number number) const noexcept {
  selective::KernelKey key{selective::KernelKind::computation, index_, {}};
  std::size_t word = 0;
  for (const std::uint8_t i : sizes_) {
    key.words[word++] = number(i);
  }
  std::int64_t flags = 0;
  for (const Flag& flag : flags_) {
    char spelt = 0;
    switch (flag.spelling) {
      case Spelling::letter: spelt = letter(flag.argument); break;
      case Spelling::sign: spelt = number(flag.argument) < 0 ? '-' : '+'; break;
      case Spelling::digit: spelt = static_cast<char>('0' + number(flag.argument) % 10); break;
    }
    flags = flags << 8U | static_cast<unsigned char>(spelt);
  }
  key.words[flags_word] = flags;
  for (const std::uint8_t i : increments_) {
    key.words[strides_word] |= std::int64_t{number(i) != 1} << (arguments_ - 1U - i);
  }
  return key;
}

selective::KernelKey RoutineDigest::key_of(const Call& call) const noexcept {
  return key_from([&](std::uint8_t i) { return call.flag(i); }, [&](std::uint8_t i) { return call.arguments[i]; });
}

selective::KernelKey RoutineDigest::key_of(std::span<void* const> pointers) const noexcept {
  return key_from([&](std::uint8_t i) { return upper_case(pointers[i]); },
                  [&](std::uint8_t i) { return std::int64_t{integer(pointers[i])}; });
}

const std::vector<RoutineDigest>& routine_digests() {
  static const std::vector<RoutineDigest> all = [] {
    std::vector<RoutineDigest> made;
    made.reserve(kernel::catalogue().size());
    for (std::size_t i = 0; i < kernel::catalogue().size(); ++i) {
      made.emplace_back(i);
    }
    return made;
  }();
  return all;
}

}  // namespace flopcast::preload::mpi
