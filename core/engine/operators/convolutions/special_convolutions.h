#pragma once

#include "engine/operator_registry.h"

namespace quantscope {

/// DeformConv: Y [N, M, oH, oW] as Conv, but each tap of the kernel at each position reads X at a
/// place of its own, moved by offset [N, groups · kH · kW · 2, oH, oW] (rows first) with bilinear
/// interpolation and zeros outside, and weighted by mask [N, groups · kH · kW, oH, oW].
void registerDeformableConvolution(OperatorRegistry& registry);

/// Col2Im: adds up columns [N, C · kernel, positions] into images [N, C, D1, …], the adjoint of
/// taking all windows of an image.
void registerColumnsToImage(OperatorRegistry& registry);

}  // namespace quantscope
