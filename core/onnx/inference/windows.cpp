// Convolutions and pooling: whatever slides a window over the axes behind [N, C].
#include <algorithm>
#include <array>

#include "onnx/inference/dimensions.h"
#include "onnx/inference/rules.h"

namespace quantscope::inference {
namespace {

/// How windows slide, read from a node: one entry per spatial axis.
struct Windows {
  std::vector<std::int64_t> kernel;  ///< −1 = unknown
  std::vector<std::int64_t> steps;
  std::vector<std::int64_t> dilations;
  std::vector<std::int64_t> added;  ///< output_padding
  std::vector<std::int64_t> pads;   ///< all begins, then all ends
  bool isSame = false;
  bool roundUp = false;

  std::int64_t span(std::size_t axis) const { return (kernel[axis] - 1) * dilations[axis] + 1; }
  std::int64_t padding(std::size_t axis) const { return pads[axis] + pads[axis + kernel.size()]; }
};

// Attributes may be left out, in which case they are `fallback` along every axis.
std::vector<std::int64_t> perAxis(const Node& node, std::string_view attribute, std::size_t count,
                                  std::int64_t fallback) {
  std::vector<std::int64_t> values = node.integers(attribute);
  if (values.empty()) values.assign(count, fallback);
  return values;
}

// nullopt if the attributes do not fit the number of axes, or each other.
std::optional<Windows> windowsOf(const Node& node, std::vector<std::int64_t> kernel,
                                 std::size_t axes) {
  const std::string automatic = node.text("auto_pad", "NOTSET");
  Windows windows{.kernel = std::move(kernel),
                  .steps = perAxis(node, "strides", axes, 1),
                  .dilations = perAxis(node, "dilations", axes, 1),
                  .added = perAxis(node, "output_padding", axes, 0),
                  .pads = perAxis(node, "pads", 2 * axes, 0),
                  .isSame = automatic.starts_with("SAME"),
                  .roundUp = node.integer("ceil_mode", 0) != 0};
  if (automatic == "VALID") windows.pads.assign(2 * axes, 0);
  if (windows.pads.size() != 2 * axes || !isModest(windows.pads)) return std::nullopt;
  for (const auto* list : {&windows.kernel, &windows.steps, &windows.dilations, &windows.added}) {
    if (list->size() != axes || !isModest(*list)) return std::nullopt;
  }
  const bool stepsForward = std::ranges::all_of(windows.steps, [](auto step) { return step > 0; });
  if (!stepsForward) return std::nullopt;
  return windows;
}

// How many windows fit along one axis. With ceil_mode one may end behind the input, but not begin
// there.
Dimension windowCount(const Dimension& extent, const Windows& windows, std::size_t axis) {
  const std::int64_t step = windows.steps[axis];
  const std::int64_t padding = windows.padding(axis);
  if (windows.isSame && step == 1) return extent;
  if (windows.kernel[axis] < 0) return unknown();
  const std::int64_t span = windows.span(axis);
  if (!windows.isSame && step == 1 && span - 1 == padding) return extent;
  if (!extent.known()) return unknown();
  if (windows.isSame) return known((extent.extent + step - 1) / step);
  const std::int64_t room = extent.extent + padding - span;
  if (room < 0) return unknown();
  if (!windows.roundUp) return known(room / step + 1);
  const std::int64_t count = (room + step - 1) / step + 1;
  const bool lastBeginsBehind = (count - 1) * step >= extent.extent + windows.pads[axis];
  return known(lastBeginsBehind ? count - 1 : count);
}

// The extent whose windows make up `extent`: the way back.
Dimension transposedExtent(const Dimension& extent, const Windows& windows, std::size_t axis) {
  const std::int64_t step = windows.steps[axis];
  if (windows.isSame && step == 1) return extent;
  if (windows.isSame) return extent.known() ? known(extent.extent * step) : unknown();
  if (windows.kernel[axis] < 0) return unknown();
  const std::int64_t grown = windows.span(axis) + windows.added[axis] - windows.padding(axis);
  if (step == 1 && grown == 1) return extent;
  return extent.known() ? known(step * (extent.extent - 1) + grown) : unknown();
}

std::optional<Dimensions> spatialAxes(const Dimensions* shape) {
  if (shape == nullptr || shape->size() < 3) return std::nullopt;
  return Dimensions(shape->begin() + 2, shape->end());
}

void setWindowed(Context& context, std::optional<ElementType> element, const Dimension& channels,
                 const std::optional<Dimensions>& spatial) {
  const Dimensions* input = context.shape(0);
  if (input == nullptr || input->empty() || !spatial) return context.setOutput(0, element);
  Dimensions result{input->front(), channels};
  result.insert(result.end(), spatial->begin(), spatial->end());
  context.setOutput(0, element, std::move(result));
}

// The attribute, or where the weights [M, C/group, k1, …] are known their last axes.
std::vector<std::int64_t> kernelShape(const Context& context, std::size_t weightInput) {
  std::vector<std::int64_t> kernel = context.node().integers("kernel_shape");
  const std::optional<Dimensions> weights = spatialAxes(context.shape(weightInput));
  if (!kernel.empty() || !weights) return kernel;
  for (const Dimension& dimension : *weights) kernel.push_back(dimension.extent);
  return kernel;
}

Dimension outputChannels(const Context& context, std::size_t weightInput, std::size_t axis,
                         std::int64_t groups) {
  const Dimensions* weights = context.shape(weightInput);
  if (weights == nullptr || weights->size() < 2 || !(*weights)[axis].known()) return unknown();
  std::int64_t channels = 0;
  const bool overflow = __builtin_mul_overflow((*weights)[axis].extent, groups, &channels);
  return overflow ? unknown() : known(channels);
}

std::optional<Dimensions> windowed(const Context& context,
                                   const std::vector<std::int64_t>& kernel) {
  std::optional<Dimensions> spatial = spatialAxes(context.shape(0));
  if (!spatial) return std::nullopt;
  const std::optional<Windows> windows = windowsOf(context.node(), kernel, spatial->size());
  if (!windows) return std::nullopt;
  for (std::size_t i = 0; i < spatial->size(); ++i) {
    (*spatial)[i] = windowCount((*spatial)[i], *windows, i);
  }
  return spatial;
}

std::optional<Dimensions> transposed(const Context& context,
                                     const std::vector<std::int64_t>& kernel) {
  std::optional<Dimensions> spatial = spatialAxes(context.shape(0));
  if (!spatial) return std::nullopt;
  const std::optional<Windows> windows = windowsOf(context.node(), kernel, spatial->size());
  if (!windows) return std::nullopt;
  const std::vector<std::int64_t> wanted = context.node().integers("output_shape");
  for (std::size_t i = 0; i < spatial->size(); ++i) {
    // The first writers of output_shape gave all axes, not the spatial ones alone.
    (*spatial)[i] = wanted.size() >= spatial->size()
                        ? known(wanted[wanted.size() - spatial->size() + i])
                        : transposedExtent((*spatial)[i], *windows, i);
  }
  return spatial;
}

void convolve(Context& context) {
  setWindowed(context, context.element(0), outputChannels(context, 1, 0, 1),
              windowed(context, kernelShape(context, 1)));
}

void pool(Context& context) {
  const Dimensions* input = context.shape(0);
  const Dimension channels = input != nullptr && input->size() > 1 ? (*input)[1] : unknown();
  const std::optional<Dimensions> spatial =
      windowed(context, context.node().integers("kernel_shape"));
  setWindowed(context, context.element(0), channels, spatial);
  context.setOutput(1, ElementType::Int64, context.output(0).shape);
}

void poolEverything(Context& context) {
  const Dimensions* input = context.shape(0);
  context.setOutput(0, context.element(0));
  if (input == nullptr || input->size() < 2) return;
  Dimensions result = *input;
  std::fill(result.begin() + 2, result.end(), known(1));
  context.setOutput(0, context.element(0), std::move(result));
}

void convolveTransposed(Context& context) {
  const std::int64_t groups = context.node().integer("group", 1);
  setWindowed(context, context.element(0), outputChannels(context, 1, 1, groups),
              transposed(context, kernelShape(context, 1)));
}

void convolveDeformed(Context& context) {
  const Dimensions* offsets = context.shape(2);  // [N, …, output axes]
  setWindowed(context, context.element(0), outputChannels(context, 1, 0, 1), spatialAxes(offsets));
}

void convolveInteger(Context& context) {
  setWindowed(context, ElementType::Int32, outputChannels(context, 1, 0, 1),
              windowed(context, kernelShape(context, 1)));
}

void convolveQuantized(Context& context) {
  setWindowed(context, context.element(7), outputChannels(context, 3, 0, 1),
              windowed(context, kernelShape(context, 3)));
}

void unpool(Context& context) {
  context.setOutput(0, context.element(0));
  const Dimensions* input = context.shape(0);
  if (input == nullptr) return;
  if (context.hasInput(2)) {
    Dimensions result = unknownShape(input->size());
    const Elements* wanted = context.elements(2);
    for (std::size_t i = 0; wanted != nullptr && i < std::min(result.size(), wanted->size()); ++i) {
      result[i] = toDimension((*wanted)[i]);
    }
    return context.setOutput(0, context.element(0), std::move(result));
  }
  const Dimension channels = input->size() > 1 ? (*input)[1] : unknown();
  setWindowed(context, context.element(0), channels, transposed(context, kernelShape(context, 1)));
}

void columnsToImage(Context& context) {
  const Elements* image = context.elements(1);
  context.setOutput(0, context.element(0));
  if (image == nullptr) return;
  Dimensions spatial;
  for (const Element& element : *image) spatial.push_back(toDimension(element));
  setWindowed(context, context.element(0), unknown(), spatial);
}

constexpr std::array kWindowsRules = std::to_array<RuleEntry>({
    {"AveragePool", pool},
    {"Col2Im", columnsToImage},
    {"Conv", convolve},
    {"ConvInteger", convolveInteger},
    {"ConvTranspose", convolveTransposed},
    {"DeformConv", convolveDeformed},
    {"GlobalAveragePool", poolEverything},
    {"GlobalLpPool", poolEverything},
    {"GlobalMaxPool", poolEverything},
    {"LpPool", pool},
    {"MaxPool", pool},
    {"MaxUnpool", unpool},
    {"QLinearConv", convolveQuantized},
});

}  // namespace

std::span<const RuleEntry> windowRules() {
  return kWindowsRules;
}

}  // namespace quantscope::inference
