# One static library per folder of flopcast/: every *.cpp in it, with the libraries it may use (lower tiers only).
function(flopcast_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "USES")
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_library(flopcast_${name} STATIC ${sources})
  target_include_directories(flopcast_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:include>)
  target_compile_options(flopcast_${name} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wno-missing-field-initializers)
  target_link_libraries(flopcast_${name} PUBLIC ${arg_USES})
endfunction()
