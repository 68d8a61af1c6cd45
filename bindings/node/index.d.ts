/** An element type. float16 and bfloat16 are held as their bits, bool as bytes. */
export type Dtype =
  | 'float32' | 'float64' | 'float16' | 'bfloat16' | 'bool'
  | 'int8' | 'int16' | 'int32' | 'int64' | 'uint8' | 'uint16' | 'uint32' | 'uint64';

export type TensorData =
  | Float32Array | Float64Array | Int8Array | Int16Array | Int32Array | BigInt64Array
  | Uint8Array | Uint16Array | Uint32Array | BigUint64Array;

/** Options by key: docs/options.md lists them. */
export type Options = Record<string, string | number | boolean>;

/** A failed call: `status` is a LITZ_ERROR_… of litz.h. */
export class LitzError extends Error {
  status: number;
  detail: Record<string, unknown>;
}

/** A typed array, row by row, and its sizes. */
export class Tensor {
  constructor(dtype: Dtype, shape: number[], data?: TensorData);
  static of(dtype: Dtype, shape: number[], numbers: ArrayLike<number> | ArrayLike<bigint>): Tensor;
  readonly dtype: Dtype;
  readonly shape: number[];
  data: TensorData;
  /** Frees a result's memory now; its data must not be used afterwards. */
  release(): void;
}

export interface Info {
  name: string;
  dtype: Dtype;
  minShape: number[];
  /** -1: no bound. */
  maxShape: number[];
}

/** A compiled program. Runs may be in progress at the same time. */
export class Program {
  readonly inputs: Info[];
  readonly outputs: Info[];
  run(inputs: Tensor[]): Tensor[];
  /** On another thread. Inputs must not be changed until the promise is settled. */
  runAsync(inputs: Tensor[]): Promise<Tensor[]>;
  runInto(inputs: Tensor[], outputs: Tensor[]): void;
  inferOutputs(inputs: Tensor[]): { dtype: Dtype; shape: number[] }[];
  describe(): Record<string, unknown>;
  spec(): Record<string, unknown>;
  save(path: string): void;
  release(): void;
}

/** Loads what torch.export.save wrote, and compiles it. */
export function loadPt2(path: string, options?: Options): Program;
/** Loads an ONNX model, and compiles it. */
export function loadOnnx(path: string, options?: Options): Program;
/** Opens an artifact. Loading runs its code, so open only files that you trust. */
export function open(path: string, options?: Options): Program;
/** The library's version. */
export function version(): string;
