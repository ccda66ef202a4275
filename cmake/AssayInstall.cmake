# What `cmake --install` puts where, and the Debian packages. Components: runtime (the program) and development (the library).
#
#   bin/assay · libexec/assay/ (helper programs, found from /proc/self/exe) · share/man · completions · share/doc/assay
#   lib/libassay.a · include/assay · lib/cmake/assay (find_package) · lib/pkgconfig/assay.pc
include(CMakePackageConfigHelpers)
set(ASSAY_INSTALL_CMAKEDIR ${CMAKE_INSTALL_LIBDIR}/cmake/assay)

# --- the library ----------------------------------------------------------------------------------------------------------
install(TARGETS assay_library EXPORT assay ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(EXPORT assay NAMESPACE assay:: FILE assayTargets.cmake DESTINATION ${ASSAY_INSTALL_CMAKEDIR} COMPONENT development)

# What users need besides: for find_package the calls that find it, for pkg-config the modules and flags.
set(ASSAY_FIND "")
set(ASSAY_REQUIRES "")
set(ASSAY_LIBS -lstdc++ -lm)  # a C compiler may do the linking
get_property(linked GLOBAL PROPERTY ASSAY_LINKED)
foreach(library ${linked})
  if(library MATCHES "^PkgConfig::(.*)$")
    set(prefix ${CMAKE_MATCH_1})
    set(module ${${prefix}_MODULE_NAME})
    string(APPEND ASSAY_FIND "pkg_check_modules(${prefix} QUIET IMPORTED_TARGET ${module})\n"
      "if(NOT ${prefix}_FOUND)\n  set(assay_FOUND FALSE)\n  set(assay_NOT_FOUND_MESSAGE \"assay needs ${module}\")\n  return()\nendif()\n")
    list(APPEND ASSAY_REQUIRES ${module})
  elseif(library STREQUAL "fmt::fmt")
    string(APPEND ASSAY_FIND "find_dependency(fmt)\n")
    list(APPEND ASSAY_REQUIRES fmt)
  elseif(library STREQUAL "tl::expected")  # headers in the compiler's own path
    string(APPEND ASSAY_FIND "find_dependency(tl-expected)\n")
  elseif(library STREQUAL "Threads::Threads")
    string(APPEND ASSAY_FIND "find_dependency(Threads)\n")
    list(APPEND ASSAY_LIBS -pthread)
  elseif(library MATCHES "::|/|^-")
    message(FATAL_ERROR "cmake/AssayInstall.cmake does not know how users of an installed tree find ${library}")
  else()
    list(APPEND ASSAY_LIBS -l${library})
  endif()
endforeach()
list(JOIN ASSAY_REQUIRES ", " ASSAY_REQUIRES)
list(JOIN ASSAY_LIBS " " ASSAY_LIBS)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/assayConfig.cmake.in ${PROJECT_BINARY_DIR}/assayConfig.cmake
  INSTALL_DESTINATION ${ASSAY_INSTALL_CMAKEDIR} NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
# Before 1.0 a minor version may change the library face.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/assayConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/assayConfig.cmake ${PROJECT_BINARY_DIR}/assayConfigVersion.cmake
  DESTINATION ${ASSAY_INSTALL_CMAKEDIR} COMPONENT development)

# Relative to the file itself, so that a moved tree works.
file(RELATIVE_PATH ASSAY_PC_PREFIX /root/${CMAKE_INSTALL_LIBDIR}/pkgconfig /root)
string(REGEX REPLACE "/$" "" ASSAY_PC_PREFIX "${ASSAY_PC_PREFIX}")
configure_file(${PROJECT_SOURCE_DIR}/cmake/assay.pc.in ${PROJECT_BINARY_DIR}/assay.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/assay.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

# Public headers: those of the library face, and whatever they include.
install(CODE "
  set(source [[${PROJECT_SOURCE_DIR}]])
  set(destination \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}/assay\")" COMPONENT development)
install(SCRIPT ${PROJECT_SOURCE_DIR}/cmake/InstallHeaders.cmake COMPONENT development)

# --- the program ----------------------------------------------------------------------------------------------------------
install(TARGETS assay RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
install(TARGETS assay_worker RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/assay COMPONENT runtime)
install(FILES ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples ${PROJECT_SOURCE_DIR}/spec DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime
  FILES_MATCHING PATTERN *.air PATTERN *.sched PATTERN *.md)
install(FILES ${PROJECT_BINARY_DIR}/documents/assay.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT runtime)
install(FILES ${PROJECT_BINARY_DIR}/documents/assay.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
  RENAME assay COMPONENT runtime)
install(FILES ${PROJECT_BINARY_DIR}/documents/_assay DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT runtime)
install(FILES ${PROJECT_BINARY_DIR}/documents/assay.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
  COMPONENT runtime)
