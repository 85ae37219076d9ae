# Includes go one way: a file of a module includes its own module and those it stands on, and no other.
#   cmake -D SOURCE_DIR=... -D GRAPH=... -P check_includes.cmake
# GRAPH is a file written while configuring, from the carom_module() calls of src/CMakeLists.txt: it sets
# `modules`, and for each of them `allowed_<module>`.
cmake_minimum_required(VERSION 3.25)
include(${GRAPH})

set(wrong)
set(counted 0)
file(GLOB folders LIST_DIRECTORIES true ${SOURCE_DIR}/include/carom/* ${SOURCE_DIR}/src/*)
foreach(folder ${folders})
  if(NOT IS_DIRECTORY ${folder})
    continue()
  endif()
  get_filename_component(module ${folder} NAME)
  file(GLOB_RECURSE files ${folder}/*.hpp ${folder}/*.cpp)

  # a folder with code must have been declared, or nobody would build or look at it
  if(files AND NOT module IN_LIST modules)
    string(APPEND wrong "  ${folder} is no module of src/CMakeLists.txt\n")
    continue()
  endif()

  foreach(file ${files})
    # headers of the interface as <carom/module/...>, those inside the library as "module/..."
    file(STRINGS ${file} lines REGEX "^[ \t]*#[ \t]*include[ \t]*([\"<]carom/|\"[a-z_]+/)")
    foreach(line ${lines})
      string(REGEX REPLACE "^[^\"<]*[\"<](carom/)?([^\">]*)[\">].*$" "\\2" header "${line}")
      string(REGEX REPLACE "/.*$" "" included "${header}")
      math(EXPR counted "${counted} + 1")
      if(NOT included IN_LIST allowed_${module})
        file(RELATIVE_PATH shown ${SOURCE_DIR} ${file})
        string(APPEND wrong "  ${shown} includes ${header}, but ${module} does not stand on ${included}\n")
      endif()
    endforeach()
  endforeach()
endforeach()

if(counted EQUAL 0)
  message(FATAL_ERROR "no include of a carom header was seen below ${SOURCE_DIR}: nothing was checked")
endif()
if(wrong)
  message(FATAL_ERROR "includes must go one way (docs/decisions/modules.md):\n${wrong}")
endif()
message(STATUS "${counted} includes go one way")
