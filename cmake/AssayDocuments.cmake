# assay_documents: the manual page and the shells' completion scripts, made from the command table, in build/documents.
add_executable(assay_generate cli/generate/main.cpp)
target_link_libraries(assay_generate PRIVATE assay_cli_lib assay_warnings)
set(documents_folder ${PROJECT_BINARY_DIR}/documents)
file(MAKE_DIRECTORY ${documents_folder})
# The date at the foot of the page: fixed by SOURCE_DATE_EPOCH where that is set, so that a build can be repeated.
string(TIMESTAMP documents_date "%Y-%m-%d" UTC)
set(documents ${documents_folder}/assay.1 ${documents_folder}/assay.bash ${documents_folder}/_assay ${documents_folder}/assay.fish)
add_custom_command(OUTPUT ${documents} COMMAND assay_generate ${documents_date} ${documents_folder} DEPENDS assay_generate VERBATIM
  COMMENT "Writing the manual page and the completion scripts")
add_custom_target(assay_documents ALL DEPENDS ${documents})
