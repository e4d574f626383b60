# SimGrid's SMPI, if it is installed: flopcast_mpi::smpi for programs that are to be simulated, and FLOPCAST_SMPIMAIN, the program that simulates them. Debian's package
# (libsimgrid-dev) brings no CMake files.
set(FLOPCAST_SMPIMAIN "")
find_path(FLOPCAST_SIMGRID_INCLUDE smpi/smpi.h)
find_library(FLOPCAST_SIMGRID_LIBRARY simgrid)
if(FLOPCAST_SIMGRID_LIBRARY)
  cmake_path(GET FLOPCAST_SIMGRID_LIBRARY PARENT_PATH folder)
  find_file(FLOPCAST_SIMGRID_SMPIMAIN smpimain PATHS ${folder}/simgrid NO_DEFAULT_PATH)
endif()
if(NOT FLOPCAST_SIMGRID_INCLUDE OR NOT FLOPCAST_SIMGRID_LIBRARY OR NOT FLOPCAST_SIMGRID_SMPIMAIN)
  message(STATUS "SimGrid not found; flopcast mpi simulate is built without it")
  return()
endif()
set(FLOPCAST_SMPIMAIN ${FLOPCAST_SIMGRID_SMPIMAIN})

# As its compiler wrapper smpicxx has it, but for malloc, which needs no replacement.
add_library(flopcast_mpi::smpi INTERFACE IMPORTED GLOBAL)
target_include_directories(flopcast_mpi::smpi SYSTEM INTERFACE ${FLOPCAST_SIMGRID_INCLUDE}/smpi)
target_link_libraries(flopcast_mpi::smpi INTERFACE ${FLOPCAST_SIMGRID_LIBRARY})
target_compile_definitions(flopcast_mpi::smpi INTERFACE SMPI_NO_OVERRIDE_MALLOC)
target_compile_options(flopcast_mpi::smpi INTERFACE "SHELL:-include ${FLOPCAST_SIMGRID_INCLUDE}/smpi/smpi_helpers.h")

# A program that SMPI can load, which it does once for each process: a shared library with a function main.
function(flopcast_smpi_program name)
  add_library(${name} MODULE ${ARGN})
  target_link_libraries(${name} PRIVATE flopcast_mpi::smpi)
  set_target_properties(${name} PROPERTIES PREFIX "" SUFFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
endfunction()
