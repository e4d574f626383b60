#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "flopcast/machine/libraries/elf_file.hpp"
#include "flopcast/machine/libraries/library.hpp"
#include "flopcast/machine/libraries/library_state.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/relink.hpp"

namespace flopcast::machine {

namespace {

bool is_fortran(std::string_view symbol) { return symbol.ends_with('_') && !symbol.starts_with('_'); }

/// Address in a BLAS, which may have other names, of the routine that LAPACK calls `symbol` ("dgemm_").
void* in_blas(const Library& blas, std::string_view symbol) {
  return reinterpret_cast<void*>(blas.function(symbol.substr(0, symbol.size() - 1)));
}

/// Address to which a call of LAPACK's is redirected; nullptr where it stays.
void* wanted(const Binding& binding, const Library& blas, const std::optional<LoadedFile>& interposer) {
  if (!is_fortran(binding.name)) {
    return nullptr;
  }
  const std::string name(binding.name);
  void* address = interposer ? interposer->own_symbol(name) : nullptr;
  return address == nullptr && !binding.own ? in_blas(blas, name) : address;
}

/// Returns true if LAPACK as loaded in the base namespace calls exactly `blas` and nothing stands between them.
bool is_linked(const LoadedFile& lapack, const Library& blas) {
  bool linked = true;
  for_each_binding(lapack.map(), [&](const Binding& binding) {
    const std::string name(binding.name);
    if (is_fortran(name)) {
      linked = linked && *binding.slot == (binding.own ? lapack.symbol(name) : in_blas(blas, name));
    }
  });
  return linked;
}

void link(const LoadedFile& lapack, const LibraryIdentity& identity, const Library& blas, const std::optional<LoadedFile>& interposer) {
  std::vector<std::string> missing;
  for_each_binding(lapack.map(), [&](const Binding& binding) {
    if (void* address = wanted(binding, blas, interposer)) {
      rebind(binding, address);
    } else if (is_fortran(binding.name) && !binding.own) {
      missing.emplace_back(binding.name);
    }
  });
  if (!missing.empty()) {
    throw environment_error("LAPACK {} needs {} more than BLAS {} has: {}", identity.path, missing.size(), blas.identity().path,
                            fmt::join(missing, ", "));
  }
}

/// A BLAS without threads under the name that LAPACK needs. It satisfies the loader without starting another library's threads.
std::optional<std::string> placeholder_for(const std::string& lapack) {
  const std::vector<std::string> needed = ElfFile(lapack).needed();
  for (const InstalledLibrary& installed : installed_libraries()) {
    if (installed.name.starts_with("reference") && installed.has_blas &&
        std::find(needed.begin(), needed.end(), ElfFile(installed.path).soname()) != needed.end()) {
      return installed.path;
    }
  }
  return std::nullopt;
}

/// The LAPACK file that `name` stands for beside `blas`. A BLAS library that contains LAPACK is its own LAPACK, whichever variant of it was
/// opened.
std::string lapack_file(std::string_view name, const Library& blas) {
  const bool inside = blas.defines("dgeqrf") && (name.empty() || name == blas.identity().name);
  if (inside || name.empty()) {
    return inside ? blas.identity().path : "";
  }
  return locate(name, Role::lapack).string();
}

void require_same_integers(const LibraryIdentity& lapack, const LibraryIdentity& blas) {
  if (lapack.integer_bytes != blas.integer_bytes) {
    throw environment_error("LAPACK {} can't call BLAS {}: its integers have {} bits, the other's {}; choose a LAPACK with {}-bit integers",
                            lapack.path, blas.path, 8 * lapack.integer_bytes, 8 * blas.integer_bytes, 8 * blas.integer_bytes);
  }
}

}  // namespace

/// State of a LibrarySet. LAPACK is loaded unchanged, and its calls through the dynamic linker are then redirected to the chosen BLAS and
/// the interposer. So no wrapper library of the right name is needed, and one process can hold any number of pairs.
struct LibrarySet::State {
  Library blas;
  std::optional<LoadedFile> placeholder;
  std::optional<Library> lapack;
  std::optional<LoadedFile> interposer;

  State(Library with_blas, const std::string& lapack_path, const std::string& interposer_path);
};

LibrarySet::State::State(Library with_blas, const std::string& lapack_path, const std::string& interposer_path)
    : blas(std::move(with_blas)) {
  const bool inside = lapack_path == blas.identity().path;
  if (lapack_path.empty() || (inside && interposer_path.empty())) {
    lapack = inside ? std::optional(blas) : std::nullopt;
    return;
  }
  if (!inside && ElfFile(lapack_path).defines(Naming().symbol("dgemm"))) {
    throw environment_error("LAPACK {} brings its own BLAS and can't be made to call {}; choose another LAPACK, or none", lapack_path,
                            blas.identity().path);
  }
  Lmid_t name_space = LoadedFile::is_loaded(lapack_path) ? LM_ID_NEWLM : LM_ID_BASE;
  if (name_space != LM_ID_BASE && interposer_path.empty()) {
    lapack = Library(std::make_shared<const Library::State>(lapack_path, LM_ID_BASE));
    if (is_linked(lapack->state_->file, blas)) {
      return;
    }
  }
  if (const auto path = placeholder_for(lapack_path)) {
    placeholder.emplace(*path, name_space);
    name_space = placeholder->name_space();
  }
  lapack = Library(std::make_shared<const Library::State>(lapack_path, name_space));
  if (inside) {
    blas = *lapack;
  }
  require_same_integers(lapack->identity(), blas.identity());
  const LoadedFile& file = lapack->state_->file;
  if (!interposer_path.empty()) {
    interposer.emplace(std::filesystem::absolute(interposer_path).string(), file.name_space());
  }
  link(file, lapack->identity(), blas, interposer);
}

LibrarySet LibrarySet::open(std::string_view blas_name, std::string_view lapack_name, const std::string& interposer) {
  const Library blas = Library::open(blas_name.empty() ? default_blas() : blas_name, Role::blas);
  return LibrarySet(std::make_shared<const State>(blas, lapack_file(lapack_name, blas), interposer));
}

Function LibrarySet::find(std::string_view routine) const {
  const bool in_lapack = state_->lapack && state_->lapack->defines(routine);
  return in_lapack ? state_->lapack->function(routine) : state_->blas.function(routine);
}

Function LibrarySet::function(std::string_view routine) const {
  const Function found = find(routine);
  if (found == nullptr) {
    throw environment_error(
        "no routine {} in {}{}", routine, blas().path,
        state_->lapack ? fmt::format(" nor in {}", lapack().path) : "; it may be in a LAPACK library, but none was opened");
  }
  return found;
}

void* LibrarySet::interposer_symbol(const std::string& name) const {
  return state_->interposer ? state_->interposer->own_symbol(name) : nullptr;
}

const LibraryIdentity& LibrarySet::blas() const { return state_->blas.identity(); }

const LibraryIdentity& LibrarySet::lapack() const {
  static const LibraryIdentity none;
  return state_->lapack ? state_->lapack->identity() : none;
}

void LibrarySet::set_threads(int threads) const { state_->blas.set_threads(threads); }

}  // namespace flopcast::machine
