// Encodings of AIMET, versions 0.6.1, 1.0.0 and 2.0.0. Offsets of the first two sit on the unsigned
// grid: real = scale · (q + offset) with q from 0, so that symmetric int8 has the offset −128.

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "export/formats/format.h"
#include "export/formats/shown_grids.h"

namespace quantscope {
namespace {

using Json = nlohmann::ordered_json;

std::int64_t offsetOf(const QuantParams& params, const Grid& grid) {
  return std::int64_t{lowestCode(params.type)} - grid.zeroPoint;
}

bool isFloat16(const QuantParams& params) {
  return params.type == QuantType::Float16;
}

// Keeps what AIMET can hold; the rest are losses.
std::vector<ShownGrid> aimetGrids(const FormatInput& input, ExportLosses& losses, bool blocks) {
  std::vector<ShownGrid> kept;
  for (const ShownGrid& grid : shownGrids(input, losses)) {
    const QuantParams& params = *grid.params;
    const auto lose = [&](const std::string& what) {
      losses.push_back({grid.node, describe(grid) + ": " + what});
    };
    if (!isInteger(params.type) && !isFloat16(params)) {
      lose("encodings of type " + std::string(name(params.type)) + " do not exist");
    } else if (params.dynamic) {
      lose("a range per sample has no encoding");
    } else if (params.groupSize > 0 && !blocks) {
      lose("blocks have no encoding in this version");
    } else {
      if (isInteger(params.type) &&
          (params.qmin > lowestCode(params.type) || params.qmax < highestCode(params.type))) {
        lose("all codes of the type are used, not only " + std::to_string(params.qmin) + " … " +
             std::to_string(params.qmax));
      }
      if (grid.folded) lose("the scales are those after folding and equalization");
      kept.push_back(grid);
    }
  }
  return kept;
}

/// An int32 bias of the model: its scales, one or one per channel, without zero points.
struct ShownBias {
  std::string tensor;
  const std::vector<float>* scales = nullptr;
};

// Biases that folding brought in have no name in the model.
std::vector<ShownBias> shownBiases(const FormatInput& input) {
  std::vector<ShownBias> biases;
  for (const LayerQuantization& layer : input.model.layers) {
    if (!layer.bias || layer.bias->bits != 32) continue;
    const std::vector<ValueId>& inputs = input.graph()[layer.bias->holder].inputs;
    if (layer.bias->input >= inputs.size() || !inputs[layer.bias->input].valid()) continue;
    biases.push_back({input.graph()[inputs[layer.bias->input]].name, &layer.bias->scales});
  }
  return biases;
}

constexpr std::int64_t kBiasOffset = std::numeric_limits<std::int32_t>::min();

Json bias061(const ShownBias& bias) {
  Json entries = Json::array();
  for (const float scale : *bias.scales) {
    entries.push_back({{"bitwidth", 32},
                       {"dtype", "int"},
                       {"is_symmetric", "True"},
                       {"max", double{scale} * std::numeric_limits<std::int32_t>::max()},
                       {"min", double{scale} * kBiasOffset},
                       {"offset", kBiasOffset},
                       {"scale", scale}});
  }
  return entries;
}

Json bias100(const ShownBias& bias) {
  Json offsets = Json::array();
  for (std::size_t i = 0; i < bias.scales->size(); ++i) offsets.push_back(kBiasOffset);
  return {
      {"name", bias.tensor}, {"enc_type", bias.scales->size() > 1 ? "PER_CHANNEL" : "PER_TENSOR"},
      {"dtype", "INT"},      {"bw", 32},
      {"is_sym", true},      {"scale", *bias.scales},
      {"offset", offsets}};
}

Json bias200(const ShownBias& bias) {
  Json entry{{"name", bias.tensor}, {"output_dtype", "int32"}};
  if (bias.scales->size() > 1) {
    entry["y_scale"] = *bias.scales;
    entry["axis"] = 0;
  } else {
    entry["y_scale"] = bias.scales->front();
  }
  return entry;
}

Json quantizerArgs(const FormatInput& input) {
  const NodePrecision& precision = input.config.precision->defaults;
  return {{"activation_bitwidth", bitWidth(precision.activation.type)},
          {"dtype", isInteger(precision.activation.type) ? "int" : "float"},
          {"is_symmetric", precision.weight.symmetric},
          {"param_bitwidth", bitWidth(precision.weight.type)},
          {"per_channel_quantization",
           precision.weight.granularity.kind == Granularity::Kind::PerChannel},
          {"quant_scheme", "post_training_tf"}};
}

Json entry061(const QuantParams& params, const Grid& grid) {
  if (isFloat16(params)) return {{"bitwidth", 16}, {"dtype", "float"}};
  const int bits = bitWidth(params.type);
  const auto offset = static_cast<double>(offsetOf(params, grid));
  const double levels = static_cast<double>(std::int64_t{1} << bits) - 1;
  return {{"bitwidth", bits},
          {"dtype", "int"},
          {"is_symmetric", params.symmetric ? "True" : "False"},
          {"max", grid.scale * (levels + offset)},
          {"min", grid.scale * offset},
          {"offset", offsetOf(params, grid)},
          {"scale", grid.scale}};
}

Json entry100(const ShownGrid& grid) {
  const QuantParams& params = *grid.params;
  if (isFloat16(params)) {
    return {{"name", grid.tensor}, {"enc_type", "PER_TENSOR"}, {"dtype", "FLOAT"}, {"bw", 16}};
  }
  const bool blocked = params.groupSize > 0;
  Json entry{{"name", grid.tensor},
             {"enc_type", blocked                   ? "PER_BLOCK"
                          : params.grids.size() > 1 ? "PER_CHANNEL"
                                                    : "PER_TENSOR"},
             {"dtype", "INT"},
             {"bw", bitWidth(params.type)},
             {"is_sym", params.symmetric}};
  entry["scale"] = Json::array();
  entry["offset"] = Json::array();
  for (const Grid& one : params.grids) {
    entry["scale"].push_back(one.scale);
    entry["offset"].push_back(offsetOf(params, one));
  }
  if (blocked) entry["block_size"] = params.groupSize;
  return entry;
}

// A list in the shape of the blocks, row-major.
template <class Number>
Json nested(const QuantParams& params, const Shape& shape, const Number& numberOf) {
  if (params.grids.size() == 1) return numberOf(params.grids.front());
  Json flat = Json::array();
  for (const Grid& grid : params.grids) flat.push_back(numberOf(grid));
  if (params.groupSize == 0 || shape.empty()) return flat;
  Shape blocks = shape;
  std::int64_t& extent = blocks[normalizeAxis(params.axis, shape.rank())];
  extent = (extent + params.groupSize - 1) / params.groupSize;
  for (std::size_t axis = blocks.rank() - 1; axis > 0; --axis) {
    Json rows = Json::array();
    const auto length = static_cast<std::size_t>(blocks[axis]);
    for (std::size_t first = 0; first < flat.size(); first += length) {
      Json row = Json::array();
      for (std::size_t i = first; i < first + length; ++i) row.push_back(flat[i]);
      rows.push_back(std::move(row));
    }
    flat = std::move(rows);
  }
  return flat;
}

Json entry200(const ShownGrid& grid) {
  const QuantParams& params = *grid.params;
  Json entry{{"name", grid.tensor}};
  if (isFloat16(params)) {
    entry["output_dtype"] = "float16";
    return entry;
  }
  entry["output_dtype"] = name(params.type);
  entry["y_scale"] = nested(params, grid.shape, [](const Grid& one) { return one.scale; });
  const bool shifted =
      std::ranges::any_of(params.grids, [](const Grid& one) { return one.zeroPoint != 0; });
  if (shifted) {
    entry["y_zero_point"] =
        nested(params, grid.shape, [](const Grid& one) { return one.zeroPoint; });
  }
  if (params.grids.size() > 1) entry["axis"] = params.axis;
  if (params.groupSize > 0) entry["block_size"] = params.groupSize;
  return entry;
}

std::string dumpedEncodings(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

FormatOutput aimetEncodings061(const FormatInput& input) {
  FormatOutput output;
  Json json{{"version", "0.6.1"}};
  json["activation_encodings"] = Json::object();
  json["param_encodings"] = Json::object();
  json["quantizer_args"] = quantizerArgs(input);
  for (const ShownGrid& grid : aimetGrids(input, output.losses, false)) {
    Json entries = Json::array();
    for (const Grid& one : grid.params->grids) entries.push_back(entry061(*grid.params, one));
    json[grid.isWeight ? "param_encodings" : "activation_encodings"][grid.tensor] =
        std::move(entries);
  }
  for (const ShownBias& bias : shownBiases(input)) {
    json["param_encodings"][bias.tensor] = bias061(bias);
  }
  output.text = dumpedEncodings(json);
  return output;
}

FormatOutput aimetEncodings100(const FormatInput& input) {
  FormatOutput output;
  Json json{{"version", "1.0.0"}};
  json["activation_encodings"] = Json::array();
  json["param_encodings"] = Json::array();
  json["quantizer_args"] = quantizerArgs(input);
  for (const ShownGrid& grid : aimetGrids(input, output.losses, true)) {
    json[grid.isWeight ? "param_encodings" : "activation_encodings"].push_back(entry100(grid));
  }
  for (const ShownBias& bias : shownBiases(input)) {
    json["param_encodings"].push_back(bias100(bias));
  }
  output.text = dumpedEncodings(json);
  return output;
}

FormatOutput aimetEncodings200(const FormatInput& input) {
  FormatOutput output;
  Json json{{"version", "2.0.0"}};
  json["encodings"] = Json::array();
  for (const ShownGrid& grid : aimetGrids(input, output.losses, true)) {
    json["encodings"].push_back(entry200(grid));
  }
  for (const ShownBias& bias : shownBiases(input)) json["encodings"].push_back(bias200(bias));
  output.text = dumpedEncodings(json);
  return output;
}

}  // namespace quantscope
