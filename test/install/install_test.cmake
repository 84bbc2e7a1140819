# cmake -DBUILD=TREE -DCONSUMER=PROJECT -DSCRATCH=FOLDER -P install_test.cmake
# Installs the library from TREE into SCRATCH, then builds and runs PROJECT, which finds it there.
# Without BUILD, PROJECT brings weir's sources itself.
file(REMOVE_RECURSE ${SCRATCH})
if(BUILD)
  execute_process(
    COMMAND ${CMAKE_COMMAND} --install ${BUILD} --component library --prefix ${SCRATCH}/prefix
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endif()
execute_process(
  COMMAND ${CMAKE_COMMAND} -S ${CONSUMER} -B ${SCRATCH}/build -G Ninja
    -DCMAKE_PREFIX_PATH=${SCRATCH}/prefix -DCMAKE_BUILD_TYPE=Release
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${SCRATCH}/build COMMAND_ERROR_IS_FATAL ANY)
file(GLOB_RECURSE program ${SCRATCH}/build/embed)
execute_process(COMMAND ${program} COMMAND_ERROR_IS_FATAL ANY)
