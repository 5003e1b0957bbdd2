#include <QtTest>

#include "engine/operator_case.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

const OperatorCase kReshaping[] = {
    {"copied and inferred extents", "y = Reshape(x, x1)", "int8[2, 3, 2]; int64[3]{0, -1, 1}",
     "int8[2, 6, 1]"},
    {"to a scalar", "y = Reshape(x, x1)", "float[1, 1]{5}; int64[0]{}", "float[]{5}"},
    {"zero means zero", "y = Reshape(x, x1) allowzero=1", "float[0, 3]; int64[2]{3, 0}",
     "float[3, 0]{}"},
    {"nothing to infer from", "y = Reshape(x, x1) allowzero=1", "float[0, 3]; int64[2]{0, -1}",
     "error: [0, -1]"},
    {"old shape attribute", "y = Reshape(x) shape=[-1]", "float[2, 1]{1, 2}", "float[2]{1, 2}", 4},
    {"two unknown extents", "y = Reshape(x, x1)", "float[4]; int64[2]{-1, -1}", "error: [-1, -1]"},
    {"wrong count", "y = Reshape(x, x1)", "float[4]; int64[2]{3, 1}", "error: [4]"},
    {"not divisible", "y = Reshape(x, x1)", "float[4]; int64[2]{3, -1}", "error: [3, -1]"},
    {"negative extent", "y = Reshape(x, x1)", "float[4]; int64[2]{-2, -2}", "error: [-2, -2]"},
    {"copied extent that is not there", "y = Reshape(x, x1)", "float[4]; int64[2]{4, 0}",
     "error: [4, 0]"},
    {"extents that overflow", "y = Reshape(x, x1)",
     "float[4]; int64[3]{4294967296, 4294967296, 4294967296}", "error: more elements"},
    {"too many axes", "y = Reshape(x, x1)", "float[1]; int64[9]{1, 1, 1, 1, 1, 1, 1, 1, 1}",
     "error: more than 8 axes"},
    {"flatten everything", "y = Flatten(x) axis=2", "float[1, 2]{1, 2}", "float[2, 1]{1, 2}"},
    {"flatten from the end", "y = Flatten(x) axis=-1", "int8[2, 3, 2]", "int8[6, 2]"},
    {"flatten outside", "y = Flatten(x) axis=3", "float[2, 3]", "error: axis 3"},
    {"squeeze all", "y = Squeeze(x)", "float[1, 2, 1]{1, 2}", "float[2]{1, 2}"},
    {"squeeze one", "y = Squeeze(x, x1)", "float[1, 2, 1]{1, 2}; int64[1]{-1}",
     "float[1, 2]{1, 2}"},
    {"squeeze what is longer", "y = Squeeze(x, x1)", "float[1, 2]; int64[1]{1}", "error: squeezed"},
    {"unsqueeze", "y = Unsqueeze(x, x1)", "float[2]{1, 2}; int64[2]{-1, 0}",
     "float[1, 2, 1]{1, 2}"},
    {"unsqueeze twice the same", "y = Unsqueeze(x, x1)", "float[2]; int64[2]{0, -3}",
     "error: twice"},
};

