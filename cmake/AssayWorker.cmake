# assay-worker: the small process that compiles and runs kernels (codegen/worker/host), plain C.
#
# With libtcc it also compiles in memory. libtcc is under the LGPL and may crash on odd input, so it is linked here and
# nowhere else. The sanitizers stay out: kernels run here under limits that those do not bear.
find_path(ASSAY_TCC_INCLUDE libtcc.h)
find_library(ASSAY_TCC_LIBRARY tcc)

file(GLOB worker_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/codegen/worker/host/*.c)
add_executable(assay_worker ${worker_sources})
set_target_properties(assay_worker PROPERTIES OUTPUT_NAME assay-worker C_STANDARD 11 C_EXTENSIONS ON
   RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
target_compile_options(assay_worker PRIVATE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Werror)
target_link_libraries(assay_worker PRIVATE m ${CMAKE_DL_LIBS})
# Units of CUDA and OpenCL text call the worker by name. Only these names are exported: others could take the place of names
# in the libraries that it loads.
target_link_options(assay_worker PRIVATE -Wl,--dynamic-list=${PROJECT_SOURCE_DIR}/codegen/worker/host/exports.list)
set_target_properties(assay_worker PROPERTIES LINK_DEPENDS ${PROJECT_SOURCE_DIR}/codegen/worker/host/exports.list)
if(ASSAY_TCC_INCLUDE AND ASSAY_TCC_LIBRARY)
  message(STATUS "Found libtcc: the backend tcc is built")
  target_compile_definitions(assay_worker PRIVATE ASSAY_HAS_TCC)
  target_include_directories(assay_worker PRIVATE ${ASSAY_TCC_INCLUDE})
  target_link_libraries(assay_worker PRIVATE ${ASSAY_TCC_LIBRARY})
  set_source_files_properties(${PROJECT_SOURCE_DIR}/codegen/worker/compilers.cpp PROPERTIES COMPILE_DEFINITIONS ASSAY_HAS_TCC)
else()
  message(STATUS "Left out: the backend tcc (libtcc-dev is not installed)")
endif()
include(GNUInstallDirs)
set_source_files_properties(${PROJECT_SOURCE_DIR}/codegen/worker/worker.cpp PROPERTIES
  COMPILE_DEFINITIONS "ASSAY_LIBEXEC_DIR=\"${CMAKE_INSTALL_FULL_LIBEXECDIR}/assay\"")
add_dependencies(assay_codegen assay_worker)
