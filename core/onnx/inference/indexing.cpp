#include <algorithm>
#include <array>
#include <limits>

#include "onnx/inference/dimensions.h"
#include "onnx/inference/folding.h"
#include "onnx/inference/rules.h"

namespace quantscope::inference {
namespace {

// One element per index, out of a list: Gather of a shape tensor.
void gatherElements(Context& context) {
  const Elements* data = context.elements(0);
  const Elements* indices = context.elements(1);
  if (data == nullptr || indices == nullptr || context.shape(0)->size() != 1) return;
  const auto length = static_cast<std::int64_t>(data->size());
  Elements result;
  for (const Element& index : *indices) {
    if (!index.number) return;
    const std::int64_t signedPosition = toInteger(*index.number);
    const std::int64_t position = signedPosition < 0 ? signedPosition + length : signedPosition;
    if (position < 0 || position >= length) return;
    result.push_back((*data)[static_cast<std::size_t>(position)]);
  }
  context.setElements(0, std::move(result));
}

void gather(Context& context) {
  const Dimensions* data = context.shape(0);
  const Dimensions* indices = context.shape(1);
  context.setOutput(0, context.element(0));
  if (data == nullptr || indices == nullptr) return;
  const auto axis = static_cast<std::ptrdiff_t>(context.axis(0, data->size()));
  Dimensions result(data->begin(), data->begin() + axis);
  result.insert(result.end(), indices->begin(), indices->end());
  result.insert(result.end(), data->begin() + axis + 1, data->end());
  context.setOutput(0, context.element(0), std::move(result));
  gatherElements(context);
}

void shapedLikeIndices(Context& context) {
  context.setOutput(0, context.element(0), copyOf(context.shape(1)));
}

// The last axis of the indices is a position in the data; the elements behind that position are
// taken.
void gatherNd(Context& context) {
  const Dimensions* data = context.shape(0);
  const Dimensions* indices = context.shape(1);
  context.setOutput(0, context.element(0));
  if (data == nullptr || indices == nullptr || indices->empty() || !indices->back().known()) return;
  const std::int64_t batch = context.node().integer("batch_dims", 0);
  const std::int64_t taken = batch + indices->back().extent;
  if (batch < 0 || taken < 0 || taken > static_cast<std::int64_t>(data->size())) return;
  Dimensions result(indices->begin(), indices->end() - 1);
  result.insert(result.end(), data->begin() + taken, data->end());
  context.setOutput(0, context.element(0), std::move(result));
}

void oneHot(Context& context) {
  const Dimensions* indices = context.shape(0);
  context.setOutput(0, context.element(2));
  if (indices == nullptr) return;
  const Elements* depth = context.elements(1);
  const std::size_t axis = context.axis(-1, indices->size() + 1);
  Dimensions result = *indices;
  const bool isKnown = depth != nullptr && depth->size() == 1;
  result.insert(result.begin() + static_cast<std::ptrdiff_t>(axis),
                isKnown ? toDimension(depth->front()) : unknown());
  context.setOutput(0, context.element(2), std::move(result));
}

void topK(Context& context) {
  context.setOutput(0, context.element(0));
  context.setOutput(1, ElementType::Int64);
  const Dimensions* shape = context.shape(0);
  if (shape == nullptr) return;
  Dimensions result = *shape;
  const std::optional<std::int64_t> count = context.integer("k", 1, -1);
  result[context.axis(-1, shape->size())] = count ? known(*count) : unknown();
  context.setOutput(0, context.element(0), result);
  context.setOutput(1, ElementType::Int64, std::move(result));
}

void nonZero(Context& context) {
  const Dimensions* shape = context.shape(0);
  Dimensions result = unknownShape(2);
  if (shape != nullptr) result[0] = known(static_cast<std::int64_t>(shape->size()));
  context.setOutput(0, ElementType::Int64, std::move(result));
}

void compress(Context& context) {
  const Dimensions* shape = context.shape(0);
  if (!context.node().has("axis")) {
    return context.setOutput(0, context.element(0), unknownShape(1));
  }
  context.setOutput(0, context.element(0));
  if (shape == nullptr) return;
  Dimensions result = *shape;
  result[context.axis(0, shape->size())] = unknown();
  context.setOutput(0, context.element(0), std::move(result));
}

void unique(Context& context) {
  compress(context);
  for (std::size_t i = 1; i < 4; ++i) context.setOutput(i, ElementType::Int64, unknownShape(1));
}

void nonMaxSuppression(Context& context) {
  context.setOutput(0, ElementType::Int64, Dimensions{unknown(), known(3)});
}

/// Where a slice of one axis begins, how it steps, and how many it takes.
struct Range {
  std::int64_t begin = 0;
  std::int64_t step = 1;
  std::int64_t count = 0;
};

// Negative bounds count from the end, and bounds beyond it stop there. All numbers are below 2^62.
std::optional<Range> sliceRange(std::int64_t start, std::int64_t end, std::int64_t step,
                                std::int64_t extent) {
  if (step == 0) return std::nullopt;
  const auto bound = [&](std::int64_t position) {
    const std::int64_t counted = position < 0 ? position + extent : position;
    return step > 0 ? std::clamp<std::int64_t>(counted, 0, extent)
                    : std::clamp<std::int64_t>(counted, -1, extent - 1);
  };
  Range range{bound(start), step, 0};
  const std::int64_t distance = bound(end) - range.begin;
  if (distance != 0 && (distance > 0) == (step > 0)) {
    range.count = (distance + step + (step > 0 ? -1 : 1)) / step;
  }
  return range;
}

struct SliceOfAxis {
  std::size_t axis = 0;
  std::optional<std::int64_t> start;
  std::optional<std::int64_t> end;
  std::int64_t step = 1;
};

std::optional<std::int64_t> at(const IntegerList& list, std::size_t index) {
  if (!list.values || index >= list.values->size()) return std::nullopt;
  return (*list.values)[index];
}

// Empty where not even the axes are known.
std::vector<SliceOfAxis> slicesOf(const Context& context, std::size_t rank) {
  const IntegerList starts = context.integers("starts", 1);
  const IntegerList ends = context.integers("ends", 2);
  const IntegerList axes = context.integers("axes", 3);
  const IntegerList steps = context.integers({}, 4);
  const Dimensions* counted = context.shape(1);
  std::size_t count = rank;
  if (starts.values) {
    count = starts.values->size();
  } else if (counted != nullptr && counted->size() == 1 && counted->front().known()) {
    count = static_cast<std::size_t>(counted->front().extent);
  }
  std::vector<SliceOfAxis> slices;
  if ((axes.given && !axes.values) || count > rank) return slices;
  for (std::size_t i = 0; i < count; ++i) {
    const auto fallback = static_cast<std::int64_t>(i);
    const std::int64_t axis = axes.given ? at(axes, i).value_or(fallback) : fallback;
    const bool unknownStep = steps.given && !at(steps, i);
    slices.push_back({normalizeAxis(axis, rank), unknownStep ? std::nullopt : at(starts, i),
                      at(ends, i), at(steps, i).value_or(1)});
  }
  return slices;
}

// True for a slice from the first to the last element in steps of one: it keeps any extent.
bool takesAll(const SliceOfAxis& slice) {
  constexpr std::int64_t kBeyondAnyExtent = 1 << 30;
  return slice.start == 0 && slice.end && *slice.end >= kBeyondAnyExtent && slice.step == 1;
}

Dimension slicedExtent(const Dimension& extent, const SliceOfAxis& slice) {
  if (takesAll(slice)) return extent;
  if (!extent.known() || !slice.start || !slice.end) return unknown();
  const std::optional<Range> range =
      sliceRange(*slice.start, *slice.end, slice.step, extent.extent);
  return range ? known(range->count) : unknown();
}

void sliceElements(Context& context, const std::vector<SliceOfAxis>& slices) {
  const Elements* elements = context.elements(0);
  std::optional<StridedView> view = viewOf(context.shape(0));
  if (elements == nullptr || !view) return;
  for (const SliceOfAxis& slice : slices) {
    if (!slice.start || !slice.end) return;
    const std::optional<Range> range =
        sliceRange(*slice.start, *slice.end, slice.step, view->extents[slice.axis]);
    if (!range) return;
    view->offset += range->begin * view->strides[slice.axis];
    view->extents[slice.axis] = range->count;
    // One element is reached without a step, however large.
    if (range->count > 1) view->strides[slice.axis] *= range->step;
  }
  if (auto taken = elementsIn(*view, *elements)) context.setElements(0, *std::move(taken));
}

void slice(Context& context) {
  const Dimensions* shape = context.shape(0);
  context.setOutput(0, context.element(0));
  if (shape == nullptr) return;
  const std::vector<SliceOfAxis> slices = slicesOf(context, shape->size());
  Dimensions result = slices.empty() ? unknownShape(shape->size()) : *shape;
  for (const SliceOfAxis& one : slices) result[one.axis] = slicedExtent((*shape)[one.axis], one);
  context.setOutput(0, context.element(0), std::move(result));
  if (!slices.empty()) sliceElements(context, slices);
}

// Sequences [C] or [N, C] to how often each n-gram of a list stands in them.
void countGrams(Context& context) {
  std::int64_t highest = -1;
  for (const std::int64_t place : context.node().integers("ngram_indexes")) {
    highest = std::max(highest, place);
  }
  context.setOutput(0, ElementType::Float32);
  const Dimensions* shape = context.shape(0);
  if (shape == nullptr || shape->empty()) return;
  Dimensions result = *shape;
  const bool countable = highest < std::numeric_limits<std::int64_t>::max();
  result.back() = countable ? known(highest + 1) : unknown();
  context.setOutput(0, ElementType::Float32, std::move(result));
}

constexpr std::array kIndexingRules = std::to_array<RuleEntry>({
    {"Compress", compress},
    {"Gather", gather},
    {"GatherElements", shapedLikeIndices},
    {"GatherND", gatherNd},
    {"NonMaxSuppression", nonMaxSuppression},
    {"NonZero", nonZero},
    {"OneHot", oneHot},
    {"Scatter", sameAsInput},
    {"ScatterElements", sameAsInput},
    {"ScatterND", sameAsInput},
    {"Slice", slice},
    {"TensorScatter", sameAsInput},
    {"TfIdfVectorizer", countGrams},
    {"TopK", topK},
    {"Unique", unique},
});

}  // namespace

std::span<const RuleEntry> indexingRules() {
  return kIndexingRules;
}

}  // namespace quantscope::inference
