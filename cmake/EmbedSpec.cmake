# assay_spec_rules: the rules of spec/*.md as a C++ table (spec/rules_table.hpp), regenerated when a page changes.
find_package(Python3 REQUIRED COMPONENTS Interpreter)

assay_component(spec_rules DIR spec)

file(GLOB spec_pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/spec/*.md)
set(rules_data ${PROJECT_BINARY_DIR}/generated/rules_data.cpp)
add_custom_command(
  OUTPUT ${rules_data}
  COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/scripts/embed-spec.py ${PROJECT_SOURCE_DIR} ${rules_data}
  DEPENDS ${spec_pages} ${PROJECT_SOURCE_DIR}/scripts/embed-spec.py ${PROJECT_SOURCE_DIR}/scripts/spec_rules.py
  COMMENT "Embedding the rules of spec/"
  VERBATIM)
target_sources(assay_spec_rules PRIVATE ${rules_data})
