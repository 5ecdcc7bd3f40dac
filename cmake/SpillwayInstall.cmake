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

# The library (search/spillway.hpp) as a CMake package: find_package(Spillway), target Spillway::spillway. The folders'
# libraries are installed beside it and linked by it; their headers, options and include directories stay inside.
add_library(spillway_library INTERFACE)
set_target_properties(spillway_library PROPERTIES EXPORT_NAME spillway)
target_include_directories(spillway_library INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(spillway_library INTERFACE cxx_std_17)
target_link_libraries(spillway_library INTERFACE $<LINK_ONLY:spillway_search>)
set(spillway_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Spillway)
install(FILES ${CMAKE_SOURCE_DIR}/search/spillway.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/spillway)
install(TARGETS spillway_library spillway_options
  spillway_io spillway_text spillway_search dep_zstd dep_xxhash dep_icu dep_stemmer
  EXPORT SpillwayTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT SpillwayTargets NAMESPACE Spillway:: DESTINATION ${spillway_package_dir})
include(CMakePackageConfigHelpers)
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/SpillwayConfig.cmake.in ${CMAKE_BINARY_DIR}/SpillwayConfig.cmake
  INSTALL_DESTINATION ${spillway_package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/SpillwayConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/SpillwayConfig.cmake ${CMAKE_BINARY_DIR}/SpillwayConfigVersion.cmake
  DESTINATION ${spillway_package_dir})
