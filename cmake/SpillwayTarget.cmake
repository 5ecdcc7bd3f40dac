# What every target of the project shares: warnings, sanitizers, root-relative includes, one library per folder.
add_library(spillway_options INTERFACE)
target_compile_options(spillway_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wconversion;-Wshadow;-Wnon-virtual-dtor;-Werror>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra;--Werror=all-warnings;--expt-relaxed-constexpr;--expt-extended-lambda>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports std::string's own copies as overlapping at -O3 (GCC bug 105651).
  target_compile_options(spillway_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
target_include_directories(spillway_options INTERFACE $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}>)
target_link_libraries(spillway_options INTERFACE Threads::Threads)
if(SPILLWAY_SANITIZE)
  target_compile_options(spillway_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${SPILLWAY_SANITIZE};-fno-omit-frame-pointer;-fno-sanitize-recover=all>)
  # The vptr check opens pipes to probe memory: it fails where a test takes all descriptors away.
  target_compile_options(spillway_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=vptr>)
  target_link_options(spillway_options INTERFACE -fsanitize=${SPILLWAY_SANITIZE})
  if(SPILLWAY_SANITIZE MATCHES "address" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT SPILLWAY_PYTHON)
    # AddressSanitizer's tables of globals are pointers by the million: the loader would move each at every start, of
    # which tests make thousands. Without, spillway starts and ends in 70 ms instead of 120.
    target_compile_options(spillway_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-pie>)
    target_link_options(spillway_options INTERFACE -no-pie)
  endif()
  if(SPILLWAY_UNDEFINED_TRAPS)
    target_compile_options(spillway_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fsanitize-undefined-trap-on-error>)
  endif()
endif()

# spillway_library(<folder> DEPENDS <folder or dependency>...): the folder's sources as target spillway_<folder>. Files
# *.cu and *_cuda.cpp (CUDA calls, no device code) are built with CUDA only, files no_gpu.cpp, which stand in for them,
# without it only.
function(spillway_library folder)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.cpp)
  if(SPILLWAY_HAS_CUDA)
    list(FILTER sources EXCLUDE REGEX "/no_gpu\\.cpp$")
    file(GLOB_RECURSE cuda_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.cu)
    list(APPEND sources ${cuda_sources})
  else()
    list(FILTER sources EXCLUDE REGEX "_cuda\\.cpp$")
  endif()
  add_library(spillway_${folder} STATIC ${sources})
  set_target_properties(spillway_${folder} PROPERTIES LINKER_LANGUAGE CXX)
  spillway_unite_sources(spillway_${folder} ${SPILLWAY_UNITED_SOURCES})
  target_link_libraries(spillway_${folder} PUBLIC spillway_options)
  if(tbb IN_LIST ARG_DEPENDS)
    spillway_precompile(spillway_${folder} HEADERS tbb/parallel_for.h tbb/task_arena.h)
  else()
    spillway_precompile(spillway_${folder} SHARED_WITH spillway_io)
  endif()
  foreach(dependency IN LISTS ARG_DEPENDS)
    if(TARGET dep_${dependency})
      target_link_libraries(spillway_${folder} PUBLIC dep_${dependency})
    else()
      target_link_libraries(spillway_${folder} PUBLIC spillway_${dependency})
    endif()
  endforeach()
endfunction()
