#include "flopcast/preload/mpi/other_tools.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <cstdio>
#include <exception>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "flopcast/preload/common/next_symbol.hpp"
#include "flopcast/preload/common/other_namespaces.hpp"

namespace flopcast::preload::mpi {
namespace {

/// One of this library's functions, and the one of another tool that the program calls first. Procedures of Fortran have a layer, too:
/// MPI's call this library's functions.
struct Layer {
  void* own = nullptr;             ///< nullptr: a procedure of Fortran
  void* tool = nullptr;            ///< nullptr: no tool defines it
  bool comes_after = false;        ///< the dynamic linker finds this library's function before the tool's
  std::atomic<bool> seen = false;  ///< the tool's function can reach this library's
};

using Layers = std::map<std::string, Layer, std::less<>>;

/// Returns this library's functions, and procedures of Fortran that tools define, by name. Empty unless there is another tool, which may
/// still be called when the process ends.
Layers& layers() {
  static Layers& all = *std::make_unique<Layers>().release();
  return all;
}

const link_map* own_object() noexcept { return object_of(reinterpret_cast<const void*>(&find_other_tools)); }

/// Returns the object's own definition of `name`; nullptr if it has none.
void* definition_of(const link_map& object, const char* name) noexcept {
  void* found = dlsym(ObjectHandle(&object).get(), name);
  return found != nullptr && object_of(found) == &object ? found : nullptr;
}

/// Returns whether a library belongs to MPI: only MPI's own libraries define PMPI functions.
bool belongs_to_mpi(const link_map& object) {
  static auto& known = *std::make_unique<std::map<const link_map*, bool>>().release();
  const auto [found, is_new] = known.emplace(&object, false);
  if (is_new) {
    constexpr std::array all = {"PMPI_Init", "pmpi_init_", "pmpi_init_f08_"};
    found->second = std::any_of(all.begin(), all.end(), [&](const char* name) { return definition_of(object, name) != nullptr; });
  }
  return found->second;
}

/// Returns whether `function` is a real definition. In a program without position-independent code, the linker's stub of a function may
/// stand for its address.
bool is_defined(void* function) noexcept {
  Dl_info info{};
  void* symbol = nullptr;
  const bool known = dladdr1(function, &info, &symbol, RTLD_DL_SYMENT) != 0 && symbol != nullptr;
  return !known || static_cast<const ElfW(Sym)*>(symbol)->st_shndx != SHN_UNDEF;
}

/// Returns `function` if it belongs to another tool, otherwise nullptr.
void* of_tool(void* function) {
  const link_map* object = function != nullptr ? object_of(function) : nullptr;
  return object != nullptr && object != own_object() && !belongs_to_mpi(*object) && is_defined(function) ? function : nullptr;
}

/// Returns the names that Fortran's compilers and modules give to the procedure of an MPI function.
std::array<std::string, 4> fortran_names(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return {name + '_', name + "__", name + "_f08_", name + "_f08ts_"};
}

/// Calls `visit` with every function of MPI that this library defines.
template <class Visit>
void for_each_function(Visit visit) {
  const link_map& own = *own_object();
  const elf::Dynamic tables = elf::dynamic(own);
  for (const ElfW(Sym) & symbol : std::span(tables.symbols, tables.symbol_count)) {
    const char* name = tables.strings + symbol.st_name;
    if (symbol.st_shndx != SHN_UNDEF && std::string_view(name).starts_with("MPI_")) {
      visit(std::string(name), reinterpret_cast<void*>(own.l_addr + symbol.st_value));
    }
  }
}

/// Returns the layer of MPI_Send for PMPI_Send, and of mpi_send_ for pmpi_send_; nullptr for other names.
Layer* layer_below(std::string_view name) noexcept {
  if (name.empty() || (name.front() != 'P' && name.front() != 'p')) {
    return nullptr;
  }
  const auto found = layers().find(name.substr(1));
  return found != layers().end() ? &found->second : nullptr;
}

bool is_tool(const link_map* object) noexcept {
  return std::any_of(layers().begin(), layers().end(),
                     [object](const auto& layer) { return layer.second.tool != nullptr && object_of(layer.second.tool) == object; });
}

/// Returns the definition of `name` in the objects after `object`, without this library's.
void* next_definition(const link_map* object, const char* name) noexcept {
  for (object = object != nullptr ? object->l_next : nullptr; object != nullptr; object = object->l_next) {
    if (void* found = object != own_object() ? definition_of(*object, name) : nullptr) {
      return found;
    }
  }
  return nullptr;
}

/// Replaces dlsym in a tool, which may look there for the functions that it hides from the program.
void* dlsym_of_tool(void* handle, const char* name) noexcept {
  const link_map* caller = object_of(__builtin_return_address(0));
  const auto same = layers().find(std::string_view(name));
  Layer* layer = same != layers().end() ? &same->second : layer_below(name);
  if (layer != nullptr) {
    layer->seen = true;
  }
  if (layer != nullptr && layer->own != nullptr) {
    void* further = same != layers().end() && handle == RTLD_NEXT ? of_tool(next_definition(caller, name)) : nullptr;
    return further != nullptr ? further : layer->own;
  }
  return handle == RTLD_NEXT ? next_definition(caller, name) : dlsym(handle, name);
}

/// Returns the layer below `name` and notes that a tool can reach it. A tool's procedure of Fortran may convert its arguments and call C's
/// function.
const Layer* noted_layer_below(std::string_view name) {
  Layer* layer = layer_below(name);
  if (layer == nullptr) {
    return nullptr;
  }
  layer->seen = true;
  for (const std::string& procedure : fortran_names(std::string(name.substr(1)))) {
    if (const auto found = layers().find(procedure); found != layers().end()) {
      found->second.seen = true;
    }
  }
  return layer;
}

/// Leads the calls of the objects that are loaded with the program through all layers.
void layer_program() {
  const link_map* object = nullptr;
  void* program = dlopen(nullptr, RTLD_LAZY);
  if (program == nullptr || dlinfo(program, RTLD_DI_LINKMAP, &object) != 0) {
    return;
  }
  for (; object != nullptr; object = object->l_next) {
    if (object == own_object()) {
      continue;
    }
    const bool may_be_tool = !belongs_to_mpi(*object);
    for_each_binding(*object, [object, may_be_tool](const Binding& binding) {
      const Layer* below = may_be_tool ? noted_layer_below(binding.name) : nullptr;
      void* function = below != nullptr ? below->own : layered_function(*object, binding);
      if (function != nullptr) {
        set_binding(binding, function);
      }
    });
  }
}

}  // namespace

void find_other_tools() {
  try {
    bool any = false;
    for_each_function([&any](const std::string& name, void* own) {
      Layer& layer = layers()[name];
      layer.own = own;
      void* first = dlsym(RTLD_DEFAULT, name.c_str());
      layer.comes_after = first == own;
      layer.tool = of_tool(layer.comes_after ? dlsym(RTLD_NEXT, name.c_str()) : first);
      any = any || layer.tool != nullptr;
      for (const std::string& procedure : fortran_names(name)) {
        if (void* tool = of_tool(dlsym(RTLD_DEFAULT, procedure.c_str()))) {
          layers()[procedure].tool = tool;
          any = true;
        }
      }
    });
    any ? layer_program() : layers().clear();
  } catch (const std::exception& error) {
    layers().clear();
    std::fprintf(stderr, "flopcast: other tools in the program aren't looked for: %s\n", error.what());
  }
}

void* layered_function(const link_map& object, const Binding& binding) noexcept {
  if (layers().empty()) {
    return nullptr;
  }
  if (binding.name == "dlsym") {
    return !binding.own && is_tool(&object) ? reinterpret_cast<void*>(&dlsym_of_tool) : nullptr;
  }
  const auto found = layers().find(binding.name);
  return found != layers().end() && found->second.comes_after ? found->second.tool : nullptr;
}

std::vector<MpiOtherTool> other_tools() {
  std::map<std::string, MpiOtherTool> all;
  for (const auto& [name, layer] : layers()) {
    if (layer.tool == nullptr) {
      continue;
    }
    const char* path = object_of(layer.tool)->l_name;
    MpiOtherTool& tool = all[path];
    tool.library = path;
    (layer.seen ? tool.functions : tool.unseen_functions).push_back(name);
  }
  std::vector<MpiOtherTool> tools;
  for (auto& [path, tool] : all) {
    tools.push_back(std::move(tool));
  }
  return tools;
}

std::string tool_that_hides_the_beginning() {
  for (const MpiOtherTool& tool : other_tools()) {
    const auto is_beginning = [](std::string_view name) { return name.starts_with("MPI_Init") || name.starts_with("mpi_init_"); };
    if (std::any_of(tool.unseen_functions.begin(), tool.unseen_functions.end(), is_beginning)) {
      return tool.library.empty() ? "the program itself" : tool.library;
    }
  }
  return "";
}

}  // namespace flopcast::preload::mpi
