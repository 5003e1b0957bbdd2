#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace quantscope {

/// A colour of the sRGB space.
struct Colour {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;
  friend bool operator==(const Colour&, const Colour&) = default;
};

/// SQNR in dB at the marks of every legend, from calm to hot.
inline constexpr std::array<double, 5> kErrorAnchorsDb{50, 40, 30, 20, 10};

/// The colour that an SQNR in dB has in every picture and every model. At 50 dB and above (also
/// +∞) the calm end, at 10 dB and below the hot end; NaN counts as the hot end.
Colour errorColour(double sqnrDb);

/// One colour per dB, from 50 down to 10; errorColour() interpolates between them.
std::span<const Colour> errorRamp();

/// Black or white, whichever has the higher contrast on `background`: never less than 4.5 : 1.
Colour textColourOn(Colour background);

/// Contrast of two colours, 1 … 21 (WCAG 2.1, relative luminance).
double contrast(Colour a, Colour b);

/// "#b9cfe3"
std::string hexText(Colour colour);

}  // namespace quantscope
