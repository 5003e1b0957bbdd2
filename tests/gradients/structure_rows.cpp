// Operators that move, gather and reduce elements.

#include "gradients/operator_rows.h"

namespace quantscope::test {
namespace {

const GradientRow kStructure[]{
    {"Identity", "input x:real[2,3]\ny = Identity(x)\noutput y"},
    {"Dropout", "input x:real[2,3]\ny = Dropout(x)\noutput y"},
    {"Reshape", "input x:real[2,6]\ns:int64[2]{3, -1}\ny = Reshape(x, s)\noutput y"},
    {"Flatten", "input x:real[2,3,4]\ny = Flatten(x)\noutput y"},
    {"Squeeze", "input x:real[2,1,4]\na:int64[1]{1}\ny = Squeeze(x, a)\noutput y"},
    {"Unsqueeze", "input x:real[2,4]\na:int64[1]{1}\ny = Unsqueeze(x, a)\noutput y"},
    {"Cast", "input x:real[2,4]\ny = Cast(x) to=11\noutput y"},
    {"Transpose", "input x:real[2,3,4]\ny = Transpose(x) perm=[2,0,1]\noutput y"},
    {"Transpose, reversed", "input x:real[2,3,4]\ny = Transpose(x)\noutput y"},
    {"Concat", "input a:real[2,1,4]\ninput b:real[2,3,4]\ny = Concat(a, b, a) axis=1\noutput y"},
    {"Split",
     "input x:real[5,4]\ns:int64[2]{2, 3}\na, b = Split(x, s)\ny = Relu(a)\noutput y\noutput b"},
    {"Split, one half unread", "input x:real[4,4]\na, b = Split(x)\noutput b"},
    {"Slice",
     "input x:real[5,6]\ns:int64[2]{4, 1}\ne:int64[2]{0, 6}\na:int64[2]{0, 1}\nt:int64[2]{-2, 2}\n"
     "y = Slice(x, s, e, a, t)\noutput y"},
    {"Slice by attributes",
     "input x:real[5,6]\ny = Slice(x) starts=[1] ends=[4] axes=[0]\noutput y", Numbers::Signed, 9},
    {"Expand", "input x:real[3,1]\ns:int64[3]{2, 1, 4}\ny = Expand(x, s)\noutput y"},
    {"Tile", "input x:real[2,3]\nr:int64[2]{3, 2}\ny = Tile(x, r)\noutput y"},
    {"Pad", "input x:real[2,3]\np:int64[4]{1, 0, 2, 1}\ny = Pad(x, p)\noutput y"},
    {"Pad with a number",
     "input x:real[2,3]\np:int64[4]{1, 0, 2, 1}\nv:real[]{3}\ny = Pad(x, p, v)\noutput y"},
    {"Pad that cuts", "input x:real[4,3]\np:int64[4]{-1, 0, 2, -1}\ny = Pad(x, p)\noutput y"},
    {"Pad, reflecting",
     "input x:real[1,1,4,5]\np:int64[8]{0, 0, 1, 2, 0, 0, 2, 1}\n"
     "y = Pad(x, p) mode=\"reflect\"\noutput y"},
    {"Pad, repeating edges",
     "input x:real[3,4]\np:int64[4]{1, 2, 0, 1}\ny = Pad(x, p) mode=\"edge\"\noutput y"},
    {"Pad by attributes", "input x:real[2,3]\ny = Pad(x) pads=[1,0,2,1] value=3.0\noutput y",
     Numbers::Signed, 2},
    {"DepthToSpace",
     "input x:real[1,8,2,3]\ny = DepthToSpace(x) blocksize=2 mode=\"CRD\"\noutput y"},
    {"SpaceToDepth", "input x:real[1,2,4,6]\ny = SpaceToDepth(x) blocksize=2\noutput y"},
    {"Gather", "input x:real[4,3]\ni:int64[2,2]{3, 0, 0, -1}\ny = Gather(x, i)\noutput y"},
    {"Gather along the last axis",
     "input x:real[2,4]\ni:int64[3]{3, 3, 1}\ny = Gather(x, i) axis=1\noutput y"},
    {"GatherElements",
     "input x:real[3,2]\ni:int64[2,2]{2, 0, 2, 1}\ny = GatherElements(x, i) axis=0\noutput y"},
    {"GatherND", "input x:real[3,2,2]\ni:int64[2,2]{2, 0, 2, 0}\ny = GatherND(x, i)\noutput y"},
    {"ReverseSequence", "input x:real[4,2]\nn:int64[2]{3, 2}\ny = ReverseSequence(x, n)\noutput y"},
    {"Trilu", "input x:real[4,4]\ny = Trilu(x)\noutput y"},
    {"Crop", "input x:real[1,2,5,6]\ny = Crop(x) border=[1,0,2,1]\noutput y", Numbers::Signed, 7},
    {"ScatterND",
     "input x:real[4,3]\ninput u:real[2,3]\ni:int64[2,1]{3, 0}\ny = ScatterND(x, i, u)\noutput y"},
    {"ScatterElements",
     "input x:real[3,3]\ninput u:real[1,2]\ni:int64[1,2]{2, 0}\n"
     "y = ScatterElements(x, i, u) axis=1\noutput y"},
    {"ReduceSum", "input x:real[2,3,4]\na:int64[1]{1}\ny = ReduceSum(x, a)\noutput y"},
    {"ReduceSum of all", "input x:real[2,3,4]\ny = ReduceSum(x) keepdims=0\noutput y"},
    {"ReduceMean", "input x:real[2,3,4]\ny = ReduceMean(x) axes=[0,2] keepdims=0\noutput y"},
    {"ReduceL1", "input x:real[2,3,4]\ny = ReduceL1(x) axes=[1]\noutput y"},
    {"ReduceL2", "input x:real[2,3,4]\ny = ReduceL2(x) axes=[1]\noutput y"},
    {"ReduceSumSquare", "input x:real[2,3,4]\ny = ReduceSumSquare(x) axes=[-1]\noutput y"},
    {"ReduceLogSum", "input x:real[2,3,4]\ny = ReduceLogSum(x) axes=[1]\noutput y",
     Numbers::Positive},
    {"ReduceLogSumExp", "input x:real[2,3,4]\ny = ReduceLogSumExp(x) axes=[0,2]\noutput y"},
    {"ReduceMax", "input x:real[3,4,5]\ny = ReduceMax(x) axes=[0,2]\noutput y", Numbers::Distinct},
    {"ReduceMin", "input x:real[3,4,5]\ny = ReduceMin(x) axes=[1] keepdims=0\noutput y",
     Numbers::Distinct},
    {"Softmax", "input x:real[2,3,4]\ny = Softmax(x) axis=1\noutput y"},
    {"Softmax, flattening", "input x:real[2,3,4]\ny = Softmax(x) axis=1\noutput y", Numbers::Signed,
     11},
    {"LogSoftmax", "input x:real[2,3,4]\ny = LogSoftmax(x)\noutput y"},
    {"Resize, nearest",
     "input x:real[1,2,3,4]\ns:float[4]{1, 1, 2, 1.5}\ny = Resize(x, , s)\noutput y"},
    {"Resize, linear",
     "input x:real[1,2,3,4]\ns:float[4]{1, 1, 2, 1.5}\ny = Resize(x, , s) mode=\"linear\"\noutput "
     "y"},
    {"Resize, cubic",
     "input x:real[1,2,4,5]\nz:int64[4]{1, 2, 7, 3}\ny = Resize(x, , , z) mode=\"cubic\"\noutput "
     "y"},
    {"Upsample", "input x:real[1,2,3,4]\ns:float[4]{1, 1, 2, 2}\ny = Upsample(x, s)\noutput y",
     Numbers::Signed, 9},
};

}  // namespace

std::span<const GradientRow> structureRows() {
  return kStructure;
}

}  // namespace quantscope::test
