#include "parity/operator_rows.h"

namespace quantscope::test {
namespace {

// clang-format off
const std::vector<OperatorRow> kRecurrenceRows{
    {R"(y, h = RNN(x:float[5,2,4], w:float[1,3,4], r:float[1,3,3], b:float[1,6]) hidden_size=3 direction="forward" layout=0)", 22},
    {R"(y, h = RNN(x:float[5,2,4], w:float[1,3,4], r:float[1,3,3], b:float[1,6], s:int32[2]{5,3}, i:float[1,2,3]) hidden_size=3 direction="forward")", 22},
    {R"(y, h = RNN(x:float[5,2,4], w:float[1,3,4], r:float[1,3,3], b:float[1,6]) hidden_size=3 direction="reverse" layout=0)", 22},
    {R"(y, h = RNN(x:float[5,2,4], w:float[1,3,4], r:float[1,3,3], b:float[1,6], s:int32[2]{5,3}, i:float[1,2,3]) hidden_size=3 direction="reverse")", 22},
    {R"(y, h = RNN(x:float[5,2,4], w:float[2,3,4], r:float[2,3,3], b:float[2,6]) hidden_size=3 direction="bidirectional" layout=0)", 22},
    {R"(y, h = RNN(x:float[5,2,4], w:float[2,3,4], r:float[2,3,3], b:float[2,6], s:int32[2]{5,3}, i:float[2,2,3]) hidden_size=3 direction="bidirectional")", 22},
    {R"(y = RNN(x:float[5,2,4], w:float[1,3,4], r:float[1,3,3]) hidden_size=3 activations=["Relu"])", 22},
    {R"(y = RNN(x:float[5,2,4], w:float[1,3,4], r:float[1,3,3]) hidden_size=3 clip=0.2)", 22},
    {R"(y, h = GRU(x:float[5,2,4], w:float[1,9,4], r:float[1,9,3], b:float[1,18]) hidden_size=3 direction="forward" layout=0)", 22},
    {R"(y, h = GRU(x:float[5,2,4], w:float[1,9,4], r:float[1,9,3], b:float[1,18], s:int32[2]{5,3}, i:float[1,2,3]) hidden_size=3 direction="forward")", 22},
    {R"(y, h = GRU(x:float[5,2,4], w:float[1,9,4], r:float[1,9,3], b:float[1,18]) hidden_size=3 direction="reverse" layout=0)", 22},
    {R"(y, h = GRU(x:float[5,2,4], w:float[1,9,4], r:float[1,9,3], b:float[1,18], s:int32[2]{5,3}, i:float[1,2,3]) hidden_size=3 direction="reverse")", 22},
    {R"(y, h = GRU(x:float[5,2,4], w:float[2,9,4], r:float[2,9,3], b:float[2,18]) hidden_size=3 direction="bidirectional" layout=0)", 22},
    {R"(y, h = GRU(x:float[5,2,4], w:float[2,9,4], r:float[2,9,3], b:float[2,18], s:int32[2]{5,3}, i:float[2,2,3]) hidden_size=3 direction="bidirectional")", 22},
    {R"(y = GRU(x:float[5,2,4], w:float[1,9,4], r:float[1,9,3]) hidden_size=3 activations=["HardSigmoid", "Softsign"])", 22},
    {R"(y = GRU(x:float[5,2,4], w:float[1,9,4], r:float[1,9,3]) hidden_size=3 clip=0.2)", 22},
    {R"(y, h, c = LSTM(x:float[5,2,4], w:float[1,12,4], r:float[1,12,3], b:float[1,24]) hidden_size=3 direction="forward" layout=0)", 22},
    {R"(y, h, c = LSTM(x:float[5,2,4], w:float[1,12,4], r:float[1,12,3], b:float[1,24], s:int32[2]{5,3}, i:float[1,2,3], k:float[1,2,3]) hidden_size=3 direction="forward")", 22},
    {R"(y, h, c = LSTM(x:float[5,2,4], w:float[1,12,4], r:float[1,12,3], b:float[1,24]) hidden_size=3 direction="reverse" layout=0)", 22},
    {R"(y, h, c = LSTM(x:float[5,2,4], w:float[1,12,4], r:float[1,12,3], b:float[1,24], s:int32[2]{5,3}, i:float[1,2,3], k:float[1,2,3]) hidden_size=3 direction="reverse")", 22},
    {R"(y, h, c = LSTM(x:float[5,2,4], w:float[2,12,4], r:float[2,12,3], b:float[2,24]) hidden_size=3 direction="bidirectional" layout=0)", 22},
    {R"(y, h, c = LSTM(x:float[5,2,4], w:float[2,12,4], r:float[2,12,3], b:float[2,24], s:int32[2]{5,3}, i:float[2,2,3], k:float[2,2,3]) hidden_size=3 direction="bidirectional")", 22},
    {R"(y = LSTM(x:float[5,2,4], w:float[1,12,4], r:float[1,12,3]) hidden_size=3 activations=["Sigmoid", "Relu", "Tanh"])", 22},
    {R"(y = LSTM(x:float[5,2,4], w:float[1,12,4], r:float[1,12,3]) hidden_size=3 clip=0.2)", 22},
    {R"(y, h = GRU(x:float[5,2,4], w:float[1,9,4], r:float[1,9,3], b:float[1,18]) hidden_size=3 linear_before_reset=1)", 22},
    {R"(y, h, c = LSTM(x:float[5,2,4], w:float[1,12,4], r:float[1,12,3], b:float[1,24], , , , p:float[1,9]) hidden_size=3)", 22},
    {R"(y, h, c = LSTM(x:float[5,2,4], w:float[1,12,4], r:float[1,12,3], b:float[1,24]) hidden_size=3 input_forget=1)", 22},
    {R"(_, h = GRU(x:float[5,2,4], w:float[1,9,4], r:float[1,9,3]) hidden_size=3)", 22},
    {R"(y, h = RNN(x:float[5,2,4], w:float[1,3,4], r:float[1,3,3]) hidden_size=3 activations=["Affine"] activation_alpha=[0.5] activation_beta=[0.1])", 22},
    {R"(k = Transpose(key:float[2,2,5,4]) perm=[0,1,3,2]
scores = MatMul(query:float[2,2,3,4], k)
scaled = Mul(scores, f:float[]{0.5})
masked = Add(scaled, mask:float[3,5]{0,-1e9,0,0,0,0,0,0,-1e9,0,0,0,0,0,0})
weights = Softmax(masked) axis=-1
y = MatMul(weights, value:float[2,2,5,4]))", 22},
    {R"(m = ReduceMean(x:float[2,3,8], a:int64[1]{-1})
d = Sub(x, m)
s = Pow(d, two:float[]{2})
v = ReduceMean(s, a)
e = Add(v, eps:float[]{1e-5})
r = Sqrt(e)
y = Div(d, r))", 22},
};
// clang-format on

}  // namespace

std::span<const OperatorRow> recurrenceRows() {
  return kRecurrenceRows;
}

}  // namespace quantscope::test
