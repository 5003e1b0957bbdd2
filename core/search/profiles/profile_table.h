#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quantscope {

class JsonReader;

/// The recommendation of a profile for an operator as a whole.
enum class Scheme : std::uint8_t { Int8, Int16, Dynamic, Float32 };

inline constexpr std::size_t kSchemes = 4;

/// "int8", "int16", "dynamic", "fp32", as in files.
std::string_view name(Scheme scheme);

/// The expected figures of an operator in each scheme, without any data.
struct PrecisionProfile {
  std::string name;
  std::vector<std::string> operators;  ///< operators that it applies to
  bool attention = false;              ///< also for what makes up attention (findAttention())
  Scheme recommended = Scheme::Int16;
  bool sensitive = true;  ///< quantization hurts operators of this kind
  /// Shares of accuracy lost, 0 … 1, and speed as a multiple of float32's; by scheme, absent where
  /// the profile says nothing.
  std::array<std::optional<float>, kSchemes> accuracyLoss;
  std::array<std::optional<float>, kSchemes> speedup;
};

/// Profiles by operator.
class ProfileTable {
 public:
  /// One of `profiles` is called "generic".
  explicit ProfileTable(std::vector<PrecisionProfile> profiles);

  const std::vector<PrecisionProfile>& profiles() const { return m_profiles; }
  /// The profile of an operator, or of attention if it is a part of one; else the generic one.
  const PrecisionProfile& of(std::string_view op, bool inAttention) const;

 private:
  std::vector<PrecisionProfile> m_profiles;
  std::size_t m_generic = 0;
};

/// The profiles that come with the program (resources/core/profiles).
std::shared_ptr<const ProfileTable> shippedProfiles();

/// Parses a file of profiles. Strict: unknown keys, schemes and shares out of range, an operator
/// that two profiles claim, and a missing generic profile are Error(InvalidConfiguration) with
/// their path. `source` names the text in messages.
ProfileTable parseProfiles(std::string_view json, const std::string& source);
std::shared_ptr<const ProfileTable> readProfiles(const std::filesystem::path& file);

}  // namespace quantscope
