#include <algorithm>
#include <random>

#include "parity/operator_rows.h"

namespace quantscope::test {
namespace {

// Graphs with codes over the whole range, so that saturation and ties come up.
class Writer {
 public:
  std::vector<OperatorRow> rows;

  // "NAME:uint8[SHAPE]{…}"
  std::string codes(const std::string& name, const std::string& type, const std::string& shape,
                    int count, int most = 65536) {
    const bool isSigned = type.front() == 'i';
    const int span = std::min(most, type.ends_with("16") ? 65536 : 256);
    std::string text = name + ":" + type + "[" + shape + "]{";
    for (int i = 0; i < count; ++i) {
      const int code = static_cast<int>(m_random() % static_cast<unsigned>(span));
      text += (i == 0 ? "" : ",") + std::to_string(isSigned ? code - span / 2 : code);
    }
    return text + "}";
  }

  // ", NAMEs:float[]{…}, NAMEz:TYPE[]{…}"
  std::string grid(const std::string& name, const std::string& type) {
    return ", " + scale(name) + ", " + codes(name + "z", type, "", 1);
  }
  std::string scale(const std::string& name) {
    const double value = 0.002 + static_cast<double>(m_random() % 1000) / 20000;
    return name + "s:float[]{" + std::to_string(value) + "}";
  }

  void add(const std::string& line, int opset = 17) {
    rows.push_back({"opset com.microsoft 1\n" + line, opset});
  }

