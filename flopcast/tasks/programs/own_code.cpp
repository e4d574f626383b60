#include "flopcast/tasks/programs/own_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

#include "flopcast/contract/notation/expression.hpp"
#include "flopcast/support/anonymous.hpp"
#include "flopcast/support/child_process.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/process_environment.hpp"

namespace flopcast {
namespace {

using program::ProbedPlace;

/// Returns whether a product of two operands is a sum over a label of both, and each operand has a label that the other lacks, as BLAS
/// multiplies matrices.
bool multiplies_matrices(const contract::Expression& expression) {
  const auto has = [](const contract::Subscripts& one, contract::Label label) {
    return std::find(one.labels.begin(), one.labels.end(), label) != one.labels.end();
  };
  const auto has_own = [&](const contract::Subscripts& one, const contract::Subscripts& other) {
    return std::any_of(one.labels.begin(), one.labels.end(), [&](contract::Label label) { return !has(other, label); });
  };
  const auto is_product = [&](const contract::Subscripts& a, const contract::Subscripts& b) {
    const auto is_summed = [&](contract::Label label) { return has(b, label) && !has(expression.result, label); };
    return has_own(a, b) && has_own(b, a) && std::any_of(a.labels.begin(), a.labels.end(), is_summed);
  };
  return std::any_of(expression.operands.begin(), expression.operands.end(), [&](const contract::Subscripts& a) {
    return std::any_of(expression.operands.begin(), expression.operands.end(), [&](const auto& b) { return is_product(a, b); });
  });
}

bool is_for_blas(const std::string& subscripts) {
  try {
    return !subscripts.empty() && multiplies_matrices(contract::parse_expression(subscripts));
  } catch (const Error&) {
    return false;  // NumPy also takes lists of integers
  }
}

}  // namespace

std::vector<std::string> lines_by_addr2line(const std::string& file, const std::vector<std::uint64_t>& addresses) {
  std::vector<std::string> words = {"addr2line", "-C", "-f", "-s", "-e", file}, lines;
  for (const std::uint64_t address : addresses) {
    words.push_back(fmt::format("{:x}", address));
  }
  const auto program = program_in_path(words[0]);
  std::istringstream text(program ? output_of(*program, std::move(words), process::current_environment()) : "");
  for (std::string function, line; std::getline(text, function) && std::getline(text, line);) {
    lines.push_back(function == "??" ? "" : line.front() == '?' ? function : fmt::format("{} ({})", function, line));
  }
  return lines;
}

Seconds probed_seconds(const std::vector<ProbedPlace>& probed) {
  Seconds seconds = 0;
  for (const ProbedPlace& place : probed) {
    seconds += place.seconds;
  }
  return seconds;
}

std::vector<OwnCodePlace> own_code_places(const std::vector<ProbedPlace>& probed, const SourceLines& source_lines) {
  constexpr double least_share = 0.02;
  std::map<std::string, Seconds> sums;
  std::map<std::string, std::vector<const ProbedPlace*>> files;
  for (const ProbedPlace& place : probed) {
    if (place.address == 0) {
      sums[place.where] += place.seconds;
    } else {
      files[place.where].push_back(&place);
    }
  }
  for (const auto& [file, places] : files) {
    std::vector<std::uint64_t> addresses;
    for (const ProbedPlace* place : places) {
      addresses.push_back(place->address);
    }
    std::vector<std::string> lines = source_lines(file, addresses);
    lines.resize(places.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
      const std::string& function = lines[i].empty() ? places[i]->function : lines[i];
      sums[function.empty() ? std::string(file_name(file)) : fmt::format("{} in {}", function, file_name(file))] += places[i]->seconds;
    }
  }
  std::vector<OwnCodePlace> all;
  for (const auto& [where, seconds] : sums) {
    if (seconds >= least_share * probed_seconds(probed)) {
      all.push_back({where, seconds});
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const OwnCodePlace& a, const OwnCodePlace& b) { return a.seconds > b.seconds; });
  return all;
}

std::optional<Finding> contraction_finding(const std::vector<ProbedPlace>& probed) {
  const ProbedPlace* heaviest = nullptr;
  Seconds seconds = 0;
  for (const ProbedPlace& place : probed) {
    if (is_for_blas(place.subscripts)) {
      seconds += place.seconds;
      heaviest = heaviest == nullptr || heaviest->seconds < place.seconds ? &place : heaviest;
    }
  }
  if (heaviest == nullptr) {
    return std::nullopt;
  }
  return Finding{FindingCause::contraction_without_blas,
                 "NumPy's einsum multiplies tensors without BLAS",
                 fmt::format("einsum('{}') took {} at {}", heaviest->subscripts, format_seconds(heaviest->seconds), heaviest->where),
                 "call flopcast.einsum there, which takes the same arguments, or numpy.einsum with optimize=True",
                 seconds,
                 {0, seconds}};
}

}  // namespace flopcast
