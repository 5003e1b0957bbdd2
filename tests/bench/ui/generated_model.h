#pragma once

#include <cstddef>
#include <string>

namespace quantscope::bench {

/// The bytes of an ONNX model of so many nodes: a chain of blocks of branches that meet again, as
/// in residual networks, in no scopes; the same for the same number.
std::string generatedModel(std::size_t nodes);

}  // namespace quantscope::bench
