#include "gradients/operator_rows.h"

namespace quantscope::test {
namespace {

// An operator of one input on numbers of a kind.
#define UNARY(op, numbers) \
  { op, "input x:real[2,3,5]\ny = " op "(x)\noutput y", numbers }
#define UNARY_WITH(title, op, attributes, numbers) \
  { title, "input x:real[2,3,5]\ny = " op "(x) " attributes "\noutput y", numbers }

const GradientRow kElementwise[]{
    UNARY("Relu", Numbers::Signed),
    UNARY_WITH("LeakyRelu", "LeakyRelu", "alpha=0.2", Numbers::Signed),
    UNARY_WITH("ThresholdedRelu", "ThresholdedRelu", "alpha=0.05", Numbers::Signed),
    UNARY_WITH("HardSigmoid", "HardSigmoid", "alpha=1.0 beta=0.5", Numbers::Distinct),
    UNARY("HardSwish", Numbers::Signed),
    {"HardSwish, beyond its bends", "input x:real[8,9]\ny = HardSwish(x)\noutput y",
     Numbers::Distinct},
    UNARY_WITH("Shrink", "Shrink", "lambd=0.05 bias=0.2", Numbers::Signed),
    UNARY("Softsign", Numbers::Signed),
    UNARY("Sigmoid", Numbers::Signed),
    UNARY("Tanh", Numbers::Signed),
    UNARY("Exp", Numbers::Signed),
    UNARY("Log", Numbers::Positive),
    UNARY("Sqrt", Numbers::Positive),
    UNARY("Reciprocal", Numbers::Positive),
    UNARY("Neg", Numbers::Signed),
    UNARY("Abs", Numbers::Signed),
    UNARY("Erf", Numbers::Signed),
    UNARY("Softplus", Numbers::Signed),
    {"Mish", "input x:real[2,3,5]\ny = Mish(x)\noutput y", Numbers::Signed, 18},
    {"Gelu", "input x:real[2,3,5]\ny = Gelu(x)\noutput y", Numbers::Signed, 20},
    {"Gelu by tanh", "input x:real[2,3,5]\ny = Gelu(x) approximate=\"tanh\"\noutput y",
     Numbers::Signed, 20},
    UNARY_WITH("Elu", "Elu", "alpha=0.7", Numbers::Signed),
    UNARY_WITH("Celu", "Celu", "alpha=0.7", Numbers::Signed),
    UNARY("Selu", Numbers::Signed),
    {"Clip",
     "input x:real[2,3,5]\nlow:real[]{-0.05}\nhigh:real[]{2}\ny = Clip(x, low, high)\noutput y"},
    {"Clip, cutting",
     "input x:real[6,7]\nlow:real[]{-1}\nhigh:real[]{0.6}\ny = Clip(x, low, high)\noutput y",
     Numbers::Distinct},
    {"Clip by variables",
     "input x:real[6,7]\ninput l:real[1]\ninput h:real[1]\n"
     "low:real[1]{-1.1}\nhigh:real[1]{0.6}\nzero:real[1]{0.0078125}\n"
     "ls = Mul(l, zero)\nhs = Mul(h, zero)\nlo = Add(low, ls)\nhi = Add(high, hs)\n"
     "y = Clip(x, lo, hi)\noutput y",
     Numbers::Distinct},
    {"Add", "input a:real[2,3,4]\ninput b:real[2,3,4]\ny = Add(a, b)\noutput y"},
    {"Add, both broadcast", "input a:real[2,1,4]\ninput b:real[3,1]\ny = Add(a, b)\noutput y"},
    {"Add of itself", "input a:real[2,3]\ny = Add(a, a)\noutput y"},
    {"Sub", "input a:real[4]\ninput b:real[2,3,4]\ny = Sub(a, b)\noutput y"},
    {"Mul", "input a:real[2,3,4]\ninput b:real[3,1]\ny = Mul(a, b)\noutput y"},
    {"Mul by itself", "input a:real[2,3]\ny = Mul(a, a)\noutput y"},
    {"Mul of a scalar", "input a:real[]\ninput b:real[2,3]\ny = Mul(a, b)\noutput y"},
    {"Div", "input a:real[2,3,4]\ninput b:real[1,3,1]\ny = Div(a, b)\noutput y", Numbers::Positive},
    {"Pow", "input a:real[2,3]\ninput b:real[3]\ny = Pow(a, b)\noutput y", Numbers::Positive},
    {"Pow, constant square", "input a:real[2,3]\nb:real[]{2}\ny = Pow(a, b)\noutput y"},
    {"PRelu", "input x:real[2,3,4,2]\ninput s:real[3,1,1]\ny = PRelu(x, s)\noutput y"},
    {"Max", "input a:real[3,8]\ninput b:real[3,1]\ny = Max(a, b)\noutput y", Numbers::Distinct},
    {"Min, one operand twice", "input a:real[3,4]\ninput b:real[3,1]\ny = Min(a, b, a)\noutput y",
     Numbers::Distinct},
    {"Sum", "input a:real[3,4]\ninput b:real[4]\ninput c:real[3,1]\ny = Sum(a, b, c)\noutput y"},
    {"Mean", "input a:real[3,4]\ninput b:real[4]\ninput c:real[3,1]\ny = Mean(a, b, c)\noutput y"},
    {"Where",
     "input a:real[2,3]\ninput b:real[3]\nc:bool[2,1]{1, 0}\ny = Where(c, a, b)\noutput y"},
    {"Add, before opset 7",
     "input a:real[2,3,4]\ninput b:real[3]\ny = Add(a, b) broadcast=1 axis=1\noutput y",
     Numbers::Signed, 6},
    {"Mul, before opset 7",
     "input a:real[2,3,4]\ninput b:real[3]\ny = Mul(a, b) broadcast=1 axis=1\noutput y",
     Numbers::Signed, 6},
    {"Affine", "input x:real[2,3]\ny = Affine(x) alpha=0.3 beta=2.0\noutput y", Numbers::Signed, 7},
    {"ImageScaler",
     "input x:real[1,3,2,2]\ny = ImageScaler(x) scale=0.3 bias=[1.0,2.0,3.0]\noutput y",
     Numbers::Signed, 7, true},
};

#undef UNARY
#undef UNARY_WITH

}  // namespace

std::span<const GradientRow> elementwiseRows() {
  return kElementwise;
}

}  // namespace quantscope::test
