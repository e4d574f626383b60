# `find_package(flopcast)` for other projects: the exported libraries and what they need. Packages and pkg-config modules beyond fmt and
# nlohmann-json are those that the folders' libraries link.
include(CMakePackageConfigHelpers)

set(FLOPCAST_PACKAGES Eigen3 SQLite3 Threads)
set(FLOPCAST_MODULES hwloc)
get_property(components GLOBAL PROPERTY flopcast_components)
list(JOIN components ", " FLOPCAST_COMPONENTS)
set(destination ${CMAKE_INSTALL_LIBDIR}/cmake/flopcast)
configure_package_config_file(cmake/flopcast-config.cmake.in ${PROJECT_BINARY_DIR}/flopcast-config.cmake INSTALL_DESTINATION ${destination})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/flopcast-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/flopcast-config.cmake ${PROJECT_BINARY_DIR}/flopcast-config-version.cmake DESTINATION ${destination})
install(EXPORT flopcast NAMESPACE flopcast:: FILE flopcast-targets.cmake DESTINATION ${destination})
