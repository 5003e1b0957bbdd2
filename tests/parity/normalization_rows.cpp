#include "parity/operator_rows.h"

namespace quantscope::test {
namespace {

// clang-format off
const std::vector<OperatorRow> kNormalizationRows{
    {R"(y, m, s = LayerNormalization(x:float[3,4,5], g:float[5], b:float[5]) axis=-1)", 22},
    {R"(y, m, s = LayerNormalization(x:float[3,4,5], g:float[4,5], b:float[4,5]) axis=1)", 22},
    {R"(y, m, s = LayerNormalization(x:float[3,4,5], g:float[5], b:float[5]) axis=2)", 22},
    {R"(y = LayerNormalization(x:float[3,4,5], g:float[5]) epsilon=0.1)", 22},
    {R"(y = LayerNormalization(x:double[3,4], g:double[4], b:double[4]))", 22},
    {R"(y = GroupNormalization(x:float[2,6,3,4], g:float[6], b:float[6]) num_groups=3)", 22},
    {R"(y = GroupNormalization(x:float[2,6,3,4], g:float[3], b:float[3]) num_groups=3)", 18},
    {R"(y = GroupNormalization(x:float[2,4,5], g:float[4], b:float[4]) num_groups=1 epsilon=0.01)", 22},
    {R"(y = GroupNormalization(x:float[2,4,5], g:float[4], b:float[4]) num_groups=4)", 22},
    {R"(y = InstanceNormalization(x:float[2,3,4,5], g:float[3], b:float[3]))", 22},
    {R"(y = InstanceNormalization(x:float[2,3,7], g:float[3], b:float[3]) epsilon=0.1)", 22},
    {R"(y = BatchNormalization(x:float[2,3,4], g:float[3], b:float[3], m:float[3], v:float[3]{1,2,0.5}))", 22},
    {R"(y = BatchNormalization(x:double[2,3,4], g:double[3], b:double[3], m:double[3], v:double[3]{1,2,0.5}) epsilon=0.01)", 22},
    {R"(y = BatchNormalization(x:float[2,3,4], g:float[3,4], b:float[3,4], m:float[3,4], v:float[3,4]{1,2,0.5,1,2,1,1,2,3,1,1,1}) spatial=0)", 7},
    {R"(y = LpNormalization(x:float[2,3,4]) axis=1 p=1)", 22},
    {R"(y = LpNormalization(x:float[2,3,4]) p=2)", 22},
    {R"(y = MeanVarianceNormalization(x:float[2,3,4,5]))", 22},
    {R"(y = MeanVarianceNormalization(x:float[2,3,4,5]) axes=[1,2])", 22},
    {R"(y = LRN(x:float[2,7,3,3]) size=5 alpha=0.1 beta=0.5 bias=1.5)", 22},
    {R"(y = LRN(x:float[2,7,3,3]) size=3)", 22},
    {R"(y = Softmax(x:float[2,3,4]) axis=1)", 22},
    {R"(y = Softmax(x:double[2,3]))", 22},
    {R"(y = LogSoftmax(x:float[2,3,4]) axis=0)", 22},
    {R"(y = Hardmax(x:float[2,3,4]) axis=1)", 22},
    {R"(y = Softmax(x:float[2,3,4]) axis=1)", 11},
    {R"(l = NegativeLogLikelihoodLoss(x:float[2,3,4], t:int64[2,4]{0,1,2,0,1,2,2,0}, w:float[3]{1,2,0.5}) ignore_index=2)", 22},
    {R"(l, p = SoftmaxCrossEntropyLoss(x:float[2,3,4], t:int64[2,4]{0,1,2,0,1,2,2,0}) reduction="none")", 13},
    {R"(l, p = SoftmaxCrossEntropyLoss(x:float[2,3], t:int32[2]{0,1}, w:float[3]{1,2,0.5}) reduction="mean")", 13},
};
// clang-format on

}  // namespace

std::span<const OperatorRow> normalizationRows() {
  return kNormalizationRows;
}

}  // namespace quantscope::test
