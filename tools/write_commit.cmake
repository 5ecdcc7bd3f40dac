# Writes OUTPUT, a header with the commit of the tree SOURCE and its date, where that changed. Run in every build.
execute_process(COMMAND git rev-parse --short=12 HEAD WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE commit
  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(commit "unknown")
else()
  execute_process(COMMAND git diff-index --quiet HEAD -- WORKING_DIRECTORY ${SOURCE} RESULT_VARIABLE changed ERROR_QUIET)
  if(changed)
    string(APPEND commit " with changes")
  endif()
endif()
# The date of a build is that of its sources, so that building again gives the same bytes: SOURCE_DATE_EPOCH, otherwise
# the commit's, otherwise (a source package) that of the file which holds the version.
if(NOT DEFINED ENV{SOURCE_DATE_EPOCH})
  execute_process(COMMAND git log -1 --format=%ct WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE seconds
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT seconds)
    file(TIMESTAMP ${SOURCE}/CMakeLists.txt seconds "%s" UTC)
  endif()
  set(ENV{SOURCE_DATE_EPOCH} ${seconds})
endif()
string(TIMESTAMP date "%Y-%m-%d" UTC)
set(text "#define SPILLWAY_COMMIT \"${commit}\"\n#define SPILLWAY_DATE \"${date}\"\n")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT "${before}" STREQUAL "${text}")
  file(WRITE ${OUTPUT} "${text}")
endif()
