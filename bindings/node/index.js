// Litz from Node: programs over the C ABI of liblitz.so, which koffi opens.
//
// Tensors are typed arrays with a shape. Inputs are used where they lie, and results are memory of the library's: nothing is
// copied. A result is freed when nothing refers to it any more, or by release().
//
// Deliberately absent: building graphs, tensors on a GPU (the option run.host_tensors=copy runs programs for one), callbacks.

import koffi from 'koffi';
import { existsSync } from 'node:fs';
import { functions } from './functions.js';

const ABI_VERSION = 1;

/** DLPack's element types by name: code, bits, and the array that holds them. */
const DTYPES = {
  float32: [2, 32, Float32Array],
  float64: [2, 64, Float64Array],
  int8: [0, 8, Int8Array],
  int16: [0, 16, Int16Array],
  int32: [0, 32, Int32Array],
  int64: [0, 64, BigInt64Array],
  uint8: [1, 8, Uint8Array],
  uint16: [1, 16, Uint16Array],
  uint32: [1, 32, Uint32Array],
  uint64: [1, 64, BigUint64Array],
  // As their bits: JavaScript has no arrays of these.
  float16: [2, 16, Uint16Array],
  bfloat16: [4, 16, Uint16Array],
  bool: [6, 8, Uint8Array],
};

/** A failed call: `status` is a LITZ_ERROR_… of litz.h. */
export class LitzError extends Error {
  constructor(status, message, detail) {
    super(message);
    this.name = 'LitzError';
    this.status = status;
    this.detail = detail;
  }
}

let opened = null;

/** The library: the file of LITZ_LIBRARY, or what the loader finds. */
function library() {
  if (opened) return opened;
  const path = process.env.LITZ_LIBRARY || 'liblitz.so.0';
  if (path.includes('/') && !existsSync(path)) {
    throw new LitzError(7, `Litz's library is not at ${path}, which LITZ_LIBRARY names`);
  }
  let file;
  try {
    file = koffi.load(path);
  } catch (error) {
    throw new LitzError(7, `Litz's library cannot be opened; name its file in LITZ_LIBRARY: ${error.message}`);
  }
  const c = {};
  for (const [name, [result, parameters]] of Object.entries(functions)) c[name] = file.func(name, result, parameters);
  opened = c;
  checked((err) => c.litz_check_abi(ABI_VERSION, err));
  return opened;
}

/** The error at a place where a call wrote one, which it frees. */
function failure(status, error) {
  const c = opened;
  const detail = JSON.parse(c.litz_error_detail(error) || '{}');
  const made = new LitzError(status, c.litz_error_message(error), detail);
  c.litz_error_release(error);
  return made;
}

/** Makes a call that takes `litz_error **` last. */
function checked(call) {
  const error = new BigUint64Array(1);
  const status = call(error);
  if (status !== 0) throw failure(status, error[0]);
}

/** As checked, on a thread of koffi's; what the call reads and writes is native memory, or kept by the promise. */
function promised(f, args) {
  const error = new BigUint64Array(1);
  return new Promise((resolve, reject) => {
    f.async(...args, koffi.address(error), (problem, status) => {
      if (problem) reject(problem);
      else if (status !== 0) reject(failure(status, error[0]));
      else resolve();
    });
  });
}

/** What a call that makes a string gives. */
function text(call) {
  const c = library();
  const string = new BigUint64Array(1);
  checked((err) => call(string, err));
  const data = c.litz_string_data(string[0]);
  c.litz_string_release(string[0]);
  return data;
}

/** The library's version. */
export function version() {
  return library().litz_version();
}

function contiguous(shape) {
  const strides = new Array(shape.length).fill(1);
  for (let k = shape.length - 1; k > 0; k--) strides[k - 1] = strides[k] * Math.max(shape[k], 1);
  return strides;
}

const givenBack = new FinalizationRegistry((pointer) => opened.litz_tensor_release(pointer));

