#include <optional>
#include <string>
#include <string_view>

#include "flopcast/algorithm/block_parameters.hpp"
#include "flopcast/c/status.hpp"
#include "flopcast/program/profile.hpp"
#include "flopcast/program/profile_file.hpp"
#include "flopcast/tasks/programs/programs.hpp"

struct flopcast_profile {
  flopcast::program::Profile profile;
};

flopcast_status flopcast_profile_open(flopcast_profile** profile, const char* file) {
  using namespace flopcast;
  return c::guarded([&] {
    flopcast_profile*& made = c::required(profile, "profile");
    made = new flopcast_profile{program::read_profile(file == nullptr ? program::default_profile_file() : file)};
  });
}

void flopcast_profile_close(flopcast_profile* profile) { delete profile; }

flopcast_status flopcast_tuned_block_size(const flopcast_profile* profile, const char* routine, int64_t m, int64_t n, int64_t* nb) {
  using namespace flopcast;
  return c::guarded([&] {
    int64_t& result = c::required(nb, "nb");
    const std::string_view name = &c::required(routine, "routine");
    const std::size_t colon = std::min(name.find(':'), name.size());
    const std::string_view options = name.substr(std::min(colon + 1, name.size()));
    const std::optional<algorithm::BlockParameters> blocks =
        tuned_block_size(c::required(profile, "profile").profile, name.substr(0, colon), m, n, options);
    result = blocks ? blocks->nb : 0;
  });
}
