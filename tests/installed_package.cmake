# Installs the project to a directory of its own, builds examples/ against the installed package, checks what the example
# links, runs it on an index of the bundled sample, and compares its output.
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
# A program that only searches links the libraries of io, text and search, and no other: not oneTBB, simdjson, zlib or
# cudart.
file(GLOB_RECURSE archives RELATIVE ${WORK}/prefix ${WORK}/prefix/*.a)
list(TRANSFORM archives REPLACE ".*/" "")
list(SORT archives)
if(NOT archives STREQUAL "libspillway_io.a;libspillway_search.a;libspillway_text.a")
  message(FATAL_ERROR "installed archives: ${archives}")
endif()
run(readelf -d ${WORK}/examples/search_index)
string(REGEX MATCHALL "NEEDED[^\n]*\\[[^]]*" linked "${out}")
list(TRANSFORM linked REPLACE ".*\\[" "")
set(foreign ${linked})
list(FILTER foreign EXCLUDE REGEX
  "^(libzstd|libxxhash|libicuuc|libicudata|libstemmer|libstdc\\+\\+|libm|libgcc_s|libc|libdl|libpthread|ld-linux-x86-64)\\.so")
if(NOT linked OR foreign)
  message(FATAL_ERROR "the example links ${linked}; not expected: ${foreign}")
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
