#include "flopcast/workbench/wisdom_schema.hpp"

#include <string>
#include <vector>

#include "flopcast/core/core_schemas.hpp"
#include "flopcast/program/profile_json.hpp"

namespace flopcast {
namespace {

using nlohmann::ordered_json;

ordered_json members(SchemaMaker& maker) {
  ordered_json profile = program::profile_members(maker);
  add_member(profile, "schema", {{"const", program::profile_schema().name}});
  const ordered_json artifact =
      object_schema({{"kind", described(maker.of<std::string>(), "kernel-choice or contraction-plan; others are ignored")},
                     {"name", described(maker.of<std::string>(), "what the decision is about, and for which machine")},
                     {"document", {{"type", "object"}, {"description", "the decision"}}}});
  return object_schema(
      {{"profiles", described(array_schema(profile), "one for each CPU, pair of libraries and number of threads")},
       {"environments", described(maker.of<std::vector<Environment>>(), "machines and libraries that names of plans refer to")},
       {"artifacts", described(array_schema(artifact), "choices of kernels and plans of contractions")}});
}

}  // namespace

PublishedSchema wisdom_schema() { return published("flopcast-wisdom-1", "Decisions that travel between users and machines", members); }

}  // namespace flopcast
