# A package for Debian 12: program, library, headers, schema, manual page and Python package. `./package` makes it.
# packed is what was built; tests need not be
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
set(CPACK_PACKAGE_NAME carom)
set(CPACK_PACKAGE_VENDOR "The carom authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "The carom authors <carom@localhost>")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
if(CAROM_PYTHON_MODULE)
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "python3 (>= 3.11), python3 (<< 3.12), python3-numpy")
endif()
# the library is static: who links it needs these; who draws or tabulates needs those
set(CPACK_DEBIAN_PACKAGE_SUGGESTS
    "libeigen3-dev, libfmt-dev, libtomlplusplus-dev, libhdf5-dev, zlib1g-dev, liburdfdom-dev, libtbb-dev, python3-matplotlib, python3-pandas, python3-xarray, python3-scipy")
include(CPack)
