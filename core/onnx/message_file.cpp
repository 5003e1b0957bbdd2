#include "onnx/message_file.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>

#include <fstream>
#include <limits>
#include <system_error>

#include "base/error.h"

namespace quantscope {
namespace {

namespace io = google::protobuf::io;

// Protobuf counts sizes as int.
constexpr std::uintmax_t kMaxMessageBytes = std::numeric_limits<int>::max();
// A sub-graph costs three levels (graph, node, attribute); twice what kMaxNesting needs, so that
// too deep a graph is named as such and not taken for a broken file.
constexpr int kRecursionLimit = 6 * kMaxNesting + 16;

void checkReadable(const std::filesystem::path& file) {
  const Place place{.file = file.string(), .node = {}, .value = {}};
  std::error_code failure;
  const auto status = std::filesystem::status(file, failure);
  if (!std::filesystem::exists(status)) {
    throw Error(ErrorCode::Io, "the file does not exist", place, "check the path");
  }
  if (!std::filesystem::is_regular_file(status)) {
    throw Error(ErrorCode::Io, "this is not a regular file", place, "give the .onnx file itself");
  }
  const std::uintmax_t size = std::filesystem::file_size(file, failure);
  if (failure) {
    throw Error(ErrorCode::Io, "the file cannot be read: " + failure.message(), place,
                "check its permissions");
  }
  if (size == 0) {
    throw Error(ErrorCode::InvalidModel, "the file is empty", place, "export or download it again");
  }
  if (size > kMaxMessageBytes) {
    throw Error(ErrorCode::InvalidModel, "the file is larger than 2 GiB, the limit of the format",
                place, "export the model with its weights as external data");
  }
}

// False where the bytes are not a complete message; the message then holds what was read so far.
bool parse(const std::filesystem::path& file, google::protobuf::MessageLite& message) {
  checkReadable(file);
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    throw Error(ErrorCode::Io, "the file cannot be opened",
                {.file = file.string(), .node = {}, .value = {}}, "check its permissions");
  }
  io::IstreamInputStream input(&stream);
  io::CodedInputStream coded(&input);
  coded.SetTotalBytesLimit(static_cast<int>(kMaxMessageBytes));
  coded.SetRecursionLimit(kRecursionLimit);
  return message.ParsePartialFromCodedStream(&coded) && coded.ConsumedEntireMessage();
}

bool looksLikeModel(const onnx::ModelProto& model) {
  return model.has_graph() && model.ir_version() > 0 &&
         (model.graph().node_size() > 0 || model.graph().output_size() > 0);
}

}  // namespace

onnx::ModelProto readModelMessage(const std::filesystem::path& file) {
  onnx::ModelProto model;
  const bool complete = parse(file, model);
  const Place place{.file = file.string(), .node = {}, .value = {}};
  if (!complete && model.ir_version() > 0 && model.has_graph()) {
    throw Error(ErrorCode::InvalidModel, "the model is damaged or ends too early", place,
                "export or download it again");
  }
  if (!complete || !looksLikeModel(model)) {
    throw Error(ErrorCode::InvalidModel, "this is not an ONNX model", place,
                "give a file that was exported as ONNX");
  }
  return model;
}

onnx::TensorProto readTensorMessage(const std::filesystem::path& file) {
  onnx::TensorProto tensor;
  if (!parse(file, tensor) || tensor.data_type() == onnx::TensorProto::UNDEFINED) {
    throw Error(ErrorCode::InvalidData, "this is not a serialized ONNX tensor",
                {.file = file.string(), .node = {}, .value = {}},
                "give an input_N.pb file of an ONNX test data set");
  }
  return tensor;
}

}  // namespace quantscope
