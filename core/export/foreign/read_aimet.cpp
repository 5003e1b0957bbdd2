#include <cmath>
#include <functional>
#include <map>

#include "export/foreign/foreign_grid.h"
#include "precision/config/json_reader.h"

namespace quantscope {
namespace {

const std::string kEncodings = "the encodings file";

// "int8" from 8 bits.
QuantType integerType(const JsonReader& reader, std::int64_t bits, bool isSigned) {
  const std::string name = (isSigned ? "int" : "uint") + std::to_string(bits);
  const std::optional<QuantType> type = quantTypeFromName(name);
  if (!type) reader.fail("has the unknown width " + std::to_string(bits), "use 2, 4, 8 or 16 bits");
  return *type;
}

float scaleOf(const JsonReader& reader) {
  const float scale = reader.real();
  if (!std::isnormal(scale) || scale < 0)
    reader.fail("is no scale", "write a number above 1.2e-38");
  return scale;
}

// Offsets count from the lowest code: real = scale · (q + offset), q from 0.
std::int32_t zeroPointOf(const JsonReader& reader, QuantType type) {
  const std::int64_t zeroPoint = std::int64_t{lowestCode(type)} - reader.integer();
  if (zeroPoint < lowestCode(type) || zeroPoint > highestCode(type)) {
    reader.fail("is no offset of " + std::to_string(bitWidth(type)) + " bits",
                "write a number from " + std::to_string(-(levelCount(type) - 1)) + " to 0");
  }
  return static_cast<std::int32_t>(zeroPoint);
}

ForeignGrid halfGrid(const std::string& tensor) {
  ForeignGrid grid{tensor};
  grid.encoding.type = QuantType::Float16;
  return grid;
}

bool symmetryOf(const JsonReader& reader) {
  if (reader.json().is_boolean()) return reader.boolean();
  const std::string text = reader.text();
  if (text != "True" && text != "False")
    reader.fail("is neither True nor False", "write one of them");
  return text == "True";
}

ForeignGrid read061(const std::string& tensor, const JsonReader& list) {
  ForeignGrid grid{tensor};
  for (const JsonReader& entry : list.elements()) {
    const bool isFloat = entry.has("dtype") && entry["dtype"].text() == "float";
    if (isFloat) return halfGrid(tensor);
    grid.symmetric = symmetryOf(entry.required("is_symmetric"));
    const JsonReader width = entry.required("bitwidth");
    grid.encoding.type = integerType(width, width.integer(), grid.symmetric);
    grid.encoding.scales.push_back(scaleOf(entry.required("scale")));
    grid.encoding.zeroPoints.push_back(zeroPointOf(entry.required("offset"), grid.encoding.type));
  }
  if (grid.encoding.scales.empty()) list.fail("is empty", "write at least one encoding");
  return grid;
}

ForeignGrid read100(const JsonReader& entry) {
  const std::string tensor = entry.required("name").text();
  if (entry.required("dtype").text() == "FLOAT") return halfGrid(tensor);
  ForeignGrid grid{tensor};
  grid.symmetric = entry.required("is_sym").boolean();
  const JsonReader width = entry.required("bw");
  grid.encoding.type = integerType(width, width.integer(), grid.symmetric);
  const auto scales = entry.required("scale").elements();
  const auto offsets = entry.required("offset").elements();
  if (scales.empty() || scales.size() != offsets.size()) {
    entry.fail("has " + std::to_string(scales.size()) + " scales and " +
                   std::to_string(offsets.size()) + " offsets",
               "write as many of both, at least one");
  }
  for (const JsonReader& scale : scales) grid.encoding.scales.push_back(scaleOf(scale));
  for (const JsonReader& offset : offsets) {
    grid.encoding.zeroPoints.push_back(zeroPointOf(offset, grid.encoding.type));
  }
  if (entry.has("block_size")) {
    grid.encoding.blockSize = static_cast<int>(entry["block_size"].integer());
  }
  return grid;
}

// The numbers of a list of any depth, row-major.
void flatten(const JsonReader& reader, const std::function<void(const JsonReader&)>& take) {
  if (!reader.json().is_array()) return take(reader);
  for (const JsonReader& element : reader.elements()) flatten(element, take);
}

ForeignGrid read200(const JsonReader& entry) {
  const std::string tensor = entry.required("name").text();
  const std::string typeName = entry.required("output_dtype").text();
  if (typeName == "float16") return halfGrid(tensor);
  ForeignGrid grid{tensor};
  const std::optional<QuantType> type = quantTypeFromName(typeName);
  if (!type || !isInteger(*type)) {
    entry["output_dtype"].fail("is the unknown type '" + typeName + "'", "use an integer type");
  }
  Encoding& encoding = grid.encoding;
  encoding.type = *type;
  flatten(entry.required("y_scale"),
          [&](const JsonReader& scale) { encoding.scales.push_back(scaleOf(scale)); });
  if (entry.has("y_zero_point")) {
    flatten(entry["y_zero_point"], [&](const JsonReader& code) {
      encoding.zeroPoints.push_back(static_cast<std::int32_t>(code.integer()));
    });
  } else {
    encoding.zeroPoints.assign(encoding.scales.size(), 0);
  }
  if (encoding.zeroPoints.size() != encoding.scales.size()) {
    entry.fail("has another number of zero points than of scales", "write as many of both");
  }
  if (entry.has("axis")) encoding.axis = static_cast<int>(entry["axis"].integer());
  if (entry.has("block_size")) encoding.blockSize = static_cast<int>(entry["block_size"].integer());
  grid.symmetric = encoding.zeroPoints ==
                   std::vector<std::int32_t>(encoding.scales.size(), symmetricZeroPoint(*type));
  return grid;
}

}  // namespace

std::vector<ForeignGrid> readAimet(const std::string& text, const std::string& source) {
  const JsonReader::Json json = parseStrictJson(text, source, kEncodings);
  const JsonReader whole(json, source, kEncodings);
  const std::string version = whole.required("version").text();
  std::vector<ForeignGrid> grids;
  if (version == "2.0.0") {
    for (const JsonReader& entry : whole.required("encodings").elements()) {
      grids.push_back(read200(entry));
    }
    return grids;
  }
  if (version != "0.6.1" && version != "1.0.0") {
    whole["version"].fail("is the unknown version '" + version + "'", "use 0.6.1, 1.0.0 or 2.0.0");
  }
  for (const char* part : {"activation_encodings", "param_encodings"}) {
    const JsonReader encodings = whole.required(part);
    if (version == "1.0.0") {
      for (const JsonReader& entry : encodings.elements()) grids.push_back(read100(entry));
    } else {
      for (const auto& [tensor, list] : encodings.entries()) grids.push_back(read061(tensor, list));
    }
  }
  return grids;
}

}  // namespace quantscope