/** A tensor: a typed array, row by row, and its sizes. */
export class Tensor {
  #given = null;
  constructor(dtype, shape, data) {
    if (!DTYPES[dtype]) throw new TypeError(`there is no dtype ${dtype}`);
    const [, , Holder] = DTYPES[dtype];
    const count = shape.reduce((n, d) => n * d, 1);
    this.data = data ?? new Holder(count);
    if (!(this.data instanceof Holder) || this.data.length !== count) {
      throw new TypeError(`a ${dtype} tensor of [${shape}] is a ${Holder.name} of ${count} elements`);
    }
    this.dtype = dtype;
    this.shape = [...shape];
  }
  /** Numbers row by row; bigints where the dtype has 64 bits. */
  static of(dtype, shape, numbers) {
    return new Tensor(dtype, shape, DTYPES[dtype][2].from(numbers));
  }
  /** A tensor that the library made. */
  static given(pointer) {
    const view = new DataView(koffi.view(pointer, 80));
    const raw = described(view, 32);
    const expected = contiguous(raw.shape);
    const plain = raw.shape.every((size, k) => size <= 1 || raw.strides[k] === expected[k]);
    const [, bits, Holder] = DTYPES[raw.dtype];
    const count = raw.shape.reduce((n, d) => n * d, 1);
    let data;
    if (count === 0) data = new Holder(0);
    else if (plain) data = new Holder(koffi.view(raw.address, (count * bits) / 8));
    else data = gathered(raw, count, bits / 8, Holder);
    const made = new Tensor(raw.dtype, raw.shape, data);
    if (count === 0 || !plain) {
      opened.litz_tensor_release(pointer);
    } else {
      made.#given = pointer;
      // Views of the memory may outlive the tensor, and all of them keep their buffer.
      givenBack.register(data.buffer, pointer, made);
    }
    return made;
  }
  /** Frees a result's memory now; its data must not be used afterwards. */
  release() {
    if (this.#given === null) return;
    givenBack.unregister(this);
    opened.litz_tensor_release(this.#given);
    this.#given = null;
    this.data = new DTYPES[this.dtype][2](0);
  }
}

/** Elements that lie apart, row by row. */
function gathered(raw, count, size, Holder) {
  const last = raw.shape.reduce((n, d, k) => n + (d - 1) * raw.strides[k], 0);
  const source = new Holder(koffi.view(raw.address, (last + 1) * size));
  const index = raw.shape.map(() => 0);
  return Holder.from({ length: count }, () => {
    const value = source[index.reduce((n, i, k) => n + i * raw.strides[k], 0)];
    for (let k = index.length - 1; k >= 0; k--) {
      if (++index[k] < raw.shape[k]) break;
      index[k] = 0;
    }
    return value;
  });
}

function dtypeNamed(code, bits) {
  const found = Object.entries(DTYPES).find(([, [c, b]]) => c === code && b === bits);
  if (!found) throw new LitzError(2, `JavaScript has no arrays for DLPack's type ${code} of ${bits} bits`);
  return found[0];
}

function list(address, n) {
  if (n === 0 || address === 0n) return [];
  return Array.from(new BigInt64Array(koffi.view(address, 8 * n)), Number);
}

/** A DLTensor at a place of a struct. */
function described(view, at) {
  const ndim = view.getInt32(at + 16, true);
  return {
    address: view.getBigUint64(at, true) + view.getBigUint64(at + 40, true),
    dtype: dtypeNamed(view.getUint8(at + 20), view.getUint8(at + 21)),
    shape: list(view.getBigUint64(at + 24, true), ndim),
    strides: list(view.getBigUint64(at + 32, true), ndim),
  };
}

/** Tensors as C takes them: an array of pointers to structs. `end` is called after the call, which keeps all of it alive until then. */
function lent(tensors) {
  const pointers = new BigUint64Array(Math.max(tensors.length, 1));
  const structs = new DataView(new ArrayBuffer(48 * Math.max(tensors.length, 1)));
  const base = koffi.address(new Uint8Array(structs.buffer));
  const sizes = tensors.map((t) => {
    if (!(t instanceof Tensor)) throw new TypeError('inputs and outputs are Tensors');
    return BigInt64Array.from([...t.shape, ...contiguous(t.shape), 0].map(BigInt));
  });
  tensors.forEach((t, k) => {
    const at = 48 * k;
    const [code, bits] = DTYPES[t.dtype];
    const shape = koffi.address(sizes[k]);
    structs.setBigUint64(at, t.data.length ? koffi.address(t.data) : 0n, true);
    structs.setInt32(at + 8, 1, true);
    structs.setInt32(at + 16, t.shape.length, true);
    structs.setUint8(at + 20, code);
    structs.setUint8(at + 21, bits);
    structs.setUint16(at + 22, 1, true);
    structs.setBigUint64(at + 24, shape, true);
    structs.setBigUint64(at + 32, shape + BigInt(8 * t.shape.length), true);
    pointers[k] = base + BigInt(at);
  });
  const kept = [pointers, structs, sizes, tensors];
  return { address: koffi.address(pointers), end: () => kept.splice(0) };
}

const forgotten = new FinalizationRegistry((handle) => opened.litz_executable_release(handle));

function withOptions(options, use) {
  const c = library();
  const made = new BigUint64Array(1);
  checked((err) => c.litz_options_new(made, err));
  try {
    for (const [key, value] of Object.entries(options)) {
      checked((err) => c.litz_options_set(made[0], key, String(value), err));
    }
    return use(made[0]);
  } finally {
    c.litz_options_release(made[0]);
  }
}

function compiled(reader, path, options) {
  const c = library();
  return withOptions(options, (o) => {
    const graph = new BigUint64Array(1);
    const program = new BigUint64Array(1);
    checked((err) => c[reader](path, o, graph, err));
    try {
      checked((err) => c.litz_compile(graph[0], o, program, err));
    } finally {
      c.litz_graph_release(graph[0]);
    }
    return new Program(program[0]);
  });
}

/** Loads what torch.export.save wrote, and compiles it. */
export function loadPt2(path, options = {}) {
  return compiled('litz_graph_from_pt2', path, options);
}

/** Loads an ONNX model, and compiles it. */
export function loadOnnx(path, options = {}) {
  return compiled('litz_graph_from_onnx', path, options);
}

/** Opens an artifact. Loading runs its code, so open only files that you trust. */
export function open(path, options = {}) {
  const c = library();
  return withOptions(options, (o) => {
    const program = new BigUint64Array(1);
    checked((err) => c.litz_executable_open(path, o, program, err));
    return new Program(program[0]);
  });
}

/** A compiled program. Runs may be in progress at the same time. */
export class Program {
  #handle;
  #running = 0;
  #released = false;
  constructor(handle) {
    this.#handle = handle;
    forgotten.register(this, handle, this);
    const c = library();
    const infos = (what, n) => Array.from({ length: Number(n) }, (_, k) => this.#info(what, k));
    this.inputs = infos(0, c.litz_executable_num_inputs(handle));
    this.outputs = infos(1, c.litz_executable_num_outputs(handle));
  }
  #alive() {
    if (this.#released) throw new LitzError(12, 'the program was released');
    return library();
  }
  #info(what, k) {
    const info = new DataView(new ArrayBuffer(80));
    info.setBigUint64(0, 80n, true);
    checked((err) => library().litz_executable_info(this.#handle, what, k, new Uint8Array(info.buffer), err));
    const ndim = info.getInt32(28, true);
    return {
      name: koffi.decode(info.getBigUint64(8, true), 'char', -1),
      dtype: dtypeNamed(info.getUint8(16), info.getUint8(17)),
      minShape: list(info.getBigUint64(40, true), ndim),
      maxShape: list(info.getBigUint64(48, true), ndim),
    };
  }
  /** The program as an object: kernels, symbols, options. */
  describe() {
    const c = this.#alive();
    return JSON.parse(text((out, err) => c.litz_executable_describe(this.#handle, out, err)));
  }
  /** The signature as an object. */
  spec() {
    const c = this.#alive();
    return JSON.parse(text((out, err) => c.litz_executable_spec(this.#handle, out, err)));
  }
  /** Writes an artifact. */
  save(path) {
    const c = this.#alive();
    checked((err) => c.litz_executable_save(this.#handle, path, err));
  }
  #outputsOf() {
    const pointers = new BigUint64Array(Math.max(this.outputs.length, 1));
    return { pointers, tensors: () => Array.from(pointers.subarray(0, this.outputs.length), (p) => Tensor.given(p)) };
  }
  /** Runs once. */
  run(inputs) {
    const c = this.#alive();
    const given = lent(inputs);
    const made = this.#outputsOf();
    try {
      checked((err) =>
        c.litz_executable_run(
          this.#handle, given.address, inputs.length, made.pointers, this.outputs.length, null, err,
        ),
      );
    } finally {
      given.end();
    }
    return made.tensors();
  }
  /** Runs once on another thread: a promise of the outputs. Inputs must not be changed until it is settled. */
  async runAsync(inputs) {
    const c = this.#alive();
    const given = lent(inputs);
    const made = this.#outputsOf();
    this.#running++;
    try {
      await promised(c.litz_executable_run, [
        this.#handle, given.address, inputs.length, koffi.address(made.pointers), this.outputs.length, null,
      ]);
      return made.tensors();
    } finally {
      given.end();
      if (--this.#running === 0 && this.#released) c.litz_executable_release(this.#handle);
    }
  }
  /** Runs once into tensors of the sizes that inferOutputs tells. */
  runInto(inputs, outputs) {
    const c = this.#alive();
    const [given, into] = [lent(inputs), lent(outputs)];
    try {
      checked((err) =>
        c.litz_executable_run_into(
          this.#handle, given.address, inputs.length, into.address, outputs.length, null, err,
        ),
      );
    } finally {
      given.end();
      into.end();
    }
  }
  /** The dtypes and sizes of the outputs for these inputs; a size that depends on data gets its bound, -1 for none. */
  inferOutputs(inputs) {
    const c = this.#alive();
    const given = lent(inputs);
    const structs = new DataView(new ArrayBuffer(48 * Math.max(this.outputs.length, 1)));
    const sizes = this.outputs.map((o) => new BigInt64Array(2 * o.minShape.length + 1));
    sizes.forEach((s, k) => {
      const address = koffi.address(s);
      structs.setBigUint64(48 * k + 24, address, true);
      structs.setBigUint64(48 * k + 32, address + BigInt(8 * this.outputs[k].minShape.length), true);
    });
    try {
      checked((err) =>
        c.litz_executable_infer_outputs(
          this.#handle, given.address, inputs.length, new Uint8Array(structs.buffer), this.outputs.length, err,
        ),
      );
    } finally {
      given.end();
    }
    return this.outputs.map((o, k) => ({
      dtype: o.dtype,
      shape: Array.from(sizes[k].subarray(0, o.minShape.length), Number),
    }));
  }
  /** Frees the program, once the runs in progress have ended. */
  release() {
    if (this.#released) return;
    this.#released = true;
    forgotten.unregister(this);
    if (this.#running === 0) library().litz_executable_release(this.#handle);
  }
}
