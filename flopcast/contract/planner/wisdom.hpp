#pragma once

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "flopcast/contract/planner/contraction_plan.hpp"

/// Choices that outlive the process.
namespace flopcast::contract {

/// The use of C's former values: none with beta = 0, otherwise products are added to them. Incremental plans choose separately for both cases, because reading C takes time.
enum class Former : std::uint8_t { overwritten, added_to };

/// Name of the conditions under which a choice holds: folded sizes and strides, threads, machine and library, effort and its permitted
/// cost, and the family of candidates. `former` matters for Effort::incremental only.
std::string wisdom_name(const Contraction& contraction, const Machine& machine, const PlanOptions& options,
                        Former former = Former::overwritten);

/// Returns the choice of an earlier plan under the same name. Returns nothing if there is none, it can't be read, or options.wisdom is
/// null.
std::optional<Candidate> find_wisdom(const Contraction& contraction, const Machine& machine, const PlanOptions& options,
                                     Former former = Former::overwritten);

/// Keeps `chosen` under that name; nothing happens if options.wisdom is null.
void keep_wisdom(const Contraction& contraction, const Machine& machine, const PlanOptions& options, const Candidate& chosen);
/// Keeps `chosen` under a name that wisdom_name() made. Throws what model::put_artifact() throws.
void keep_wisdom(model::Store& store, const std::string& name, const Environment& environment, const Candidate& chosen);

/// Conditions under which a stored choice holds, as its name says them.
struct WisdomConditions {
  std::string contraction;  ///< folded sizes and strides
  int threads = 1;
  std::string fingerprint;  ///< the environment's
  std::string effort;       ///< with the permitted cost
  bool is_current = false;  ///< this version of flopcast considers the same candidates
};
/// Reads a name that wisdom_name() made; nothing for other texts.
std::optional<WisdomConditions> wisdom_conditions(const std::string& name);

/// Returns a folded contraction in words, "ac,cb->ab (a=4, b=8, c=16) in double precision": labels in the order of roles, and of each tensor
/// the label with the longest stride first. Returns the text itself if it has another form.
std::string contraction_text(const std::string& folded);

/// Checks a stored choice. Throws MemberError for a member that is missing or wrong.
void require_wisdom(const nlohmann::json& document);

}  // namespace flopcast::contract
