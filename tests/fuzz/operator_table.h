#pragma once

#include <string>
#include <utility>
#include <vector>

namespace quantscope::test {

/// An operator and the attributes that it may have.
struct OperatorForm {
  std::string op;  ///< with its domain in front where that is not ai.onnx
  std::vector<std::pair<char, std::string>> attributes;  ///< kind and name
};

/// The operators that the engine runs, except control flow.
const std::vector<OperatorForm>& operatorForms();

}  // namespace quantscope::test
