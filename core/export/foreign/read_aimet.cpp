#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include "base/number_text.h"
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

// Of codes in 32 bits, which are biases, no type.
constexpr std::int64_t kBiasBits = 32;

bool isLpbq(const JsonReader& entry) {
  return entry.has("enc_type") && entry["enc_type"].text() == "LPBQ";
}

int checkedInt(const JsonReader& reader, std::int64_t lowest) {
  const std::int64_t number = reader.integer();
  if (number < lowest || number > std::numeric_limits<int>::max()) {
    reader.fail("is " + std::to_string(number), "write a number from " + std::to_string(lowest));
  }
  return static_cast<int>(number);
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

using OptionalGrid = std::optional<ForeignGrid>;

// A half type; nothing where the tensor stays float.
OptionalGrid floatGrid(const std::string& tensor, const JsonReader& width) {
  const std::int64_t bits = width.integer();
  if (bits == 32) return std::nullopt;
  if (bits != 16) width.fail("is no width of a float", "write 16 or 32");
  ForeignGrid grid{tensor};
  grid.encoding.type = QuantType::Float16;
  return grid;
}

bool isFloatType(const JsonReader& reader, const char* isFloat, const char* isInt) {
  const std::string type = reader.text();
  if (type != isFloat && type != isInt) {
    reader.fail("is the unknown type '" + type + "'",
                "use " + std::string(isInt) + " or " + std::string(isFloat));
  }
  return type == isFloat;
}

bool symmetryOf(const JsonReader& reader) {
  if (reader.json().is_boolean()) return reader.boolean();
  const std::string text = reader.text();
  if (text != "True" && text != "False")
    reader.fail("is neither True nor False", "write one of them");
  return text == "True";
}

OptionalGrid read061(const std::string& tensor, const JsonReader& list) {
  ForeignGrid grid{tensor};
  for (const JsonReader& entry : list.elements()) {
    const JsonReader width = entry.required("bitwidth");
    const bool isFloat = entry.has("dtype") && isFloatType(entry["dtype"], "float", "int");
    if (isFloat) return floatGrid(tensor, width);
    if (width.integer() == kBiasBits) return std::nullopt;
    const bool symmetric = symmetryOf(entry.required("is_symmetric"));
    const QuantType type = integerType(width, width.integer(), symmetric);
    if (!grid.encoding.scales.empty() && type != grid.encoding.type) {
      width.fail("is of another type than the entry before", "give all channels the same");
    }
    grid.symmetric = symmetric;
    grid.encoding.type = type;
    grid.encoding.scales.push_back(scaleOf(entry.required("scale")));
    grid.encoding.zeroPoints.push_back(zeroPointOf(entry.required("offset"), type));
  }
  if (grid.encoding.scales.empty()) list.fail("is empty", "write at least one encoding");
  return grid;
}

void requireLayout(const JsonReader& entry, const Encoding& encoding) {
  if (!entry.has("enc_type")) return;
  const JsonReader type = entry["enc_type"];
  const std::string layout = type.text();
  if (layout != "PER_TENSOR" && layout != "PER_CHANNEL" && layout != "PER_BLOCK") {
    type.fail("is the unknown layout '" + layout + "'", "use PER_TENSOR, PER_CHANNEL or PER_BLOCK");
  }
  if (layout == "PER_TENSOR" && encoding.scales.size() != 1) {
    type.fail("has " + std::to_string(encoding.scales.size()) + " scales", "write one");
  }
  if ((layout == "PER_BLOCK") != (encoding.blockSize > 0)) {
    type.fail("and block_size contradict each other", "write block_size with PER_BLOCK alone");
  }
}

OptionalGrid read100(const JsonReader& entry) {
  const std::string tensor = entry.required("name").text();
  const JsonReader width = entry.required("bw");
  if (isFloatType(entry.required("dtype"), "FLOAT", "INT")) return floatGrid(tensor, width);
  if (width.integer() == kBiasBits) return std::nullopt;
  ForeignGrid grid{tensor};
  grid.symmetric = entry.required("is_sym").boolean();
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
  if (entry.has("block_size")) grid.encoding.blockSize = checkedInt(entry["block_size"], 1);
  requireLayout(entry, grid.encoding);
  return grid;
}

// The numbers of a list of any depth, row-major.
void flatten(const JsonReader& reader, const std::function<void(const JsonReader&)>& take) {
  if (!reader.json().is_array()) return take(reader);
  for (const JsonReader& element : reader.elements()) flatten(element, take);
}

std::int32_t codeOf(const JsonReader& reader, QuantType type) {
  const std::int64_t code = reader.integer();
  if (code < lowestCode(type) || code > highestCode(type)) {
    reader.fail("is no code of " + std::string(name(type)),
                "write a number from " + std::to_string(lowestCode(type)) + " to " +
                    std::to_string(highestCode(type)));
  }
  return static_cast<std::int32_t>(code);
}

OptionalGrid read200(const JsonReader& entry) {
  const std::string tensor = entry.required("name").text();
  const JsonReader typeName = entry.required("output_dtype");
  const std::string typeText = typeName.text();
  if (typeText == "float32" || typeText == "int32") return std::nullopt;
  ForeignGrid grid{tensor};
  grid.encoding.type = QuantType::Float16;
  if (typeText == "float16") return grid;
  const std::optional<QuantType> type = quantTypeFromName(typeText);
  if (!type || !isInteger(*type)) {
    typeName.fail("is the unknown type '" + typeText + "'", "use an integer type");
  }
  Encoding& encoding = grid.encoding;
  encoding.type = *type;
  flatten(entry.required("y_scale"),
          [&](const JsonReader& scale) { encoding.scales.push_back(scaleOf(scale)); });
  if (entry.has("y_zero_point")) {
    flatten(entry["y_zero_point"],
            [&](const JsonReader& code) { encoding.zeroPoints.push_back(codeOf(code, *type)); });
  } else {
    encoding.zeroPoints.assign(encoding.scales.size(), 0);
  }
  if (encoding.scales.empty() || encoding.zeroPoints.size() != encoding.scales.size()) {
    entry.fail("has another number of zero points than of scales", "write as many of both");
  }
  if (entry.has("axis")) encoding.axis = checkedInt(entry["axis"], std::numeric_limits<int>::min());
  if (entry.has("block_size")) encoding.blockSize = checkedInt(entry["block_size"], 1);
  grid.symmetric = encoding.zeroPoints ==
                   std::vector<std::int32_t>(encoding.scales.size(), symmetricZeroPoint(*type));
  return grid;
}

// Of an entry of any version that is no grid.
bool isIntegerBias(const JsonReader& entry) {
  if (entry.has("output_dtype")) return entry["output_dtype"].text() == "int32";
  const bool isFloat =
      entry.has("dtype") && entry["dtype"].text() != "int" && entry["dtype"].text() != "INT";
  return !isFloat && entry[entry.has("bw") ? "bw" : "bitwidth"].integer() == kBiasBits;
}

}  // namespace

