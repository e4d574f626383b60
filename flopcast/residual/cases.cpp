#include "flopcast/residual/cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>

#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/support/exception.hpp"

namespace flopcast::residual {
namespace {

using Sizes = std::vector<std::int64_t>;

/// Draws the arguments of calls.
class CallGenerator {
 public:
  CallGenerator(const Routine& routine, std::int64_t round, std::uint64_t seed) : routine_(routine), round_(round) {
    std::seed_seq sequence(routine.name.begin(), routine.name.end());
    std::vector<std::uint32_t> words(1);
    sequence.generate(words.begin(), words.end());
    random_.seed(words.front() + 7919 * static_cast<std::uint64_t>(round) + 1000003 * seed);
  }

  /// Returns a call, or one with the routine at nullptr if the drawn arguments are illegal together.
  Call draw() {
    const std::int64_t side = one_of(Sizes{0, 1});  // which of m and n is the long one
    std::map<std::string, std::string> values;
    for (std::size_t i = 0; i < routine_.arguments.size(); ++i) {
      const Argument& argument = routine_.arguments[i];
      switch (argument.kind) {
        case Kind::flag:
        case Kind::sign: values[argument.name] = argument.values[static_cast<std::size_t>(below(argument.values.size()))]; break;
        case Kind::size: values[argument.name] = std::to_string(size(argument.name, side)); break;
        case Kind::scalar:
        case Kind::real_scalar: values[argument.name] = scalar(argument); break;
        case Kind::increment: values[argument.name] = std::to_string(one_of(Sizes{1, 1, 2, 3, -1, -2})); break;
        default: break;
      }
    }
    try {
      Call call = kernel::parse_call(routine_, values);
      for (std::size_t i = 0; i < routine_.arguments.size(); ++i) {
        if (routine_.arguments[i].kind == Kind::leading_dimension) {
          call.arguments[i] = kernel::min_leading_dimension(call, i - 1) + one_of(Sizes{0, 0, 1, 5});
        }
      }
      return call;
    } catch (const Error&) {
      return {};
    }
  }

 private:
  std::int64_t below(std::size_t limit) { return static_cast<std::int64_t>(random_() % limit); }
  std::int64_t one_of(const Sizes& values) { return values[static_cast<std::size_t>(below(values.size()))]; }

  /// Returns a value for a size. Rounds stand in one list: the reason why this is one function.
  std::int64_t size(const std::string& name, std::int64_t side) {
    constexpr std::size_t largest = 200;
    if (name == "offset" || name == "k1" || name == "ilo") {  // numbers of rows, mostly the first one
      return one_of(Sizes{name == "offset" ? 0 : 1, 1, 2});
    }
    if (name == "nrhs" && routine_.family == "gelsd") {
      return 1 + below(5);  // LAPACK 3.11 refuses 0
    }
    switch (round_) {
      case 0: return name == "nb" || name == "k2" ? 1 : 0;
      case 1: return 1;
      case 2: return one_of(Sizes{0, 1, 2, 3, 5});
      case 3: return one_of(Sizes{4, 7, 8, 9, 15, 16, 17});
      case 4: return one_of(Sizes{23, 24, 31, 32, 33, 47, 48, 49});
      case 5: return one_of(Sizes{63, 64, 65, 95, 96, 97});
      case 6: return one_of(Sizes{127, 128, 129});
      case 7:
        return name == (side == 0                 ? "m"
                        : routine_.index("m") < 0 ? ""
                                                  : "n")
                   ? one_of(Sizes{257, 300, 512})
                   : one_of(Sizes{1, 2, 5, 8, 13});
      default: return below(round_ % 2 == 0 ? largest : largest / 4) + 1;
    }
  }

  /// Returns a scalar that libraries treat specially, or a general one.
  std::string scalar(const Argument& argument) {
    static const std::vector<std::string> special = {"0", "1", "-1"};
    if (argument.name == "rcond" || argument.name == "abstol") {
      return "-1";  // the routine's own choice
    }
    if (below(2) == 0 && argument.name != "anorm") {
      return special[static_cast<std::size_t>(below(special.size()))];
    }
    return is_complex(routine_.precision) && argument.kind == Kind::scalar ? "(0.75,-0.375)" : "0.8125";
  }

  const Routine& routine_;
  std::int64_t round_;
  std::mt19937_64 random_;
};

}  // namespace

std::vector<Call> generated_calls(const Routine& routine, std::int64_t round, std::uint64_t seed) {
  // Sizes that a routine refuses, such as m < n, are drawn again.
  constexpr std::size_t calls = 4;
  constexpr int attempts = 80;
  CallGenerator generator(routine, round, seed);
  std::vector<Call> all;
  for (int attempt = 0; attempt < attempts && all.size() < calls; ++attempt) {
    const Call call = generator.draw();
    if (call.routine != nullptr && std::find(all.begin(), all.end(), call) == all.end()) {
      all.push_back(call);
    }
  }
  return all;
}

}  // namespace flopcast::residual
