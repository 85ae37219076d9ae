# PROGRAM prints the texts that go with it into FOLDER: manual page, completions, schema of scenes.
file(MAKE_DIRECTORY "${FOLDER}")

function(print_text file)
  execute_process(COMMAND "${PROGRAM}" ${ARGN} OUTPUT_FILE "${FOLDER}/${file}" RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "carom ${ARGN}: ${status}")
  endif()
endfunction()

print_text(carom.1 manual)
print_text(carom completion bash)
print_text(_carom completion zsh)
print_text(scene.schema.json schema)
