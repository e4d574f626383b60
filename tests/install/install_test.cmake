# cmake -D build=DIR -D work=DIR -D source=DIR -D examples=DIR -D generator=NAME -D compiler=PATH -D c_compiler=PATH -D flags=FLAGS -D components=NAME,NAME... -D version=MAJOR.MINOR
#       -P install_test.cmake
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${work})
run(${CMAKE_COMMAND} --install ${build} --prefix ${work}/prefix)
set(configure ${CMAKE_COMMAND} -G ${generator} -S ${source} -D examples=${examples} -D version=${version} -D CMAKE_PREFIX_PATH=${work}/prefix -D CMAKE_CXX_COMPILER=${compiler} -D "CMAKE_CXX_FLAGS=${flags}")
run(${configure} -B ${work}/build -D components=${components})
run(${CMAKE_COMMAND} --build ${work}/build)
run(${work}/build/consumer)
run(${work}/prefix/bin/flopcast --version)

foreach(alone regions c tapp)
  run(${configure} -B ${work}/${alone} -D only_${alone}=ON -D CMAKE_DISABLE_FIND_PACKAGE_Eigen3=ON -D CMAKE_DISABLE_FIND_PACKAGE_SQLite3=ON
      -D CMAKE_DISABLE_FIND_PACKAGE_fmt=ON -D CMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=ON)
  run(${CMAKE_COMMAND} --build ${work}/${alone})
endforeach()

# Programs of the C library, by the CMake package and by pkg-config. They find the program flopcast and its components beside the library.
run(${work}/build/contract_c)
if(EXISTS ${work}/build/contract_fortran)
  run(${work}/build/contract_fortran)
endif()
file(GLOB_RECURSE pc ${work}/prefix/flopcast.pc)
cmake_path(GET pc PARENT_PATH folder)
execute_process(COMMAND ${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${folder} pkg-config --cflags --libs flopcast OUTPUT_VARIABLE words
                OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(words UNIX_COMMAND "${words}")
cmake_path(GET folder PARENT_PATH libraries)
run(${c_compiler} -std=c99 -o ${work}/ask ${examples}/ask.c ${words} -Wl,-rpath,${libraries})
run(${work}/ask)
run(${work}/tapp/tapp)
execute_process(COMMAND ${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${folder} pkg-config --cflags --libs tapp-flopcast OUTPUT_VARIABLE words
                OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(words UNIX_COMMAND "${words}")
run(${c_compiler} -std=c99 -o ${work}/tapp_program ${examples}/tapp.c ${words} -Wl,-rpath,${libraries})
run(${work}/tapp_program)
foreach(name libflopcast.so libflopcast.so.0 libtapp-flopcast.so)
  if(NOT EXISTS ${libraries}/${name})
    message(FATAL_ERROR "${libraries}/${name} is missing")
  endif()
endforeach()

foreach(header tapp/product.hpp cli/shared/option_set.hpp support/child_process.hpp preload/common/redirect.hpp)
  if(EXISTS ${work}/prefix/include/flopcast/${header})
    message(FATAL_ERROR "flopcast/${header} is installed, though no public header includes it")
  endif()
endforeach()
