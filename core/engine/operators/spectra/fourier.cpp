#include "engine/operators/spectra/fourier.h"

#include <cmath>
#include <cstddef>
#include <numbers>

namespace quantscope {
namespace {

using Complex = std::complex<double>;

std::size_t smallestFactor(std::size_t n) {
  for (std::size_t p = 2; p * p <= n; ++p) {
    if (n % p == 0) return p;
  }
  return n;
}

// A Fourier transform by decimation in time: sums over every p-th element, then combined.
class Transform {
 public:
  Transform(const std::vector<Complex>& x, bool inverse) : m_x(x), m_roots(x.size()) {
    const double turn = (inverse ? 2 : -2) * std::numbers::pi / static_cast<double>(x.size());
    for (std::size_t i = 0; i < m_roots.size(); ++i) {
      m_roots[i] = std::polar(1.0, turn * static_cast<double>(i));
    }
  }

  // The transform of x[first], x[first + stride], …
  std::vector<Complex> run(std::size_t first, std::size_t stride) const {
    const std::size_t count = m_x.size() / stride;
    if (count == 1) return {m_x[first]};
    const std::size_t parts = smallestFactor(count);
    const std::size_t length = count / parts;
    std::vector<Complex> sums(count);
    for (std::size_t part = 0; part < parts; ++part) {
      const std::vector<Complex> inner = run(first + part * stride, stride * parts);
      for (std::size_t k = 0; k < count; ++k) {
        sums[k] += inner[k % length] * m_roots[part * k % count * stride];
      }
    }
    return sums;
  }

 private:
  const std::vector<Complex>& m_x;
  std::vector<Complex> m_roots;
};

}  // namespace

std::vector<Complex> fourierSums(const std::vector<Complex>& x, bool inverse) {
  return Transform(x, inverse).run(0, 1);
}

}  // namespace quantscope
