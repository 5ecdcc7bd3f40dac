# Installs the project to a directory of its own, builds examples/ against what is installed there, runs the example on
# an index of the bundled sample, and compares what it writes.
#   cmake -DBUILD=... -DSOURCE=... -DGENERATOR=... -DWORK=... -P installed_package.cmake
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGV}\nended with ${code}:\n${out}${err}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${SOURCE}/examples -B ${WORK}/examples -DCMAKE_PREFIX_PATH=${WORK}/prefix
  -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror")
run(${CMAKE_COMMAND} --build ${WORK}/examples)
run(${WORK}/prefix/bin/spillway index ${SOURCE}/sample/state_of_the_union.jsonl -o ${WORK}/sample.index -q)
run(${WORK}/examples/search_index ${WORK}/sample.index moon landing man)
file(READ ${SOURCE}/tests/installed_package_expected.txt expected)
if(NOT out STREQUAL expected)
  message(FATAL_ERROR "the example wrote\n${out}\nexpected\n${expected}")
endif()
# Only the one header is installed.
file(GLOB_RECURSE headers RELATIVE ${WORK}/prefix ${WORK}/prefix/*.hpp ${WORK}/prefix/*.h)
if(NOT headers STREQUAL "include/spillway/spillway.hpp")
  message(FATAL_ERROR "installed headers: ${headers}")
endif()
execute_process(COMMAND ${WORK}/examples/search_index ${WORK}/none.index moon RESULT_VARIABLE code ERROR_VARIABLE err)
if(NOT code EQUAL 1 OR NOT err MATCHES "none.index: it does not exist")
  message(FATAL_ERROR "a missing index: ${code}, ${err}")
endif()
file(REMOVE_RECURSE ${WORK})
