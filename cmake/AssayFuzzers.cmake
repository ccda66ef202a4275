# fuzz_parser: libFuzzer on the parser, with AddressSanitizer and UndefinedBehaviorSanitizer (clang; scripts/test.sh runs it).
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "ASSAY_FUZZERS needs clang: -DCMAKE_CXX_COMPILER=clang++-14")
endif()
add_executable(fuzz_parser tests/parser_fuzzer/parser_fuzzer.cpp)
target_link_libraries(fuzz_parser PRIVATE assay_ir assay_warnings)
target_link_options(fuzz_parser PRIVATE -fsanitize=fuzzer)
