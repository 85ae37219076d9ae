// How many bodies move: blocks of frames, unpacked one after the other in a worker, kept as the whole numbers that they are.
// src/trace/page_motion.hpp describes the same thing from the other side.

import { perBody } from './solids';

export type MotionHead = {
  frames_per_block: number;
  blocks: number;
  low: number[];
  high: number[];
  step: number[];
  bytes: number[]; // of the first three columns, 2 or 4
};

/** One block, frame by frame: three places, and in space three components of the turn and the number of the one left out. */
type Block = { places: (Uint16Array | Uint32Array)[]; turns: Uint16Array[]; largest: Uint8Array | null };

export type BlockJob = { packed: string; bodies: number; frames: number; bytes: number[]; flat: boolean };

/**
 * Unpacks one block. It is handed to a worker as text, so it stands alone: base64, zlib, differences from frame to frame;
 * the result is turned so that a frame is one run through memory.
 */
export async function unpackBlock({ packed, bodies, frames, bytes, flat }: BlockJob): Promise<Block> {
  const binary = atob(packed);
  const raw = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) raw[i] = binary.charCodeAt(i);
  const stream = new Blob([raw]).stream().pipeThrough(new DecompressionStream('deflate'));
  const data = new Uint8Array(await new Response(stream).arrayBuffer());
  const count = bodies * frames;
  let at = 0;
  const column = <T extends Uint8Array | Uint16Array | Uint32Array>(width: number, out: T): T => {
    const mask = width === 4 ? 0xffffffff : (1 << (8 * width)) - 1;
    for (let b = 0; b < bodies; ++b) {
      let code = 0;
      for (let f = 0; f < frames; ++f) {
        const i = at + b * frames + f;
        let difference = data[i];
        if (width > 1) difference |= data[i + count] << 8;
        if (width > 2) difference |= (data[i + 2 * count] << 16) | (data[i + 3 * count] << 24);
        code = (code + difference) & mask;
        out[f * bodies + b] = code;
      }
    }
    at += width * count;
    return out;
  };
  const places = bytes.map((width) => column(width, width === 4 ? new Uint32Array(count) : new Uint16Array(count)));
  const turns = flat ? [] : [0, 1, 2].map(() => column(2, new Uint16Array(count)));
  const largest = flat ? null : column(1, new Uint8Array(count));
  return { places, turns, largest };
}

const turnUnits = 32767 * Math.SQRT2;

/** The places and turns of all bodies, frame by frame, as far as they are unpacked. */
export class Motion {
  readonly head: MotionHead;
  readonly flat: boolean;
  private readonly moving: number[]; // body of every column
  private readonly blocks: (Block | null)[];
  private readonly waiting: ((from: number, to: number) => void)[] = [];

  constructor(head: MotionHead, flat: boolean, moving: number[]) {
    this.head = head;
    this.flat = flat;
    this.moving = moving;
    this.blocks = Array.from({ length: head.blocks }, () => null);
  }

  get complete(): boolean {
    return this.blocks.every((block) => block !== null);
  }

  /** Whether the frame can be shown already. */
  has(frame: number): boolean {
    return this.blocks[Math.floor(frame / this.head.frames_per_block)] !== null;
  }

  /** Called whenever a block has come, with its first and last frame. */
  onBlock(act: (from: number, to: number) => void): void {
    this.waiting.push(act);
  }

  /** Unpacks what the page holds, the first block first; resolves when that one is there. */
  async unpack(texts: (string | null)[], frames: number): Promise<void> {
    const worker = startWorker();
    const job = (i: number): BlockJob => {
      const packed = texts[i] ?? '';
      texts[i] = null; // the page needs its text no more
      const left = frames - i * this.head.frames_per_block;
      return { packed: packed.trim(), bodies: this.moving.length, frames: Math.min(left, this.head.frames_per_block), bytes: this.head.bytes, flat: this.flat };
    };
    const put = (i: number, block: Block) => {
      this.blocks[i] = block;
      const from = i * this.head.frames_per_block;
      for (const act of this.waiting) act(from, from + this.head.frames_per_block - 1);
    };
    const next = async (i: number): Promise<void> => put(i, await (worker ? worker(job(i)) : unpackBlock(job(i))));
    if (texts.length === 0) return;
    await next(0);
    void (async () => {
      for (let i = 1; i < texts.length; ++i) await next(i);
      worker?.end();
    })();
  }

