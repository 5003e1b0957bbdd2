#include <QtTest>
#include <span>

#include "onnx/shape_inference.h"
#include "support/graph_text.h"
#include "support/test_main.h"

using namespace quantscope;
using quantscope::test::graphFromText;

class ShapeInferenceTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void typesOfResults_data();
  void typesOfResults();
  void shapeArithmeticIsFollowed_data();
  void shapeArithmeticIsFollowed();
  void microsoftOperators_data();
  void microsoftOperators();
  void controlFlow_data();
  void controlFlow();
  void computedTypesBeatDeclaredOnes();
  void oddNodesStayUnknown_data();
  void oddNodesStayUnknown();
};

namespace {

// "float32 [N, 4] / int64 [?]" of the graph's outputs.
std::string typesOf(const Graph& graph) {
  std::string text;
  for (const ValueId id : graph.outputs()) {
    const ValueType& type = graph[id].type;
    if (!text.empty()) text += " / ";
    text += (type.element ? std::string(name(*type.element)) : "?") + " " + toString(type.shape);
  }
  return text;
}

void addColumns() {
  QTest::addColumn<int>("opset");
  QTest::addColumn<QByteArray>("text");
  QTest::addColumn<QByteArray>("types");
}

void row(const char* what, const char* text, const char* types) {
  QTest::newRow(what) << 17 << QByteArray(text) << QByteArray(types);
}

struct Row {
  const char* x;  ///< the type of its input
  const char* node;
  const char* types;
  int opset = 17;
};

const Row kRows[] = {
    // Elementwise.
    {"float16[N,3]", "y = Relu(x)", "float16 [N, 3]"},
    {"float[N,1,4]", "y = Add(x, b:float[5,1])", "float32 [N, 5, 4]"},
    {"float[N,3]", "y = Mul(x, x)", "float32 [N, 3]"},
    {"float[N,3]", "y = Greater(x, b:float[])", "bool [N, 3]"},
    {"float[2,3]", "y = Cast(x) to=7", "int64 [2, 3]"},
    {"float[2,3]", "y = Cast(x) to=\"INT32\"", "int32 [2, 3]", 5},
    {"float[2,3]", "y, m = Dropout(x)", "float32 [2, 3] / bool [2, 3]"},
    {"float[2,3]", "y = Where(c:bool[3], x, o:float[1,1])", "float32 [2, 3]"},
    {"float[2,3]", "y = Add(x, b:float[4]) broadcast=1 axis=0", "float32 [2, 3]", 6},
    {"float[2,3]", "y = Max(x, b:float[1,3], c:float[4,1,1])", "float32 [4, 2, 3]"},
    // Reductions.
    {"float[N,3,4]", "y = ReduceMean(x) axes=[-1]", "float32 [N, 3, 1]"},
    {"float[N,3,4]", "y = ReduceSum(x, a:int64[1]{1}) keepdims=0", "float32 [N, 4]"},
    {"float[N,3,4]", "y = ReduceMax(x) keepdims=0", "float32 []"},
    {"float[N,3,4]", "y = ReduceMin(x, a:int64[2]{0,2})", "float32 [1, 3, 1]", 18},
    {"float[N,3,4]", "y = ReduceSum(x) noop_with_empty_axes=1", "float32 [N, 3, 4]"},
    {"float[N,3,4]", "y = ArgMax(x) axis=1 keepdims=0", "int64 [N, 4]"},
    // Shapes.
    {"float[N,3,4]", "y = Reshape(x, s:int64[2]{0,-1})", "float32 [N, 12]"},
    {"float[N,3,4]", "y = Reshape(x, s:int64[2]{-1,6})", "float32 [?, 6]"},
    {"float[N,3,4]", "y = Reshape(x, s:int64[2]{-1,12})", "float32 [N, 12]"},
    {"float[6,4]", "y = Reshape(x) shape=[2,-1]", "float32 [2, 12]", 4},
    {"float[N,3,4]", "y = Flatten(x)", "float32 [N, 12]"},
    {"float[2,3,4]", "y = Flatten(x) axis=-1", "float32 [6, 4]"},
    {"float[N,1,4]", "y = Squeeze(x, a:int64[1]{1})", "float32 [N, 4]"},
    {"float[1,3,1]", "y = Squeeze(x)", "float32 [3]"},
    {"float[N,4]", "y = Squeeze(x)", "float32 ?"},
    {"float[N,4]", "y = Unsqueeze(x) axes=[0,-1]", "float32 [1, N, 4, 1]", 11},
    {"float[N,4]", "y = Transpose(x)", "float32 [4, N]"},
    {"float[N,3,4]", "y = Transpose(x) perm=[1,2,0]", "float32 [3, 4, N]"},
    // Moving data.
    {"float[N,3]", "y = Concat(x, x) axis=1", "float32 [N, 6]"},
    {"float[?,3]", "y = Concat(x, w:float[2,4]) axis=1", "float32 [2, 7]"},
    {"float[N,3]", "y = Concat(x, x) axis=0", "float32 [?, 3]"},
    {"float[N,7]", "a, b = Split(x) axis=1", "float32 [N, 4] / float32 [N, 3]", 18},
    {"float[N,7]", "a, b = Split(x, s:int64[2]{2,5}) axis=-1", "float32 [N, 2] / float32 [N, 5]"},
    {"float[N,5]", "y = Slice(x) starts=[1] ends=[-1] axes=[1]", "float32 [N, 3]", 9},
    {"float[N,5]", "y = Slice(x, s:int64[1]{4}, e:int64[1]{-9}, a:int64[1]{1}, t:int64[1]{-2})",
     "float32 [N, 3]"},
    {"float[N,5]", "y = Slice(x, s:int64[1]{0}, e:int64[1]{9223372036854775807})",
     "float32 [N, 5]"},
    {"float[N,5]", "y = Pad(x, p:int64[4]{0,1,0,-2})", "float32 [N, 4]"},
    {"float[2,5]", "y = Pad(x, p:int64[2]{1,1}, , a:int64[1]{-1})", "float32 [2, 7]", 18},
    {"float[N,5]", "y = Tile(x, r:int64[2]{1,3})", "float32 [N, 15]"},
    {"float[N,1]", "y = Expand(x, s:int64[3]{2,1,4})", "float32 [2, N, 4]"},
    {"float[N,8,3,5]", "y = DepthToSpace(x) blocksize=2", "float32 [N, 2, 6, 10]"},
    {"float[N,2,6,10]", "y = SpaceToDepth(x) blocksize=2", "float32 [N, 8, 3, 5]"},
    {"float[N,3,9,8]", "y = Crop(x) border=[1,2,3,4]", "float32 [N, 3, 3, 4]", 7},
    // Indexing.
    {"float[N,3,4]", "y = Gather(x, i:int64[2,5]) axis=1", "float32 [N, 2, 5, 4]"},
    {"float[N,3,4]", "y = Gather(x, i:int64[]{0}) axis=-1", "float32 [N, 3]"},
    {"float[N,3]", "y = GatherElements(x, i:int64[2,3])", "float32 [2, 3]"},
    {"float[2,3,4]", "y = GatherND(x, i:int64[5,2])", "float32 [5, 4]"},
    {"float[N,3]", "y = ScatterND(x, i:int64[1,1]{0}, u:float[1,3])", "float32 [N, 3]"},
    {"int64[N]", "y = OneHot(x, d:int64[]{10}, v:float[2]{0,1})", "float32 [N, 10]"},
    {"float[N,9]", "v, i = TopK(x, k:int64[1]{3})", "float32 [N, 3] / int64 [N, 3]"},
    {"float[N,9]", "v, i = TopK(x) k=3", "float32 [N, 3] / int64 [N, 3]", 9},
    {"float[N,9]", "y = NonZero(x)", "int64 [2, ?]"},
    {"float[N,9]", "y = Compress(x, c:bool[9]) axis=1", "float32 [N, ?]"},
    {"int64[N,9]", "y = TfIdfVectorizer(x) ngram_indexes=[0,4,2]", "float32 [N, 5]"},
    // Windows.
    {"float[N,3,8,9]", "y = Conv(x, w:float[4,3,3,3])", "float32 [N, 4, 6, 7]"},
    {"float[N,3,H,W]", "y = Conv(x, w:float[4,3,3,3]) pads=[1,1,1,1]", "float32 [N, 4, H, W]"},
    {"float[N,3,9]", "y = Conv(x, w:float[4,3,3]) strides=[2] dilations=[2] pads=[2,1]",
     "float32 [N, 4, 4]"},
    {"float[N,3,9,9]", "y = Conv(x, w:float[4,3,3,3]) strides=[2,2] auto_pad=\"SAME_UPPER\"",
     "float32 [N, 4, 5, 5]"},
    {"float[N,4,5]", "y = ConvTranspose(x, w:float[4,3,3]) strides=[2] output_padding=[1] group=2",
     "float32 [N, 6, 12]"},
    {"float[N,4,5]", "y = ConvTranspose(x, w:float[4,3,3]) strides=[2] output_shape=[10]",
     "float32 [N, 3, 10]"},
    {"float[N,3,8,8]", "y, i = MaxPool(x) kernel_shape=[3,3] strides=[2,2] ceil_mode=1",
     "float32 [N, 3, 4, 4] / int64 [N, 3, 4, 4]"},
    // A last window that would begin behind the input does not count.
    {"float[N,3,7]", "y = AveragePool(x) kernel_shape=[1] strides=[4] pads=[0,2] ceil_mode=1",
     "float32 [N, 3, 2]", 19},
    {"float[N,3,8,9]", "y = GlobalAveragePool(x)", "float32 [N, 3, 1, 1]"},
    {"uint8[N,3,8]", "y = ConvInteger(x, w:int8[4,3,3])", "int32 [N, 4, 6]"},
    // Products.
    {"float[N,5,3]", "y = MatMul(x, w:float[3,7])", "float32 [N, 5, 7]"},
    {"float[3]", "y = MatMul(x, w:float[2,3,7])", "float32 [2, 7]"},
    {"float[4,3]", "y = MatMul(x, w:float[3])", "float32 [4]"},
    {"float[3,N]", "y = Gemm(x, w:float[7,3]) transA=1 transB=1", "float32 [N, 7]"},
    {"uint8[N,3]", "y = MatMulInteger(x, w:int8[3,2])", "int32 [N, 2]"},
    {"float[N,2,3]", "y = Einsum(x, w:float[3,4]) equation=\"bij, jk -> bik\"",
     "float32 [N, 2, 4]"},
    {"float[2,3]", "y = Einsum(x, w:float[3,4]) equation=\"ij,jk\"", "float32 [2, 4]"},
    // Normalization.
    {"float[N,3,4]", "y, m = LayerNormalization(x, s:float[4])",
     "float32 [N, 3, 4] / float32 [N, 3, 1]"},
    {"float[N,3,4]", "y = Softmax(x)", "float32 [N, 3, 4]"},
    // Recurrence.
    {"float[T,N,3]",
     "y, h, c = LSTM(x, w:float[2,20,3], r:float[2,20,5]) direction=\"bidirectional\"",
     "float32 [T, 2, N, 5] / float32 [2, N, 5] / float32 [2, N, 5]"},
    {"float[N,T,3]", "y, h = GRU(x, w:float[1,15,3], r:float[1,15,5]) hidden_size=5 layout=1",
     "float32 [N, T, 1, 5] / float32 [N, 1, 5]"},
    // Resampling.
    {"float[N,3,4,5]", "y = Resize(x, , s:float[4]{1,1,2,1.5})", "float32 [N, 3, 8, 7]"},
    {"float[N,3,4,5]", "y = Resize(x, , , s:int64[2]{9,7}) axes=[2,3]", "float32 [N, 3, 9, 7]", 18},
    {"float[N,3,4,5]", "y = Upsample(x) scales=[1.0,1.0,2.0,2.0]", "float32 [N, 3, 8, 10]", 8},
    {"float[N,3,4,5]", "y = GridSample(x, g:float[1,6,7,2])", "float32 [N, 3, 6, 7]"},
    // Quantization.
    {"float[N,3]", "y = QuantizeLinear(x, s:float[], z:int8[])", "int8 [N, 3]"},
    {"float[N,3]", "y = QuantizeLinear(x, s:float[])", "uint8 [N, 3]"},
    {"int8[N,3]", "y = DequantizeLinear(x, s:float[])", "float32 [N, 3]"},
    {"float[N,3]", "y, s, z = DynamicQuantizeLinear(x)", "uint8 [N, 3] / float32 [] / uint8 []"},
    // Making tensors.
    {"float[N,3]", "y = Shape(x)", "int64 [2]"},
    {"float[N,3]", "y = Size(x)", "int64 []"},
};

// What does not fit its operator: as much as is certain all the same.
const Row kOddRows[] = {
    {"float[2,3]", "y = Transpose(x) perm=[0,7]", "float32 ?"},
    {"float[2,3]", "y = Transpose(x) perm=[0]", "float32 ?"},
    {"float[2,3]", "y = Add(x, b:float[5])", "float32 ?"},
    {"float[2,3]", "y = Conv(x)", "float32 ?"},
    {"float[2,3]", "y = Conv(x, w:float[2,3,3]) strides=[0]", "float32 ?"},
    {"float[2,3]", "y = MaxPool(x) kernel_shape=[3,3,3]", "float32 ?"},
    {"float[2,3]", "y = MaxPool(x) kernel_shape=\"three\"", "? ?"},
    {"float[2,3]", "y = Concat(x, x) axis=5", "float32 ?"},
    {"float[2,3]", "y = Gather(x, i:int64[1]) axis=-3", "float32 ?"},
    {"float[2,3]", "y = Unsqueeze(x, a:int64[1]{9})", "float32 ?"},
    {"float[2,3]", "y = Reshape(x, s:int64[2]{-1,4})", "float32 [?, 4]"},
    {"float[2,3]", "y = Cast(x)", "? [2, 3]"},
    {"float[2,3]", "y = Cast(x) to=99999999999", "? [2, 3]"},
    {"float[2,3]", "y = Einsum(x) equation=\"i...\"", "float32 ?"},
    {"float[2,3]", "y = Resize(x, , s:float[2]{1e30,1})", "float32 [?, 3]"},
    {"float[2,3]", "y = Tile(x, r:int64[2]{4611686018427387904,1})", "float32 [?, 3]"},
    {"float[2,3]", "y = DepthToSpace(x) blocksize=0", "float32 ?"},
    {"float[2,3]", "y = Relu()", "? ?"},
};

const Row kMicrosoftRows[] = {
    {"int8[N,3,8,8]", "y = com.microsoft.QLinearAdd(x, s, z, b:int8[3,1,1], s, z, s, z)",
     "int8 [N, 3, 8, 8]"},
    {"int8[N,3,8,8]", "y = com.microsoft.QLinearSigmoid(x, s, z, s, z)", "int8 [N, 3, 8, 8]"},
    {"int8[N,3,8,8]", "y = com.microsoft.QLinearConcat(s, z, x, s, z, x, s, z) axis=1",
     "int8 [N, 6, 8, 8]"},
    {"int8[N,3,8,8]", "y = com.microsoft.QLinearGlobalAveragePool(x, s, z, s, z)",
     "int8 [N, 3, 1, 1]"},
    {"int8[N,3,8,8]",
     "y = com.microsoft.QLinearAveragePool(x, s, z, s, z) kernel_shape=[3,3] strides=[2,2]",
     "int8 [N, 3, 3, 3]"},
    {"int8[N,3,8,8]", "y = com.microsoft.DequantizeLinear(x, s, z)", "float32 [N, 3, 8, 8]"},
    {"int8[N,3,8,8]",
     "y = com.microsoft.QGemm(a:int8[4,2], s, z, b:int8[7,4], s, z, , s, z) transA=1 transB=1",
     "int8 [2, 7]"},
    {"int8[N,3,8,8]", "y = com.microsoft.QGemm(a:int8[2,4], s, z, b:int8[4,7], s, z)",
     "float32 [2, 7]"},
    {"int8[N,3,8,8]", "y = com.microsoft.MatMulIntegerToFloat(x, b:int8[8,5], s, s)",
     "float32 [N, 3, 8, 5]"},
};

void addRows(std::span<const Row> rows) {
  for (const Row& row : rows) {
    const QByteArray text = QByteArray("input x:") + row.x + "\n" + row.node;
    QTest::addRow("%s: %s (%d)", row.x, row.node, row.opset)
        << row.opset << text << QByteArray(row.types);
  }
}

}  // namespace

