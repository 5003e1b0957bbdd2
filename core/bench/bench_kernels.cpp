#include "bench/bench_kernels.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>

#include "base/error.h"
#include "base/median.h"
#include "base/workers.h"
#include "bench/fake_quantize_cases.h"
#include "bench/model_report_case.h"
#include "bench/reading_cases.h"
#include "kernels/speed_limits.h"
#include "tensor/tensor.h"

namespace quantscope {
namespace {

using Clock = std::chrono::steady_clock;

// Some milliseconds of divisions.
constexpr std::size_t kRegisterRounds = 50'000;

// Rounds to find out which copy is the faster one.
constexpr std::size_t kTrials = 3;

double secondsOf(const std::function<void()>& body) {
  const Clock::time_point start = Clock::now();
  body();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Four uniform numbers of 16 bits from each state of a linear congruential generator (Knuth's).
void fillBlock(std::span<float> block, std::uint64_t seed, float scale) {
  std::uint64_t state = seed * 0x9E3779B97F4A7C15ULL + 1;
  for (float& x : block) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    const std::uint64_t mixed = state ^ (state >> 29);
    float sum = 0;
    for (int shift = 0; shift < 64; shift += 16) {
      sum += static_cast<float>((mixed >> shift) & 0xFFFF) * 0x1p-15F - 1;
    }
    x = scale * sum;
  }
}

class Bench {
 public:
  Bench(const KernelBenchmarkSettings& settings, JobContext& job)
      : m_settings(settings),
        m_job(job),
        m_in(ElementType::Float32, {blocks() * static_cast<std::int64_t>(kKernelBlock)}),
        m_out(ElementType::Float32, m_in.shape()) {
    m_job.workers().forEach(settings.mebibytes, [&](std::size_t block) {
      m_job.throwIfCancelled();
      // Ranges grow from block to block, which observers have to follow.
      const float scale = static_cast<float>(block + 1) / static_cast<float>(settings.mebibytes);
      fillBlock(m_in.mutableValues<float>().subspan(block * kKernelBlock, kKernelBlock), block,
                scale);
      const auto out = m_out.mutableValues<float>();
      std::ranges::fill(out.subspan(block * kKernelBlock, kKernelBlock), 0.0F);
    });
    m_arrays = {m_in.values<float>(), m_out.mutableValues<float>()};
  }

  KernelBenchmark run() {
    std::vector<KernelCase> cases = selectedCases();
    chooseCopy();
    m_job.beginStage("Measuring kernels", cases.size());
    KernelBenchmark result;
    result.threads = m_job.workers().threads();
    for (std::size_t i = 0; i < cases.size(); ++i) {
      result.kernels.push_back(measure(cases[i]));
      m_job.advance(i + 1);
    }
    return withLimits(std::move(result));
  }

 private:
  std::int64_t blocks() const { return static_cast<std::int64_t>(m_settings.mebibytes); }

  std::vector<KernelCase> selectedCases() const {
    const auto threads = static_cast<std::size_t>(m_job.workers().threads());
    std::vector<KernelCase> cases = fakeQuantizeCases(m_arrays, threads);
    for (KernelCase& each : readingCases(m_arrays, threads)) cases.push_back(std::move(each));
    cases.push_back(modelReportCase(m_arrays));
    const auto fits = [](const KernelCase& each, const std::string& filter) {
      return each.name.find(filter) != std::string::npos;
    };
    const std::vector<std::string>& filters = m_settings.filters;
    for (const std::string& filter : filters) {
      if (std::ranges::any_of(cases, [&](const auto& each) { return fits(each, filter); }))
        continue;
      throw Error(ErrorCode::InvalidParameters, "no kernel has a name with '" + filter + "'", {},
                  "leave the filter out to see all names");
    }
    std::erase_if(cases, [&](const KernelCase& each) {
      return !filters.empty() && std::ranges::none_of(filters, [&](const std::string& filter) {
        return fits(each, filter);
      });
    });
    return cases;
  }

  void forEachPiece(std::size_t pieces, const std::function<void(std::size_t)>& body) const {
    m_job.workers().forEach(pieces, [&](std::size_t i) {
      m_job.throwIfCancelled();
      body(i);
    });
  }

  double billionBytes() const { return static_cast<double>(m_in.byteSize()) * 1e-9; }

  double copyRate(bool streaming) const {
    return 2 * billionBytes() / secondsOf([&] {
             forEachPiece(m_settings.mebibytes, [&](std::size_t i) {
               const auto in = m_arrays.in.subspan(i * kKernelBlock, kKernelBlock);
               const auto out = m_arrays.out.subspan(i * kKernelBlock, kKernelBlock);
               if (streaming) return streamingCopy(in, out);
               std::memcpy(out.data(), in.data(), in.size_bytes());
             });
           });
  }

  double readRate() const {
    return billionBytes() / secondsOf([&] {
             forEachPiece(m_settings.mebibytes, [&](std::size_t i) {
               readThrough(m_arrays.in.subspan(i * kKernelBlock, kKernelBlock));
             });
           });
  }

  double registerRate(std::size_t (*operate)(std::size_t)) const {
    const auto threads = static_cast<std::size_t>(m_job.workers().threads());
    std::vector<std::size_t> floats(threads);
    const double seconds = secondsOf([&] {
      forEachPiece(threads, [&](std::size_t i) { floats[i] = operate(kRegisterRounds); });
    });
    return static_cast<double>(floats[0] * threads) / seconds * 1e-9;
  }

  void chooseCopy() {
    std::vector<double> plain;
    std::vector<double> streaming;
    for (std::size_t i = 0; i < kTrials; ++i) {
      plain.push_back(copyRate(false));
      streaming.push_back(copyRate(true));
    }
    m_streaming = median(streaming) > median(plain);
  }

  // The current rate that the limit allows, in 10^9 elements per second.
  double allowedRate(const KernelCase& kernel) {
    if (kernel.limit == KernelLimit::Copy) {
      m_copyRates.push_back(copyRate(m_streaming));
      return m_copyRates.back() / kernel.bytesPerElement;
    }
    if (kernel.limit == KernelLimit::Read) {
      m_readRates.push_back(readRate());
      return m_readRates.back() / kernel.bytesPerElement;
    }
    m_divisionRates.push_back(registerRate(divideInRegisters));
    m_operationRates.push_back(registerRate(operateInRegisters));
    return 1 / std::max(kernel.divisions / m_divisionRates.back(),
                        kernel.operations / m_operationRates.back());
  }

  KernelSpeed measure(KernelCase& kernel) {
    const auto round = [&] {
      kernel.begin();
      return secondsOf([&] { forEachPiece(kernel.pieces, kernel.run); });
    };
    round();
    kernel.check(m_job.workers());
    std::vector<double> rates;
    std::vector<double> allowed;
    for (std::size_t i = 0; i < m_settings.rounds; ++i) {
      allowed.push_back(allowedRate(kernel));
      rates.push_back(static_cast<double>(kernel.computed) / round() * 1e-9);
    }
    const double rate = median(rates);
    static constexpr const char* kLimits[] = {"copy", "read", "arithmetic"};
    return {kernel.name, kernel.elements, rate, rate / median(allowed),
            kLimits[static_cast<std::size_t>(kernel.limit)]};
  }

  // Limits that no kernel needed are measured now.
  KernelBenchmark withLimits(KernelBenchmark result) {
    for (std::size_t i = 0; i < kTrials; ++i) {
      m_copyRates.push_back(copyRate(m_streaming));
      m_readRates.push_back(readRate());
      m_divisionRates.push_back(registerRate(divideInRegisters));
      m_operationRates.push_back(registerRate(operateInRegisters));
    }
    result.copyGbPerSecond = median(m_copyRates);
    result.readGbPerSecond = median(m_readRates);
    result.divisionsGigaPerSecond = median(m_divisionRates);
    result.operationsGigaPerSecond = median(m_operationRates);
    return result;
  }

  const KernelBenchmarkSettings& m_settings;
  JobContext& m_job;
  Tensor m_in;
  Tensor m_out;
  KernelArrays m_arrays;
  bool m_streaming = false;
  std::vector<double> m_copyRates;
  std::vector<double> m_readRates;
  std::vector<double> m_divisionRates;
  std::vector<double> m_operationRates;
};

}  // namespace

KernelBenchmark benchKernels(const KernelBenchmarkSettings& settings, JobContext& job) {
  return Bench(settings, job).run();
}

}  // namespace quantscope
