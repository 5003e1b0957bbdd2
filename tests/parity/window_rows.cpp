#include "parity/operator_rows.h"

namespace quantscope::test {
namespace {

// clang-format off
const std::vector<OperatorRow> kWindowRows{
    {R"(y = MaxPool(x:float[2,2,7,8]) kernel_shape=[3,3])", 22},
    {R"(y = AveragePool(x:float[2,2,7,8]) kernel_shape=[3,3])", 22},
    {R"(y = LpPool(x:float[2,2,7,8]) kernel_shape=[3,3] p=2)", 22},
    {R"(y = MaxPool(x:float[2,2,7,8]) kernel_shape=[3,2] strides=[2,1] pads=[1,0,1,1])", 22},
    {R"(y = AveragePool(x:float[2,2,7,8]) kernel_shape=[3,2] strides=[2,1] pads=[1,0,1,1])", 22},
    {R"(y = AveragePool(x:float[2,2,7,8]) kernel_shape=[3,2] strides=[2,1] pads=[1,0,1,1] count_include_pad=1)", 22},
    {R"(y, i = MaxPool(x:float[2,2,7,8]) kernel_shape=[3,2] strides=[2,1] pads=[1,0,1,1] storage_order=1)", 22},
    {R"(y = LpPool(x:float[2,2,7,8]) kernel_shape=[3,2] strides=[2,1] pads=[1,0,1,1] p=2)", 22},
    {R"(y = MaxPool(x:float[2,2,7,8]) kernel_shape=[2,2] dilations=[2,2])", 22},
    {R"(y = AveragePool(x:float[2,2,7,8]) kernel_shape=[2,2] dilations=[2,2])", 22},
    {R"(y = MaxPool(x:float[2,2,7,8]) kernel_shape=[3,3] strides=[2,2] ceil_mode=1)", 22},
    {R"(y = AveragePool(x:float[2,2,7,8]) kernel_shape=[3,3] strides=[2,2] ceil_mode=1)", 22},
    {R"(y = LpPool(x:float[2,2,7,8]) kernel_shape=[3,3] strides=[2,2] ceil_mode=1 p=2)", 22},
    {R"(y = MaxPool(x:float[2,2,7,8]) kernel_shape=[3,3] strides=[2,2] pads=[1,1,1,1] ceil_mode=1)", 22},
    {R"(y = AveragePool(x:float[2,2,7,8]) kernel_shape=[3,3] strides=[2,2] pads=[1,1,1,1] ceil_mode=1)", 22},
    {R"(y = AveragePool(x:float[2,2,7,8]) kernel_shape=[3,3] strides=[2,2] pads=[1,1,1,1] ceil_mode=1 count_include_pad=1)", 22},
    {R"(y, i = MaxPool(x:float[2,2,7,8]) kernel_shape=[3,3] strides=[2,2] pads=[1,1,1,1] ceil_mode=1 storage_order=1)", 22},
    {R"(y = LpPool(x:float[2,2,7,8]) kernel_shape=[3,3] strides=[2,2] pads=[1,1,1,1] ceil_mode=1 p=2)", 22},
    {R"(y = MaxPool(x:float[2,2,7,8]) kernel_shape=[2,3] auto_pad="SAME_UPPER" strides=[2,2])", 22},
    {R"(y = AveragePool(x:float[2,2,7,8]) kernel_shape=[2,3] auto_pad="SAME_UPPER" strides=[2,2])", 22},
    {R"(y = AveragePool(x:float[2,2,7,8]) kernel_shape=[2,3] auto_pad="SAME_UPPER" strides=[2,2] count_include_pad=1)", 22},
    {R"(y, i = MaxPool(x:float[2,2,7,8]) kernel_shape=[2,3] auto_pad="SAME_UPPER" strides=[2,2] storage_order=1)", 22},
    {R"(y = LpPool(x:float[2,2,7,8]) kernel_shape=[2,3] auto_pad="SAME_UPPER" strides=[2,2] p=2)", 22},
    {R"(y = MaxPool(x:float[2,2,7,8]) kernel_shape=[2,3] auto_pad="SAME_LOWER")", 22},
    {R"(y = AveragePool(x:float[2,2,7,8]) kernel_shape=[2,3] auto_pad="SAME_LOWER")", 22},
    {R"(y = AveragePool(x:float[2,2,7,8]) kernel_shape=[2,3] auto_pad="SAME_LOWER" count_include_pad=1)", 22},
    {R"(y, i = MaxPool(x:float[2,2,7,8]) kernel_shape=[2,3] auto_pad="SAME_LOWER" storage_order=1)", 22},
    {R"(y = LpPool(x:float[2,2,7,8]) kernel_shape=[2,3] auto_pad="SAME_LOWER" p=2)", 22},
    {R"(y = LpPool(x:float[2,2,7,8]) kernel_shape=[2,2] dilations=[2,3] p=3)", 22},
    {R"(y = MaxPool(x:int8[1,2,5]) kernel_shape=[2])", 22},
    {R"(y = MaxPool(x:double[1,2,5]) kernel_shape=[3] pads=[1,1])", 22},
    {R"(y = MaxPool(x:float[1,2,4,5,3]) kernel_shape=[2,2,2] strides=[2,1,1])", 22},
    {R"(y = AveragePool(x:float[1,2,4,5,3]) kernel_shape=[2,2,2] pads=[1,0,0,0,1,1])", 22},
    {R"(y = GlobalMaxPool(x:float[2,3,4,5]))", 22},
    {R"(y = GlobalAveragePool(x:float[2,3,4,5,2]))", 22},
    {R"(y = GlobalLpPool(x:float[2,3,4,5]) p=3)", 21},
    {R"(y = Conv(x:float[2,4,7,8], w:float[6,2,3,2], b:float[6]) group=2 strides=[2,1] dilations=[1,2] pads=[1,0,2,1])", 22},
    {R"(y = Conv(x:float[2,4,9], w:float[4,1,3]) group=4 auto_pad="SAME_LOWER")", 22},
    {R"(y = Conv(x:float[1,2,4,5,6], w:float[3,2,2,3,2]))", 22},
    {R"(y = ConvTranspose(x:float[2,4,5,4], w:float[4,3,3,2], b:float[6]) group=2 strides=[2,3] pads=[1,0,0,1] output_padding=[1,2])", 22},
    {R"(y = ConvTranspose(x:float[1,2,5], w:float[2,3,3]) dilations=[2] strides=[2])", 22},
    {R"(y = ConvTranspose(x:float[1,2,5,5], w:float[2,3,3,3]) output_shape=[10,11] strides=[2,2])", 22},
    {R"(y = ConvTranspose(x:float[1,2,5,5], w:float[2,3,3,3]) auto_pad="SAME_UPPER" strides=[2,2])", 22},
    {R"(y = Col2Im(x:float[1,10,12], s:int64[2]{5,5}, b:int64[2]{1,5}) strides=[2,1] pads=[0,1,1,2])", 22},
    {R"(y = Col2Im(x:float[2,8,20], s:int64[2]{5,6}, b:int64[2]{2,2}))", 22},
    {R"(y = Col2Im(x:float[1,12,12], s:int64[2]{5,5}, b:int64[2]{2,3}) dilations=[1,1])", 22},
    {R"(y = Col2Im(x:float[1,4,4], s:int64[2]{4,4}, b:int64[2]{2,2}) dilations=[2,2])", 22},
    {R"(y = MaxUnpool(x:float[1,1,2,2], i:int64[1,1,2,2]{5,7,13,15}) kernel_shape=[2,2] strides=[2,2])", 22},
    {R"(y = DeformConv(x:float[2,4,5,6], w:float[6,2,3,2], o:float[2,24,5,4], b:float[6], m:float[2,12,5,4]) group=2 offset_group=2 pads=[1,0,1,0] dilations=[1,2] kernel_shape=[3,2])", 22},
    {R"(y = DeformConv(x:float[1,2,4,4], w:float[3,2,2,2], o:float[1,8,3,3]))", 22},
    {R"(y = MaxRoiPool(x:float[1,2,6,6], r:float[2,5]{0,0,0,3,3,0,1,2,5,5}) pooled_shape=[2,2])", 21},
    {R"(y = MaxRoiPool(x:float[1,2,6,6], r:float[1,5]{0,0,0,8,9}) pooled_shape=[2,3] spatial_scale=0.5)", 21},
    {R"(y = RoiAlign(x:float[2,2,6,7], r:float[3,4]{0,0,3,3,1,2,5,5,0.5,0.5,9,12}, b:int64[3]{0,1,1}) output_height=2 output_width=3 sampling_ratio=0 mode="avg" coordinate_transformation_mode="half_pixel" spatial_scale=0.75)", 16},
    {R"(y = RoiAlign(x:float[2,2,6,7], r:float[3,4]{0,0,3,3,1,2,5,5,0.5,0.5,9,12}, b:int64[3]{0,1,1}) output_height=2 output_width=3 sampling_ratio=2 mode="avg" coordinate_transformation_mode="half_pixel" spatial_scale=0.75)", 16},
    {R"(y = RoiAlign(x:float[2,2,6,7], r:float[3,4]{0,0,3,3,1,2,5,5,0.5,0.5,9,12}, b:int64[3]{0,1,1}) output_height=2 output_width=3 sampling_ratio=0 mode="avg" coordinate_transformation_mode="output_half_pixel" spatial_scale=0.75)", 16},
    {R"(y = RoiAlign(x:float[2,2,6,7], r:float[3,4]{0,0,3,3,1,2,5,5,0.5,0.5,9,12}, b:int64[3]{0,1,1}) output_height=2 output_width=3 sampling_ratio=2 mode="avg" coordinate_transformation_mode="output_half_pixel" spatial_scale=0.75)", 16},
    {R"(y = RoiAlign(x:float[2,2,6,7], r:float[3,4]{0,0,3,3,1,2,5,5,0.5,0.5,9,12}, b:int64[3]{0,1,1}) output_height=2 output_width=3 sampling_ratio=0 mode="max" coordinate_transformation_mode="half_pixel" spatial_scale=0.75)", 16},
    {R"(y = RoiAlign(x:float[2,2,6,7], r:float[3,4]{0,0,3,3,1,2,5,5,0.5,0.5,9,12}, b:int64[3]{0,1,1}) output_height=2 output_width=3 sampling_ratio=2 mode="max" coordinate_transformation_mode="half_pixel" spatial_scale=0.75)", 16},
    {R"(y = RoiAlign(x:float[2,2,6,7], r:float[3,4]{0,0,3,3,1,2,5,5,0.5,0.5,9,12}, b:int64[3]{0,1,1}) output_height=2 output_width=3 sampling_ratio=0 mode="max" coordinate_transformation_mode="output_half_pixel" spatial_scale=0.75)", 16},
    {R"(y = RoiAlign(x:float[2,2,6,7], r:float[3,4]{0,0,3,3,1,2,5,5,0.5,0.5,9,12}, b:int64[3]{0,1,1}) output_height=2 output_width=3 sampling_ratio=2 mode="max" coordinate_transformation_mode="output_half_pixel" spatial_scale=0.75)", 16},
    {R"(y = RoiAlign(x:float[2,2,6,7], r:float[2,4]{0,0,3,3,1,2,5,5}, b:int64[2]{0,1}) output_height=2 output_width=2)", 10},
    {R"(y = NonMaxSuppression(b:float[1,6,4]{0,0,1,1,0,0.1,1,1.1,0,-0.1,1,0.9,0,10,1,11,0,10.1,1,11.1,0,100,1,101}, s:float[1,1,6]{0.9,0.75,0.6,0.95,0.5,0.3}, m:int64[1]{3}, i:float[1]{0.5}, t:float[1]{0.4}))", 22},
    {R"(y = NonMaxSuppression(b:float[1,4,4]{0.5,0.5,1,1,0.5,0.6,1,1,0.5,10.5,1,1,0.5,0.4,1,1}, s:float[1,2,4]{0.9,0.75,0.6,0.95,0.5,0.3,0.5,0.2}, m:int64[1]{3}, i:float[1]{0.5}) center_point_box=1)", 22},
    {R"(y = NonMaxSuppression(b:float[1,2,4], s:float[1,1,2]))", 22},
};
// clang-format on

}  // namespace

std::span<const OperatorRow> windowRows() {
  return kWindowRows;
}

}  // namespace quantscope::test
