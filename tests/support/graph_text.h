#pragma once

#include <memory>
#include <string_view>

#include "graph/graph.h"

namespace quantscope::test {

/// A small graph from text, one line each; blank lines and lines that start with '#' do not count.
///
///     opset 17                                    # of ai.onnx; default: the argument
///     opset com.microsoft 1
///     input x:float[batch,3,8,8]                  # numbers, symbols or ? for unknown
///     w:float[4,3,3,3]                            # a constant with made-up elements
///     b:float[4]{1, 0.5, -1, 0}                   # a constant with given ones
///     y = Conv(x, w, b) strides=[1,1] auto_pad="SAME_UPPER" @block/conv
///     z:float[batch,4,8,8] = Clip(y, , high:float[]{6})    # omitted input; constant in place
///     values, _ = TopK(z, k:int64[1]{1})          # omitted output
///     s = com.microsoft.FusedThing(z)             # domain.Operator
///     r = If(condition) then={
///       t = Relu(z)                               # outer values are visible
///       output t
///     } else={
///       u = Neg(z)
///       output u
///     }
///     output s
///
/// "@NAME" is the node's name; without it the importer's rule makes one from operator and first
/// output: "Conv_y". Nodes of a body are named "PARENT/then/NAME"; constants and values in it keep
/// their names, which must be unique over the whole text. Without an "output" line the outputs are
/// the values that nobody reads, in order. Nodes get their version from the importer's table,
/// and values the types that shape inference finds.
/// How constants, types and attributes are written: text_literals.h.
/// Throws std::invalid_argument, naming the line, for text that does not fit.
std::shared_ptr<const Graph> graphFromText(std::string_view text, int opset = 17);

}  // namespace quantscope::test
