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
