# Run by cpack on the staged tree of each package: what Debian's policy asks for beyond an ordinary installation.
file(GLOB stages ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*/usr)
foreach(stage ${stages})
  file(GLOB_RECURSE pages ${stage}/share/man/*.1)
  foreach(page ${pages})
    execute_process(COMMAND gzip -9n ${page} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  file(GLOB_RECURSE archives ${stage}/lib/*.a)
  foreach(archive ${archives})
    execute_process(COMMAND strip --strip-debug --enable-deterministic-archives ${archive} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  # Each package has its own copyright file and change log; the licence itself is on every Debian.
  set(package assay)
  if(archives)
    set(package libassay-dev)
  endif()
  set(documents ${stage}/share/doc/${package})
  file(MAKE_DIRECTORY ${documents})
  file(REMOVE ${stage}/share/doc/assay/LICENSE)
  file(WRITE ${documents}/copyright
"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: assay

Files: *
Copyright: 2026 The Assay authors
License: Apache-2.0
 On Debian systems, the full text of the Apache License, Version 2.0, is in
 /usr/share/common-licenses/Apache-2.0.
")
  # The worker contains libtcc where that was found; its archive knows the name of its run-time library.
  set(worker ${stage}/libexec/assay/assay-worker)
  if(EXISTS ${worker})
    file(STRINGS ${worker} tcc REGEX "libtcc1" LIMIT_COUNT 1)
    if(tcc)
      file(APPEND ${documents}/copyright
"
Files: usr/libexec/assay/assay-worker
Copyright: 2026 The Assay authors
           2003 Fabrice Bellard (libtcc, of Debian's source package tcc, linked statically)
License: Apache-2.0 and LGPL-2.1+
 The parts of libtcc are under the GNU Lesser General Public License, version 2.1 or later; on Debian systems the
 full text is in /usr/share/common-licenses/LGPL-2.1.
")
    endif()
  endif()
  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
  file(WRITE ${documents}/changelog.Debian
"assay (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) bookworm; urgency=medium

  * Built from the source tree by scripts/package.sh.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
  execute_process(COMMAND gzip -9nf ${documents}/changelog.Debian COMMAND_ERROR_IS_FATAL ANY)
endforeach()
