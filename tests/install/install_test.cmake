# cmake -D build=DIR -D work=DIR -D source=DIR -D generator=NAME -D compiler=PATH -D flags=FLAGS -D components=NAME,NAME... -P install_test.cmake
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${work})
run(${CMAKE_COMMAND} --install ${build} --prefix ${work}/prefix)
set(configure ${CMAKE_COMMAND} -G ${generator} -S ${source} -D CMAKE_PREFIX_PATH=${work}/prefix -D CMAKE_CXX_COMPILER=${compiler} -D "CMAKE_CXX_FLAGS=${flags}")
run(${configure} -B ${work}/build -D components=${components})
run(${CMAKE_COMMAND} --build ${work}/build)
run(${work}/build/consumer)
run(${work}/prefix/bin/flopcast --version)

run(${configure} -B ${work}/regions -D only_regions=ON -D CMAKE_DISABLE_FIND_PACKAGE_Eigen3=ON -D CMAKE_DISABLE_FIND_PACKAGE_SQLite3=ON
    -D CMAKE_DISABLE_FIND_PACKAGE_fmt=ON -D CMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=ON)
run(${CMAKE_COMMAND} --build ${work}/regions)

foreach(header cli/shared/option_set.hpp support/child_process.hpp preload/common/redirect.hpp)
  if(EXISTS ${work}/prefix/include/flopcast/${header})
    message(FATAL_ERROR "flopcast/${header} is installed, though no public header includes it")
  endif()
endforeach()
