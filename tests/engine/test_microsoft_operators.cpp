// The operators of com.microsoft on numbers worked by hand; tests/parity has many more of them
// beside ONNX Runtime.

#include <QtTest>

#include "engine/operator_case.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

// Codes 10, 20, 255 mean 0, 5, 122.5; codes 0, 4, 255 mean −1, 0, 62.75.
constexpr const char* kTwo =
    "uint8[3]{10, 20, 255}; float[]{0.5}; uint8[]{10}; "
    "uint8[3]{0, 4, 255}; float[]{0.25}; uint8[]{4}; float[]{1}; uint8[]{3}";

const OperatorCase kMicrosoftCases[] = {
    {"sum", "y = com.microsoft.QLinearAdd(x, xs, xz, w, ws, wz, ys, yz)", kTwo,
     "uint8[3]{2, 8, 188}"},
    {"product saturates", "y = com.microsoft.QLinearMul(x, xs, xz, w, ws, wz, ys, yz)", kTwo,
     "uint8[3]{3, 3, 255}"},
    {"sum with one for all", "y = com.microsoft.QLinearAdd(x, xs, xz, w, ws, wz, ys, yz)",
     "int8[2,2]{-1, 0, 1, 127}; float[]{1}; int8[]{0}; int8[]{3}; float[]{2}; int8[]{1}; "
     "float[]{1}; int8[]{0}",
     "int8[2,2]{3, 4, 5, 127}"},
    // 122.5 is a tie and goes to even, −1 saturates.
    {"concatenation", "y = com.microsoft.QLinearConcat(ys, yz, x, xs, xz, w, ws, wz) axis=0",
     "float[]{1}; uint8[]{0}; uint8[3]{10, 20, 255}; float[]{0.5}; uint8[]{10}; "
     "uint8[3]{0, 4, 255}; float[]{0.25}; uint8[]{4}",
     "uint8[6]{0, 5, 122, 0, 0, 63}"},
    {"leaky", "y = com.microsoft.QLinearLeakyRelu(x, xs, xz, ys, yz) alpha=0.5",
     "int8[3]{-4, 0, 6}; float[]{1}; int8[]{0}; float[]{0.5}; int8[]{1}", "int8[3]{-3, 1, 13}"},
    {"sigmoid", "y = com.microsoft.QLinearSigmoid(x, xs, xz, ys, yz)",
     "int8[3]{0, 127, -128}; float[]{1}; int8[]{0}; float[]{0.00390625}; int8[]{-128}",
     "int8[3]{0, 127, -128}"},
    // (0 + 1 + 2 + 4) / 4 / 0.5 = 3.5
    {"pool over all", "y = com.microsoft.QLinearGlobalAveragePool(x, xs, xz, ys, yz)",
     "uint8[1,1,2,2]{1, 2, 3, 5}; float[]{1}; uint8[]{1}; float[]{0.5}; uint8[]{10}",
     "uint8[1,1,1,1]{14}"},
    {"pool", "y = com.microsoft.QLinearAveragePool(x, xs, xz, ys, yz) kernel_shape=[1,2]",
     "uint8[1,1,2,2]{1, 2, 3, 5}; float[]{1}; uint8[]{1}; float[]{0.5}; uint8[]{10}",
     "uint8[1,1,2,1]{11, 16}"},
    {"pool with the channels last",
     "y = com.microsoft.QLinearGlobalAveragePool(x, xs, xz, ys, yz) channels_last=1",
     "uint8[1,2,1,2]{1, 10, 3, 20}; float[]{1}; uint8[]{0}; float[]{1}; uint8[]{0}",
     "uint8[1,1,1,2]{2, 15}"},
    // 1·3 − 2·4 + 10 = 5, times 0.5
    {"gemm to float", "y = com.microsoft.QGemm(x, xs, xz, w, ws, wz, c)",
     "uint8[1,2]{1, 2}; float[]{1}; uint8[]{0}; int8[2,1]{3, -4}; float[]{0.5}; int8[]{0}; "
     "int32[1]{10}",
     "float[1,1]{2.5}"},
    {"gemm to codes", "y = com.microsoft.QGemm(x, xs, xz, w, ws, wz, c, ys, yz) transA=1 transB=1",
     "uint8[2,1]{1, 2}; float[]{1}; uint8[]{0}; int8[1,2]{3, -4}; float[]{0.5}; int8[]{0}; "
     "int32[1]{10}; float[]{1}; uint8[]{7}",
     "uint8[1,1]{9}"},
    {"product to float", "y = com.microsoft.MatMulIntegerToFloat(x, w, xs, ws, xz, wz, b)",
     "uint8[1,2]{1, 2}; int8[2,1]{3, -4}; float[]{1}; float[]{0.5}; ; ; float[1]{1}",
     "float[1,1]{-1.5}"},
    // 0 and 255 are their own codes.
    {"dynamic product", "y = com.microsoft.DynamicQuantizeMatMul(x, w, ws)",
     "float[1,2]{0, 255}; int8[2,1]{3, -4}; float[]{0.5}", "float[1,1]{-510}"},
    {"16 bits", "y = com.microsoft.QuantizeLinear(x, s, z)",
     "float[3]{-1, 0.5, 1e9}; float[]{0.0001}; uint16[]{20000}", "uint16[3]{10000, 25000, 65535}"},
    {"int4 saturates", "y = QuantizeLinear(x, s) output_dtype=22",
     "float[4]{-9, -8, 2.5, 8}; float[]{1}", "int8[4]{-8, -8, 2, 7}", 21},
    {"uint4 saturates", "y = QuantizeLinear(x, s) output_dtype=21",
     "float[3]{-1, 15, 16}; float[]{1}", "uint8[3]{0, 15, 15}", 21},
    {"scales that are no scale", "y = com.microsoft.QLinearSigmoid(x, xs, xz, ys, yz)",
     "int8[1]{0}; float[2]{1, 2}; int8[]{0}; float[]{1}; int8[]{0}",
     "error: a scale of shape [2] is not a single number"},
    {"wide codes", "y = com.microsoft.QLinearSigmoid(x, xs, xz, ys, yz)",
     "int16[1]{0}; float[]{1}; int16[]{0}; float[]{1}; int16[]{0}",
     "error: the operator takes 8-bit codes, not int16 elements"},
    {"matrices that do not fit", "y = com.microsoft.QGemm(x, xs, xz, w, ws, wz)",
     "uint8[1,2]{1, 2}; float[]{1}; uint8[]{0}; int8[3,1]{3, -4, 5}; float[]{0.5}; int8[]{0}",
     "error: matrices of the shapes [1, 2] and [3, 1] do not fit"},
};

}  // namespace

class MicrosoftOperatorsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void resultsAreExact_data() { addCases(kMicrosoftCases); }
  void resultsAreExact() {
    QFETCH(int, row);
    const std::string difference = runCase(kMicrosoftCases[row]);
    QVERIFY2(difference.empty(), difference.c_str());
  }
};

QUANTSCOPE_TEST(MicrosoftOperatorsTest)
#include "test_microsoft_operators.moc"
