// Polynomials fitted by us (Lawson's weighted least squares on Chebyshev points, relative error of
// the function as weight); each is exact to 5e-9 or better, so that only rounding is left. No
// multiplication is fused with an addition, except tanh's: the targets would differ.

#include "kernels/network/transcendental.h"

#include "kernels/network/soft_activations.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/network/transcendental.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/float_vectors-inl.h"
#include "kernels/fused_multiply_add-inl.h"
#include "kernels/network/soft_activations-inl.h"

HWY_BEFORE_NAMESPACE();
namespace quantscope::HWY_NAMESPACE {
namespace {

struct Exponential {
  Vec operator()(Vec x) const { return keepNan(x, expOfNumber(x)); }
};

struct Logistic {
  Vec operator()(Vec x) const {
    const Vec y = hn::Div(constant(1), hn::Add(constant(1), expOfNumber(hn::Neg(x))));
    // Below, the quotient is denormal.
    return keepNan(x, hn::IfThenZeroElse(hn::Lt(x, constant(kSmallestExponent)), y));
  }
};

// c0·x^n + … + cn by Horner's rule
template <class... Rest>
Vec fusedPolynomial(Vec x, float first, Rest... rest) {
  Vec sum = constant(first);
  ((sum = fusedMultiplyAdd(Tag(), sum, x, constant(rest))), ...);
  return sum;
}

// x·P(x²) / Q(x²) with the numbers of Eigen in the order of ONNX Runtime's MLAS. Networks that
// normalize by a small variance amplify the last bit of its argument; this gives the bits of their
// deployment.
struct HyperbolicTangent {
  Vec operator()(Vec given) const {
    const Vec x = withoutDenormals(given);
    const Vec inside = hn::Min(hn::Max(x, constant(-9)), constant(9));
    const Vec square = hn::Mul(inside, inside);
    const Vec p = fusedPolynomial(
        square, -2.76076847742355e-16F, 2.00018790482477e-13F, -8.60467152213735e-11F,
        5.12229709037114e-08F, 1.48572235717979e-05F, 6.37261928875436e-04F, 4.89352455891786e-03F);
    const Vec q = fusedPolynomial(square, 1.19825839466702e-06F, 1.18534705686654e-04F,
                                  2.26843463243900e-03F, 4.89352518554385e-03F);
    const Vec y = hn::Div(hn::Mul(p, inside), q);
    // For smaller |x| the product above may be denormal.
    const Vec small = hn::IfThenElse(hn::Lt(hn::Abs(x), constant(1e-30F)), x, y);
    return keepNan(x, small);
  }
};

// Odd: by |x|, with the sign put back. A series below 1; above, erf a = 1 − e^−g(a) with g = −ln
// erfc, which is nearly a parabola.
struct ErrorFunction {
  Vec operator()(Vec given) const {
    const Vec x = withoutDenormals(given);
    const Vec a = hn::Abs(x);
    const Vec square = hn::Mul(a, a);
    const Vec series = polynomial(square, 0.128379109F, -0.37612626F, 0.112835854F, -0.0268538129F,
                                  0.00518832775F, -0.000801019371F, 7.85386146e-05F);
    const Vec small = hn::Mul(a, hn::Add(constant(1), series));
    // From 3.92 on the result rounds to 1.
    const Vec g = polynomial(hn::Min(a, constant(4)), 0.000353719312F, 1.12704003F, 0.638225675F,
                             0.103037372F, -0.0218053181F, 0.00293960748F, -0.000185574027F);
    const Vec large = hn::Sub(constant(1), expOfNumber(hn::Neg(g)));
    const Vec y = hn::IfThenElse(hn::Lt(a, constant(1)), small, large);
    return keepNan(x, hn::CopySign(y, x));
  }
};

void mapExponential(const float* x, float* y, std::size_t count) {
  map(x, y, count, Exponential());
}
void mapLogistic(const float* x, float* y, std::size_t count) {
  map(x, y, count, Logistic());
}
void mapTangent(const float* x, float* y, std::size_t count) {
  map(x, y, count, HyperbolicTangent());
}
void mapError(const float* x, float* y, std::size_t count) {
  map(x, y, count, ErrorFunction());
}
void mapLogarithm(const float* x, float* y, std::size_t count) {
  map(x, y, count, NaturalLogarithm());
}
void mapSoftplus(const float* x, float* y, std::size_t count) {
  map(x, y, count, Softplus());
}
void mapMish(const float* x, float* y, std::size_t count) {
  map(x, y, count, Mish());
}
void mapLinear(const float* x, float* y, std::size_t count, const ExponentialLinear& factors) {
  map(x, y, count, ExponentialLinearUnit{factors});
}

}  // namespace
}  // namespace quantscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quantscope {
namespace {

HWY_EXPORT(mapExponential);
HWY_EXPORT(mapLogistic);
HWY_EXPORT(mapTangent);
HWY_EXPORT(mapError);
HWY_EXPORT(mapLogarithm);
HWY_EXPORT(mapSoftplus);
HWY_EXPORT(mapMish);
HWY_EXPORT(mapLinear);

}  // namespace

void exponential(std::span<const float> x, std::span<float> y) {
  HWY_DYNAMIC_DISPATCH(mapExponential)(x.data(), y.data(), x.size());
}

void logistic(std::span<const float> x, std::span<float> y) {
  HWY_DYNAMIC_DISPATCH(mapLogistic)(x.data(), y.data(), x.size());
}

void hyperbolicTangent(std::span<const float> x, std::span<float> y) {
  HWY_DYNAMIC_DISPATCH(mapTangent)(x.data(), y.data(), x.size());
}

void errorFunction(std::span<const float> x, std::span<float> y) {
  HWY_DYNAMIC_DISPATCH(mapError)(x.data(), y.data(), x.size());
}

void naturalLogarithm(std::span<const float> x, std::span<float> y) {
  HWY_DYNAMIC_DISPATCH(mapLogarithm)(x.data(), y.data(), x.size());
}

void softplus(std::span<const float> x, std::span<float> y) {
  HWY_DYNAMIC_DISPATCH(mapSoftplus)(x.data(), y.data(), x.size());
}

void mish(std::span<const float> x, std::span<float> y) {
  HWY_DYNAMIC_DISPATCH(mapMish)(x.data(), y.data(), x.size());
}

void exponentialLinear(std::span<const float> x, std::span<float> y,
                       const ExponentialLinear& factors) {
  HWY_DYNAMIC_DISPATCH(mapLinear)(x.data(), y.data(), x.size(), factors);
}

}  // namespace quantscope
#endif
