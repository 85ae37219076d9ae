# Installs a build tree into a folder of its own, then configures, builds and runs the project beside this file with it.
#   cmake -D BUILD_DIR=... -D WORK_DIR=... -D CXX=... -D CXX_FLAGS=... -D BUILD_TYPE=... -D EXAMPLES=... -P run.cmake
cmake_minimum_required(VERSION 3.25)

function(run what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${what} failed (${status}):\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})
run("installing" ${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/prefix)

# the outside project finds nothing but the installed files
run("configuring the outside project"
    ${CMAKE_COMMAND} -G Ninja -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK_DIR}/build -D CMAKE_PREFIX_PATH=${WORK_DIR}/prefix
    -D CMAKE_CXX_COMPILER=${CXX} -D CMAKE_CXX_FLAGS=${CXX_FLAGS} -D CMAKE_BUILD_TYPE=${BUILD_TYPE} -D EXAMPLES=${EXAMPLES})
run("building the outside project" ${CMAKE_COMMAND} --build ${WORK_DIR}/build)
run("running the outside project" ${WORK_DIR}/build/outside)
file(READ ${WORK_DIR}/build/examples.txt examples)
if(NOT examples)
  message(FATAL_ERROR "there are no examples in ${EXAMPLES}")
endif()
foreach(example ${examples})
  run("running ${example}" ${WORK_DIR}/build/${example})
endforeach()

# no installed file may lead back to the source or build folder
file(GLOB package_files ${WORK_DIR}/prefix/lib*/cmake/carom/*.cmake ${WORK_DIR}/prefix/lib*/*/cmake/carom/*.cmake)
if(NOT package_files)
  message(FATAL_ERROR "no package files were installed")
endif()
foreach(file ${package_files})
  file(READ ${file} text)
  string(FIND "${text}" "${BUILD_DIR}" place)
  if(NOT place EQUAL -1)
    message(FATAL_ERROR "${file} names the build folder ${BUILD_DIR}")
  endif()
endforeach()

# manual page, completions and the schema of scenes are where people and shells look for them
foreach(text man/man1/carom.1 bash-completion/completions/carom zsh/site-functions/_carom carom/scene.schema.json)
  file(SIZE ${WORK_DIR}/prefix/share/${text} size)
  if(size LESS 500)
    message(FATAL_ERROR "share/${text} has ${size} bytes")
  endif()
endforeach()
