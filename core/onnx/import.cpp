#include "onnx/import.h"

#include <utility>

#include "base/error.h"
#include "onnx/graph_builder.h"
#include "onnx/message_file.h"
#include "onnx/shape_inference.h"

namespace quantscope {
namespace {

std::shared_ptr<const Graph> graphOf(const onnx::ModelProto& model, const TensorReader& tensors) {
  auto graph = std::make_shared<Graph>(GraphBuilder(model, tensors).build());
  graph->finish();
  inferShapes(*graph);
  return graph;
}

}  // namespace

ImportedModel importWithContent(const std::filesystem::path& file) {
  try {
    ContentHasher content;
    ExternalFiles external{content, {{file, stampOf(file)}}};
    const onnx::ModelProto model = readModelMessage(file, content);
    const TensorReader tensors(file.parent_path(), external);
    return {graphOf(model, tensors), content.id(), std::move(external.files)};
  } catch (const Error& error) {
    throw error.at({.file = file.string(), .node = {}, .value = {}});
  }
}

std::shared_ptr<const Graph> importModel(const std::filesystem::path& file) {
  return importWithContent(file).graph;
}

std::shared_ptr<const Graph> importModelBytes(std::string_view bytes) {
  ContentHasher content;
  ExternalFiles external{content, {}};
  return graphOf(parseModelMessage(bytes), TensorReader({}, external));
}

Tensor readTensorFile(const std::filesystem::path& file) {
  return readNamedTensorFile(file).tensor;
}

NamedTensor readNamedTensorFile(const std::filesystem::path& file) {
  const Place place{.file = file.string(), .node = {}, .value = {}};
  try {
    const onnx::TensorProto message = readTensorMessage(file);
    ContentHasher content;
    ExternalFiles external{content, {}};
    Tensor tensor = TensorReader(file.parent_path(), external).read(message);
    if (tensor.defined()) return {message.name(), std::move(tensor)};
  } catch (const Error& error) {
    throw error.at(place);
  }
  throw Error(ErrorCode::UnsupportedType, "the tensor's elements are of a type that is not read",
              place, "use tensors of numbers or booleans");
}

}  // namespace quantscope