const OperatorCase kMoving[] = {
    {"transpose reverses", "y = Transpose(x)", "int8[2, 3]{1, 2, 3, 4, 5, 6}",
     "int8[3, 2]{1, 4, 2, 5, 3, 6}"},
    {"an axis twice", "y = Transpose(x) perm=[0, 0]", "float[2, 2]", "error: perm"},
    {"too few axes", "y = Transpose(x) perm=[0]", "float[2, 2]", "error: perm"},
    {"transposed halves", "y = Transpose(x)", "float16[1, 2]{1, 2}", "float16[2, 1]{1, 2}"},
    {"concat of one", "y = Concat(x) axis=0", "float[2]{1, 2}", "float[2]{1, 2}"},
    {"concat of nothing and something", "y = Concat(x, x1) axis=-1",
     "float[2, 0]{}; float[2, 1]{1, 2}", "float[2, 1]{1, 2}"},
    {"concat of other types", "y = Concat(x, x1) axis=0", "float[1]; int8[1]", "error: int8[1]"},
    {"concat of other ranks", "y = Concat(x, x1) axis=0", "float[1]; float[1, 1]",
     "error: float32[1, 1]"},
    {"concat of other extents", "y = Concat(x, x1) axis=0", "float[1, 2]; float[1, 3]",
     "error: float32[1, 3]"},
    {"split evenly", "y, z = Split(x) axis=-1", "int8[2, 2]{1, 2, 3, 4}",
     "int8[2, 1]{1, 3}; int8[2, 1]{2, 4}"},
    {"split by sizes", "y, z = Split(x, x1)", "int8[3]{1, 2, 3}; int64[2]{0, 3}",
     "int8[0]{}; int8[3]{1, 2, 3}"},
    {"split by an attribute", "y, z = Split(x) split=[1, 2]", "int8[3]{1, 2, 3}",
     "int8[1]{1}; int8[2]{2, 3}", 11},
    {"split unevenly", "y, z = Split(x) num_outputs=2", "int8[3]{1, 2, 3}",
     "int8[2]{1, 2}; int8[1]{3}", 18},
    {"split that does not come out even", "y, z = Split(x)", "int8[3]", "error: 2 parts"},
    {"split sizes of too much", "y, z = Split(x, x1)", "int8[3]; int64[2]{1, 3}", "error: add up"},
    {"negative split sizes", "y, z = Split(x, x1)", "int8[3]; int64[2]{-1, 4}", "error: add up"},
    {"slice with a step", "y = Slice(x, x1, x2, , x4)",
     "int8[5]{1, 2, 3, 4, 5}; int64[1]{0}; int64[1]{99};; int64[1]{2}", "int8[3]{1, 3, 5}"},
    {"slice backwards", "y = Slice(x, x1, x2, x3, x4)",
     "int8[4]{1, 2, 3, 4}; int64[1]{-1}; int64[1]{-9223372036854775808}; int64[1]{0}; int64[1]{-1}",
     "int8[4]{4, 3, 2, 1}"},
    {"the largest step", "y = Slice(x, x1, x2, , x4)",
     "int8[4]{1, 2, 3, 4}; int64[1]{1}; int64[1]{9223372036854775807};; "
     "int64[1]{9223372036854775807}",
     "int8[1]{2}"},
    {"the most negative step", "y = Slice(x, x1, x2, , x4)",
     "int8[4]{1, 2, 3, 4}; int64[1]{3}; int64[1]{-9};; int64[1]{-9223372036854775808}",
     "int8[1]{4}"},
    {"empty slice", "y = Slice(x, x1, x2)", "int8[4]; int64[1]{3}; int64[1]{1}", "int8[0]{}"},
    {"slice by int32", "y = Slice(x, x1, x2)", "int8[2]{1, 2}; int32[1]{1}; int32[1]{2}",
     "int8[1]{2}"},
    {"old slice", "y = Slice(x) starts=[1] ends=[-1] axes=[0]", "int8[4]{1, 2, 3, 4}",
     "int8[2]{2, 3}", 9},
    {"step of zero", "y = Slice(x, x1, x2, , x4)",
     "int8[4]; int64[1]{0}; int64[1]{1};; int64[1]{0}", "error: step 0"},
    {"more starts than ends", "y = Slice(x, x1, x2)", "int8[4]; int64[2]{0, 1}; int64[1]{1}",
     "error: equally many"},
    {"starts that are floats", "y = Slice(x, x1, x2)", "int8[4]; float[1]{0}; int64[1]{1}",
     "error: expected int32"},
};

