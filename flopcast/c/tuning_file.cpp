#include <optional>
#include <string_view>

#include "flopcast/algorithm/block_parameters.hpp"
#include "flopcast/c/status.hpp"
#include "flopcast/program/saved_tuning.hpp"
#include "flopcast/program/tuning_file.hpp"
#include "flopcast/tasks/programs/programs.hpp"

struct flopcast_tuning {
  flopcast::program::SavedTuning tuning;
};

flopcast_status flopcast_tuning_open(flopcast_tuning** tuning, const char* file) {
  using namespace flopcast;
  return c::guarded([&] {
    flopcast_tuning*& made = c::required(tuning, "tuning");
    made = new flopcast_tuning{program::read_tuning(file == nullptr ? program::default_tuning_file() : file)};
  });
}

void flopcast_tuning_close(flopcast_tuning* tuning) { delete tuning; }

flopcast_status flopcast_tuned_block_size(const flopcast_tuning* tuning, const char* routine, int64_t m, int64_t n, int64_t* nb) {
  using namespace flopcast;
  return c::guarded([&] {
    int64_t& result = c::required(nb, "nb");
    const std::string_view name = &c::required(routine, "routine");
    const std::size_t colon = std::min(name.find(':'), name.size());
    const std::string_view options = name.substr(std::min(colon + 1, name.size()));
    const std::optional<algorithm::BlockParameters> blocks =
        tuned_block_size(c::required(tuning, "tuning").tuning, name.substr(0, colon), m, n, options);
    result = blocks ? blocks->nb : 0;
  });
}