 private:
  std::mt19937 m_random{20260};  // any number
};

struct Operands {
  const char* a;
  int countA;
  const char* b;
  int countB;
};

void addBinary(Writer& writer, const std::string& op, const std::string& type) {
  for (const Operands& shapes :
       {Operands{"2,3,40", 240, "2,3,40", 240}, Operands{"2,3,35", 210, "", 1},
        Operands{"", 1, "7", 7}, Operands{"2,3,4,5", 120, "3,1,1", 3}, Operands{"4,1", 4, "33", 33},
        Operands{"300", 300, "300", 300}, Operands{"", 1, "", 1}}) {
    const std::string a = writer.codes("a", type, shapes.a, shapes.countA);
    const std::string b = writer.codes("b", type, shapes.b, shapes.countB);
    writer.add("y = com.microsoft." + op + "(" + a + writer.grid("a", type) + ", " + b +
               writer.grid("b", type) + writer.grid("y", type) + ")");
  }
}

void addUnary(Writer& writer, const std::string& type) {
  for (const char* op : {"QLinearSigmoid(", "QLinearLeakyRelu("}) {
    for (int i = 0; i < 3; ++i) {
      writer.add(std::string("y = com.microsoft.") + op + writer.codes("x", type, "5,51", 255) +
                 writer.grid("x", type) + writer.grid("y", type) + ")" +
                 (op[7] == 'L' ? " alpha=0.2" : ""));
    }
  }
  for (const int axis : {0, 2}) {
    const std::string shape = axis == 0 ? "3,2,4" : "1,2,12";
    writer.add("y = com.microsoft.QLinearConcat(" + writer.grid("y", type).substr(2) + ", " +
               writer.codes("a", type, "1,2,4", 8) + writer.grid("a", type) + ", " +
               writer.codes("b", type, shape, 24) + writer.grid("b", type) +
               ") axis=" + std::to_string(axis));
  }
}

void addPooling(Writer& writer, const std::string& type) {
  for (const int last : {0, 1}) {
    const std::string shape = last == 0 ? "2,3,7,6" : "2,7,6,3";
    writer.add("y = com.microsoft.QLinearGlobalAveragePool(" + writer.codes("x", type, shape, 252) +
               writer.grid("x", type) + writer.grid("y", type) +
               ") channels_last=" + std::to_string(last));
    for (const char* window :
         {"kernel_shape=[3,3]", "kernel_shape=[2,3] strides=[2,1] pads=[1,1,0,1]",
          "kernel_shape=[2,3] strides=[2,1] pads=[1,1,0,1] count_include_pad=1"}) {
      writer.add("y = com.microsoft.QLinearAveragePool(" + writer.codes("x", type, shape, 252) +
                 writer.grid("x", type) + writer.grid("y", type) + ") " + window +
                 " channels_last=" + std::to_string(last));
    }
  }
}

void addProducts(Writer& writer, const std::string& typeA, const std::string& typeB) {
  // ONNX Runtime's sums of two products saturate at 16 bits on CPUs without VNNI: with weights of 7
  // bits none does.
  const int most = typeB == "int8" ? 128 : 256;
  for (const char* layout : {"", " transB=1", " transA=1 alpha=0.5", " transA=1 transB=1"}) {
    const bool turnA = std::string(layout).find("transA") != std::string::npos;
    const bool turnB = std::string(layout).find("transB") != std::string::npos;
    const std::string a = writer.codes("a", typeA, turnA ? "20,5" : "5,20", 100);
    const std::string b = writer.codes("b", typeB, turnB ? "7,20" : "20,7", 140, most);
    const std::string bias = ", c:int32[7]{1000,-2000,0,5000,77,-8,30000}";
    const std::string head = "y = com.microsoft.QGemm(" + a + writer.grid("a", typeA) + ", " + b;
    writer.add(head + writer.grid("b", typeB) + bias + ", ys:float[]{0.37}, " +
               writer.codes("yz", typeA, "", 1) + ")" + layout);
    writer.add(head + writer.grid("b", typeB) + bias + ")" + layout);
    writer.add(head + ", bs:float[7]{0.1,0.2,0.3,0.01,0.02,0.05,0.07}, " +
               writer.codes("bz", typeB, "7", 7) + ", , ys:float[]{3.1}, " +
               writer.codes("yz", typeA, "", 1) + ")" + layout);
  }
  writer.add("y = com.microsoft.MatMulIntegerToFloat(" + writer.codes("a", typeA, "2,5,20", 200) +
             ", " + writer.codes("b", typeB, "20,7", 140, most) + ", " + writer.scale("a") +
             ", bs:float[7]{0.1,0.2,0.3,0.01,0.02,0.05,0.07}, " + writer.codes("az", typeA, "", 1) +
             ", " + writer.codes("bz", typeB, "7", 7) + ", bias:float[7])");
  writer.add("y = com.microsoft.DynamicQuantizeMatMul(a:float[2,5,20], " +
             writer.codes("b", typeB, "20,7", 140, most) + ", " + writer.scale("b") + ", " +
             writer.codes("bz", typeB, "", 1) + ", bias:float[7])");
}

void addQuantize(Writer& writer, const std::string& type, const std::string& domain, int opset) {
  const std::string x = "x:float[2,3,4]";
  const std::string codes = writer.codes("c", type, "2,3,4", 24);
  const std::string one = ", s:float[]{0.013}, " + writer.codes("z", type, "", 1) + ")";
  const std::string three = ", s:float[3]{0.013,0.2,0.5}, " + writer.codes("z", type, "3", 3) + ")";
  for (const std::string& pair : {one, three + " axis=1", three + " axis=-2"}) {
    writer.add("y = " + domain + "QuantizeLinear(" + x + pair, opset);
    writer.add("y = " + domain + "DequantizeLinear(" + codes + pair, opset);
  }
  if (opset < 21) return;
  const std::string blocks =
      ", s:float[2,2,4]{0.01,0.02,0.03,0.04,0.05,0.06,0.07,0.08,0.01,0.02,"
      "0.03,0.04,0.05,0.06,0.07,0.08}, " +
      writer.codes("z", type, "2,2,4", 16) + ") axis=1 block_size=2";
  writer.add("y = QuantizeLinear(" + x + blocks, opset);
  writer.add("y = DequantizeLinear(" + codes + blocks, opset);
}

// Codes of four bits; that many are made up where none are given.
void addFourBit(Writer& writer, const std::string& sign) {
  const auto name = [&](const char* stem) { return std::string(stem) + "_" + sign + "int4"; };
  const auto codes = [&](const char* stem, const char* shape) {
    return name(stem) + ":" + sign + "int8[" + shape + "]";
  };
  const std::string two = ", s:float[3]{0.1,0.2,0.05}, " + codes("z", "3") + ") axis=1";
  const std::string blocks = ", s:float[2,2,4], " + codes("z", "2,2,4") + ") axis=1 block_size=2";
  const std::string one = "(x:float[2,3,5], s:float[]{0.06}, ";
  writer.add("y = DequantizeLinear(" + codes("c", "2,3,5") + two, 21);
  writer.add("y = DequantizeLinear(" + codes("c", "2,3,4") + blocks, 21);
  writer.add("y = com.microsoft.DequantizeLinear(" + codes("c", "2,3,5") + two);
  for (const char* domain : {"", "com.microsoft."}) {
    writer.add("q = " + std::string(domain) + "QuantizeLinear" + one + codes("z", "") +
                   ")\ny = " + domain + "DequantizeLinear(q, s, " + name("z") + ")",
               21);
  }
  writer.add("q = QuantizeLinear(x:float[2,3,5], s:float[]{0.06}) output_dtype=" +
                 std::string(sign.empty() ? "22" : "21") + "\ny = DequantizeLinear(q, s)",
             21);
}

}  // namespace

std::vector<OperatorRow> quantizedRows() {
  Writer writer;
  for (const char* type : {"uint8", "int8"}) {
    for (int i = 0; i < 4; ++i) {
      addBinary(writer, "QLinearAdd", type);
      addBinary(writer, "QLinearMul", type);
    }
    addUnary(writer, type);
    addPooling(writer, type);
  }
  addProducts(writer, "uint8", "uint8");
  addProducts(writer, "uint8", "int8");
  addProducts(writer, "int8", "int8");
  for (const char* type : {"uint8", "int8", "uint16", "int16"}) {
    addQuantize(writer, type, "", 21);
    addQuantize(writer, type, "com.microsoft.", 17);
  }
  for (const char* type : {"uint8", "int8"}) addQuantize(writer, type, "", 13);
  for (const char* sign : {"", "u"}) addFourBit(writer, sign);
  writer.add("y = QuantizeLinear(x:float[2,3,4], s:float[]{0.0001}) output_dtype=5", 21);
  writer.add("y = QuantizeLinear(x:float16[2,3,4], s:float16[]{0.01}, z:int8[]{3})", 21);
  writer.add("y = DequantizeLinear(x:int8[2,3,4], s:float16[]{0.01}, z:int8[]{3})", 21);
  writer.add("y = DequantizeLinear(x:int32[5]{1,2,-3,100000,5}, s:float[]{0.01})", 21);
  return writer.rows;
}

}  // namespace quantscope::test
