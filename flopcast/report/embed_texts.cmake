# Makes page_assets.cpp of the files that pages contain. A file that isn't there becomes an empty text; the build notices when it comes.
set(FLOPCAST_PAGE_ASSETS ${PROJECT_SOURCE_DIR}/build/page_assets CACHE PATH "Folder of the npm packages' files that scripts/fetch_page_assets has fetched")
file(GLOB fetched CONFIGURE_DEPENDS ${FLOPCAST_PAGE_ASSETS}/*)
if(NOT fetched)
  message(STATUS "no files in ${FLOPCAST_PAGE_ASSETS}; pages have SVG and plain tables (scripts/fetch_page_assets fetches what charts need)")
endif()

set(texts "")
foreach(entry page_css=${CMAKE_CURRENT_SOURCE_DIR}/page.css page_js=${CMAKE_CURRENT_SOURCE_DIR}/page.js uplot_js=${FLOPCAST_PAGE_ASSETS}/uPlot.iife.min.js
              uplot_css=${FLOPCAST_PAGE_ASSETS}/uPlot.min.css uplot_licence=${FLOPCAST_PAGE_ASSETS}/uPlot.LICENSE
              sortable_js=${FLOPCAST_PAGE_ASSETS}/sortable.min.js sortable_licence=${FLOPCAST_PAGE_ASSETS}/sortable.LICENSE)
  string(REGEX MATCH "^([a-z_]+)=(.*)$" entry "${entry}")
  set(name ${CMAKE_MATCH_1})
  set(file ${CMAKE_MATCH_2})
  set(text "")
  if(EXISTS ${file})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} text)
  endif()
  string(APPEND texts "const std::string_view ${name} = R\"flopcast_text(${text})flopcast_text\";\n")
endforeach()
file(CONFIGURE OUTPUT page_assets.cpp @ONLY CONTENT [[
#include "flopcast/report/page_assets.hpp"

namespace flopcast::report::assets {

@texts@
}  // namespace flopcast::report::assets
]])
