# Tests of the build itself (tests/build), and what scripts/test.sh needs to count cases.

# Each GoogleTest program leaves its cases in results/cases/ENTRY.xml (scripts/count-results.py). A program named in
# ASSAY_SHARDED becomes two entries, which ctest can run side by side.
set(ASSAY_SHARDED "" CACHE STRING "Test folders whose program runs as two entries")
get_property(entries DIRECTORY PROPERTY TESTS)
foreach(entry ${entries})
  if(entry IN_LIST ASSAY_SHARDED)
    add_test(NAME ${entry}_2 COMMAND test_${entry})
    set_tests_properties(${entry}_2 PROPERTIES TIMEOUT 1800 ENVIRONMENT
      "ASSAY_RULES_LOG=${PROJECT_BINARY_DIR}/rules/${entry}_2.log;GTEST_OUTPUT=xml:${PROJECT_BINARY_DIR}/results/cases/${entry}_2.xml;GTEST_TOTAL_SHARDS=2;GTEST_SHARD_INDEX=1")
    set_property(TEST ${entry} APPEND PROPERTY ENVIRONMENT "GTEST_TOTAL_SHARDS=2" "GTEST_SHARD_INDEX=0")
  endif()
  set_property(TEST ${entry} APPEND PROPERTY ENVIRONMENT "GTEST_OUTPUT=xml:${PROJECT_BINARY_DIR}/results/cases/${entry}.xml")
endforeach()

add_test(NAME build_rules COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/build/check_rules_test.py)
add_test(NAME build_results COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/build/count_results_test.py)

# The include folders that each component's sources see, for include_rules_test.py.
set(component_folders "")
foreach(component ir obligations proofs transforms interp codegen oracle fuzz spec_rules cli_lib)
  get_target_property(type assay_${component} TYPE)
  if(type STREQUAL "INTERFACE_LIBRARY")
    set(property INTERFACE_INCLUDE_DIRECTORIES)
  else()
    set(property INCLUDE_DIRECTORIES)
  endif()
  string(APPEND component_folders "${component};$<TARGET_PROPERTY:assay_${component},${property}>\n")
endforeach()
file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/component-folders.txt CONTENT "${component_folders}")
add_test(NAME build_includes COMMAND ${CMAKE_COMMAND} -E env CXX=${CMAKE_CXX_COMPILER}
  ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/build/include_rules_test.py ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/component-folders.txt)
add_test(NAME build_ideas COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/build/ideas_test.py)
add_test(NAME build_public_bugs COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/build/public_bugs_test.py)
set_tests_properties(build_rules build_results build_includes build_ideas build_public_bugs PROPERTIES TIMEOUT 300)

