# Compiles through ccache where it is installed, whichever script configures the build: with another launcher everything
# would be compiled again. -DCMAKE_CXX_COMPILER_LAUNCHER= switches it off. ccache keeps sources with precompiled headers
# only with the first setting (its manual, "Precompiled headers"); with the others checkouts at different places share it.
find_program(SPILLWAY_CCACHE ccache)
if(SPILLWAY_CCACHE)
  foreach(language CXX CUDA)
    if(NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
      set(CMAKE_${language}_COMPILER_LAUNCHER
        ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
        CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${SPILLWAY_CCACHE})
    endif()
  endforeach()
endif()
