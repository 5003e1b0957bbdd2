'use strict';
// node onnxruntime_outputs.js REQUEST.json
//
// Runs a model with ONNX Runtime on some feeds, without and with its graph optimizations. REQUEST:
// {"file", "feeds": [[{"name", "type", "dims", "file"}]], "folder"}, an input's file holding its
// elements. The outputs' elements are written into the folder. Prints {"version", "plain",
// "optimized", "problem"}, both [[{"name", "type", "dims", "file"}]], a list per feed; "problem":
// why the optimized model does not run.

const fs = require('fs');
const path = require('path');
const ort = require('onnxruntime-node');
const {tensorOf} = require('./tensors');

function writeTensor(file, {data}) {
  const out = fs.openSync(file, 'w');
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  for (let at = 0; at < bytes.length;) at += fs.writeSync(out, bytes, at);
  fs.closeSync(out);
}

async function runAll({file, feeds, folder}, level) {
  const session = await ort.InferenceSession.create(file, {
    graphOptimizationLevel: level, enableMemPattern: false, logSeverityLevel: 4,
  });
  const results = [];
  for (const [index, inputs] of feeds.entries()) {
    const feed = {};
    for (const input of inputs) feed[input.name] = tensorOf(input);
    const made = await session.run(feed);
    results.push(session.outputNames.map((name, output) => {
      const written = path.join(folder, `${level}_${index}_${output}`);
      const {type, dims} = made[name];
      writeTensor(written, made[name]);
      // Large models keep gigabytes of values: let go of each as soon as it is written.
      delete made[name];
      return {name, type, dims, file: written};
    }));
  }
  await session.release();
  return results;
}

async function main(file) {
  const request = JSON.parse(fs.readFileSync(file, 'utf8'));
  const plain = await runAll(request, 'disabled');
  // The optimizations make invalid operators of some types.
  let optimized = [], problem = '';
  try {
    optimized = await runAll(request, 'all');
  } catch (error) {
    problem = error.message;
  }
  const version = ort.env && ort.env.versions ? ort.env.versions.node : '';
  console.log(JSON.stringify({version, plain, optimized, problem}));
}

main(process.argv[2]).catch((error) => {
  console.error(error.message);
  process.exit(1);
});
