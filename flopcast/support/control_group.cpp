#include "flopcast/support/control_group.hpp"

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "flopcast/support/units.hpp"

namespace flopcast {
namespace {

namespace fs = std::filesystem;

/// A hierarchy of groups and the place of this process in it.
struct Hierarchy {
  bool unified = false;  ///< version 2
  fs::path top, own;     ///< folders: the outermost visible one, and that of this process's group, at it or below
};

bool contains(std::string_view list, std::string_view word) {
  const std::vector<std::string_view> words = split(list, ',');
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::vector<std::string> lines_of(const fs::path& file) {
  std::vector<std::string> lines;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

/// The group of this process, as /proc/self/cgroup has it: "4:memory:/batch/7", and "0::/batch/7" in version 2.
std::optional<std::string> group_of(const fs::path& root, std::string_view controller) {
  for (const std::string& line : lines_of(root / "proc/self/cgroup")) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) {
      continue;
    }
    const std::string_view controllers = std::string_view(line).substr(first + 1, second - first - 1);
    if (controller.empty() ? controllers.empty() : contains(controllers, controller)) {
      return line.substr(second + 1);
    }
  }
  return std::nullopt;
}

/// Returns the place where the hierarchy of a version 1 `controller`, or version 2 (""), is mounted. In proc_pid_mountinfo(5) the 4th and
/// 5th word are the mounted group and the folder. The kind, the source and the options follow " - ". A group outside of the mounted one,
/// because its container hides the group's place, is taken for the mounted one.
std::optional<Hierarchy> find_hierarchy(const fs::path& root, const std::string& controller) {
  const std::optional<std::string> group = group_of(root, controller);
  for (const std::string& line : group ? lines_of(root / "proc/self/mountinfo") : std::vector<std::string>()) {
    const std::size_t dash = line.find(" - ");
    if (dash == std::string::npos) {
      continue;
    }
    std::istringstream place(line.substr(0, dash)), kind(line.substr(dash + 3));
    std::string number, parent, device, mounted, folder, type, source, options;
    place >> number >> parent >> device >> mounted >> folder;
    kind >> type >> source >> options;
    if (controller.empty() ? type == "cgroup2" : type == "cgroup" && contains(options, controller)) {
      const fs::path top = root / fs::path(folder).relative_path();
      const fs::path below = fs::path(*group).lexically_relative(mounted);
      const bool within = !below.empty() && *below.begin() != "..";
      return Hierarchy{controller.empty(), top, within ? (top / below).lexically_normal() : top};
    }
  }
  return std::nullopt;
}

/// The folders from the process's own group to the outermost one.
std::vector<fs::path> folders_of(const Hierarchy& hierarchy) {
  std::vector<fs::path> folders;
  const auto outermost = std::distance(hierarchy.top.begin(), hierarchy.top.end());
  fs::path folder = hierarchy.own.has_filename() ? hierarchy.own : hierarchy.own.parent_path();
  for (; std::distance(folder.begin(), folder.end()) >= outermost && folder != folder.root_path(); folder = folder.parent_path()) {
    folders.push_back(folder);
  }
  return folders;
}

/// The first number in a file; nothing if it doesn't exist or says "max".
std::optional<double> number_in(const fs::path& file) {
  std::ifstream stream(file);
  double number = 0;
  return stream >> number ? std::optional(number) : std::nullopt;
}

/// The value of a line "name value".
double value_in(const fs::path& file, std::string_view name) {
  std::ifstream stream(file);
  double value = 0;
  for (std::string key; stream >> key >> value;) {
    if (key == name) {
      return value;
    }
  }
  return 0;
}

double granted_cpus(const fs::path& folder, bool unified) {
  if (unified) {
    const std::vector<std::string> lines = lines_of(folder / "cpu.max");
    return lines.empty() ? 0 : parse_cpu_quota(lines.front());
  }
  const double quota = number_in(folder / "cpu.cfs_quota_us").value_or(-1), period = number_in(folder / "cpu.cfs_period_us").value_or(0);
  return quota > 0 && period > 0 ? quota / period : 0;
}

/// Returns the memory in bytes that a group may take in addition. Files that it read count as free: the system drops them when it lacks
/// memory.
std::optional<std::int64_t> free_memory(const fs::path& folder, bool unified) {
  const std::optional<double> limit = number_in(folder / (unified ? "memory.max" : "memory.limit_in_bytes"));
  const std::optional<double> used = number_in(folder / (unified ? "memory.current" : "memory.usage_in_bytes"));
  static constexpr double endless = 1e18;  // version 1 has 2^63 less a page for none
  if (!limit || !used || *limit > endless) {
    return std::nullopt;
  }
  const double files = value_in(folder / "memory.stat", unified ? "inactive_file" : "total_inactive_file");
  return static_cast<std::int64_t>(std::max(0.0, *limit - std::max(0.0, *used - files)));
}

}  // namespace

ControlGroupLimits control_group_limits(const fs::path& root) {
  ControlGroupLimits limits;
  for (const char* controller : {"", "cpu", "memory"}) {  // a system may have both versions at once, each controller in one of them
    const std::optional<Hierarchy> hierarchy = find_hierarchy(root, controller);
    for (const fs::path& folder : hierarchy ? folders_of(*hierarchy) : std::vector<fs::path>()) {
      const double cpus = granted_cpus(folder, hierarchy->unified);
      if (cpus > 0 && (limits.cpus == 0 || cpus < limits.cpus)) {
        limits.cpus = cpus;
        limits.cpu_group = folder;
      }
      limits.memory_bytes = std::min(limits.memory_bytes, free_memory(folder, hierarchy->unified).value_or(limits.memory_bytes));
    }
  }
  return limits;
}

double parse_cpu_quota(std::string_view cpu_max) {
  std::istringstream words{std::string(cpu_max)};
  double quota = 0, period = 0;
  return words >> quota >> period && quota > 0 && period > 0 ? quota / period : 0;
}

}  // namespace flopcast
