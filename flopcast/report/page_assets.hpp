#pragma once

#include <string_view>

/// Texts that each page contains. The build makes them of files (embed_texts.cmake). Those of npm packages are empty where
/// scripts/fetch_page_assets hasn't fetched the packages.
namespace flopcast::report::assets {

extern const std::string_view page_css, page_js;
extern const std::string_view uplot_js, uplot_css, uplot_licence;
extern const std::string_view sortable_js, sortable_licence;

}  // namespace flopcast::report::assets
