# make install: program, libraries, headers, man page, and what pkg-config and find_package(Sinew) read.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

if(SINEW_PROGRAM)
  install(TARGETS sinew RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/scenes/gallery DESTINATION ${CMAKE_INSTALL_DATADIR}/sinew/scenes)
  # The program itself says what its options are: see src/cli/completion.c.
  set(SN_COMPLETION ${PROJECT_BINARY_DIR}/completion)
  file(MAKE_DIRECTORY ${SN_COMPLETION})
  set(SN_COMPLETIONS bash:sinew:bash-completion/completions zsh:_sinew:zsh/site-functions
    fish:sinew.fish:fish/vendor_completions.d)
  foreach(row ${SN_COMPLETIONS})
    string(REPLACE : ";" row ${row})
    list(GET row 0 shell)
    list(GET row 1 file)
    list(GET row 2 folder)
    install(CODE "execute_process(COMMAND \"$<TARGET_FILE:sinew>\" completion ${shell}
      OUTPUT_FILE \"${SN_COMPLETION}/${file}\" COMMAND_ERROR_IS_FATAL ANY)")
    install(FILES ${SN_COMPLETION}/${file} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder})
  endforeach()
endif()
install(TARGETS sinew_static ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS sinew_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/sinew DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_SOURCE_DIR}/docs/sinew.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# What a program linked to libsinew.a needs besides.
set(SN_PRIVATE_LIBRARIES amd suitesparseconfig metis png yaml sqlite3 z pthread m)
list(TRANSFORM SN_PRIVATE_LIBRARIES PREPEND -l OUTPUT_VARIABLE SN_PRIVATE_FLAGS)
string(JOIN " " SN_PRIVATE_FLAGS ${SN_PRIVATE_FLAGS})

# sinew.pc finds its prefix from where it lies, so an installed tree may be moved.
file(RELATIVE_PATH SN_PC_TO_PREFIX /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
configure_file(${CMAKE_CURRENT_LIST_DIR}/sinew.pc.in ${PROJECT_BINARY_DIR}/sinew.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/sinew.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(SN_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/Sinew)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/SinewConfig.cmake.in ${PROJECT_BINARY_DIR}/SinewConfig.cmake
  INSTALL_DESTINATION ${SN_PACKAGE_DIR} PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/SinewConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/SinewConfig.cmake ${PROJECT_BINARY_DIR}/SinewConfigVersion.cmake
  DESTINATION ${SN_PACKAGE_DIR})
