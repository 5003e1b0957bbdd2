# Writes INPUT as a byte array: DIRECTORY/SYMBOL.cpp and .h (see EmbedResources.cmake).
file(READ ${INPUT} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${DIRECTORY}/${SYMBOL}.h
"#pragma once
#include <string_view>
namespace quantscope::resources {
std::string_view ${SYMBOL}();
}
")
file(WRITE ${DIRECTORY}/${SYMBOL}.cpp
"#include \"resources/${SYMBOL}.h\"
namespace quantscope::resources {
static const unsigned char kBytes[] = {${bytes}0};
std::string_view ${SYMBOL}() {
  return {reinterpret_cast<const char*>(kBytes), sizeof(kBytes) - 1};
}
}
")
