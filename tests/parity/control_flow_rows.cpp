#include "parity/operator_rows.h"

namespace quantscope::test {
namespace {

// clang-format off
const std::vector<OperatorRow> kControlFlowRows{
    {R"(last, all = Scan(start:float[3], x:float[3,3]) num_scan_inputs=1  body={
  input state:float
  input item:float
  sum = Add(state, item)
  copy = Identity(sum)
  output sum
  output copy
})", 9},
    {R"(last, all = Scan(start:float[3], x:float[3,3]) num_scan_inputs=1  body={
  input state:float
  input item:float
  sum = Add(state, item)
  copy = Identity(sum)
  output sum
  output copy
})", 11},
    {R"(last, all = Scan(start:float[3], x:float[3,3]) num_scan_inputs=1  body={
  input state:float
  input item:float
  sum = Add(state, item)
  copy = Identity(sum)
  output sum
  output copy
})", 19},
    {R"(last, all = Scan(start:float[3], x:float[3,3]) num_scan_inputs=1  body={
  input state:float
  input item:float
  sum = Add(state, item)
  copy = Identity(sum)
  output sum
  output copy
})", 22},
    {R"(last, all = Scan(start:float[3], x:float[3,3]) num_scan_inputs=1 scan_input_directions=[1] body={
  input state:float
  input item:float
  sum = Add(state, item)
  copy = Identity(sum)
  output sum
  output copy
})", 9},
    {R"(last, all = Scan(start:float[3], x:float[3,3]) num_scan_inputs=1 scan_input_directions=[1] body={
  input state:float
  input item:float
  sum = Add(state, item)
  copy = Identity(sum)
  output sum
  output copy
})", 11},
    {R"(last, all = Scan(start:float[3], x:float[3,3]) num_scan_inputs=1 scan_input_directions=[1] body={
  input state:float
  input item:float
  sum = Add(state, item)
  copy = Identity(sum)
  output sum
  output copy
})", 19},
    {R"(last, all = Scan(start:float[3], x:float[3,3]) num_scan_inputs=1 scan_input_directions=[1] body={
  input state:float
  input item:float
  sum = Add(state, item)
  copy = Identity(sum)
  output sum
  output copy
})", 22},
    {R"(last, all = Scan(start:float[3], x:float[3,3]) num_scan_inputs=1 scan_output_directions=[1] body={
  input state:float
  input item:float
  sum = Add(state, item)
  copy = Identity(sum)
  output sum
  output copy
})", 9},
    {R"(last, all = Scan(start:float[3], x:float[3,3]) num_scan_inputs=1 scan_output_directions=[1] body={
  input state:float
  input item:float
  sum = Add(state, item)
  copy = Identity(sum)
  output sum
  output copy
})", 11},
    {R"(last, all = Scan(start:float[3], x:float[3,3]) num_scan_inputs=1 scan_output_directions=[1] body={
  input state:float
  input item:float
  sum = Add(state, item)
  copy = Identity(sum)
  output sum
  output copy
})", 19},
    {R"(last, all = Scan(start:float[3], x:float[3,3]) num_scan_inputs=1 scan_output_directions=[1] body={
  input state:float
  input item:float
  sum = Add(state, item)
  copy = Identity(sum)
  output sum
  output copy
})", 22},
    {R"(last, all = Scan(start:float[3], x:float[3,3]) num_scan_inputs=1 scan_input_axes=[1] scan_output_axes=[-1] body={
  input state:float
  input item:float
  sum = Add(state, item)
  copy = Identity(sum)
  output sum
  output copy
})", 9},
    {R"(last, all = Scan(start:float[3], x:float[3,3]) num_scan_inputs=1 scan_input_axes=[1] scan_output_axes=[-1] body={
  input state:float
  input item:float
  sum = Add(state, item)
  copy = Identity(sum)
  output sum
  output copy
})", 11},
    {R"(last, all = Scan(start:float[3], x:float[3,3]) num_scan_inputs=1 scan_input_axes=[1] scan_output_axes=[-1] body={
  input state:float
  input item:float
  sum = Add(state, item)
  copy = Identity(sum)
  output sum
  output copy
})", 19},
    {R"(last, all = Scan(start:float[3], x:float[3,3]) num_scan_inputs=1 scan_input_axes=[1] scan_output_axes=[-1] body={
  input state:float
  input item:float
  sum = Add(state, item)
  copy = Identity(sum)
  output sum
  output copy
})", 22},
    {R"(last, all = Scan(start:float[3], x:float[3,3]) num_scan_inputs=1 scan_input_axes=[-1] scan_output_axes=[1] scan_input_directions=[1] scan_output_directions=[1] body={
  input state:float
  input item:float
  sum = Add(state, item)
  copy = Identity(sum)
  output sum
  output copy
})", 9},
    {R"(last, all = Scan(start:float[3], x:float[3,3]) num_scan_inputs=1 scan_input_axes=[-1] scan_output_axes=[1] scan_input_directions=[1] scan_output_directions=[1] body={
  input state:float
  input item:float
  sum = Add(state, item)
  copy = Identity(sum)
  output sum
  output copy
})", 11},
    {R"(last, all = Scan(start:float[3], x:float[3,3]) num_scan_inputs=1 scan_input_axes=[-1] scan_output_axes=[1] scan_input_directions=[1] scan_output_directions=[1] body={
  input state:float
  input item:float
  sum = Add(state, item)
  copy = Identity(sum)
  output sum
  output copy
})", 19},
    {R"(last, all = Scan(start:float[3], x:float[3,3]) num_scan_inputs=1 scan_input_axes=[-1] scan_output_axes=[1] scan_input_directions=[1] scan_output_directions=[1] body={
  input state:float
  input item:float
  sum = Add(state, item)
  copy = Identity(sum)
  output sum
  output copy
})", 22},
    {R"(last, all = Scan(, start:float[2,4], x:float[2,3,4]) num_scan_inputs=1 body={
  input state:float
  input item:float
  sum = Add(state, item)
  copy = Identity(sum)
  output sum
  output copy
})", 8},
    {R"(last, all = Scan(l:int64[2]{3,1}, start:float[2,4], x:float[2,3,4]) num_scan_inputs=1 body={
  input state:float
  input item:float
  sum = Add(state, item)
  copy = Identity(sum)
  output sum
  output copy
})", 8},
    {R"(last, all = Scan(l:int64[2]{2,3}, start:float[2,4], x:float[2,3,4]) num_scan_inputs=1 directions=[1] body={
  input state:float
  input item:float
  sum = Add(state, item)
  copy = Identity(sum)
  output sum
  output copy
})", 8},
    {R"(last, seen = Loop(n:int64[]{0}, c:bool[]{1}, start:float[2]) body={
  input i:int64[]
  input go:bool[]
  input value:float[2]
  twice = Add(value, value)
  keep = Identity(go)
  copy = Identity(twice)
  output keep
  output twice
  output copy
})", 11},
    {R"(last, seen = Loop(n:int64[]{3}, c:bool[]{1}, start:float[2]) body={
  input i:int64[]
  input go:bool[]
  input value:float[2]
  twice = Add(value, value)
  keep = Identity(go)
  copy = Identity(twice)
  output keep
  output twice
  output copy
})", 11},
    {R"(x:float[2,3]
y = If(c:bool[]{0}) then={
  t = Neg(x)
  output t
} else={
  u = Add(x, x)
  output u
})", 11},
    {R"(x:float[2,3]
y = If(c:bool[]{1}) then={
  t = Neg(x)
  output t
} else={
  u = Add(x, x)
  output u
})", 11},
    {R"(last, seen = Loop(n:int64[]{0}, c:bool[]{1}, start:float[2]) body={
  input i:int64[]
  input go:bool[]
  input value:float[2]
  twice = Add(value, value)
  keep = Identity(go)
  copy = Identity(twice)
  output keep
  output twice
  output copy
})", 16},
    {R"(last, seen = Loop(n:int64[]{3}, c:bool[]{1}, start:float[2]) body={
  input i:int64[]
  input go:bool[]
  input value:float[2]
  twice = Add(value, value)
  keep = Identity(go)
  copy = Identity(twice)
  output keep
  output twice
  output copy
})", 16},
    {R"(x:float[2,3]
y = If(c:bool[]{0}) then={
  t = Neg(x)
  output t
} else={
  u = Add(x, x)
  output u
})", 16},
    {R"(x:float[2,3]
y = If(c:bool[]{1}) then={
  t = Neg(x)
  output t
} else={
  u = Add(x, x)
  output u
})", 16},
    {R"(last, seen = Loop(n:int64[]{0}, c:bool[]{1}, start:float[2]) body={
  input i:int64[]
  input go:bool[]
  input value:float[2]
  twice = Add(value, value)
  keep = Identity(go)
  copy = Identity(twice)
  output keep
  output twice
  output copy
})", 22},
    {R"(last, seen = Loop(n:int64[]{3}, c:bool[]{1}, start:float[2]) body={
  input i:int64[]
  input go:bool[]
  input value:float[2]
  twice = Add(value, value)
  keep = Identity(go)
  copy = Identity(twice)
  output keep
  output twice
  output copy
})", 22},
    {R"(x:float[2,3]
y = If(c:bool[]{0}) then={
  t = Neg(x)
  output t
} else={
  u = Add(x, x)
  output u
})", 22},
    {R"(x:float[2,3]
y = If(c:bool[]{1}) then={
  t = Neg(x)
  output t
} else={
  u = Add(x, x)
  output u
})", 22},
};
// clang-format on

}  // namespace

std::span<const OperatorRow> controlFlowRows() {
  return kControlFlowRows;
}

}  // namespace quantscope::test