  /** Waits until all blocks are there. */
  finished(): Promise<void> {
    if (this.complete) return Promise.resolve();
    return new Promise((done) => this.onBlock(() => this.complete && done()));
  }

  /** Writes the bodies of a frame into `rows`, seven numbers each. False where it is not unpacked yet. */
  fill(frame: number, rows: Float32Array): boolean {
    const { low, step, frames_per_block } = this.head;
    const block = this.blocks[Math.floor(frame / frames_per_block)];
    if (!block) return false;
    const count = this.moving.length;
    const from = (frame % frames_per_block) * count;
    const [xs, ys, zs] = block.places;
    for (let k = 0; k < count; ++k) {
      const at = perBody * this.moving[k];
      rows[at] = low[0] + xs[from + k] * step[0];
      rows[at + 1] = low[1] + ys[from + k] * step[1];
      const third = low[2] + zs[from + k] * step[2];
      rows[at + 2] = this.flat ? 0 : third;
      if (this.flat) {
        rows[at + 3] = rows[at + 4] = 0;
        rows[at + 5] = Math.sin(third / 2);
        rows[at + 6] = Math.cos(third / 2);
      } else {
        this.fillTurn(block, from + k, at, rows);
      }
    }
    return true;
  }

  /** Components are kept as w x y z; rows have x y z w. */
  private fillTurn(block: Block, i: number, at: number, rows: Float32Array): void {
    const largest = block.largest![i];
    let rest = 1;
    let n = 0;
    for (let k = 0; k < 4; ++k) {
      if (k === largest) continue;
      const value = (block.turns[n++][i] - 32768) / turnUnits;
      rest -= value * value;
      rows[at + 3 + ((k + 3) & 3)] = value;
    }
    rows[at + 3 + ((largest + 3) & 3)] = Math.sqrt(Math.max(0, rest));
  }

  /** One body over all frames that are there: its three places. */
  track(column: number, axis: number, frames: number): Float64Array {
    const values = new Float64Array(frames).fill(NaN);
    const { low, step, frames_per_block } = this.head;
    for (let frame = 0; frame < frames; ++frame) {
      const block = this.blocks[Math.floor(frame / frames_per_block)];
      if (block) values[frame] = low[axis] + block.places[axis][(frame % frames_per_block) * this.moving.length + column] * step[axis];
    }
    return values;
  }
}

/** A worker made from the text of `unpackBlock`; null where the browser allows none. */
function startWorker(): (((job: BlockJob) => Promise<Block>) & { end: () => void }) | null {
  try {
    const text = `const unpack = ${unpackBlock.toString()};
      onmessage = async ({ data: { id, job } }) => {
        try {
          const block = await unpack(job);
          const parts = [...block.places, ...block.turns, ...(block.largest ? [block.largest] : [])];
          postMessage({ id, block }, parts.map((part) => part.buffer));
        } catch (problem) { postMessage({ id, problem: String(problem) }); }
      };`;
    const address = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
    const worker = new Worker(address);
    const jobs = new Map<number, { done: (block: Block) => void; failed: (problem: Error) => void; job: BlockJob }>();
    let id = 0;
    let broken = false;
    const here = (one: { done: (block: Block) => void; failed: (problem: Error) => void; job: BlockJob }) => void unpackBlock(one.job).then(one.done, one.failed);
    worker.onmessage = ({ data }: MessageEvent<{ id: number; block?: Block; problem?: string }>) => {
      const one = jobs.get(data.id);
      jobs.delete(data.id);
      if (data.block) one?.done(data.block);
      else one?.failed(new Error(data.problem));
    };
    // a policy may forbid workers only once they start: then the page does the work itself
    worker.onerror = (event) => {
      event.preventDefault();
      broken = true;
      for (const one of jobs.values()) here(one);
      jobs.clear();
    };
    const ask = (job: BlockJob) =>
      new Promise<Block>((done, failed) => {
        const one = { done, failed, job };
        if (broken) return here(one);
        jobs.set(++id, one);
        worker.postMessage({ id, job });
      });
    return Object.assign(ask, {
      end: () => {
        worker.terminate();
        URL.revokeObjectURL(address);
      },
    });
  } catch {
    return null;
  }
}
