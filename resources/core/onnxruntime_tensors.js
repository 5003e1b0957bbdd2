'use strict';
// Tensors of a request, {"name", "type", "dims", "file"}: the file holds the elements.

const fs = require('fs');
const ort = require('onnxruntime-node');

const CARRIERS = {
  float32: Float32Array, float64: Float64Array, int8: Int8Array, uint8: Uint8Array,
  int16: Int16Array, uint16: Uint16Array, int32: Int32Array, uint32: Uint32Array,
  int64: BigInt64Array, uint64: BigUint64Array, bool: Uint8Array, float16: Uint16Array,
};

function tensorOf({type, dims, file}) {
  const Carrier = CARRIERS[type];
  if (!Carrier) throw new Error(`inputs of type ${type} cannot be handed over`);
  // The copy aligns the bytes for the typed array.
  return new ort.Tensor(type, new Carrier(new Uint8Array(fs.readFileSync(file)).buffer), dims);
}

module.exports = {tensorOf};