# A program with one operation more, in whose registry the operation's file is all that was added.
file(GLOB operation_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/transforms/loop/*.cpp)
set(registry ${PROJECT_BINARY_DIR}/generated/registry_test_operations.cpp)
assay_operation_registry(OUTPUT ${registry} FILES ${operation_files} ${CMAKE_CURRENT_SOURCE_DIR}/registry/rename.cpp)
add_executable(test_registry registry/registry_test.cpp registry/rename.cpp ${registry})
target_link_libraries(test_registry PRIVATE assay_cli_lib assay_test_support GTest::gtest_main nlohmann_json::nlohmann_json assay_warnings)
add_test(NAME registry COMMAND test_registry)
set_tests_properties(registry PROPERTIES TIMEOUT 300 ENVIRONMENT
  "ASSAY_RULES_LOG=${PROJECT_BINARY_DIR}/rules/registry.log;GTEST_OUTPUT=xml:${PROJECT_BINARY_DIR}/results/cases/registry.xml")

# The parser on every text that is kept: the fuzzer's corpus, the examples, the cases.
add_executable(replay_parser parser_fuzzer/parser_fuzzer.cpp parser_fuzzer/replay.cpp)
target_link_libraries(replay_parser PRIVATE assay_ir assay_warnings)
add_test(NAME parser_corpus COMMAND replay_parser ${CMAKE_CURRENT_SOURCE_DIR}/corpus ${CMAKE_CURRENT_SOURCE_DIR}/cases ${PROJECT_SOURCE_DIR}/examples)
set_tests_properties(parser_corpus PROPERTIES TIMEOUT 300)

# The screens in README.md are what the program prints.
if(TARGET assay)
  add_test(NAME readme COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/scripts/readme.py $<TARGET_FILE:assay>)
  set_tests_properties(readme PROPERTIES TIMEOUT 300)
endif()

# The program from outside: odd names, files and streams.
if(TARGET assay)
  add_test(NAME cli_robust COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/cli/robust_test.py $<TARGET_FILE:assay>)
  set_tests_properties(cli_robust PROPERTIES TIMEOUT 300 ENVIRONMENT "ASSAY_RULES_LOG=${PROJECT_BINARY_DIR}/rules/cli_robust.log")
  add_test(NAME cli_leaks COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/cli/leaks_test.py $<TARGET_FILE:assay>)
  set_tests_properties(cli_leaks PROPERTIES TIMEOUT 600 ENVIRONMENT "ASSAY_RULES_LOG=${PROJECT_BINARY_DIR}/rules/cli_leaks.log")
endif()

# The manual page and the completion scripts, read by the programs that they are for.
if(TARGET assay_documents)
  add_test(NAME package_shells COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/package/shells_test.py ${PROJECT_BINARY_DIR}/documents)
  set_tests_properties(package_shells PROPERTIES TIMEOUT 300)
endif()

# The installed tree (tests/package): clients in C++ and C, built against a moved prefix.
if(ASSAY_INSTALL AND NOT ASSAY_SANITIZE)
  add_test(NAME package_install COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/package/install_test.py
    ${PROJECT_BINARY_DIR} ${CMAKE_CXX_COMPILER} ${CMAKE_C_COMPILER})
  set_tests_properties(package_install PROPERTIES TIMEOUT 600)
endif()

# The vectors of the random functions are what the script prints that works from their definition.
add_test(NAME random_vectors COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/interp/random_vectors.py
  --check ${CMAKE_CURRENT_SOURCE_DIR}/data/random_vectors.txt)
# The narrow floats against NumPy and ml_dtypes, where Python has them (scripts/test.sh fetches them); exit status 77 says it has not.
if(TARGET assay)
  add_test(NAME ml_dtypes COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/agreement/ml_dtypes_test.py $<TARGET_FILE:assay>)
  set_tests_properties(ml_dtypes PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600
    ENVIRONMENT "PYTHONPATH=${PROJECT_BINARY_DIR}/agreement/packages")
endif()
set_tests_properties(random_vectors PROPERTIES TIMEOUT 60)

# A driver of CUDA for test_codegen, which needs none of the machine's.
add_library(fake_cuda MODULE codegen/fake_cuda.c)
target_compile_options(fake_cuda PRIVATE -Wall -Wextra -Wno-strict-prototypes)
target_link_options(fake_cuda PRIVATE -Wl,--unresolved-symbols=ignore-all)  # the worker that loads it has assay_launch
add_library(fake_opencl MODULE codegen/fake_opencl.c)
target_compile_options(fake_opencl PRIVATE -Wall -Wextra -Wno-strict-prototypes)
target_compile_definitions(test_codegen PRIVATE ASSAY_FAKE_CUDA="$<TARGET_FILE:fake_cuda>"
  ASSAY_FAKE_OPENCL="$<TARGET_FILE:fake_opencl>")
add_dependencies(test_codegen fake_cuda fake_opencl)

# Operations of f32 over all their arguments, by kept hashes of blocks (tests/sweep). The program sweeps and checks on demand
# (scripts/long-tests.sh); the test samples blocks.
add_executable(f32_sweep sweep/f32_sweep.cpp sweep/f32_blocks.cpp sweep/direct.cpp)
add_executable(test_sweep sweep/f32_blocks_test.cpp sweep/f32_blocks.cpp)
foreach(program f32_sweep test_sweep)
  target_link_libraries(${program} PRIVATE assay_interp assay_codegen assay_test_support fmt::fmt assay_warnings)
  target_compile_definitions(${program} PRIVATE ASSAY_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
endforeach()
target_link_libraries(f32_sweep PRIVATE ${CMAKE_DL_LIBS})
target_link_libraries(test_sweep PRIVATE GTest::gtest_main)
add_test(NAME sweep COMMAND test_sweep)
set_tests_properties(sweep PROPERTIES TIMEOUT 900 ENVIRONMENT
  "ASSAY_RULES_LOG=${PROJECT_BINARY_DIR}/rules/sweep.log;GTEST_OUTPUT=xml:${PROJECT_BINARY_DIR}/results/cases/sweep.xml")

# The probe of matrix instructions (scripts/gpu-check.sh compiles it for a GPU), here beside the model.
set(probe_source ${CMAKE_CURRENT_SOURCE_DIR}/gpu/tile_probe.cu)
set_source_files_properties(${probe_source} PROPERTIES LANGUAGE C COMPILE_OPTIONS "-xc")
add_executable(tile_probe ${probe_source} ${PROJECT_SOURCE_DIR}/codegen/worker/host/tile_unit.c)
target_include_directories(tile_probe PRIVATE ${PROJECT_SOURCE_DIR})
target_compile_options(tile_probe PRIVATE -ffp-contract=off)
target_link_libraries(tile_probe PRIVATE m)
add_dependencies(test_codegen tile_probe)

# What a test compiles is kept in the build folder, never in the user's cache. scripts/test.sh lets the run under the sanitizers
# use what the plain run compiled: kernels are the same in both.
set(ASSAY_TEST_KERNELS ${PROJECT_BINARY_DIR}/kernels CACHE PATH "The kernel cache of the tests")
get_property(entries DIRECTORY PROPERTY TESTS)
foreach(entry ${entries})
  set_property(TEST ${entry} APPEND PROPERTY ENVIRONMENT "ASSAY_CACHE=${ASSAY_TEST_KERNELS}")
endforeach()
# Verdicts and every byte of the answers are the same on a busy machine.
if(TARGET assay)
  add_test(NAME load COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/cli/load_test.py $<TARGET_FILE:assay> ${PROJECT_SOURCE_DIR})
  set_tests_properties(load PROPERTIES TIMEOUT 600)
endif()
