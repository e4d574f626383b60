# The site of the documents, for the package flopcast-doc. scripts/make_site builds it from docs/, the public headers and the Python package.
option(FLOPCAST_SITE "Build and install the site of the documents (Debian: mkdocs, mkdocs-material, doxygen)" OFF)
if(NOT FLOPCAST_SITE)
  return()
endif()
find_program(FLOPCAST_MKDOCS mkdocs REQUIRED)
find_program(FLOPCAST_DOXYGEN doxygen REQUIRED)
set(site ${PROJECT_BINARY_DIR}/site)
file(GLOB_RECURSE documents CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/* ${PROJECT_SOURCE_DIR}/examples/* ${PROJECT_SOURCE_DIR}/include/*)
set(package)
if(TARGET flopcast_python)
  set(package flopcast_python)
endif()
add_custom_command(OUTPUT ${site}/index.html
                   COMMAND ${PROJECT_SOURCE_DIR}/scripts/make_site ${site} ${PROJECT_BINARY_DIR}/python
                   DEPENDS ${documents} ${package} ${PROJECT_SOURCE_DIR}/mkdocs.yml ${PROJECT_SOURCE_DIR}/cmake/Doxyfile
                           ${PROJECT_SOURCE_DIR}/scripts/make_site ${PROJECT_SOURCE_DIR}/scripts/site_hooks.py
                   COMMENT "Building the site of the documents" VERBATIM)
add_custom_target(flopcast_site ALL DEPENDS ${site}/index.html)

# The list of all pages for search engines is of no use on a disk, and scripts run without their source maps.
install(DIRECTORY ${site}/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/html COMPONENT flopcast-doc PATTERN sitemap.xml* EXCLUDE PATTERN *.map EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT flopcast-doc PATTERN CMakeLists.txt EXCLUDE)
