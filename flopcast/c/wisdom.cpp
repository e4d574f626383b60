#include <fmt/format.h>

#include <string>

#include "flopcast/c/status.hpp"
#include "flopcast/c/workbench.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/tasks/programs/wisdom.hpp"

namespace flopcast::c {
namespace {

/// Hands the numbers of entries over, and notes those that were skipped.
void tell(const WisdomImport& imported, const RunContext& context, std::int64_t* taken, std::int64_t* left_out) {
  for (const WisdomEntry& entry : imported.left_out) {
    context.note(fmt::format("wisdom for {} ({}) is skipped: {}", entry.subject, entry.kind, entry.misfit));
  }
  if (taken != nullptr) {
    *taken = static_cast<std::int64_t>(imported.taken.size());
  }
  if (left_out != nullptr) {
    *left_out = static_cast<std::int64_t>(imported.left_out.size());
  }
}

}  // namespace
}  // namespace flopcast::c

flopcast_status flopcast_wisdom_export_to_filename(flopcast_workbench* bench, const char* file) {
  using namespace flopcast::c;
  return guarded([&] {
    flopcast_workbench& used = required(bench, "bench");
    const std::string name = &required(file, "file");
    const auto turn = turn_of(used);
    flopcast::write_file(name, flopcast::export_wisdom({}, used.context));
  });
}

flopcast_status flopcast_wisdom_import_from_filename(flopcast_workbench* bench, const char* file, int64_t* taken, int64_t* left_out) {
  using namespace flopcast::c;
  return guarded([&] {
    flopcast_workbench& used = required(bench, "bench");
    const std::string name = &required(file, "file");
    const auto turn = turn_of(used);
    tell(flopcast::import_wisdom({name, ""}, used.context), used.context, taken, left_out);
  });
}

flopcast_status flopcast_wisdom_import_system(flopcast_workbench* bench, int64_t* taken, int64_t* left_out) {
  using namespace flopcast::c;
  return guarded([&] {
    flopcast_workbench& used = required(bench, "bench");
    const auto turn = turn_of(used);
    tell(flopcast::import_system_wisdom({}, used.context), used.context, taken, left_out);
  });
}
