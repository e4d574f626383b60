#include "flopcast/tasks/mpi/mpi_schemas.hpp"

#include <string>
#include <vector>

#include "flopcast/protocol/mpi_profile_fields.hpp"
#include "flopcast/scale/machine_description_schema.hpp"

namespace flopcast {
namespace {

using nlohmann::ordered_json;

/// A space is written by hand, and members that flopcast doesn't know are errors.
ordered_json space_schema(SchemaMaker& maker) {
  ordered_json words = maker.of<std::vector<std::string>>();
  words["minItems"] = 1;
  const ordered_json values = {{"type", "array"}, {"items", {{"type", {"string", "number", "boolean"}}}}, {"minItems", 1}};
  ordered_json root = object_schema(
      {{"name", {{"type", "string"}, {"minLength", 1}, {"description", "name of the space"}}},
       {"launcher", described(words, "command that starts the processes, such as [\"mpirun\", \"-n\", \"4\"]")},
       {"command", described(words, "program and its arguments, in which {nb} stands for the value of the parameter nb")},
       {"parameters", {{"type", "object"}, {"additionalProperties", values}, {"description", "values of each parameter by its name"}}}});
  root["additionalProperties"] = false;
  return root;
}

}  // namespace

std::vector<PublishedSchema> mpi_schemas() {
  return {published<MpiProfile>(mpi_profile_schema, "Critical path and kernels of an MPI program"),
          mpi_tuning_schema(),
          mpi_simulation_schema(),
          mpi_timeline_schema(),
          published("flopcast-mpi-space-1", "Configurations of an MPI program", space_schema),
          scale::machine_description_schema_document()};
}

}  // namespace flopcast
