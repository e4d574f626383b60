#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "flopcast/model/store.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/tasks/programs/wisdom.hpp"
#include "flopcast/workbench/wisdom_file.hpp"

/// Wisdom tasks reach the user's files through this structure. Tests have files and a machine of their own.
namespace flopcast {

struct WisdomWorld {
  std::string profile;                                  ///< file of the user's tuned profile; empty if there is no folder for it
  std::filesystem::path store, system;                  ///< files of the user's store and of the system's wisdom; empty if there is none
  std::function<model::Store(const RunContext&)> open;  ///< opens the store, and makes it if there is none
  std::function<WisdomMachine()> machine;
  std::string no_folder;  ///< why the user has no folder
};
WisdomWorld this_wisdom_world(const std::string& profile);

WisdomList list_wisdom(const ListWisdomRequest& request, const WisdomWorld& world, const RunContext& context);
std::string export_wisdom(const WisdomWorld& world, const RunContext& context);
WisdomImport import_wisdom(const WisdomRequest& request, const WisdomWorld& world, const RunContext& context);
WisdomImport import_system_wisdom(const WisdomWorld& world, const RunContext& context);
WisdomList forget_wisdom(const ForgetRequest& request, const WisdomWorld& world, const RunContext& context);

}  // namespace flopcast
