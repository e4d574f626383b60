#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "flopcast/model/store.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/tasks/programs/wisdom.hpp"
#include "flopcast/workbench/wisdom_file.hpp"

/// Wisdom tasks reach the user's files through this structure. Tests have files and a machine of their own.
namespace flopcast {

struct WisdomServices {
  std::string tuning;                                   ///< file of the user's tuning file; empty if there is no folder for it
  std::filesystem::path store, system;                  ///< files of the user's store and of the system's wisdom; empty if there is none
  std::function<model::Store(const RunContext&)> open;  ///< opens the store, and makes it if there is none
  std::function<WisdomMachine()> machine;
  std::string no_folder;  ///< why the user has no folder
};
WisdomServices this_wisdom_services(const std::string& tuning);

WisdomList list_wisdom(const ListWisdomRequest& request, const WisdomServices& services, const RunContext& context);
std::string export_wisdom(const WisdomServices& services, const RunContext& context, bool anonymous = false);
WisdomCheck check_wisdom(const ListWisdomRequest& request, const WisdomServices& services, const RunContext& context);
WisdomCheck prune_wisdom(const PruneRequest& request, const WisdomServices& services, const RunContext& context);
WisdomImport import_wisdom(const WisdomRequest& request, const WisdomServices& services, const RunContext& context);
WisdomImport import_system_wisdom(const WisdomServices& services, const RunContext& context);
WisdomList forget_wisdom(const ForgetRequest& request, const WisdomServices& services, const RunContext& context);

}  // namespace flopcast