void ShapeInferenceTest::typesOfResults_data() {
  addColumns();
  addRows(kRows);
  row("ConstantOfShape", "y = ConstantOfShape(s:int64[2]{2,3}) value=int64[1]{7}", "int64 [2, 3]");
  row("Range", "y = Range(a:int64[]{2}, b:int64[]{11}, c:int64[]{3})", "int64 [3]");
  row("RandomNormal", "y = RandomNormal() shape=[2,3] dtype=10", "float16 [2, 3]");
}

void ShapeInferenceTest::typesOfResults() {
  QFETCH(int, opset);
  QFETCH(QByteArray, text);
  QFETCH(QByteArray, types);
  const auto graph = graphFromText(text.toStdString(), opset);
  QCOMPARE(QByteArray::fromStdString(typesOf(*graph)), types);
}

void ShapeInferenceTest::shapeArithmeticIsFollowed_data() {
  addColumns();
  row("batch kept by Gather and Concat", R"(input x:float[N,3,4]
         s = Shape(x)
         n = Gather(s, i:int64[]{0})
         u = Unsqueeze(n, a:int64[1]{0})
         t = Concat(u, m:int64[1]{-1}) axis=0
         y = Reshape(x, t))",
      "float32 [N, 12]");
  row("scaled sizes", R"(input x:float[N,3,10,20]
         s = Shape(x)
         hw = Slice(s, b:int64[1]{2}, e:int64[1]{4}, a:int64[1]{0})
         f = Cast(hw) to=1
         g = Mul(f, k:float[]{1.5})
         h = Floor(g)
         i = Cast(h) to=7
         nc = Slice(s, b2:int64[1]{0}, e2:int64[1]{2})
         t = Concat(nc, i) axis=0
         y = Resize(x, , , t))",
      "float32 [N, 3, 15, 30]");
  // How PyTorch exports the pads of an old-style Pad: reversed pairs, by way of a matrix.
  row("pads by way of a matrix", R"(input x:float[N,2,5]
         c = Concat(p:int64[2]{1,3}, z:int64[4]{0,0,0,0}) axis=0
         m = Reshape(c, two:int64[2]{-1,2})
         r = Slice(m, b:int64[1]{-1}, e:int64[1]{-9223372036854775807}, a:int64[1]{0}, t:int64[1]{-1})
         v = Transpose(r) perm=[1,0]
         w = Reshape(v, one:int64[1]{-1})
         y = Pad(x, w))",
      "float32 [N, 2, 9]");
  // "−1 keeps the extent", as PyTorch's expand has it.
  row("expand to minus one", R"(input x:float[N,1]
         ones = ConstantOfShape(r:int64[1]{2}) value=int64[1]{1}
         w:int64[2]{-1,6}
         minus = Mul(ones, k:int64[]{-1})
         e = Equal(w, minus)
         t = Where(e, ones, w)
         y = Expand(x, t))",
      "float32 [N, 6]");
  row("halved extent", R"(input x:float[N,7]
         s = Shape(x) start=1
         d = Div(s, k:int64[]{2})
         z = ConstantOfShape(d)
         y = Sub(z, f:float[]))",
      "float32 [3]");
  row("range over a symbol", R"(input x:float[4,N]
         e = Shape(x) start=-1
         q = Squeeze(e)
         y = Range(a:int64[]{0}, q, c:int64[]{1}))",
      "int64 [N]");
  row("product of extents", R"(input x:float[2,3,4]
         s = Shape(x)
         p = ReduceProd(s) keepdims=0
         u = Unsqueeze(p, a:int64[1]{0})
         y = Reshape(x, u))",
      "float32 [24]");
  row("split and swapped", R"(input x:float[2,3]
         s = Shape(x)
         a, b = Split(s)
         t = Concat(b, a) axis=0
         y = Reshape(x, t))",
      "float32 [3, 2]");
}

