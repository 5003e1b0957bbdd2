'use strict';
// node onnxruntime_times.js REQUEST.json
//
// Times the same sample in several models with ONNX Runtime, in turns, on one thread and with all
// graph optimizations. REQUEST: {"models": [{"file", "inputs": [{"name", "type", "dims",
// "file"}]}], "seconds"}, an input's file holding its elements. Prints {"version", "ms": [median of
// each model]}.

const fs = require('fs');
const ort = require('onnxruntime-node');

const CARRIERS = {
  float32: Float32Array, float64: Float64Array, int8: Int8Array, uint8: Uint8Array,
  int16: Int16Array, uint16: Uint16Array, int32: Int32Array, uint32: Uint32Array,
  int64: BigInt64Array, uint64: BigUint64Array, bool: Uint8Array, float16: Uint16Array,
};
const WARM_UP_RUNS = 2;
const LEAST_RUNS = 5;
const MOST_RUNS = 400;

function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}

function tensorOf({type, dims, file}) {
  const Carrier = CARRIERS[type];
  if (!Carrier) throw new Error(`inputs of type ${type} cannot be handed over`);
  // The copy aligns the bytes for the typed array.
  return new ort.Tensor(type, new Carrier(new Uint8Array(fs.readFileSync(file)).buffer), dims);
}

async function open({file, inputs}) {
  const session = await ort.InferenceSession.create(file, {
    graphOptimizationLevel: 'all', intraOpNumThreads: 1, interOpNumThreads: 1,
    logSeverityLevel: 4,
  });
  const feeds = {};
  for (const input of inputs) feeds[input.name] = tensorOf(input);
  for (let i = 0; i < WARM_UP_RUNS; ++i) await session.run(feeds);
  return {session, feeds, times: []};
}

async function main(file) {
  const {models, seconds} = JSON.parse(fs.readFileSync(file, 'utf8'));
  const opened = [];
  for (const model of models) opened.push(await open(model));
  const end = performance.now() + seconds * 1000;
  for (let i = 0; i < MOST_RUNS && (i < LEAST_RUNS || performance.now() < end); ++i) {
    for (const {session, feeds, times} of opened) {
      const begin = performance.now();
      await session.run(feeds);
      times.push(performance.now() - begin);
    }
  }
  const version = ort.env && ort.env.versions ? ort.env.versions.node : '';
  console.log(JSON.stringify({version, ms: opened.map(({times}) => median(times))}));
}

main(process.argv[2]).catch((error) => {
  console.error(error.message);
  process.exit(1);
});
