#include "calibration/check_data.h"

#include <algorithm>
#include <utility>

#include "calibration/sources/array_source.h"
#include "tensor/npy.h"
#include "tensor/npz.h"

namespace quantscope {
namespace {

using State = InputCheck::State;

std::string typeAndShape(ElementType type, const Shape& shape) {
  return std::string(name(type)) + " " + toString(shape);
}

void fail(InputCheck& check, const Error& error) {
  check.state = State::Fails;
  check.error = error;
}

// openSamples() stops at the first array that does not fit; here every input gets its own answer.
// Arrays that no input takes are the others' business, so an error elsewhere does not count.
void checkArray(InputCheck& check, const std::string& file) {
  try {
    openNpzInputs(file, {check.input});
    check.state = State::Fits;
  } catch (const Error& error) {
    if (error.place().value == check.input.name) {
      fail(check, error);
    } else if (!error.place().value.empty()) {
      check.state = State::Fits;
    }
  }
}

void describeNpz(DataCheck& result, const std::string& file) {
  const NpzFile archive(file);
  for (InputCheck& check : result.inputs) {
    const NpzArray* array = archive.find(check.input.name);
    if (array != nullptr) check.held = typeAndShape(array->type, array->shape);
    checkArray(check, file);
  }
}

void describeNpy(DataCheck& result, const std::string& file) {
  if (result.inputs.size() != 1) return;
  const NpyReader reader(file);
  result.inputs.front().held = typeAndShape(reader.type(), reader.shape());
}

void describe(DataCheck& result, const std::string& data) {
  if (result.kind == SourceKind::Npz) describeNpz(result, data);
  if (result.kind == SourceKind::Npy) describeNpy(result, data);
}

// Describes data that is no array: "24 × float32 [1, 3, 224, 224]".
void describe(DataCheck& result, const Feed& feed, std::size_t feeds) {
  for (InputCheck& check : result.inputs) {
    check.state = State::Fits;
    const auto fed = std::ranges::find(feed.inputs, check.input.value,
                                       [](const auto& input) { return input.first; });
    if (check.held.empty() && fed != feed.inputs.end()) {
      check.held =
          std::to_string(feeds) + " × " + typeAndShape(fed->second.type(), fed->second.shape());
    }
  }
}

void blame(DataCheck& result, const Error& error) {
  result.error = error;
  for (InputCheck& check : result.inputs) {
    const bool only = result.inputs.size() == 1 && error.place().value.empty();
    if (!only && check.input.name != error.place().value) continue;
    fail(check, error);
  }
}

}  // namespace

DataCheck checkData(const std::string& data, const Graph& graph, const SourceOptions& options,
                    const SampleOpener& open) {
  DataCheck result;
  try {
    for (ModelInput& input : modelInputs(graph)) {
      result.inputs.push_back({std::move(input), State::Unknown, {}, {}});
    }
    result.kind = sourceKind(data);
    describe(result, data);
    std::unique_ptr<SampleSource> samples = open(data, graph, options);
    const Feed first = samples->read(0);
    describe(result, first, samples->feedCount());
    result.batch = first.batch;
    result.samples = std::move(samples);
  } catch (const Error& error) {
    blame(result, error);
  }
  return result;
}

}  // namespace quantscope
