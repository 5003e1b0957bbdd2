// Layers: convolutions, products, pooling, normalization, recurrence.

#include "gradients/operator_rows.h"

namespace quantscope::test {
namespace {

const GradientRow kLayers[]{
    {"Conv",
     "input x:real[2,3,7,6]\ninput w:real[4,3,3,3]\ninput b:real[4]\n"
     "y = Conv(x, w, b) pads=[1,1,1,1]\noutput y"},
    {"Conv, strided and dilated",
     "input x:real[1,4,9,8]\ninput w:real[8,4,3,2]\n"
     "y = Conv(x, w) strides=[2,1] dilations=[1,2] pads=[0,1,1,1]\noutput y"},
    {"Conv 1x1", "input x:real[2,16,5,5]\ninput w:real[8,16,1,1]\ny = Conv(x, w)\noutput y"},
    {"Conv 1x1, strided",
     "input x:real[2,16,5,5]\ninput w:real[8,16,1,1]\ny = Conv(x, w) strides=[2,2]\noutput y"},
    {"Conv, depthwise",
     "input x:real[1,16,7,7]\ninput w:real[16,1,3,3]\ninput b:real[16]\n"
     "y = Conv(x, w, b) group=16 pads=[1,1,1,1] strides=[2,2]\noutput y"},
    {"Conv, grouped",
     "input x:real[1,8,5,5]\ninput w:real[12,4,3,3]\ny = Conv(x, w) group=2\noutput y"},
    {"Conv with SAME_UPPER",
     "input x:real[1,3,7,8]\ninput w:real[4,3,4,3]\n"
     "y = Conv(x, w) auto_pad=\"SAME_UPPER\" strides=[2,2]\noutput y"},
    {"Conv of one axis",
     "input x:real[2,3,11]\ninput w:real[4,3,5]\ny = Conv(x, w) pads=[2,2]\noutput y"},
    {"Conv of three axes",
     "input x:real[1,2,4,5,4]\ninput w:real[3,2,2,3,2]\ny = Conv(x, w)\noutput y"},
    {"Conv, padding beyond the input",
     "input x:real[1,2,3,3]\ninput w:real[3,2,2,2]\n"
     "y = Conv(x, w) pads=[3,3,3,3]\noutput y"},
    {"ConvTranspose",
     "input x:real[1,4,5,4]\ninput w:real[4,3,3,3]\ninput b:real[3]\n"
     "y = ConvTranspose(x, w, b) strides=[2,2] pads=[1,1,1,1] output_padding=[1,0]\noutput y"},
    {"ConvTranspose, grouped",
     "input x:real[1,8,4,4]\ninput w:real[8,3,3,3]\n"
     "y = ConvTranspose(x, w) group=2\noutput y"},
    {"ConvTranspose, dilated",
     "input x:real[1,4,5,4]\ninput w:real[4,2,3,3]\n"
     "y = ConvTranspose(x, w) dilations=[2,1] pads=[1,0,1,2]\noutput y"},
    {"MatMul", "input a:real[5,4]\ninput b:real[4,3]\ny = MatMul(a, b)\noutput y"},
    {"MatMul of a stack by a matrix",
     "input a:real[2,3,5,4]\ninput b:real[4,6]\ny = MatMul(a, b)\noutput y"},
    {"MatMul of stacks",
     "input a:real[2,3,5,4]\ninput b:real[2,3,4,6]\ny = MatMul(a, b)\noutput y"},
    {"MatMul, broadcast", "input a:real[2,1,5,4]\ninput b:real[3,4,6]\ny = MatMul(a, b)\noutput y"},
    {"MatMul of a matrix by a stack",
     "input a:real[5,4]\ninput b:real[3,4,6]\ny = MatMul(a, b)\noutput y"},
    {"MatMul of vectors", "input a:real[4]\ninput b:real[4]\ny = MatMul(a, b)\noutput y"},
    {"MatMul by a vector", "input a:real[2,5,4]\ninput b:real[4]\ny = MatMul(a, b)\noutput y"},
    {"Gemm", "input a:real[5,4]\ninput b:real[4,3]\ninput c:real[3]\ny = Gemm(a, b, c)\noutput y"},
    {"Gemm, all turned and scaled",
     "input a:real[4,5]\ninput b:real[3,4]\ninput c:real[5,1]\n"
     "y = Gemm(a, b, c) transA=1 transB=1 alpha=0.5 beta=-2.0\noutput y"},
    {"Gemm, transA", "input a:real[4,5]\ninput b:real[4,3]\ny = Gemm(a, b) transA=1\noutput y"},
    {"Gemm, transB", "input a:real[5,4]\ninput b:real[3,4]\ny = Gemm(a, b) transB=1\noutput y"},
    {"MaxPool",
     "input x:real[1,2,6,5]\ny = MaxPool(x) kernel_shape=[3,2] strides=[2,1] "
     "pads=[1,0,1,1]\noutput y",
     Numbers::Distinct},
    {"GlobalMaxPool", "input x:real[2,3,4,2]\ny = GlobalMaxPool(x)\noutput y", Numbers::Distinct},
    {"AveragePool",
     "input x:real[1,2,6,5]\ny = AveragePool(x) kernel_shape=[3,2] strides=[2,1] "
     "pads=[1,0,1,1]\noutput y"},
    {"AveragePool, counting padding",
     "input x:real[1,2,6,5]\n"
     "y = AveragePool(x) kernel_shape=[3,3] pads=[1,1,1,1] count_include_pad=1\noutput y"},
    {"GlobalAveragePool", "input x:real[2,3,4,2]\ny = GlobalAveragePool(x)\noutput y"},
    {"BatchNormalization",
     "input x:real[2,3,4,2]\ninput g:real[3]\ninput b:real[3]\ninput m:real[3]\ninput v:real[3]\n"
     "y = BatchNormalization(x, g, b, m, v)\noutput y",
     Numbers::Positive},
    {"InstanceNormalization",
     "input x:real[2,3,4,2]\ninput g:real[3]\ninput b:real[3]\n"
     "y = InstanceNormalization(x, g, b)\noutput y"},
    {"GroupNormalization",
     "input x:real[2,6,3,2]\ninput g:real[6]\ninput b:real[6]\n"
     "y = GroupNormalization(x, g, b) num_groups=3\noutput y",
     Numbers::Signed, 21},
    {"LayerNormalization",
     "input x:real[2,3,8]\ninput g:real[8]\ninput b:real[8]\n"
     "y = LayerNormalization(x, g, b)\noutput y"},
    {"LayerNormalization of two axes",
     "input x:real[2,3,8]\ninput g:real[3,8]\n"
     "y = LayerNormalization(x, g) axis=1\noutput y"},
    {"RNN",
     "input x:real[4,2,3]\ninput w:real[1,5,3]\ninput r:real[1,5,5]\ninput b:real[1,10]\n"
     "y, h = RNN(x, w, r, b) hidden_size=5\noutput y\noutput h",
     Numbers::Signed, 17, true},
    {"LSTM",
     "input x:real[4,2,3]\ninput w:real[1,20,3]\ninput r:real[1,20,5]\ninput b:real[1,40]\n"
     "n:int32[2]{4, 4}\ninput h0:real[1,2,5]\ninput c0:real[1,2,5]\n"
     "y, h, c = LSTM(x, w, r, b, n, h0, c0) hidden_size=5\noutput y\noutput h\noutput c",
     Numbers::Signed, 17, true},
    {"LSTM, both ways, sequences of several lengths",
     "input x:real[4,2,3]\ninput w:real[2,20,3]\ninput r:real[2,20,5]\ninput "
     "b:real[2,40]\nn:int32[2]{2, 4}\n"
     "y, h, c = LSTM(x, w, r, b, n) hidden_size=5 direction=\"bidirectional\"\noutput y\noutput "
     "h\noutput c",
     Numbers::Signed, 17, true},
    {"GRU",
     "input x:real[4,2,3]\ninput w:real[1,15,3]\ninput r:real[1,15,5]\ninput b:real[1,30]\n"
     "y, h = GRU(x, w, r, b) hidden_size=5\noutput y\noutput h",
     Numbers::Signed, 17, true},
    {"GRU, linear before the reset, backwards",
     "input x:real[4,2,3]\ninput w:real[1,15,3]\ninput r:real[1,15,5]\ninput "
     "b:real[1,30]\nn:int32[2]{4, 4}\n"
     "input h0:real[1,2,5]\ny, h = GRU(x, w, r, b, n, h0) hidden_size=5 linear_before_reset=1 "
     "direction=\"reverse\"\noutput y\noutput h",
     Numbers::Signed, 17, true},
    {"GRU without biases, samples first",
     "input x:real[2,4,3]\ninput w:real[1,15,3]\ninput r:real[1,15,5]\n"
     "y, h = GRU(x, w, r) hidden_size=5 layout=1\noutput y\noutput h",
     Numbers::Signed, 17, true},
};

}  // namespace

std::span<const GradientRow> layerRows() {
  return kLayers;
}

}  // namespace quantscope::test
