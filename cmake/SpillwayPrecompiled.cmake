# Precompiled headers: the standard headers that most sources include are parsed once per set of compiler options, not
# once per source. Every source still names what it includes: the preset dev, which clang-tidy reads, builds without
# precompiled headers.
option(SPILLWAY_PRECOMPILED_HEADERS "Parse the standard headers once, not once a source" ON)

# spillway_precompile(<target> [SHARED_WITH <target>] [HEADERS <header>...]): the target's sources begin with the standard
# headers and <header>s, parsed once. SHARED_WITH takes those of a target with the same compiler options, unless it is the
# target itself.
function(spillway_precompile target)
  cmake_parse_arguments(ARG "" "SHARED_WITH" "HEADERS" ${ARGN})
  if(NOT SPILLWAY_PRECOMPILED_HEADERS)
    return()
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
