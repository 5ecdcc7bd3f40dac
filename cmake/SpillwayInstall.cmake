include(GNUInstallDirs)
install(TARGETS spillway RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${CMAKE_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(SPILLWAY_STATIC_LIBRARIES)
  # The portable tree carries its own oneTBB, found through the RPATH.
  set_target_properties(spillway PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
  get_target_property(tbb_library TBB::tbb LOCATION)
  get_filename_component(tbb_real ${tbb_library} REALPATH)
  install(FILES ${tbb_real} DESTINATION ${CMAKE_INSTALL_LIBDIR} RENAME libtbb.so.12)
endif()

# The manual page and completions come out of the program's own tables of options.
set(manual_dir ${CMAKE_BINARY_DIR}/manual)
set(manual_files "")
foreach(kind man bash zsh fish)
  add_custom_command(OUTPUT ${manual_dir}/${kind}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${manual_dir}
    COMMAND spillway manual ${kind} > ${manual_dir}/${kind}
    DEPENDS spillway VERBATIM)
  list(APPEND manual_files ${manual_dir}/${kind})
endforeach()
add_custom_target(spillway_manual ALL DEPENDS ${manual_files})
install(FILES ${manual_dir}/man DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 RENAME spillway.1)
install(FILES ${manual_dir}/bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME spillway)
install(FILES ${manual_dir}/zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _spillway)
install(FILES ${manual_dir}/fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d RENAME spillway.fish)

# The libraries as a CMake package, find_package(Spillway): a program that searches (search/spillway.hpp) links
# Spillway::spillway, one that sorts (sort/library/sort.hpp) the component sort and Spillway::sort. The folders' libraries
# are installed beside them and linked by them; their headers, options and include directories stay inside. Components
# are exported apart, so that a program that only searches needs nothing that only the sort links.
set(spillway_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Spillway)

# A target that programs link: Spillway::EXPORT_NAME, with one header and one folder's library.
function(spillway_package_target name)
  cmake_parse_arguments(ARG "" "LINKS;EXPORT_NAME;HEADER;INSTALLED_HEADER" "" ${ARGN})
  add_library(${name} INTERFACE)
  set_target_properties(${name} PROPERTIES EXPORT_NAME ${ARG_EXPORT_NAME})
  target_include_directories(${name} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(${name} INTERFACE cxx_std_17)
  target_link_libraries(${name} INTERFACE $<LINK_ONLY:${ARG_LINKS}>)
  install(FILES ${CMAKE_SOURCE_DIR}/${ARG_HEADER} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/spillway
    RENAME ${ARG_INSTALLED_HEADER})
endfunction()
spillway_package_target(spillway_library LINKS spillway_search EXPORT_NAME spillway
  HEADER search/spillway.hpp INSTALLED_HEADER spillway.hpp)
spillway_package_target(spillway_sort_library LINKS spillway_sort EXPORT_NAME sort
  HEADER sort/library/sort.hpp INSTALLED_HEADER sort.hpp)

install(TARGETS spillway_library spillway_options
  spillway_io spillway_text spillway_search dep_zstd dep_xxhash dep_icu dep_stemmer
  EXPORT SpillwayTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS spillway_sort_library spillway_merge spillway_sort dep_tbb dep_icu_collation dep_cuda
  EXPORT SpillwaySortTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(export SpillwayTargets SpillwaySortTargets)
  install(EXPORT ${export} NAMESPACE Spillway:: DESTINATION ${spillway_package_dir})
endforeach()
include(CMakePackageConfigHelpers)
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/SpillwayConfig.cmake.in ${CMAKE_BINARY_DIR}/SpillwayConfig.cmake
  INSTALL_DESTINATION ${spillway_package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/SpillwayConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/SpillwayConfig.cmake ${CMAKE_BINARY_DIR}/SpillwayConfigVersion.cmake
  DESTINATION ${spillway_package_dir})
