# Compiles a target with the project's warnings as errors, if FLOPCAST_WARNINGS_AS_ERRORS is on. Users' builds do without any, which takes a tenth
# less time. g++ 12 warns of overlapping copies inside std::string where there are none (GCC bug 105651), hence no -Wrestrict there.
function(flopcast_warnings target)
  if(FLOPCAST_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wno-missing-field-initializers
                                             $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict> -Werror)
    if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # names of another source of the batch are not shadowed
      target_compile_options(${target} PRIVATE -Wno-shadow -Wshadow=local $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
    endif()
  else()
    target_compile_options(${target} PRIVATE -w)
  endif()
endfunction()

# Compiles what most sources include once, for all targets of a kind, which must be compiled with the same options: parsing headers is half the time of
# a build. The kind's first target has the precompiled headers, the others borrow them. Sources with options of their own say SKIP_PRECOMPILE_HEADERS.
# Headers are checked to compile alone, and the presets clang and tidy do without this, so that a missing include is noticed.
# <nlohmann/json.hpp> isn't among them: it costs each source 0.3 s, and gains the few that need it 0.4 s.
function(flopcast_precompile target kind)
  target_link_libraries(${target} PRIVATE fmt::fmt nlohmann_json::nlohmann_json)  # for how their headers are to be read
  get_property(owner GLOBAL PROPERTY flopcast_precompiled_${kind})
  if(owner)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  else()
    target_precompile_headers(${target} PRIVATE <algorithm> <array> <cmath> <filesystem> <fstream> <functional> <map> <memory> <optional> <random> <set>
                              <span> <sstream> <string> <utility> <vector> <fmt/format.h> <fmt/ranges.h> ${ARGN})
    set_property(GLOBAL PROPERTY flopcast_precompiled_${kind} ${target})
  endif()
endfunction()

# For sources with loops that must run at the speed of the core. CPUs of Intel's Skylake family decode a jump that crosses or ends at a multiple of 32
# bytes at every pass (Intel, Mitigations for Jump Conditional Code Erratum, 2019). That halves the speed of a loop of few instructions while the
# core's other hyperthread is busy.
include(CheckCXXCompilerFlag)
check_cxx_compiler_flag(-Wa,-mbranches-within-32B-boundaries flopcast_keeps_jumps_within_32_bytes)
set(flopcast_loop_options -falign-functions=32 -falign-loops=32)
if(flopcast_keeps_jumps_within_32_bytes)
  list(APPEND flopcast_loop_options -Wa,-mbranches-within-32B-boundaries)
endif()

# Installs library flopcast_<name>, which other projects link as flopcast::<name>; cmake/install.cmake says how they find it. A shared library
# is in the component libflopcast1, everything that compilers and linkers read is in libflopcast-dev.
function(flopcast_install_library name)
  set_target_properties(flopcast_${name} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS flopcast_${name} EXPORT flopcast_${name} ARCHIVE COMPONENT libflopcast-dev
          LIBRARY COMPONENT libflopcast1 NAMELINK_COMPONENT libflopcast-dev)
  install(EXPORT flopcast_${name} NAMESPACE flopcast:: FILE flopcast-${name}-targets.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/flopcast
          COMPONENT libflopcast-dev)
  set_property(GLOBAL APPEND PROPERTY flopcast_libraries ${name})
endfunction()

# Makes library flopcast_<name> a component of find_package(flopcast). Its headers are those in include/, which is installed as a whole.
function(flopcast_component name)
  set_property(GLOBAL APPEND PROPERTY flopcast_components ${name})
endfunction()

# Compiles a target with -O1, which takes up to a third less time, mostly for readers and writers of documents.
function(flopcast_cold target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# One static library per folder of flopcast/: every *.cpp in it and in its FOLDERS, with the libraries that it USES (lower tiers only). A COMPONENT
# can be named in find_package(flopcast). Every header is checked to compile alone by the target all_verify_interface_header_sets. COLD says
# that nothing in it is called so often that more than -O1 would be felt.
function(flopcast_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "COLD;COMPONENT" "" "FOLDERS;USES")
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
  target_include_directories(flopcast_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(flopcast_${name} PUBLIC cxx_std_20)
  flopcast_warnings(flopcast_${name})
  flopcast_precompile(flopcast_${name} libraries)
  if(arg_COLD)
    flopcast_cold(flopcast_${name})
  endif()
  target_link_libraries(flopcast_${name} PUBLIC ${arg_USES})
  add_library(flopcast_${name}_headers INTERFACE)
  target_sources(flopcast_${name}_headers INTERFACE FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${headers})
  target_link_libraries(flopcast_${name}_headers INTERFACE flopcast_${name})
  set_target_properties(flopcast_${name}_headers PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
  flopcast_install_library(${name})
  if(arg_COMPONENT)
    flopcast_component(${name})
  endif()
endfunction()
