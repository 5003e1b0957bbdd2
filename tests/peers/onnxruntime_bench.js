'use strict';
// node onnxruntime_bench.js MODEL DATA.npz [SECONDS]
//
// ONNX Runtime's speed with all graph optimizations on two cores, as JSON on standard output:
//   ms_per_sample   median time of one run, one session with two threads
//   samples_per_s   two sessions of one thread each, running at the same time, median of rounds; or
//                   the session above, where that is faster
// SECONDS (default 2) is how long each measurement lasts; results are never read.

const {Worker, isMainThread, parentPort, workerData} = require('worker_threads');
const ort = require('onnxruntime-node');
const {Feeds} = require('./feeds');

const WARM_UP_RUNS = 3;
const LEAST_RUNS = 5;
const ROUNDS = 3;
const MOST_FEEDS = 16;

function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}

async function open({model, data}, threads) {
  const session = await ort.InferenceSession.create(model, {
    graphOptimizationLevel: 'all',
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    logSeverityLevel: 3,
  });
  const feeds = new Feeds(session, data);
  const prepared = [];
  for (let i = 0; i < Math.min(MOST_FEEDS, feeds.count); ++i) prepared.push(feeds.get(i, ort));
  for (let i = 0; i < WARM_UP_RUNS; ++i) await session.run(prepared[i % prepared.length]);
  return {session, feeds: prepared, batch: feeds.batch};
}

// Milliseconds of each run, until `seconds` are over and there are enough.
async function time({session, feeds}, seconds) {
  const times = [];
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end || times.length < LEAST_RUNS) {
    const begin = performance.now();
    await session.run(feeds[times.length % feeds.length]);
    times.push(performance.now() - begin);
  }
  return times;
}

// A session of its own, asked for one round at a time.
async function serveRounds() {
  const opened = await open(workerData, 1);
  parentPort.on('message', async (seconds) => {
    const begin = performance.now();
    const times = await time(opened, seconds);
    parentPort.postMessage(times.length * opened.batch * 1000 / (performance.now() - begin));
  });
  parentPort.postMessage('ready');
}

function next(worker) {
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

async function throughput(task, seconds) {
  const workers = [0, 1].map(() => new Worker(__filename, {workerData: task}));
  await Promise.all(workers.map(next));
  const rounds = [];
  for (let round = 0; round < ROUNDS; ++round) {
    const rates = workers.map(next);
    workers.forEach((worker) => worker.postMessage(seconds));
    rounds.push((await Promise.all(rates)).reduce((sum, rate) => sum + rate));
  }
  await Promise.all(workers.map((worker) => worker.terminate()));
  return median(rounds);
}

async function main([model, data, secondsText]) {
  const seconds = Number(secondsText || 2);
  const opened = await open({model, data}, 2);
  const latency = median(await time(opened, seconds)) / opened.batch;
  await opened.session.release();
  const rate = Math.max(1000 / latency, await throughput({model, data}, seconds));
  console.log(JSON.stringify({threads: 2, ms_per_sample: latency, samples_per_s: rate}));
}

const work = isMainThread ? main(process.argv.slice(2)) : serveRounds();
work.catch((error) => {
  console.error(error.message);
  process.exit(1);
});
