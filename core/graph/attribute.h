#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "tensor/tensor.h"

namespace quantscope {

/// A named constant of a node. Sub-graphs are not attributes here: see Node::bodies.
struct Attribute {
  using Data = std::variant<std::int64_t, float, std::string, Tensor, std::vector<std::int64_t>,
                            std::vector<float>, std::vector<std::string>>;

  std::string name;
  Data data;
};

}  // namespace quantscope
