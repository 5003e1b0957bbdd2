#pragma once

#include "quant/quant_params.h"
#include "tensor/tensor.h"

namespace quantscope {

/// `tensor` rounded to the grid of `params` and back to real numbers (see
/// kernels/codes/fake_quantize.h). A half type comes back as float32. Per channel along
/// `params.axis` of the logical shape. Throws InvalidParameters where the number of grids is not
/// the extent of that axis.
Tensor fakeQuantize(Tensor tensor, const QuantParams& params);

/// The same for parameters of either mode. Dynamic ones take the grid from the tensor's own finite
/// minimum and maximum, for each of `batch` samples along axis 0 by itself; likewise static ones
/// whose scales lie along axis 0 too.
Tensor fakeQuantizeValue(Tensor tensor, const QuantParams& params, std::size_t batch);

}  // namespace quantscope
