#pragma once

#include <string>

namespace quantscope::test {

/// A `.npy` file as numpy.lib.format describes it.
inline std::string npyBytes(const std::string& dictionary, const std::string& elements,
                            char version = 1) {
  const std::size_t size = dictionary.size() + 1;
  std::string length{static_cast<char>(size & 0xFF), static_cast<char>(size >> 8)};
  if (version > 1) length.append(2, '\0');
  return std::string("\x93NUMPY") + version + '\0' + length + dictionary + "\n" + elements;
}

/// The header's dictionary; `shape` as Python writes it: "(2, 3)".
inline std::string npyDictionary(const std::string& type, const std::string& shape,
                                 const std::string& fortran = "False") {
  return "{'descr': '" + type + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }";
}

}  // namespace quantscope::test
