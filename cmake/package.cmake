# Debian packages and an archive of all that is installed, by CPack. ./package makes them. Each component of the install rules is a package
# of the same name; cmake/package/<name>/ has what Debian wants besides. cmake/package/finish.cmake completes the files of either kind.
set(CPACK_COMPONENTS_ALL flopcast flopcast-doc flopcast-mpi-mpich flopcast-mpi-openmpi flopcast-simgrid libflopcast-dev libflopcast1 python3-flopcast)
get_cmake_property(components COMPONENTS)
foreach(component IN LISTS components)
  if(NOT component IN_LIST CPACK_COMPONENTS_ALL)
    message(FATAL_ERROR "An install rule has the component '${component}'. Give the rule a component of cmake/package.cmake, so that a package has its files")
  endif()
endforeach()

option(FLOPCAST_PACKAGE "Prepare Debian packages, which need every part of flopcast" OFF)
if(NOT FLOPCAST_PACKAGE)
  return()
endif()
if(NOT FLOPCAST_PYTHON OR NOT FLOPCAST_SITE OR NOT FLOPCAST_SMPIMAIN OR NOT FLOPCAST_MPIS STREQUAL "openmpi;mpich")
  message(FATAL_ERROR "FLOPCAST_PACKAGE needs the Python package, the site, Open MPI, MPICH and SimGrid. Run scripts/install_packages build package")
endif()

set(CPACK_PACKAGE_NAME flopcast)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_FILE_NAME flopcast-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})  # of the archive, and its top folder
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/package/finish.cmake)
set(CPACK_FLOPCAST_SOURCE_DIR ${PROJECT_SOURCE_DIR})
set(CPACK_FLOPCAST_LIBDIR ${CMAKE_INSTALL_LIBDIR})

set(FLOPCAST_MAINTAINER "flopcast authors <flopcast@example.org>" CACHE STRING "Maintainer of the Debian packages: name and address")
set(CPACK_PACKAGE_CONTACT ${FLOPCAST_MAINTAINER})

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SOURCE flopcast)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # the first line of each description is the package's own

set(version ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
set(same "(= ${version})")

# Describes the Debian package of a component: `summary`, one line without a verb; TEXT, what follows; SECTION; the RELATIONS to other packages as
# pairs like `DEPENDS "a, b"`; the extra CONTROL files.
function(flopcast_debian_package name summary)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "TEXT;SECTION;ARCHITECTURE;DEPENDS;RECOMMENDS;SUGGESTS" "CONTROL")
  string(TOUPPER ${name} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name} PARENT_SCOPE)
  string(REGEX REPLACE "\n *" "\n" text "${arg_TEXT}")
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${summary}\n${text}" PARENT_SCOPE)
  foreach(field SECTION ARCHITECTURE DEPENDS RECOMMENDS SUGGESTS)
    if(arg_${field})
      set(CPACK_DEBIAN_${upper}_PACKAGE_${field} "${arg_${field}}" PARENT_SCOPE)
    endif()
  endforeach()
  if(arg_CONTROL)
    set(CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA "${arg_CONTROL}" PARENT_SCOPE)
  endif()
endfunction()

