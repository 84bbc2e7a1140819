# cmake -DPROGRAM=... -DEXPECTED=FILE -P run.cmake: PROGRAM must print FILE and end well.
execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
file(READ ${EXPECTED} expected)
if(NOT output STREQUAL expected)
  message(FATAL_ERROR "it said:\n${output}\nand not:\n${expected}")
endif()
