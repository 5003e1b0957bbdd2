#include "fuzz/operator_table.h"

#include <sstream>

namespace quantscope::test {
namespace {

// A line each: the operator, then KIND:NAME of every attribute that any of its versions has, KIND
// being i, I (integers), f, F (floats), s, S (texts) or t (a tensor). Source: Changelog.md of ONNX.
constexpr const char* kOperators = R"(
Abs
Acos
Acosh
Add i:axis i:broadcast
Affine f:alpha f:beta
AffineGrid i:align_corners
And i:axis i:broadcast
ArgMax i:axis i:keepdims i:select_last_index
ArgMin i:axis i:keepdims i:select_last_index
Asin
Asinh
Atan
Atanh
AveragePool s:auto_pad i:ceil_mode i:count_include_pad I:kernel_shape I:pads I:strides I:dilations
BatchNormalization f:epsilon i:is_test f:momentum i:spatial i:training_mode
BitShift s:direction
BitwiseAnd
BitwiseNot
BitwiseOr
BitwiseXor
BlackmanWindow i:output_datatype i:periodic
Cast i:to i:saturate
CastLike
Ceil
Celu f:alpha
CenterCropPad I:axes
Clip f:max f:min
Col2Im I:dilations I:pads I:strides
Compress i:axis
Concat i:axis
Constant t:value f:value_float F:value_floats i:value_int I:value_ints s:value_string S:value_strings
ConstantOfShape t:value
Conv s:auto_pad I:dilations i:group I:kernel_shape I:pads I:strides
ConvInteger s:auto_pad I:dilations i:group I:kernel_shape I:pads I:strides
ConvTranspose s:auto_pad I:dilations i:group I:kernel_shape I:output_padding I:output_shape I:pads I:strides
Cos
Cosh
Crop I:border I:scale
CumSum i:exclusive i:reverse
DFT i:axis i:inverse i:onesided
DeformConv I:dilations i:group I:kernel_shape i:offset_group I:pads I:strides
DepthToSpace i:blocksize s:mode
DequantizeLinear i:axis i:block_size
com.microsoft.DequantizeLinear i:axis
Det
Div i:axis i:broadcast
Dropout i:is_test f:ratio i:seed
DynamicQuantizeLinear
com.microsoft.DynamicQuantizeMatMul
Einsum s:equation
Elu f:alpha
Equal i:axis i:broadcast
Erf
Exp
Expand
EyeLike i:dtype i:k
Flatten i:axis
Floor
GRU F:activation_alpha F:activation_beta S:activations f:clip s:direction i:hidden_size i:layout i:linear_before_reset i:output_sequence
Gather i:axis
GatherElements i:axis
GatherND i:batch_dims
Gelu s:approximate
Gemm f:alpha f:beta i:broadcast i:transA i:transB
GlobalAveragePool
GlobalLpPool i:p
GlobalMaxPool
Greater i:axis i:broadcast
GreaterOrEqual
GridSample i:align_corners s:mode s:padding_mode
GroupNormalization f:epsilon i:num_groups
HammingWindow i:output_datatype i:periodic
HannWindow i:output_datatype i:periodic
HardSigmoid f:alpha f:beta
HardSwish
Hardmax i:axis
Identity
ImageScaler F:bias f:scale
InstanceNormalization f:epsilon
IsInf i:detect_negative i:detect_positive
IsNaN
LRN f:alpha f:beta f:bias i:size
LSTM F:activation_alpha F:activation_beta S:activations f:clip s:direction i:hidden_size i:input_forget i:layout i:output_sequence
LayerNormalization i:axis f:epsilon i:stash_type
LeakyRelu f:alpha
Less i:axis i:broadcast
LessOrEqual
Log
LogSoftmax i:axis
LpNormalization i:axis i:p
LpPool s:auto_pad I:kernel_shape i:p I:pads I:strides i:ceil_mode I:dilations
MatMul
MatMulInteger
com.microsoft.MatMulIntegerToFloat
Max
MaxPool s:auto_pad i:ceil_mode I:dilations I:kernel_shape I:pads i:storage_order I:strides
MaxRoiPool I:pooled_shape f:spatial_scale
MaxUnpool I:kernel_shape I:pads I:strides
Mean
MeanVarianceNormalization I:axes
MelWeightMatrix i:output_datatype
Min
Mish
Mod i:fmod
Mul i:axis i:broadcast
Neg
NegativeLogLikelihoodLoss i:ignore_index s:reduction
NonMaxSuppression i:center_point_box
NonZero
Not
OneHot i:axis
Or i:axis i:broadcast
PRelu
Pad s:mode I:paddings I:pads f:value
Pow i:axis i:broadcast
com.microsoft.QGemm f:alpha i:transA i:transB
com.microsoft.QLinearAdd
com.microsoft.QLinearAveragePool s:auto_pad i:ceil_mode i:channels_last i:count_include_pad I:kernel_shape I:pads I:strides
com.microsoft.QLinearConcat i:axis
QLinearConv s:auto_pad I:dilations i:group I:kernel_shape I:pads I:strides
com.microsoft.QLinearGlobalAveragePool i:channels_last
com.microsoft.QLinearLeakyRelu f:alpha
QLinearMatMul
com.microsoft.QLinearMul
com.microsoft.QLinearSigmoid
QuantizeLinear i:axis i:block_size i:output_dtype
com.microsoft.QuantizeLinear i:axis
RNN F:activation_alpha F:activation_beta S:activations f:clip s:direction i:hidden_size i:layout i:output_sequence
Range
Reciprocal
ReduceL1 I:axes i:keepdims
ReduceL2 I:axes i:keepdims
ReduceLogSum I:axes i:keepdims
ReduceLogSumExp I:axes i:keepdims
ReduceMax I:axes i:keepdims
ReduceMean I:axes i:keepdims
ReduceMin I:axes i:keepdims
ReduceProd I:axes i:keepdims
ReduceSum I:axes i:keepdims i:noop_with_empty_axes
ReduceSumSquare I:axes i:keepdims
Relu
Reshape i:allowzero I:shape
Resize s:coordinate_transformation_mode f:cubic_coeff_a i:exclude_outside f:extrapolation_value s:mode s:nearest_mode I:axes i:antialias s:keep_aspect_ratio_policy
ReverseSequence i:batch_axis i:time_axis
RoiAlign s:coordinate_transformation_mode s:mode i:output_height i:output_width i:sampling_ratio f:spatial_scale
Round
STFT i:onesided
Scatter i:axis
ScatterElements i:axis s:reduction
ScatterND s:reduction
Selu f:alpha f:gamma
Shape i:end i:start
Shrink f:bias f:lambd
Sigmoid
Sign
Sin
Sinh
Size
Slice I:axes I:ends I:starts
Softmax i:axis
SoftmaxCrossEntropyLoss i:ignore_index s:reduction
Softplus
Softsign
SpaceToDepth i:blocksize
Split i:axis I:split i:num_outputs
Sqrt
Squeeze I:axes
Sub i:axis i:broadcast
Sum
Tan
Tanh
TfIdfVectorizer i:max_gram_length i:max_skip_count i:min_gram_length s:mode I:ngram_counts I:ngram_indexes I:pool_int64s S:pool_strings F:weights
ThresholdedRelu f:alpha
Tile
TopK i:axis i:k i:largest i:sorted
Transpose I:perm
Trilu i:upper
Unique i:axis i:sorted
Unsqueeze I:axes
Upsample f:height_scale s:mode F:scales f:width_scale
Where
Xor i:axis i:broadcast
)";

}  // namespace

const std::vector<OperatorForm>& operatorForms() {
  static const std::vector<OperatorForm> forms = [] {
    std::vector<OperatorForm> result;
    std::istringstream lines(kOperators);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      OperatorForm form;
      if (!(words >> form.op)) continue;
      for (std::string word; words >> word;) {
        form.attributes.push_back({word.front(), word.substr(2)});
      }
      result.push_back(std::move(form));
    }
    return result;
  }();
  return forms;
}

}  // namespace quantscope::test