const OperatorCase kFilling[] = {
    {"pad with a constant", "y = Pad(x, x1, x2)", "int8[2]{1, 2}; int64[2]{1, 2}; int8[]{9}",
     "int8[5]{9, 1, 2, 9, 9}"},
    {"negative pads cut", "y = Pad(x, x1)", "int8[4]{1, 2, 3, 4}; int64[2]{-1, 1}",
     "int8[4]{2, 3, 4, 0}"},
    {"pads that cut into the other side", "y = Pad(x, x1)", "int8[2]{1, 2}; int64[2]{3, -4}",
     "int8[1]{0}"},
    {"reflect more than once", "y = Pad(x, x1) mode=\"reflect\"",
     "int8[3]{1, 2, 3}; int64[2]{5, 3}", "int8[11]{2, 1, 2, 3, 2, 1, 2, 3, 2, 1, 2}"},
    {"reflect one element", "y = Pad(x, x1) mode=\"reflect\"", "int8[1]{7}; int64[2]{1, 1}",
     "int8[3]{7, 7, 7}"},
    {"edge", "y = Pad(x, x1) mode=\"edge\"", "int8[2]{1, 2}; int64[2]{2, 1}",
     "int8[5]{1, 1, 1, 2, 2}"},
    {"wrap", "y = Pad(x, x1) mode=\"wrap\"", "int8[3]{1, 2, 3}; int64[2]{4, 1}",
     "int8[8]{3, 1, 2, 3, 1, 2, 3, 1}", 19},
    {"constant rows", "y = Pad(x, x1, x2)",
     "int8[2, 2]{1, 2, 3, 4}; int64[4]{1, 0, 2, 0}; int8[]{9}",
     "int8[5, 2]{9, 9, 1, 2, 3, 4, 9, 9, 9, 9}"},
    {"rows cut and added", "y = Pad(x, x1)", "int8[3, 2]{1, 2, 3, 4, 5, 6}; int64[4]{-1, 0, 1, 0}",
     "int8[3, 2]{3, 4, 5, 6, 0, 0}"},
    {"rows cut beyond their end", "y = Pad(x, x1)",
     "int8[1, 4]; int64[4]{-4611686018427387904, 0, 4611686018427387905, 0}",
     "int8[2, 4]{0, 0, 0, 0, 0, 0, 0, 0}"},
    {"rows added and cut again", "y = Pad(x, x1)",
     "int8[1, 4]; int64[4]{4611686018427387904, 0, -4611686018427387904, 0}",
     "int8[1, 4]{0, 0, 0, 0}"},
    {"reflected rows", "y = Pad(x, x1) mode=\"reflect\"",
     "int8[3, 2]{1, 2, 3, 4, 5, 6}; int64[4]{2, 0, 0, 0}",
     "int8[5, 2]{5, 6, 3, 4, 1, 2, 3, 4, 5, 6}"},
    {"edges of a column", "y = Pad(x, x1) mode=\"edge\"", "int8[2, 1]{1, 2}; int64[4]{1, 0, 2, 0}",
     "int8[5, 1]{1, 1, 2, 2, 2}"},
    {"some axes only", "y = Pad(x, x1, , x3)", "int8[1, 2]{1, 2}; int64[2]{1, 0};; int64[1]{-1}",
     "int8[1, 3]{0, 1, 2}", 18},
    {"edges of nothing", "y = Pad(x, x1) mode=\"edge\"", "int8[0]{}; int64[2]{1, 1}",
     "error: pads"},
    {"constant around nothing", "y = Pad(x, x1)", "int8[0]{}; int64[2]{1, 1}", "int8[2]{0, 0}"},
    {"more cut than there is", "y = Pad(x, x1)", "int8[2]; int64[2]{-3, 0}", "error: pads"},
    {"wrong number of pads", "y = Pad(x, x1)", "int8[2]; int64[1]{1}", "error: pads"},
    {"pads that overflow", "y = Pad(x, x1)", "int8[2]; int64[2]{9223372036854775807, 1}",
     "error: pads"},
    {"more memory than there is", "y = Pad(x, x1)", "int8[2]; int64[2]{4611686018427387904, 1}",
     "error: memory"},
    {"constant of two numbers", "y = Pad(x, x1, x2)", "int8[1]; int64[2]{1, 1}; int8[2]",
     "error: shape [2]"},
    {"unknown mode", "y = Pad(x, x1) mode=\"mirror\"", "int8[1]; int64[2]{1, 1}",
     "error: 'mirror'"},
    {"old pads", "y = Pad(x) pads=[1, 0] value=0.5", "float[1]{1}", "float[2]{0.5, 1}", 2},
    {"oldest pads", "y = Pad(x) paddings=[0, 1]", "float[1]{1}", "float[2]{1, 0}", 1},
    {"expand", "y = Expand(x, x1)", "int8[2, 1]{1, 2}; int64[3]{2, 1, 2}",
     "int8[2, 2, 2]{1, 1, 2, 2, 1, 1, 2, 2}"},
    {"expand to less", "y = Expand(x, x1)", "int8[2]{1, 2}; int64[1]{1}", "int8[2]{1, 2}"},
    {"expand to something else", "y = Expand(x, x1)", "int8[2]; int64[1]{3}", "error: [2] and [3]"},
    {"tile", "y = Tile(x, x1)", "int8[2, 2]{1, 2, 3, 4}; int64[2]{1, 2}",
     "int8[2, 4]{1, 2, 1, 2, 3, 4, 3, 4}"},
    {"tile no times", "y = Tile(x, x1)", "int8[2]; int64[1]{0}", "int8[0]{}"},
    {"tile fewer than no times", "y = Tile(x, x1)", "int8[2]; int64[1]{-1}", "error: -1 times"},
    {"tile other axes", "y = Tile(x, x1)", "int8[2]; int64[2]{1, 1}", "error: 2 axes"},
    {"tile along an axis", "y = Tile(x, x1, x2)", "float[1, 2]{1, 2}; float[1]{2}; float[1]{0}",
     "float[2, 2]{1, 2, 1, 2}", 1},
    {"blocks that do not fit", "y = SpaceToDepth(x) blocksize=2", "float[1, 1, 3, 2]",
     "error: [1, 1, 3, 2]"},
    {"channels that do not fit", "y = DepthToSpace(x) blocksize=2", "float[1, 6, 2, 2]",
     "error: blocks"},
    {"blocks of any size", "y = SpaceToDepth(x) blocksize=4",
     "float[0, 4611686018427387904, 4, 4]{}", "error: too large"},
    {"nothing of any size, turned", "y = Transpose(x)", "int8[0, 4611686018427387904, 4]{}",
     "error: more elements"},
    {"blocks of nothing", "y = DepthToSpace(x) blocksize=0", "float[1, 4, 2, 2]",
     "error: block size 0"},
    {"reversed sequences", "y = ReverseSequence(x, x1) batch_axis=0 time_axis=1",
     "int8[2, 3]{1, 2, 3, 4, 5, 6}; int64[2]{2, 0}", "int8[2, 3]{2, 1, 3, 4, 5, 6}"},
    {"sequence that is too long", "y = ReverseSequence(x, x1)", "int8[2, 1]; int64[1]{3}",
     "error: length 3"},
    {"wrong number of sequences", "y = ReverseSequence(x, x1)", "int8[2, 1]; int64[2]{1, 1}",
     "error: 2 sequence lengths"},
    {"upper triangle", "y = Trilu(x, x1)", "int8[2, 2]{1, 2, 3, 4}; int64[]{1}",
     "int8[2, 2]{0, 2, 0, 0}"},
    {"lower triangle far off", "y = Trilu(x, x1) upper=0",
     "int8[2, 2]{1, 2, 3, 4}; int64[]{-9223372036854775808}", "int8[2, 2]{0, 0, 0, 0}"},
    {"identity matrix of halves", "y = EyeLike(x) dtype=10 k=-1", "int8[2, 2]",
     "float16[2, 2]{0, 0, 1, 0}"},
    {"diagonal far off", "y = EyeLike(x) k=9223372036854775807", "int8[1, 2]", "int8[1, 2]{0, 0}"},
    {"compress by a short condition", "y = Compress(x, x1) axis=1",
     "int8[2, 3]{1, 2, 3, 4, 5, 6}; bool[2]{0, 1}", "int8[2, 1]{2, 5}"},
    {"compress by a long condition", "y = Compress(x, x1)", "int8[2]{1, 2}; bool[4]{1, 0, 1, 1}",
     "int8[1]{1}"},
};

}  // namespace

class DataMoversTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void reshaping_data() { addCases(kReshaping); }
  void reshaping() { verify(kReshaping); }
  void moving_data() { addCases(kMoving); }
  void moving() { verify(kMoving); }
  void filling_data() { addCases(kFilling); }
  void filling() { verify(kFilling); }

 private:
  static void verify(std::span<const OperatorCase> cases);
};

void DataMoversTest::verify(std::span<const OperatorCase> cases) {
  QFETCH(int, row);
  const std::string difference = runCase(cases[static_cast<std::size_t>(row)]);
  QVERIFY2(difference.empty(), difference.c_str());
}

QUANTSCOPE_TEST(DataMoversTest)
#include "test_data_movers.moc"
