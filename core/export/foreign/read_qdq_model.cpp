#include <algorithm>
#include <map>

#include "base/error.h"
#include "export/foreign/foreign_grid.h"
#include "onnx/quantized_tensors.h"

namespace quantscope {
namespace {

// TensorProto.DataType of onnx.proto.
std::optional<QuantType> typeOfCodes(int onnxType) {
  static const std::map<int, QuantType> types{
      {2, QuantType::UInt8},  {3, QuantType::Int8},        {4, QuantType::UInt16},
      {5, QuantType::Int16},  {17, QuantType::Float8E4M3}, {19, QuantType::Float8E5M2},
      {21, QuantType::UInt4}, {22, QuantType::Int4}};
  const auto found = types.find(onnxType);
  return found == types.end() ? std::nullopt : std::optional(found->second);
}

std::string withoutSuffix(const std::string& name, std::string_view suffix) {
  return name.ends_with(suffix) ? name.substr(0, name.size() - suffix.size()) : name;
}

}  // namespace

std::vector<ForeignGrid> readQdqModel(const std::filesystem::path& file) {
  std::vector<ForeignGrid> grids;
  for (const RoundedTensor& tensor : readQuantizedTensors(file)) {
    const std::optional<QuantType> type = typeOfCodes(tensor.onnxType);
    if (!type) continue;
    // The suffixes are those of ONNX Runtime's quantizer and our exporter.
    ForeignGrid grid{
        withoutSuffix(tensor.name, tensor.isConstant ? "_quantized" : "_QuantizeLinear_Input")};
    for (std::size_t i = 0; i < tensor.consumers.size(); ++i) {
      grid.consumers.emplace_back(tensor.consumers[i], tensor.inputs[i]);
    }
    grid.encoding = {*type, tensor.scales, tensor.zeroPoints, {}, tensor.blockSize};
    if (tensor.scales.size() > 1) grid.encoding.axis = tensor.axis;
    grid.symmetric = std::ranges::all_of(
        tensor.zeroPoints, [&](std::int32_t zero) { return zero == symmetricZeroPoint(*type); });
    if (tensor.lowest != 0 || tensor.highest != 0) {
      grid.lowest = tensor.lowest;
      grid.highest = tensor.highest;
    }
    grids.push_back(std::move(grid));
  }
  if (!grids.empty()) return grids;
  throw Error(ErrorCode::InvalidData, "the model quantizes nothing with fixed scales",
              {.file = file.string(), .node = {}, .value = {}},
              "give a model with QuantizeLinear and DequantizeLinear");
}

}  // namespace quantscope
