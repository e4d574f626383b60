# Warnings that every target of the project is compiled with. g++ 12 warns of overlapping copies inside std::string where there are none
# (GCC bug 105651), hence no -Wrestrict there.
function(flopcast_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wno-missing-field-initializers
                                           $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict> $<$<BOOL:${FLOPCAST_WARNINGS_AS_ERRORS}>:-Werror>)
endfunction()

# Compiles what most sources include once, for all targets of a kind, which must be compiled with the same options: parsing headers is half the time of
# a build. The kind's first target has the precompiled headers, the others borrow them. Sources with options of their own say SKIP_PRECOMPILE_HEADERS.
# Headers are checked to compile alone, and the presets clang and tidy do without this, so that a missing include is noticed.
function(flopcast_precompile target kind)
  target_link_libraries(${target} PRIVATE fmt::fmt nlohmann_json::nlohmann_json)  # for how their headers are to be read
  get_property(owner GLOBAL PROPERTY flopcast_precompiled_${kind})
  if(owner)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  else()
    target_precompile_headers(${target} PRIVATE <algorithm> <array> <cmath> <filesystem> <fstream> <functional> <map> <memory> <optional> <random> <set>
                              <span> <sstream> <string> <utility> <vector> <fmt/format.h> <fmt/ranges.h> <nlohmann/json.hpp> ${ARGN})
    set_property(GLOBAL PROPERTY flopcast_precompiled_${kind} ${target})
  endif()
endfunction()

# For sources with loops that must run at the speed of the core. CPUs of Intel's Skylake family decode a jump that crosses or ends at a multiple of 32
# bytes at every pass (Intel, Mitigations for Jump Conditional Code Erratum, 2019), which halves a loop of few instructions while the core's other
# hyperthread is busy.
include(CheckCXXCompilerFlag)
check_cxx_compiler_flag(-Wa,-mbranches-within-32B-boundaries flopcast_keeps_jumps_within_32_bytes)
set(flopcast_loop_options -falign-functions=32 -falign-loops=32)
if(flopcast_keeps_jumps_within_32_bytes)
  list(APPEND flopcast_loop_options -Wa,-mbranches-within-32B-boundaries)
endif()

# Installs library flopcast_<name> for other projects, as flopcast::<name> and as a component of find_package(flopcast).
function(flopcast_component name)
  install(TARGETS flopcast_${name} EXPORT flopcast FILE_SET HEADERS)
  set_property(GLOBAL APPEND PROPERTY flopcast_components ${name})
endfunction()

# One static library per folder of flopcast/: every *.cpp in it and in its FOLDERS, with the libraries that it USES (lower tiers only). Other
# projects link it as flopcast::<name>.
function(flopcast_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FOLDERS;USES")
  set(sources "")
  set(headers "")
  foreach(folder . ${arg_FOLDERS})
    file(GLOB more CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp)
    list(APPEND sources ${more})
    file(GLOB more CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.hpp)
    list(APPEND headers ${more})
  endforeach()
  add_library(flopcast_${name} STATIC ${sources})
  add_library(flopcast::${name} ALIAS flopcast_${name})
  target_sources(flopcast_${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${headers})
  set_target_properties(flopcast_${name} PROPERTIES EXPORT_NAME ${name} VERIFY_INTERFACE_HEADER_SETS ON)
  target_compile_features(flopcast_${name} PUBLIC cxx_std_20)
  flopcast_warnings(flopcast_${name})
  flopcast_precompile(flopcast_${name} libraries)
  target_link_libraries(flopcast_${name} PUBLIC ${arg_USES})
  flopcast_component(${name})
endfunction()
