# quantscope_hash_sources(TARGET HEADER FILE...): a header that defines QUANTSCOPE_SOURCE_HASH, the
# first eight hexadecimal digits of a hash of the files' paths and contents. It is made while TARGET
# is built and written only where the value changes, so that a change compiles again what includes
# it and nothing else.
function(quantscope_hash_sources target header)
  set(files ${ARGN})
  list(SORT files)
  # The list is a file that the command depends on: a file that is gone changes the hash as well.
  string(REPLACE ";" "\n" lines "${files}")
  file(CONFIGURE OUTPUT ${header}.list CONTENT "${lines}\n" @ONLY)
  add_custom_command(
    OUTPUT ${header}.stamp
    BYPRODUCTS ${header}
    COMMAND ${CMAKE_COMMAND} -DLIST=${header}.list -DROOT=${PROJECT_SOURCE_DIR} -DHEADER=${header}
            -P ${PROJECT_SOURCE_DIR}/cmake/HashSourcesNow.cmake
    COMMAND ${CMAKE_COMMAND} -E touch ${header}.stamp
    DEPENDS ${files} ${header}.list ${PROJECT_SOURCE_DIR}/cmake/HashSourcesNow.cmake
    COMMENT "Hashing the sources"
    VERBATIM)
  target_sources(${target} PRIVATE ${header}.stamp)
endfunction()