void ShapeInferenceTest::shapeArithmeticIsFollowed() {
  typesOfResults();
}

void ShapeInferenceTest::microsoftOperators_data() {
  addColumns();
  for (const Row& row : kMicrosoftRows) {
    const QByteArray text = "opset com.microsoft 1\ns:float[]\nz:int8[]\ninput x:";
    QTest::newRow(row.node) << row.opset << text + row.x + "\n" + row.node << QByteArray(row.types);
  }
}

void ShapeInferenceTest::microsoftOperators() {
  typesOfResults();
}

void ShapeInferenceTest::controlFlow_data() {
  addColumns();
  row("if: either branch", R"(input c:bool[]
         input x:float[N,3]
         r = If(c) then={
           t = Concat(x, x) axis=1
           output t
         } else={
           u = Pad(x, p:int64[4]{0,0,0,2})
           output u
         })",
      "float32 [N, ?]");
  row("if: decided", R"(input x:float[N,3]
         r = If(c:bool[]{1}) then={
           t = Concat(x, x) axis=1
           output t
         } else={
           output x
         })",
      "float32 [N, 6]");
  row("loop", R"(input x:float[N,3]
         s, g, all = Loop(n:int64[]{3}, , x, x) body={
           input i:int64[]
           input keep:bool[]
           input same:float
           input grows:float
           same2 = Relu(same)
           grows2 = Concat(grows, x) axis=1
           f = ReduceMean(same2) axes=[1] keepdims=0
           output keep
           output same2
           output grows2
           output f
         })",
      "float32 [N, 3] / float32 [N, ?] / float32 [?, N]");
  row("scan", R"(input x:float[T,N,3]
         s, y = Scan(h:float[1,3], x) num_scan_inputs=1 scan_output_axes=[1] body={
           input state:float
           input item:float
           next = Add(state, item)
           output state
           output next
         })",
      "float32 [1, 3] / float32 [N, T, 3]");
  row("scan of a batch", R"(opset 8
         input x:float[5,T,3]
         s, y = Scan(, h:float[5,4], x) num_scan_inputs=1 body={
           input state:float
           input item:float
           next = Relu(state)
           both = Concat(state, item) axis=0
           output next
           output both
         })",
      "float32 [5, 4] / float32 [5, T, 7]");
}

void ShapeInferenceTest::controlFlow() {
  typesOfResults();
}

void ShapeInferenceTest::computedTypesBeatDeclaredOnes() {
  QCOMPARE(typesOf(*graphFromText("input x:float[N,3]\ny:int64[7,4,9] = Relu(x)")),
           std::string("float32 [N, 3]"));
  QCOMPARE(typesOf(*graphFromText("input x:float[?,3]\ny:float[batch,5] = Relu(x)")),
           std::string("float32 [batch, 3]"));
  QCOMPARE(typesOf(*graphFromText("input x:float[2]\ny:float[4] = Mystery(x)")),
           std::string("float32 [4]"));
}

void ShapeInferenceTest::oddNodesStayUnknown_data() {
  addColumns();
  addRows(kOddRows);
  row("ConstantOfShape", "y = ConstantOfShape(s:int64[2]{4611686018427387904,4})",
      "float32 [?, 4]");
  row("Range", "y = Range(a:float[]{0}, b:float[]{1}, c:float[]{0})", "float32 [?]");
}

void ShapeInferenceTest::oddNodesStayUnknown() {
  typesOfResults();
}

QUANTSCOPE_TEST(ShapeInferenceTest)
#include "test_shape_inference.moc"
