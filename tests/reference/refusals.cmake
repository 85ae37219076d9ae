# What carom-reference must refuse or fail, with the exit status and words that tell why. RUNNER, WORK_DIR.
set(good "\"id\": \"X-1\", \"family\": \"C-DELASSUS\", \"outputs\": [\"acceleration\"]")
set(data "\"parameters\": {\"G\": [[1, 0]], \"f\": [-1, 2]}")
set(answer "\"reference\": [{\"name\": \"acceleration\", \"value\": [0, 2], \"tol\": 1e-12}]")

# expect(NAME CONTENT STATUS WORDS [OPTIONS]): runs the file with this content.
function(expect name content status words)
  set(file ${WORK_DIR}/${name}.json)
  file(WRITE ${file} "${content}")
  execute_process(COMMAND ${RUNNER} --cases ${file} ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE out ERROR_VARIABLE err)
  string(FIND "${out}${err}" "${words}" found)
  if(NOT result STREQUAL "${status}" OR found EQUAL -1)
    message(SEND_ERROR "${name}: exit status ${result}, expected ${status} and `${words}` in\n${out}${err}")
  endif()
endfunction()

# the same case, right and then wrong in one place each
expect(right "{\"cases\": [{${good}, ${data}, ${answer}}]}" 0 "1 passed, 0 failed, 0 without a driver")
expect(list_alone "[{${good}, ${data}, ${answer}}]" 0 "\"pass\":true")
expect(no_driver "[{\"id\": \"X-1\", \"family\": \"X\", \"outputs\": [\"a\"], ${data},
                    \"reference\": [{\"name\": \"a\", \"value\": 1, \"tol\": 0}]}]" 1 "there is no driver for family X")
expect(wrong_value "[{${good}, ${data}, \"reference\": [{\"name\": \"acceleration\", \"value\": [0, 2.1], \"tol\": 0.01}]}]"
       1 "\"pass\":false")
expect(wrong_shape "[{${good}, ${data}, \"reference\": [{\"name\": \"acceleration\", \"value\": 2, \"tol\": 9}]}]" 1
       "differ in shape")
expect(wrong_length "[{${good}, ${data}, \"reference\": [{\"name\": \"acceleration\", \"value\": [0], \"tol\": 9}]}]" 1
       "differ in shape")
expect(unknown_output "[{\"id\": \"X-1\", \"family\": \"C-DELASSUS\", \"outputs\": [\"colour\"], ${data},
                         \"reference\": [{\"name\": \"colour\", \"value\": 1, \"tol\": 9}]}]" 1 "does not know this output")
expect(not_asked "[{\"id\": \"X-1\", \"family\": \"C-DELASSUS\", \"outputs\": [], ${data}, ${answer}}]" 1
       "does not know this output")
expect(no_reference "[{${good}, ${data}, \"reference\": []}]" 1 "gives no reference")
expect(missing_parameter "[{${good}, \"parameters\": {\"f\": [-1, 2]}, ${answer}}]" 1 "no parameter G")
expect(ragged_matrix "[{${good}, \"parameters\": {\"G\": [[1, 0], [1]], \"f\": [-1, 2]}, ${answer}}]" 1 "differ in length")
expect(text_for_number "[{${good}, \"parameters\": {\"G\": [[1, 0]], \"f\": [\"a\", 2]}, ${answer}}]" 1 "not a number")
expect(bad_instant "[{\"id\": \"X-1\", \"family\": \"B-CE6\", \"outputs\": [\"q(abc)\"],
                      \"parameters\": {\"f\": 2, \"e\": 0.5, \"q0\": -1, \"v0\": 0},
                      \"reference\": [{\"name\": \"q(abc)\", \"value\": 1, \"tol\": 9}]}]" 1 "is no number")
expect(restitution_above_one "[{\"id\": \"X-1\", \"family\": \"B-CE6\", \"outputs\": [\"q(1)\"],
                      \"parameters\": {\"f\": 2, \"e\": 2, \"q0\": -1, \"v0\": 0},
                      \"reference\": [{\"name\": \"q(1)\", \"value\": 1, \"tol\": 9}]}]" 1 "restitution")

# files that are no cases: exit status 2
expect(empty "" 2 "empty")
expect(no_json "{\"cases\": [" 2 "parse error")
expect(too_large_number "[{${good}, \"parameters\": {\"f\": 1e999}, ${answer}}]" 2 "number overflow")
expect(no_cases "{\"n_cases\": 1}" 2 "no list of cases")
expect(no_object "[3]" 2 "not an object")
expect(no_family "[{\"id\": \"X-1\", \"outputs\": [\"acceleration\"], ${data}, ${answer}}]" 2 "family is missing")
expect(bad_outputs "[{\"id\": \"X-1\", \"family\": \"X\", \"outputs\": 3, ${data}, ${answer}}]" 2 "outputs is `3`")
expect(bad_tolerance "[{${good}, ${data}, \"reference\": [{\"name\": \"a\", \"value\": 1, \"tol\": -1}]}]" 2 "tol is `-1`")
expect(bad_step "[{${good}, ${data}, ${answer}, \"h_ts\": 0}]" 2 "h_ts is zero")
expect(twice "[{${good}, ${data}, ${answer}}, {${good}, ${data}, ${answer}}]" 2 "two cases have the id")
expect(unknown_id "[{${good}, ${data}, ${answer}}]" 2 "perhaps X-1" X-2)
expect(unknown_integrator "[{${good}, ${data}, ${answer}}]" 2 "does not know the integrator" --integrator magic)
expect(unknown_form "[{${good}, ${data}, ${answer}}]" 2 "not written as `clouds`" --as clouds)
expect(series_of_bodies "[{${good}, ${data}, ${answer}}]" 2 "not integrated by power series" --as bodies --integrator series)
expect(no_bodies "[{${good}, ${data}, ${answer}}]" 1 "0 passed, 0 failed, 1 without a driver" --as bodies)
expect(list_only "[{\"id\": \"X-1\", \"family\": \"X\", \"outputs\": [], ${data}, ${answer}}]" 0 "no driver" --list)
execute_process(COMMAND ${RUNNER} --cases ${WORK_DIR}/there_is_no_such_file.json RESULT_VARIABLE result ERROR_QUIET)
if(NOT result EQUAL 2)
  message(SEND_ERROR "a missing file: exit status ${result}, expected 2")
endif()
