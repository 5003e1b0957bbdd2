# quantscope_embed(TARGET FILE...): makes each file's bytes available as
#   std::string_view quantscope::resources::NAME()
# through the generated header "resources/NAME.h", where NAME is the file's name with every
# character that is not a letter or digit turned into an underscore.
function(quantscope_embed target)
  foreach(file IN LISTS ARGN)
    get_filename_component(path ${file} ABSOLUTE)
    get_filename_component(name ${file} NAME)
    string(REGEX REPLACE "[^A-Za-z0-9]" "_" symbol ${name})
    set(directory ${CMAKE_CURRENT_BINARY_DIR}/embedded/resources)
    add_custom_command(
      OUTPUT ${directory}/${symbol}.cpp ${directory}/${symbol}.h
      COMMAND ${CMAKE_COMMAND} -DINPUT=${path} -DSYMBOL=${symbol} -DDIRECTORY=${directory}
              -P ${PROJECT_SOURCE_DIR}/cmake/EmbedFile.cmake
      DEPENDS ${path} ${PROJECT_SOURCE_DIR}/cmake/EmbedFile.cmake
      COMMENT "Embedding ${name}"
      VERBATIM)
    target_sources(${target} PRIVATE ${directory}/${symbol}.cpp ${directory}/${symbol}.h)
  endforeach()
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/embedded)
endfunction()