set(what "flopcast times the kernels of BLAS and LAPACK on a machine. From these times
          it predicts and tunes LAPACK routines, algorithm variants, tensor
          contractions, whole programs and MPI programs without running them.")
set(blas "libopenblas0-serial | libopenblas0-pthread | libblis4-serial, liblapack3")

flopcast_debian_package(flopcast "performance prediction and tuning of dense linear algebra"
  TEXT "${what}

        This package has the program flopcast, its manual pages, and the libraries
        that trace unmodified programs from the inside of their processes."
  RECOMMENDS "${blas}"
  SUGGESTS "flopcast-mpi-openmpi | flopcast-mpi-mpich, flopcast-simgrid, python3-flopcast, libflopcast-dev, flopcast-doc, gnuplot-nox")

flopcast_debian_package(flopcast-mpi-openmpi "critical paths and tuning of programs on Open MPI"
  TEXT "${what}

        This package lets flopcast trace and tune programs that run on Open MPI."
  DEPENDS "flopcast ${same}" RECOMMENDS openmpi-bin)

flopcast_debian_package(flopcast-mpi-mpich "critical paths and tuning of programs on MPICH"
  TEXT "${what}

        This package lets flopcast trace and tune programs that run on MPICH."
  DEPENDS "flopcast ${same}" RECOMMENDS mpich)

flopcast_debian_package(flopcast-simgrid "simulation of MPI programs on machines of any size"
  TEXT "${what}

        This package lets flopcast simulate MPI programs with many processes on one
        computer. SimGrid's SMPI runs them, and flopcast predicts their kernels."
  DEPENDS "flopcast ${same}, libsimgrid-dev")

flopcast_debian_package(libflopcast1 "performance prediction of dense linear algebra, C library"
  TEXT "${what}

        This package has the shared library with the interface for C programs. It
        plans and runs tensor contractions and knows tuned block sizes." SECTION libs
  RECOMMENDS "flopcast ${same}, ${blas}"
  CONTROL ${PROJECT_SOURCE_DIR}/cmake/package/libflopcast1/triggers ${PROJECT_BINARY_DIR}/package/shlibs)
file(CONFIGURE OUTPUT package/shlibs CONTENT "libflopcast 1 libflopcast1 (>= @PROJECT_VERSION@)\n")

flopcast_debian_package(libflopcast-dev "performance prediction of dense linear algebra, development files"
  TEXT "${what}

        This package has the headers of the C and C++ interfaces, the static C++
        libraries, the sources of the Fortran modules, and the files with which CMake
        and pkg-config find them." SECTION libdevel
  DEPENDS "libflopcast1 ${same}, libfmt-dev, libeigen3-dev, libhwloc-dev, libpugixml-dev, libsqlite3-dev, nlohmann-json3-dev, pkg-config"
  RECOMMENDS "flopcast ${same}" SUGGESTS "flopcast-doc, cmake")

execute_process(COMMAND ${FLOPCAST_PYTHON_PROGRAM} -c "import sys; print('{}.{} {}.{}'.format(*sys.version_info[:2], sys.version_info[0], sys.version_info[1] + 1), end='')"
                OUTPUT_VARIABLE pythons COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(pythons)
list(GET pythons 0 python)
list(GET pythons 1 next_python)
set(folder ${PROJECT_SOURCE_DIR}/cmake/package/python3-flopcast)
flopcast_debian_package(python3-flopcast "performance prediction of dense linear algebra, Python package"
  TEXT "${what}

        This package has einsum and tensordot for NumPy arrays, which choose the
        fastest way by predicted time, and every command of flopcast as a function." SECTION python
  DEPENDS "flopcast ${same}, python3 (>= ${python}), python3 (<< ${next_python}), python3-numpy"
  RECOMMENDS "${blas}" SUGGESTS "python3-pandas, python3-matplotlib, python3-opt-einsum"
  CONTROL ${folder}/postinst ${folder}/prerm)
# pip and other packages see by this file that flopcast is there.
file(CONFIGURE OUTPUT package/METADATA CONTENT "Metadata-Version: 2.1\nName: flopcast\nVersion: @PROJECT_VERSION@\nSummary: @PROJECT_DESCRIPTION@\nRequires-Dist: numpy\n")
install(FILES ${PROJECT_BINARY_DIR}/package/METADATA DESTINATION ${FLOPCAST_PYTHON_FOLDER}/flopcast-${PROJECT_VERSION}.dist-info COMPONENT python3-flopcast)

flopcast_debian_package(flopcast-doc "performance prediction of dense linear algebra, documentation"
  TEXT "${what}

        This package has tutorials, how-tos, reference and explanations as HTML, with
        pages of every C++ and C header and of the Python package, and examples in C,
        C++, Fortran and Python." SECTION doc ARCHITECTURE all)
set(CPACK_DEBIAN_FLOPCAST-DOC_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_LIBFLOPCAST1_PACKAGE_SHLIBDEPS OFF)  # finish.cmake finds its dependencies

set(FLOPCAST_RELEASE ${version})
string(TIMESTAMP FLOPCAST_PACKAGE_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC)  # that of SOURCE_DATE_EPOCH, if set
configure_file(cmake/package/changelog.in package/changelog @ONLY)
set(CPACK_FLOPCAST_CHANGELOG ${PROJECT_BINARY_DIR}/package/changelog)
include(CPack)
