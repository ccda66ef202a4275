# The Debian packages that cpack makes from the two install components: assay (the program) and libassay-dev (the library).
# scripts/package.sh builds them.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME assay)
set(CPACK_PACKAGE_VENDOR Assay)
set(CPACK_PACKAGE_CONTACT "Assay developers <assay@packages.debian.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "decides whether a tensor-kernel schedule is right")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL runtime development)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/PackageStage.cmake)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME assay)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
# Execution of generated code is one of the three judges: a C compiler with its C library's headers is part of it.
set(CPACK_DEBIAN_RUNTIME_PACKAGE_DEPENDS "gcc, libc6-dev")
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION
"For every step of a schedule (split this loop, exchange those two, run this
one in parallel) assay proves that the program still means the same, or shows
the two iterations that break it. It runs both programs in a bit-exact
reference interpreter and as compiled C, and compares the results bit for bit.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libassay-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
get_property(linked GLOBAL PROPERTY ASSAY_LINKED)
# The program's package holds the worker that compiles and runs kernels.
set(depends "assay (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}), libfmt-dev, libexpected-dev, pkg-config")
set(package_of_ISL libisl-dev)
set(package_of_GMP libgmp-dev)
set(package_of_MPFR libmpfr-dev)
set(package_of_Z3 libz3-dev)
set(package_of_NETTLE nettle-dev)
foreach(library ${linked})
  if(library MATCHES "^PkgConfig::(.*)$")
    if(NOT package_of_${CMAKE_MATCH_1})
      message(FATAL_ERROR "cmake/AssayPackage.cmake does not know the Debian package of ${library}")
    endif()
    string(APPEND depends ", ${package_of_${CMAKE_MATCH_1}}")
  endif()
endforeach()
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${depends}")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
"The library of assay: headers and a static archive, for find_package(assay)
and pkg-config, and a C API.")
include(CPack)
