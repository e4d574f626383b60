# cmake -D build=DIR -D work=DIR -D source=DIR -D generator=NAME -D compiler=PATH -D flags=FLAGS -D components=NAME,NAME... -P install_test.cmake
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${work})
run(${CMAKE_COMMAND} --install ${build} --prefix ${work}/prefix)
run(${CMAKE_COMMAND} -G ${generator} -S ${source} -B ${work}/build -D CMAKE_PREFIX_PATH=${work}/prefix -D CMAKE_CXX_COMPILER=${compiler}
    -D "CMAKE_CXX_FLAGS=${flags}" -D components=${components})
run(${CMAKE_COMMAND} --build ${work}/build)
run(${work}/build/consumer)
run(${work}/prefix/bin/flopcast --version)
