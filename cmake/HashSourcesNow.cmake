# Writes HEADER with a hash of the files in LIST, by their paths below ROOT (see HashSources.cmake).
file(STRINGS ${LIST} files)
set(hashes "")
foreach(file IN LISTS files)
  file(SHA256 ${file} hash)
  file(RELATIVE_PATH path ${ROOT} ${file})
  string(APPEND hashes "${path} ${hash}\n")
endforeach()
string(SHA256 hash "${hashes}")
string(SUBSTRING ${hash} 0 8 hash)
file(CONFIGURE OUTPUT ${HEADER} CONTENT "#pragma once\n#define QUANTSCOPE_SOURCE_HASH \"${hash}\"\n"
     @ONLY)
