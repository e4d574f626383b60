#include "flopcast/program/profile_json.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "flopcast/core/environment_json.hpp"

namespace flopcast::program {
namespace {

using nlohmann::ordered_json;

ordered_json place_schema(SchemaMaker& maker) {
  const ordered_json whole = maker.of<std::int64_t>();
  const ordered_json point = object_schema({{"m", described(whole, "rows, as the routine passes them to ilaenv")},
                                            {"n", described(whole, "columns; m for routines of one size")},
                                            {"nb", described(whole, "block size")},
                                            {"nbmin", described(whole, "least block size; 0: LAPACK's own")},
                                            {"nx", described(whole, "crossover point; 0: LAPACK's own")},
                                            {"ties", described(array_schema(whole), "other block sizes that are as good within noise")},
                                            {"regret", described(maker.of<double>(), "greatest possible loss, fraction of the best time")},
                                            {"undecided", maker.of<bool>()},
                                            {"considered", described(whole, "number of block sizes that were predicted; 0: not known")},
                                            {"samples", described(whole, "measured calls that the predictions rest on; 0: not known")}},
                                           {"ties", "regret", "undecided", "considered", "samples"});
  const ordered_json routine =
      object_schema({{"routine", maker.of<std::string>()}, {"flags", maker.of<std::string>()}, {"points", array_schema(point)}}, {"flags"});
  return object_schema({{"environment", maker.of<Environment>()},
                        {"settings", described(maker.of<std::map<std::string, std::string>>(), "environment variables in force")},
                        {"routines", array_schema(routine)}},
                       {"settings"});
}

}  // namespace

ordered_json profile_members(SchemaMaker& maker) {
  ordered_json root = place_schema(maker);
  add_member(root, "others", described(array_schema(place_schema(maker)), "other libraries and numbers of threads"), false);
  return root;
}

PublishedSchema profile_schema() { return published("flopcast-profile-1", "Tuned block sizes for programs", profile_members); }

}  // namespace flopcast::program
