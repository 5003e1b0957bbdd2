'use strict';
// NumPy's array files in Node: .npz and .npy in, .npy out.

const fs = require('fs');
const zlib = require('zlib');

// NumPy's type, ONNX Runtime's name for it, and the typed array that carries it.
const TYPES = [
  ['<f4', 'float32', Float32Array],
  ['<f8', 'float64', Float64Array],
  ['<f2', 'float16', Uint16Array],
  ['|i1', 'int8', Int8Array],
  ['|u1', 'uint8', Uint8Array],
  ['<i2', 'int16', Int16Array],
  ['<u2', 'uint16', Uint16Array],
  ['<i4', 'int32', Int32Array],
  ['<u4', 'uint32', Uint32Array],
  ['<i8', 'int64', BigInt64Array],
  ['<u8', 'uint64', BigUint64Array],
  ['|b1', 'bool', Uint8Array],
];

function elementCount(dims) {
  return dims.reduce((product, extent) => product * extent, 1);
}

function parseNpy(bytes) {
  const headerAt = bytes[6] === 1 ? 10 : 12;
  const headerSize = bytes[6] === 1 ? bytes.readUInt16LE(8) : bytes.readUInt32LE(8);
  const header = bytes.toString('latin1', headerAt, headerAt + headerSize);
  const descr = /'descr': *'([^']+)'/.exec(header)[1];
  const dims = /'shape': *\(([^)]*)\)/.exec(header)[1].split(',').filter((s) => s.trim()).map(Number);
  const found = TYPES.find(([name]) => name === descr);
  if (!found || /'fortran_order': *True/.test(header)) throw new Error(`array of type ${descr}`);
  const [, type, Carrier] = found;
  const begin = headerAt + headerSize;
  const size = elementCount(dims) * Carrier.BYTES_PER_ELEMENT;
  // The copy aligns the bytes for the typed array.
  const data = new Carrier(new Uint8Array(bytes.subarray(begin, begin + size)).buffer);
  return {type, dims, data};
}

function writeNpy(file, {type, dims, data}) {
  const [descr] = TYPES.find(([, name]) => name === type);
  const shape = dims.length === 1 ? `(${dims[0]},)` : `(${dims.join(', ')})`;
  const text = `{'descr': '${descr}', 'fortran_order': False, 'shape': ${shape}, }`;
  const padded = text.padEnd(Math.ceil((text.length + 11) / 64) * 64 - 11) + '\n';
  const head = Buffer.from(`\x93NUMPY\x01\x00\x00\x00${padded}`, 'latin1');
  head.writeUInt16LE(padded.length, 8);
  const out = fs.openSync(file, 'w');
  fs.writeSync(out, head);
  const body = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  for (let at = 0; at < body.length;) at += fs.writeSync(out, body, at);
  fs.closeSync(out);
}

// {NAME: {type, dims, data}} of a .npz without ZIP64 sizes.
function readNpz(file) {
  const bytes = fs.readFileSync(file);
  const end = bytes.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  const arrays = {};
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; --left) {
    const method = bytes.readUInt16LE(at + 10);
    const packedSize = bytes.readUInt32LE(at + 20);
    const nameSize = bytes.readUInt16LE(at + 28);
    const local = bytes.readUInt32LE(at + 42);
    const name = bytes.toString('utf8', at + 46, at + 46 + nameSize).replace(/\.npy$/, '');
    const begin = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const packed = bytes.subarray(begin, begin + packedSize);
    arrays[name] = parseNpy(method === 8 ? zlib.inflateRawSync(packed) : Buffer.from(packed));
    at += 46 + nameSize + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return arrays;
}

function readNpy(file) {
  return parseNpy(fs.readFileSync(file));
}

module.exports = {elementCount, readNpy, readNpz, writeNpy};
