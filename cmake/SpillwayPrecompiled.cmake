# Precompiled headers: the standard headers that most sources include are parsed once per set of compiler options, not
# once per source. They switch off some warnings of GCC, and hide that a source does not name what it includes. The preset
# release therefore has them in the tests only, and the preset dev, which clang-tidy reads, nowhere.
set(SPILLWAY_PRECOMPILED_HEADERS ON CACHE STRING "Parse the standard headers once, not once a source: ON, OFF, or TESTS for those of tests only")
set(SPILLWAY_TESTS_FOLDER ${CMAKE_SOURCE_DIR}/tests)

# Sets `result` to whether the targets of the current folder have precompiled headers.
function(spillway_precompiles result)
  set(precompiles ${SPILLWAY_PRECOMPILED_HEADERS})
  if(precompiles STREQUAL "TESTS")
    cmake_path(IS_PREFIX SPILLWAY_TESTS_FOLDER ${CMAKE_CURRENT_SOURCE_DIR} precompiles)
  endif()
  set(${result} ${precompiles} PARENT_SCOPE)
endfunction()

# spillway_precompile(<target> [SHARED_WITH <target>] [HEADERS <header>...]): the target's sources begin with the standard
# headers and <header>s, parsed once. SHARED_WITH takes those of a target with the same compiler options, unless it is the
# target itself.
function(spillway_precompile target)
  cmake_parse_arguments(ARG "" "SHARED_WITH" "HEADERS" ${ARGN})
  spillway_precompiles(precompiles)
  if(NOT precompiles)
    return()
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC 12 forgets that a precompiled header is the system's, and warns of its own string and vector intrinsics.
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread;-Wno-uninitialized;-Wno-maybe-uninitialized>)
  endif()
  if(ARG_SHARED_WITH AND NOT ARG_SHARED_WITH STREQUAL target)
    target_precompile_headers(${target} REUSE_FROM ${ARG_SHARED_WITH})
    return()
  endif()
  set(headers algorithm array atomic chrono condition_variable cstddef cstdint cstring filesystem functional memory mutex
    optional random span string string_view thread utility vector ${ARG_HEADERS})
  list(TRANSFORM headers REPLACE "(.+)" "$<$<COMPILE_LANGUAGE:CXX>:<\\1$<ANGLE-R>>")
  target_precompile_headers(${target} PRIVATE ${headers})
endfunction()