ForeignFile readAimet(const std::string& text, const std::string& source) {
  const JsonReader::Json json = parseStrictJson(text, source, kEncodings);
  const JsonReader whole(json, source, kEncodings);
  const std::string version = whole.required("version").text();
  ForeignFile file;
  const auto add = [&](OptionalGrid grid, const JsonReader& entry) {
    if (grid) {
      file.grids.push_back(std::move(*grid));
    } else {
      file.integerBiases = file.integerBiases || isIntegerBias(entry);
    }
  };
  std::size_t lpbq = 0;
  const auto addEntry = [&](const JsonReader& entry, OptionalGrid (*read)(const JsonReader&)) {
    if (isLpbq(entry)) {
      ++lpbq;
    } else {
      add(read(entry), entry);
    }
  };
  if (version == "2.0.0") {
    for (const JsonReader& entry : whole.required("encodings").elements()) {
      addEntry(entry, read200);
    }
  } else if (version == "1.0.0") {
    for (const char* part : {"activation_encodings", "param_encodings"}) {
      for (const JsonReader& entry : whole.required(part).elements()) addEntry(entry, read100);
    }
  } else if (version == "0.6.1") {
    for (const char* part : {"activation_encodings", "param_encodings"}) {
      for (const auto& [tensor, list] : whole.required(part).entries()) {
        add(read061(tensor, list), list.elements().front());
      }
    }
  } else {
    whole["version"].fail("is the unknown version '" + version + "'", "use 0.6.1, 1.0.0 or 2.0.0");
  }
  if (lpbq > 0) {
    file.notices.push_back(counted(lpbq, "encoding") +
                           " of the layout LPBQ, which has no counterpart here: the weights stay "
                           "float");
  }
  return file;
}

}  // namespace quantscope
