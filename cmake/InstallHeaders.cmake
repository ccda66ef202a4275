# Installs the headers of the library face and, transitively, every header of ours that they include. Run at install time
# with `source` (the source tree) and `destination` set. A header that the face stops including is no longer installed.
cmake_minimum_required(VERSION 3.25)
set(face
  oracle/check.hpp oracle/expect.hpp oracle/files.hpp oracle/json.hpp oracle/lint.hpp oracle/narrow.hpp oracle/prove.hpp
  oracle/run.hpp oracle/screen.hpp ir/program.hpp ir/text/source.hpp ir/traverse.hpp interp/npy.hpp)
set(waiting ${face})
set(seen "")
while(waiting)
  list(POP_FRONT waiting header)
  if(header IN_LIST seen)
    continue()
  endif()
  list(APPEND seen ${header})
  file(STRINGS ${source}/${header} includes REGEX "^#include \"")
  foreach(line ${includes})
    string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" included "${line}")
    if(NOT EXISTS ${source}/${included})
      message(FATAL_ERROR "${header} includes ${included}, which is not in the source tree")
    endif()
    list(APPEND waiting ${included})
  endforeach()
  get_filename_component(folder ${header} DIRECTORY)
  file(INSTALL DESTINATION ${destination}/${folder} TYPE FILE FILES ${source}/${header})
endwhile()
# The C API stands alone: <assay/assay.h>.
file(INSTALL DESTINATION ${destination} TYPE FILE FILES ${source}/oracle/assay.h)
