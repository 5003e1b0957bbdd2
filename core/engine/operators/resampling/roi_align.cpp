#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "base/error.h"
#include "engine/operators/operands.h"
#include "engine/operators/resampling/regions.h"
#include "engine/operators/type_lists.h"

namespace quantscope {
namespace {

struct RoiSettings {
  std::int64_t height, width;  // of the result
  std::int64_t sampling;       // points per bin and axis; 0 = as many as the bin has elements
  double scale;
  bool halfPixel;
  bool largest;  // of the points, else their mean

  explicit RoiSettings(const Node& node)
      : height(node.integer("output_height", 1)),
        width(node.integer("output_width", 1)),
        sampling(node.integer("sampling_ratio", 0)),
        scale(static_cast<double>(node.real("spatial_scale", 1))),
        halfPixel(node.version >= 16 &&
                  node.text("coordinate_transformation_mode", "half_pixel") == "half_pixel"),
        largest(node.text("mode", "avg") == "max") {
    if (height > 0 && width > 0 && sampling >= 0) return;
    throw Error(ErrorCode::InvalidModel, "RoiAlign has no output or no sampling points");
  }
};

// Where a bin begins along one axis, and how many points lie in it.
struct Bins {
  double start, size;
  std::int64_t points;

  Bins(const RoiSettings& settings, double from, double to, std::int64_t count) {
    const double offset = settings.halfPixel ? 0.5 : 0;
    start = from * settings.scale - offset;
    double extent = to * settings.scale - offset - start;
    // Before half pixels were thought of, a region had at least one element.
    if (!settings.halfPixel) extent = std::max(extent, 1.0);
    size = extent / static_cast<double>(count);
    points = settings.sampling > 0 ? settings.sampling : static_cast<std::int64_t>(std::ceil(size));
  }
  double at(std::int64_t bin, std::int64_t point) const {
    return start + static_cast<double>(bin) * size +
           (static_cast<double>(point) + 0.5) * size / static_cast<double>(points);
  }
};

// The two neighbours of a place and their weights; none beyond one element outside.
struct Neighbours {
  std::array<std::int64_t, 2> places{};
  std::array<double, 2> weights{};

  Neighbours(double place, std::int64_t extent) {
    if (!(place >= -1 && place <= static_cast<double>(extent))) return;
    place = std::clamp(place, 0.0, static_cast<double>(extent - 1));
    const auto low = static_cast<std::int64_t>(place);
    places = {low, std::min(low + 1, extent - 1)};
    const double fraction = place - static_cast<double>(low);
    weights = {1 - fraction, fraction};
  }
};

// One element of the result from an image plane [height, width].
template <class T>
double pooled(const T* plane, std::int64_t height, std::int64_t width, const RoiSettings& settings,
              const Bins& rows, const Bins& columns, std::int64_t row, std::int64_t column) {
  double sum = 0;
  double largest = 0;
  bool first = true;
  for (std::int64_t i = 0; i < rows.points; ++i) {
    const Neighbours y(rows.at(row, i), height);
    for (std::int64_t j = 0; j < columns.points; ++j) {
      const Neighbours x(columns.at(column, j), width);
      for (std::size_t k = 0; k < 4; ++k) {
        const auto value = static_cast<double>(plane[y.places[k / 2] * width + x.places[k % 2]]);
        // The largest weighted neighbour, not the largest point: so the operator is specified.
        const double weighted = y.weights[k / 2] * x.weights[k % 2] * value;
        sum += weighted;
        largest = first ? weighted : std::max(largest, weighted);
        first = false;
      }
    }
  }
  if (settings.largest) return largest;
  return sum / static_cast<double>(std::max<std::int64_t>(rows.points * columns.points, 1));
}

// x [N, C, H, W], regions [count, 4] of x1, y1, x2, y2, their images [count]
template <class T>
Tensor align(const RoiSettings& settings, const Tensor& x, const Tensor& regions,
             const Tensor& images) {
  const std::vector<std::int64_t> indices = toIntegers(images);
  const Shape& shape = x.shape();
  const std::int64_t count = regions.shape()[0];
  Tensor y(x.type(), {count, shape[1], settings.height, settings.width});
  T* to = y.mutableValues<T>().data();
  for (std::int64_t r = 0; r < count; ++r) {
    const T* region = regions.values<T>().data() + r * 4;
    const auto corner = [&](int i) { return static_cast<double>(region[i]); };
    const Bins rows(settings, corner(1), corner(3), settings.height);
    const Bins columns(settings, corner(0), corner(2), settings.width);
    const std::int64_t image = indices[static_cast<std::size_t>(r)];
    if (image < 0 || image >= shape[0]) {
      throw Error(ErrorCode::InvalidParameters,
                  "a region of image " + std::to_string(image) + ", which is not there");
    }
    for (std::int64_t c = 0; c < shape[1]; ++c) {
      const T* plane = x.values<T>().data() + (image * shape[1] + c) * shape[2] * shape[3];
      for (std::int64_t i = 0; i < settings.height * settings.width; ++i) {
        *to++ = static_cast<T>(pooled(plane, shape[2], shape[3], settings, rows, columns,
                                      i / settings.width, i % settings.width));
      }
    }
  }
  return y;
}

std::unique_ptr<Kernel> roiAlign(const Node& node, const Graph& /*graph*/) {
  return makeKernel([settings = RoiSettings(node)](std::span<Tensor> inputs,
                                                   std::span<Tensor> outputs) {
    const Tensor& x = requiredInput(inputs, 0);
    const Tensor& regions = requiredInput(inputs, 1);
    const Tensor& images = requiredInput(inputs, 2);
    if (x.shape().rank() != 4 || x.shape().elementCount(2, 4) == 0 || regions.shape().rank() != 2 ||
        regions.shape()[1] != 4 || images.shape() != Shape{regions.shape()[0]} ||
        regions.type() != x.type()) {
      throw Error(ErrorCode::InvalidParameters,
                  "regions of shape " + toString(regions.shape()) + " with images of shape " +
                      toString(images.shape()) + " do not fit an input of shape " +
                      toString(x.shape()));
    }
    visitTypes(FloatTypes{}, x.type(),
               [&]<class T>() { setOutput(outputs, 0, align<T>(settings, x, regions, images)); });
  });
}

}  // namespace

void registerRoiAlign(OperatorRegistry& registry) {
  registry.add("RoiAlign", {10, 16, 22}, roiAlign);
}

}  // namespace quantscope
