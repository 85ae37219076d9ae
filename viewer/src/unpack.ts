// Packed numbers of a page, unpacked in workers where there are many: base64, zlib, differences.
// src/trace/page_tracks.hpp and page_motion.hpp describe the same from the other side.

import type { Track } from './data';

/** One block of motion, frame by frame: three coordinates of position, and in space three components of the rotation and the number of the one left out. */
export type Block = { places: (Uint16Array | Uint32Array)[]; turns: Uint16Array[]; largest: Uint8Array | null };

export type BlockJob = { packed: string; bodies: number; frames: number; bytes: number[]; flat: boolean };
export type TracksJob = { packed: string; tracks: Track[] };

/** Base64 and zlib. The functions below are sent to workers as text: each gets this one as its argument. */
export async function inflate(packed: string): Promise<Uint8Array> {
  const direct = (Uint8Array as unknown as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> }).fromBase64;
  let raw: Uint8Array<ArrayBuffer>;
  if (direct) {
    raw = direct(packed);
  } else {
    const binary = atob(packed);
    raw = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; ++i) raw[i] = binary.charCodeAt(i);
  }
  const stream = new Blob([raw]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** A block of motion: differences from frame to frame; transposed, so that a frame is contiguous in memory. */
export async function unpackBlock({ packed, bodies, frames, bytes, flat }: BlockJob, unzip = inflate): Promise<Block> {
  const data = await unzip(packed);
  const count = bodies * frames;
  let at = 0;
  // a loop for each width: the innermost of them run for every number of a page
  const bytesOf = (k: number): Uint8Array => data.subarray(at + k * count, at + (k + 1) * count);
  const column1 = (): Uint8Array => {
    const [out, first] = [new Uint8Array(count), bytesOf(0)];
    for (let b = 0, i = 0; b < bodies; ++b) for (let to = b, now = 0; to < count; to += bodies) out[to] = now = (now + first[i++]) & 0xff;
    at += count;
    return out;
  };
  const column2 = (): Uint16Array => {
    const [out, first, second] = [new Uint16Array(count), bytesOf(0), bytesOf(1)];
    for (let b = 0, i = 0; b < bodies; ++b) for (let to = b, now = 0; to < count; to += bodies, ++i) out[to] = now = (now + first[i] + (second[i] << 8)) & 0xffff;
    at += 2 * count;
    return out;
  };
  const column4 = (): Uint32Array => {
    const out = new Uint32Array(count);
    const parts = [0, 1, 2, 3].map(bytesOf);
    for (let b = 0, i = 0; b < bodies; ++b) for (let to = b, now = 0; to < count; to += bodies, ++i) out[to] = now = (now + (parts[0][i] | (parts[1][i] << 8) | (parts[2][i] << 16) | (parts[3][i] << 24))) | 0;
    at += 4 * count;
    return out;
  };
  const places = bytes.map((width) => (width === 4 ? column4() : column2()));
  const turns = flat ? [] : [0, 1, 2].map(column2);
  const largest = flat ? null : column1();
  return { places, turns, largest };
}

/** The tracks of a page, in their order: 8 or 4 bytes a number, or 16 bits as differences from row to row, low bytes first. */
export async function unpackTracks({ packed, tracks }: TracksJob, unzip = inflate): Promise<Float64Array[]> {
  const bytes = await unzip(packed);
  const sizes = { f64: 8, f32: 4, u16: 2 };
  const notANumber = 0xffff; // the largest 16-bit number
  let at = 0;
  return tracks.map(({ rows, as, min, max }) => {
    const size = rows * sizes[as];
    if (at + size > bytes.length) throw new Error('the data of this page are cut off');
    const part = bytes.slice(at, at + size);
    at += size;
    if (as === 'f32') return new Float64Array(new Float32Array(part.buffer));
    if (as === 'f64') return new Float64Array(part.buffer);
    const values = new Float64Array(rows);
    const unit = (max - min) / (notANumber - 1);
    let code = 0;
    for (let i = 0; i < rows; ++i) {
      code = (code + part[i] + 256 * part[rows + i]) & 0xffff;
      // the ends of the range are exact
      values[i] = code === notANumber ? NaN : code === notANumber - 1 ? max : min + code * unit;
    }
    return values;
  });
}

type Job = { kind: 'block'; job: BlockJob } | { kind: 'tracks'; job: TracksJob };
type Waiting = { asked: Job; done: (result: unknown) => void; failed: (problem: Error) => void };

const here = ({ kind, job }: Job): Promise<unknown> => (kind === 'block' ? unpackBlock(job) : unpackTracks(job));

/** Some workers made from the text of these functions. Where the browser allows none, the page does the work itself. */
export class Workers {
  readonly count = Math.min(4, Math.max(2, (navigator.hardwareConcurrency || 2) - 1));
  private readonly address: string;
  private readonly workers: Worker[] = [];
  private readonly busy: number[] = [];
  private readonly waiting = new Map<number, Waiting>();
  private next = 0;
  private broken = false;
  private ending = false;

  constructor() {
    const text = `const unzip = ${inflate.toString()};
      const unpack = { block: ${unpackBlock.toString()}, tracks: ${unpackTracks.toString()} };
      onmessage = async ({ data: { id, asked } }) => {
        try {
          const result = await unpack[asked.kind](asked.job, unzip);
          const parts = asked.kind === 'tracks' ? result : [...result.places, ...result.turns, ...(result.largest ? [result.largest] : [])];
          postMessage({ id, result }, parts.map((part) => part.buffer));
        } catch (problem) { postMessage({ id, problem: problem instanceof Error ? problem.message : String(problem) }); }
      };`;
    this.address = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
    try {
      for (let k = 0; k < this.count; ++k) this.workers.push(this.start(k));
    } catch {
      this.broken = true;
    }
  }

  block(job: BlockJob): Promise<Block> {
    return this.ask({ kind: 'block', job }) as Promise<Block>;
  }

  tracks(job: TracksJob): Promise<Float64Array[]> {
    return this.ask({ kind: 'tracks', job }) as Promise<Float64Array[]>;
  }

  /** As soon as nothing is asked for any more. */
  end(): void {
    this.ending = true;
    if (this.waiting.size > 0) return;
    for (const worker of this.workers) worker.terminate();
    URL.revokeObjectURL(this.address);
  }

  private start(k: number): Worker {
    const worker = new Worker(this.address);
    this.busy[k] = 0;
    worker.onmessage = ({ data }: MessageEvent<{ id: number; result?: unknown; problem?: string }>) => {
      --this.busy[k];
      const one = this.waiting.get(data.id);
      this.waiting.delete(data.id);
      if (data.problem === undefined) one?.done(data.result);
      else one?.failed(new Error(data.problem));
      if (this.ending) this.end();
    };
    // a policy may forbid workers only once they start
    worker.onerror = (event) => {
      event.preventDefault();
      this.broken = true;
      for (const { asked, done, failed } of this.waiting.values()) void here(asked).then(done, failed);
      this.waiting.clear();
    };
    return worker;
  }

  /** By the worker that has least to do. */
  private ask(asked: Job): Promise<unknown> {
    if (this.broken) return here(asked);
    return new Promise((done, failed) => {
      this.waiting.set(++this.next, { asked, done, failed });
      const k = this.busy.indexOf(Math.min(...this.busy));
      ++this.busy[k];
      this.workers[k].postMessage({ id: this.next, asked });
    });
  }
}
