# What an installed carom consists of: one static library, its headers, the program, and the files by which
# find_package(carom) finds them. The object libraries of the modules stay inside.
include(CMakePackageConfigHelpers)

set(carom_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/carom)

install(TARGETS carom EXPORT caromTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/carom DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(TARGET carom_program)
  install(TARGETS carom_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

  # where the program looks for messages, beside its own folder
  if(TARGET carom_mpi)
    install(TARGETS carom_mpi LIBRARY DESTINATION lib/carom)
  endif()

  # the program prints its own manual page, completions and schema of scenes
  set(texts ${CMAKE_BINARY_DIR}/texts)
  install(CODE "set(PROGRAM \"$<TARGET_FILE:carom_program>\")\nset(FOLDER \"${texts}\")")
  install(SCRIPT ${CMAKE_CURRENT_LIST_DIR}/print_texts.cmake)
  install(FILES ${texts}/carom.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${texts}/carom DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${texts}/_carom DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${texts}/scene.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/carom)
  # what `carom gallery` draws
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/carom FILES_MATCHING PATTERN "*.toml")
endif()

install(EXPORT caromTargets NAMESPACE carom:: DESTINATION ${carom_package_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/caromConfig.cmake.in ${CMAKE_BINARY_DIR}/caromConfig.cmake
                              INSTALL_DESTINATION ${carom_package_dir})
# before 1.0 a minor version may change the interface
write_basic_package_version_file(${CMAKE_BINARY_DIR}/caromConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/caromConfig.cmake ${CMAKE_BINARY_DIR}/caromConfigVersion.cmake
        DESTINATION ${carom_package_dir})
