#include "onnx/message_file.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "base/error.h"
#include "base/files/input_file.h"

namespace quantscope {
namespace {

namespace io = google::protobuf::io;

// Protobuf counts sizes as int.
constexpr std::uint64_t kMaxMessageBytes = std::numeric_limits<int>::max();
// A sub-graph costs three levels (graph, node, attribute); twice what kMaxNesting needs, so that
// too deep a graph is named as such and not taken for a broken file.
constexpr int kRecursionLimit = 6 * kMaxNesting + 16;

class FileStream : public io::CopyingInputStream {
 public:
  FileStream(InputFile& file, ContentHasher& content) : m_file(file), m_content(content) {}
  int Read(void* buffer, int size) override {
    const auto count =
        std::min<std::uint64_t>(static_cast<std::uint64_t>(size), m_file.size() - m_position);
    const std::span bytes(static_cast<std::byte*>(buffer), count);
    m_file.read(m_position, bytes);
    if (!bytes.empty()) m_content.add(bytes);
    m_position += count;
    return static_cast<int>(count);
  }

 private:
  InputFile& m_file;
  ContentHasher& m_content;
  std::uint64_t m_position = 0;
};

// False if the bytes are not a complete message; the message then holds the part read so far.
bool parse(io::ZeroCopyInputStream& input, google::protobuf::MessageLite& message) {
  io::CodedInputStream coded(&input);
  coded.SetTotalBytesLimit(static_cast<int>(kMaxMessageBytes));
  coded.SetRecursionLimit(kRecursionLimit);
  return message.ParsePartialFromCodedStream(&coded) && coded.ConsumedEntireMessage();
}

bool parse(const std::filesystem::path& path, google::protobuf::MessageLite& message,
           ContentHasher& content) {
  InputFile file(path);
  const Place place{.file = path.string(), .node = {}, .value = {}};
  if (file.size() == 0) {
    throw Error(ErrorCode::InvalidModel, "the file is empty", place, "export or download it again");
  }
  if (file.size() > kMaxMessageBytes) {
    throw Error(ErrorCode::InvalidModel, "the file is larger than 2 GiB, the limit of the format",
                place, "export the model with its weights as external data");
  }
  FileStream stream(file, content);
  io::CopyingInputStreamAdaptor input(&stream);
  return parse(input, message);
}

bool looksLikeModel(const onnx::ModelProto& model) {
  return model.has_graph() && model.ir_version() > 0 &&
         (model.graph().node_size() > 0 || model.graph().output_size() > 0);
}

}  // namespace

onnx::ModelProto readModelMessage(const std::filesystem::path& file, ContentHasher& content) {
  onnx::ModelProto model;
  const bool complete = parse(file, model, content);
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

onnx::ModelProto parseModelMessage(std::string_view bytes) {
  onnx::ModelProto model;
  io::ArrayInputStream input(bytes.data(), static_cast<int>(bytes.size()));
  if (parse(input, model) && looksLikeModel(model)) return model;
  throw Error(ErrorCode::InvalidModel, "the bytes are not an ONNX model");
}

onnx::TensorProto readTensorMessage(const std::filesystem::path& file) {
  onnx::TensorProto tensor;
  ContentHasher content;
  if (!parse(file, tensor, content) || tensor.data_type() == onnx::TensorProto::UNDEFINED) {
    throw Error(ErrorCode::InvalidData, "this is not a serialized ONNX tensor",
                {.file = file.string(), .node = {}, .value = {}},
                "give an input_N.pb file of an ONNX test data set");
  }
  return tensor;
}

}  // namespace quantscope
