#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/error.h"
#include "engine/operators/operands.h"
#include "engine/operators/resampling/regions.h"

namespace quantscope {
namespace {

// The elements [begin, end) of one bin along an axis of `extent` elements; both ends count, and
// places lie on whole elements.
struct Bin {
  std::int64_t begin, end;

  Bin(float from, float to, float scale, std::int64_t index, std::int64_t count,
      std::int64_t extent) {
    const float first = std::round(from * scale);
    const float size =
        std::max(std::round(to * scale) - first + 1, 1.0F) / static_cast<float>(count);
    const auto inside = [&](float place) {
      return static_cast<std::int64_t>(std::clamp(place + first, 0.0F, static_cast<float>(extent)));
    };
    begin = inside(std::floor(static_cast<float>(index) * size));
    end = inside(std::ceil(static_cast<float>(index + 1) * size));
  }
};

float largest(const float* plane, std::int64_t width, const Bin& rows, const Bin& columns) {
  if (rows.begin >= rows.end || columns.begin >= columns.end) return 0;
  float result = -std::numeric_limits<float>::infinity();
  for (std::int64_t y = rows.begin; y < rows.end; ++y) {
    for (std::int64_t x = columns.begin; x < columns.end; ++x) {
      result = std::max(result, plane[y * width + x]);
    }
  }
  return result;
}

// x [N, C, H, W], regions [count, 5] of image, x1, y1, x2, y2
Tensor pool(const Tensor& x, const Tensor& regions, std::int64_t height, std::int64_t width,
            float scale) {
  const Shape& shape = x.shape();
  if (shape.rank() != 4 || regions.shape().rank() != 2 || regions.shape()[1] != 5) {
    throw Error(ErrorCode::InvalidParameters, "regions of shape " + toString(regions.shape()) +
                                                  " do not fit an input of shape " +
                                                  toString(shape));
  }
  const std::int64_t count = regions.shape()[0];
  Tensor y(ElementType::Float32, {count, shape[1], height, width});
  float* to = y.mutableValues<float>().data();
  for (std::int64_t r = 0; r < count; ++r) {
    const float* region = regions.values<float>().data() + r * 5;
    if (!(region[0] >= 0 && region[0] < static_cast<float>(shape[0]))) {
      throw Error(ErrorCode::InvalidParameters,
                  "a region of image " + std::to_string(region[0]) + ", which is not there");
    }
    const auto image = static_cast<std::int64_t>(region[0]);
    for (std::int64_t c = 0; c < shape[1]; ++c) {
      const float* plane = x.values<float>().data() + (image * shape[1] + c) * shape[2] * shape[3];
      for (std::int64_t i = 0; i < height * width; ++i) {
        const Bin rows(region[2], region[4], scale, i / width, height, shape[2]);
        const Bin columns(region[1], region[3], scale, i % width, width, shape[3]);
        *to++ = largest(plane, shape[3], rows, columns);
      }
    }
  }
  return y;
}

std::unique_ptr<Kernel> maxRoiPool(const Node& node, const Graph& /*graph*/) {
  const std::vector<std::int64_t> size = node.integers("pooled_shape");
  if (size.size() != 2 || size[0] <= 0 || size[1] <= 0) {
    throw Error(ErrorCode::InvalidModel, "MaxRoiPool needs two extents above 0 as pooled_shape");
  }
  return makeKernel([size, scale = node.real("spatial_scale", 1)](std::span<Tensor> inputs,
                                                                  std::span<Tensor> outputs) {
    setOutput(outputs, 0,
              pool(requiredInput(inputs, 0), requiredInput(inputs, 1), size[0], size[1], scale));
  });
}

}  // namespace

void registerMaxRoiPool(OperatorRegistry& registry) {
  registry.add("MaxRoiPool", {1, 22}, maxRoiPool);
}

}  // namespace quantscope
