#include "export/metric_catalogue.h"

namespace quantscope {
namespace {

constexpr MetricDescription kMetrics[] = {
    {"sqnr_db", "SQNR", "dB",
     "Signal to quantization noise, 10·log10(Σx² / Σ(x−x̂)²), x float and x̂ quantized. Higher is "
     "better: 40 dB is an error of 1 %, 20 dB of 10 %; ∞ means equal.",
     &ErrorMetrics::sqnrDb},
    {"nmse", "NMSE", "",
     "Normalized mean squared error, Σ(x−x̂)² / Σx². Lower is better: 0.01 is an error of 10 %.",
     &ErrorMetrics::nmse},
    {"cosine", "Cosine", "",
     "Cosine of the angle between the float and the quantized value, flattened. 1 is best; it does "
     "not see a wrong scale.",
     &ErrorMetrics::cosine},
    {"mse", "MSE", "value²", "Mean squared error, Σ(x−x̂)² / n. Lower is better.",
     &ErrorMetrics::mse},
    {"rmse", "RMSE", "value",
     "Root of the mean squared error, in the unit of the value. Lower is better.",
     &ErrorMetrics::rmse},
    {"max_abs", "Max abs", "value",
     "Largest error of a single element, max |x̂−x|. Lower is better.", &ErrorMetrics::maxAbs},
    {"mean_abs", "Mean abs", "value", "Mean size of the error, Σ|x̂−x| / n. Lower is better.",
     &ErrorMetrics::meanAbs},
    {"mean_signed", "Bias", "value",
     "Mean signed error, Σ(x̂−x) / n. Near 0 is best; a shift adds up over the layers that follow.",
     &ErrorMetrics::meanSigned},
    {"rmse_over_scale", "RMSE / scale", "steps",
     "Error in steps of the output's own grid. 0.289 is ideal rounding; above 0.7 more than "
     "rounding is going on.",
     &ErrorMetrics::rmseOverScale},
};

}  // namespace

std::span<const MetricDescription> metricCatalogue() {
  return kMetrics;
}

}  // namespace quantscope
