"""python3 torch_observers.py [BATCHES]

Speed of PyTorch's observers with two threads, in 10^9 elements per second, as JSON on standard
output: the median over batches whose range grows from one to the next, as large as those that
`quantscope-cli bench kernels` feeds to ours.
"""

import json
import statistics
import sys
import time

import torch
from torch.ao.quantization.fx._model_report.model_report_observer import ModelReportObserver
from torch.ao.quantization.observer import HistogramObserver

HISTOGRAM_SHAPE = (4, 256, 16, 16)
LARGE_HISTOGRAM_SHAPE = (32, 256, 16, 16)
REPORT_SHAPE = (32, 256, 16, 16)
# The reference percentile of PyTorch's outlier detector, and of our benchmark.
PERCENTILE = 0.975


def speed(observer, shape, count):
    rates = []
    for i in range(count + 1):
        batch = torch.randn(shape) * (i + 1)
        begin = time.perf_counter()
        observer(batch)
        rates.append(batch.numel() / (time.perf_counter() - begin) * 1e-9)
    # The first batch sets up what the others only update.
    return statistics.median(rates[1:])


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    torch.set_num_threads(2)
    torch.manual_seed(1)
    report = ModelReportObserver(ch_axis=1, comp_percentile=torch.tensor([PERCENTILE]))
    print(json.dumps({
        "histogram/2048": speed(HistogramObserver(), HISTOGRAM_SHAPE, 4 * count),
        "histogram/2048/large": speed(HistogramObserver(), LARGE_HISTOGRAM_SHAPE, count),
        "model_report/per-channel": speed(report, REPORT_SHAPE, count),
    }))


if __name__ == "__main__":
    main()
