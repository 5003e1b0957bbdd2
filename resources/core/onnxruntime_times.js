'use strict';
// node onnxruntime_times.js REQUEST.json
//
// Times the same sample in several models with ONNX Runtime, in turns, on one thread and with all
// graph optimizations. REQUEST: {"models": [{"file", "inputs": [{"name", "type", "dims",
// "file"}]}], "seconds"}, an input's file holding its elements. Prints {"version", "ms": [median of
// each model]}.

const fs = require('fs');
const ort = require('onnxruntime-node');
const {tensorOf} = require('./tensors');

const WARM_UP_RUNS = 2;
const LEAST_RUNS = 5;
const MOST_RUNS = 400;

function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
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
