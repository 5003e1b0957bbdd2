#include "parity/operator_rows.h"

namespace quantscope::test {
namespace {

// clang-format off
const std::vector<OperatorRow> kResamplingRows{
    {R"(y = Resize(x:float[1,2,4,5], , s:float[4]{1,1,1.7,0.6}) mode="nearest" coordinate_transformation_mode="half_pixel")", 22},
    {R"(y = Resize(x:float[1,2,4,5], , , s:int64[4]{1,2,7,3}) mode="nearest" coordinate_transformation_mode="half_pixel")", 22},
    {R"(y = Resize(x:float[1,2,4,5], , s:float[4]{1,1,1.7,0.6}) mode="nearest" coordinate_transformation_mode="half_pixel_symmetric")", 22},
    {R"(y = Resize(x:float[1,2,4,5], , , s:int64[4]{1,2,7,3}) mode="nearest" coordinate_transformation_mode="half_pixel_symmetric")", 22},
    {R"(y = Resize(x:float[1,2,4,5], , s:float[4]{1,1,1.7,0.6}) mode="nearest" coordinate_transformation_mode="pytorch_half_pixel")", 22},
    {R"(y = Resize(x:float[1,2,4,5], , , s:int64[4]{1,2,7,3}) mode="nearest" coordinate_transformation_mode="pytorch_half_pixel")", 22},
    {R"(y = Resize(x:float[1,2,4,5], , s:float[4]{1,1,1.5,0.6}) mode="nearest" coordinate_transformation_mode="align_corners")", 22},
    {R"(y = Resize(x:float[1,2,4,5], , , s:int64[4]{1,2,7,3}) mode="nearest" coordinate_transformation_mode="align_corners")", 22},
    {R"(y = Resize(x:float[1,2,4,5], , s:float[4]{1,1,1.7,0.6}) mode="nearest" coordinate_transformation_mode="asymmetric")", 22},
    {R"(y = Resize(x:float[1,2,4,5], , , s:int64[4]{1,2,7,3}) mode="nearest" coordinate_transformation_mode="asymmetric")", 22},
    {R"(y = Resize(x:float[1,2,4,5], r:float[8]{0,0,0.2,0.1,1,1,0.9,0.8}, , s:int64[4]{1,2,3,6}) mode="nearest" coordinate_transformation_mode="tf_crop_and_resize" extrapolation_value=7.0)", 22},
    {R"(y = Resize(x:float[1,2,4,5], , s:float[4]{1,1,1.7,0.6}) mode="linear" coordinate_transformation_mode="half_pixel")", 22},
    {R"(y = Resize(x:float[1,2,4,5], , , s:int64[4]{1,2,7,3}) mode="linear" coordinate_transformation_mode="half_pixel")", 22},
    {R"(y = Resize(x:float[1,2,4,5], , s:float[4]{1,1,1.7,0.6}) mode="linear" coordinate_transformation_mode="half_pixel_symmetric")", 22},
    {R"(y = Resize(x:float[1,2,4,5], , , s:int64[4]{1,2,7,3}) mode="linear" coordinate_transformation_mode="half_pixel_symmetric")", 22},
    {R"(y = Resize(x:float[1,2,4,5], , s:float[4]{1,1,1.7,0.6}) mode="linear" coordinate_transformation_mode="pytorch_half_pixel")", 22},
    {R"(y = Resize(x:float[1,2,4,5], , , s:int64[4]{1,2,7,3}) mode="linear" coordinate_transformation_mode="pytorch_half_pixel")", 22},
    {R"(y = Resize(x:float[1,2,4,5], , s:float[4]{1,1,1.5,0.6}) mode="linear" coordinate_transformation_mode="align_corners")", 22},
    {R"(y = Resize(x:float[1,2,4,5], , , s:int64[4]{1,2,7,3}) mode="linear" coordinate_transformation_mode="align_corners")", 22},
    {R"(y = Resize(x:float[1,2,4,5], , s:float[4]{1,1,1.7,0.6}) mode="linear" coordinate_transformation_mode="asymmetric")", 22},
    {R"(y = Resize(x:float[1,2,4,5], , , s:int64[4]{1,2,7,3}) mode="linear" coordinate_transformation_mode="asymmetric")", 22},
    {R"(y = Resize(x:float[1,2,8,9], , s:float[4]{1,1,0.6,0.4}) mode="linear" antialias=1)", 22},
    {R"(y = Resize(x:float[1,2,8,9], , , s:int64[4]{1,2,3,5}) mode="linear" antialias=1 exclude_outside=1)", 22},
    {R"(y = Resize(x:float[1,2,4,4], , , s:int64[4]{1,2,7,9}) mode="linear" antialias=1)", 22},
    {R"(y = Resize(x:float[1,2,4,5], r:float[8]{0,0,0.2,0.1,1,1,0.9,0.8}, , s:int64[4]{1,2,3,6}) mode="linear" coordinate_transformation_mode="tf_crop_and_resize" extrapolation_value=7.0)", 22},
    {R"(y = Resize(x:float[1,2,4,5], , s:float[4]{1,1,1.7,0.6}) mode="cubic" coordinate_transformation_mode="half_pixel")", 22},
    {R"(y = Resize(x:float[1,2,4,5], , , s:int64[4]{1,2,7,3}) mode="cubic" coordinate_transformation_mode="half_pixel")", 22},
    {R"(y = Resize(x:float[1,2,4,5], , s:float[4]{1,1,1.7,0.6}) mode="cubic" coordinate_transformation_mode="half_pixel_symmetric")", 22},
    {R"(y = Resize(x:float[1,2,4,5], , , s:int64[4]{1,2,7,3}) mode="cubic" coordinate_transformation_mode="half_pixel_symmetric")", 22},
    {R"(y = Resize(x:float[1,2,4,5], , s:float[4]{1,1,1.7,0.6}) mode="cubic" coordinate_transformation_mode="pytorch_half_pixel")", 22},
    {R"(y = Resize(x:float[1,2,4,5], , , s:int64[4]{1,2,7,3}) mode="cubic" coordinate_transformation_mode="pytorch_half_pixel")", 22},
    {R"(y = Resize(x:float[1,2,4,5], , s:float[4]{1,1,1.5,0.6}) mode="cubic" coordinate_transformation_mode="align_corners")", 22},
    {R"(y = Resize(x:float[1,2,4,5], , , s:int64[4]{1,2,7,3}) mode="cubic" coordinate_transformation_mode="align_corners")", 22},
    {R"(y = Resize(x:float[1,2,4,5], , s:float[4]{1,1,1.7,0.6}) mode="cubic" coordinate_transformation_mode="asymmetric")", 22},
    {R"(y = Resize(x:float[1,2,4,5], , , s:int64[4]{1,2,7,3}) mode="cubic" coordinate_transformation_mode="asymmetric")", 22},
    {R"(y = Resize(x:float[1,2,8,9], , s:float[4]{1,1,0.6,0.4}) mode="cubic" antialias=1)", 22},
    {R"(y = Resize(x:float[1,2,8,9], , , s:int64[4]{1,2,3,5}) mode="cubic" antialias=1 exclude_outside=1)", 22},
    {R"(y = Resize(x:float[1,2,4,4], , , s:int64[4]{1,2,7,9}) mode="cubic" antialias=1)", 22},
    {R"(y = Resize(x:float[1,2,4,5], r:float[8]{0,0,0.2,0.1,1,1,0.9,0.8}, , s:int64[4]{1,2,3,6}) mode="cubic" coordinate_transformation_mode="tf_crop_and_resize" extrapolation_value=7.0)", 22},
    {R"(y = Resize(x:float[1,1,4,6], , s:float[4]{1,1,1.5,0.5}) nearest_mode="round_prefer_floor")", 22},
    {R"(y = Resize(x:float[1,1,4,6], , s:float[4]{1,1,1.5,0.5}) nearest_mode="round_prefer_ceil")", 22},
    {R"(y = Resize(x:float[1,1,4,6], , s:float[4]{1,1,1.5,0.5}) nearest_mode="floor")", 22},
    {R"(y = Resize(x:float[1,1,4,6], , s:float[4]{1,1,1.5,0.5}) nearest_mode="ceil")", 22},
    {R"(y = Resize(x:float[1,2,4,6], , , s:int64[2]{7,7}) axes=[2,3] keep_aspect_ratio_policy="not_larger")", 22},
    {R"(y = Resize(x:float[1,2,4,6], , , s:int64[2]{7,7}) axes=[3,2] keep_aspect_ratio_policy="not_smaller" mode="linear")", 22},
    {R"(y = Resize(x:float[1,2,4,6], , s:float[2]{2,0.5}) axes=[2,3] mode="linear")", 22},
    {R"(y = Resize(x:float[1,1,4,4], , s:float[4]{1,1,2,2}) mode="cubic" cubic_coeff_a=-0.5 exclude_outside=1)", 22},
    {R"(y = Resize(x:float[1,1,3,4,4], , s:float[5]{1,1,2,1.5,2}) mode="linear")", 22},
    {R"(y = Resize(x:uint8[1,1,4,4], , s:float[4]{1,1,2,2}) mode="nearest")", 22},
    {R"(y = Resize(x:int8[1,2,4,4], , s:float[4]{1,1,1.5,1.5}) mode="linear")", 22},
    {R"(y = GridSample(x:float[2,2,4,5], g:float[2,3,4,2]) mode="linear" padding_mode="zeros" align_corners=0)", 22},
    {R"(g = Mul(h:float[2,3,4,2], k:float[]{1.8})
y = GridSample(x:float[2,2,4,5], g) mode="linear" padding_mode="zeros" align_corners=0)", 22},
    {R"(g = Mul(h:float[1,2,3,2,3], k:float[]{1.5})
y = GridSample(x:float[1,2,3,4,5], g) mode="linear" padding_mode="zeros" align_corners=0)", 22},
    {R"(y = GridSample(x:float[2,2,4,5], g:float[2,3,4,2]) mode="linear" padding_mode="zeros" align_corners=1)", 22},
    {R"(g = Mul(h:float[2,3,4,2], k:float[]{1.8})
y = GridSample(x:float[2,2,4,5], g) mode="linear" padding_mode="zeros" align_corners=1)", 22},
    {R"(g = Mul(h:float[1,2,3,2,3], k:float[]{1.5})
y = GridSample(x:float[1,2,3,4,5], g) mode="linear" padding_mode="zeros" align_corners=1)", 22},
    {R"(y = GridSample(x:float[2,2,4,5], g:float[2,3,4,2]) mode="linear" padding_mode="border" align_corners=0)", 22},
    {R"(g = Mul(h:float[2,3,4,2], k:float[]{1.8})
y = GridSample(x:float[2,2,4,5], g) mode="linear" padding_mode="border" align_corners=0)", 22},
    {R"(g = Mul(h:float[1,2,3,2,3], k:float[]{1.5})
y = GridSample(x:float[1,2,3,4,5], g) mode="linear" padding_mode="border" align_corners=0)", 22},
    {R"(y = GridSample(x:float[2,2,4,5], g:float[2,3,4,2]) mode="linear" padding_mode="border" align_corners=1)", 22},
    {R"(g = Mul(h:float[2,3,4,2], k:float[]{1.8})
y = GridSample(x:float[2,2,4,5], g) mode="linear" padding_mode="border" align_corners=1)", 22},
    {R"(g = Mul(h:float[1,2,3,2,3], k:float[]{1.5})
y = GridSample(x:float[1,2,3,4,5], g) mode="linear" padding_mode="border" align_corners=1)", 22},
    {R"(y = GridSample(x:float[2,2,4,5], g:float[2,3,4,2]) mode="linear" padding_mode="reflection" align_corners=0)", 22},
    {R"(g = Mul(h:float[2,3,4,2], k:float[]{1.8})
y = GridSample(x:float[2,2,4,5], g) mode="linear" padding_mode="reflection" align_corners=0)", 22},
    {R"(g = Mul(h:float[1,2,3,2,3], k:float[]{1.5})
y = GridSample(x:float[1,2,3,4,5], g) mode="linear" padding_mode="reflection" align_corners=0)", 22},
    {R"(y = GridSample(x:float[2,2,4,5], g:float[2,3,4,2]) mode="linear" padding_mode="reflection" align_corners=1)", 22},
    {R"(g = Mul(h:float[2,3,4,2], k:float[]{1.8})
y = GridSample(x:float[2,2,4,5], g) mode="linear" padding_mode="reflection" align_corners=1)", 22},
    {R"(g = Mul(h:float[1,2,3,2,3], k:float[]{1.5})
y = GridSample(x:float[1,2,3,4,5], g) mode="linear" padding_mode="reflection" align_corners=1)", 22},
    {R"(y = GridSample(x:float[2,2,4,5], g:float[2,3,4,2]) mode="nearest" padding_mode="zeros" align_corners=0)", 22},
    {R"(g = Mul(h:float[2,3,4,2], k:float[]{1.8})
y = GridSample(x:float[2,2,4,5], g) mode="nearest" padding_mode="zeros" align_corners=0)", 22},
    {R"(g = Mul(h:float[1,2,3,2,3], k:float[]{1.5})
y = GridSample(x:float[1,2,3,4,5], g) mode="nearest" padding_mode="zeros" align_corners=0)", 22},
    {R"(y = GridSample(x:float[2,2,4,5], g:float[2,3,4,2]) mode="nearest" padding_mode="zeros" align_corners=1)", 22},
    {R"(g = Mul(h:float[2,3,4,2], k:float[]{1.8})
y = GridSample(x:float[2,2,4,5], g) mode="nearest" padding_mode="zeros" align_corners=1)", 22},
    {R"(g = Mul(h:float[1,2,3,2,3], k:float[]{1.5})
y = GridSample(x:float[1,2,3,4,5], g) mode="nearest" padding_mode="zeros" align_corners=1)", 22},
    {R"(y = GridSample(x:float[2,2,4,5], g:float[2,3,4,2]) mode="nearest" padding_mode="border" align_corners=0)", 22},
    {R"(g = Mul(h:float[2,3,4,2], k:float[]{1.8})
y = GridSample(x:float[2,2,4,5], g) mode="nearest" padding_mode="border" align_corners=0)", 22},
    {R"(g = Mul(h:float[1,2,3,2,3], k:float[]{1.5})
y = GridSample(x:float[1,2,3,4,5], g) mode="nearest" padding_mode="border" align_corners=0)", 22},
    {R"(y = GridSample(x:float[2,2,4,5], g:float[2,3,4,2]) mode="nearest" padding_mode="border" align_corners=1)", 22},
    {R"(g = Mul(h:float[2,3,4,2], k:float[]{1.8})
y = GridSample(x:float[2,2,4,5], g) mode="nearest" padding_mode="border" align_corners=1)", 22},
    {R"(g = Mul(h:float[1,2,3,2,3], k:float[]{1.5})
y = GridSample(x:float[1,2,3,4,5], g) mode="nearest" padding_mode="border" align_corners=1)", 22},
    {R"(y = GridSample(x:float[2,2,4,5], g:float[2,3,4,2]) mode="nearest" padding_mode="reflection" align_corners=0)", 22},
    {R"(g = Mul(h:float[2,3,4,2], k:float[]{1.8})
y = GridSample(x:float[2,2,4,5], g) mode="nearest" padding_mode="reflection" align_corners=0)", 22},
    {R"(g = Mul(h:float[1,2,3,2,3], k:float[]{1.5})
y = GridSample(x:float[1,2,3,4,5], g) mode="nearest" padding_mode="reflection" align_corners=0)", 22},
    {R"(y = GridSample(x:float[2,2,4,5], g:float[2,3,4,2]) mode="nearest" padding_mode="reflection" align_corners=1)", 22},
    {R"(g = Mul(h:float[2,3,4,2], k:float[]{1.8})
y = GridSample(x:float[2,2,4,5], g) mode="nearest" padding_mode="reflection" align_corners=1)", 22},
    {R"(g = Mul(h:float[1,2,3,2,3], k:float[]{1.5})
y = GridSample(x:float[1,2,3,4,5], g) mode="nearest" padding_mode="reflection" align_corners=1)", 22},
    {R"(y = GridSample(x:float[2,2,4,5], g:float[2,3,4,2]) mode="cubic" padding_mode="zeros" align_corners=0)", 22},
    {R"(g = Mul(h:float[2,3,4,2], k:float[]{1.8})
y = GridSample(x:float[2,2,4,5], g) mode="cubic" padding_mode="zeros" align_corners=0)", 22},
    {R"(y = GridSample(x:float[2,2,4,5], g:float[2,3,4,2]) mode="cubic" padding_mode="zeros" align_corners=1)", 22},
    {R"(g = Mul(h:float[2,3,4,2], k:float[]{1.8})
y = GridSample(x:float[2,2,4,5], g) mode="cubic" padding_mode="zeros" align_corners=1)", 22},
    {R"(y = GridSample(x:float[2,2,4,5], g:float[2,3,4,2]) mode="cubic" padding_mode="border" align_corners=0)", 22},
    {R"(g = Mul(h:float[2,3,4,2], k:float[]{1.8})
y = GridSample(x:float[2,2,4,5], g) mode="cubic" padding_mode="border" align_corners=0)", 22},
    {R"(y = GridSample(x:float[2,2,4,5], g:float[2,3,4,2]) mode="cubic" padding_mode="border" align_corners=1)", 22},
    {R"(g = Mul(h:float[2,3,4,2], k:float[]{1.8})
y = GridSample(x:float[2,2,4,5], g) mode="cubic" padding_mode="border" align_corners=1)", 22},
    {R"(y = GridSample(x:float[2,2,4,5], g:float[2,3,4,2]) mode="cubic" padding_mode="reflection" align_corners=0)", 22},
    {R"(g = Mul(h:float[2,3,4,2], k:float[]{1.8})
y = GridSample(x:float[2,2,4,5], g) mode="cubic" padding_mode="reflection" align_corners=0)", 22},
    {R"(y = GridSample(x:float[2,2,4,5], g:float[2,3,4,2]) mode="cubic" padding_mode="reflection" align_corners=1)", 22},
    {R"(g = Mul(h:float[2,3,4,2], k:float[]{1.8})
y = GridSample(x:float[2,2,4,5], g) mode="cubic" padding_mode="reflection" align_corners=1)", 22},
    {R"(y = GridSample(x:float[1,2,4,5], g:float[1,3,4,2]) mode="bicubic")", 16},
    {R"(y = GridSample(x:float[1,2,4,5], g:float[1,3,4,2]) mode="bilinear" align_corners=1)", 16},
    {R"(y = AffineGrid(t:float[2,2,3], s:int64[4]{2,3,4,5}) align_corners=0)", 22},
    {R"(y = AffineGrid(t:float[2,3,4], s:int64[5]{2,3,2,4,5}) align_corners=0)", 22},
    {R"(y = AffineGrid(t:float[2,2,3], s:int64[4]{2,3,4,5}) align_corners=1)", 22},
    {R"(y = AffineGrid(t:float[2,3,4], s:int64[5]{2,3,2,4,5}) align_corners=1)", 22},
    {R"(y = CenterCropPad(x:float[4,5,6], s:int64[3]{2,8,5}))", 22},
    {R"(y = CenterCropPad(x:float[4,5,6], s:int64[2]{7,2}) axes=[1,-1])", 22},
    {R"(y = CenterCropPad(x:int8[5,4], s:int64[2]{2,7}))", 22},
    {R"(y = Upsample(x:float[1,2,3,4], s:float[4]{1,1,2,3}) mode="linear")", 9},
    {R"(y = Upsample(x:float[1,2,3,4], s:float[4]{1,1,2,3}))", 9},
    {R"(y = Resize(x:float[1,2,4,4], s:float[4]{1,1,0.5,2}) mode="linear")", 10},
    {R"(y = Resize(x:float[1,2,4,5], r:float[0]{}, s:float[4]{1,1,1.7,0.6}) mode="linear")", 11},
    {R"(y = Resize(x:float[1,2,4,5], r:float[0]{}, s:float[4]{1,1,1.7,0.6}) coordinate_transformation_mode="tf_half_pixel_for_nn")", 11},
};
// clang-format on

}  // namespace

std::span<const OperatorRow> resamplingRows() {
  return kResamplingRows;
}

}  // namespace quantscope::test
