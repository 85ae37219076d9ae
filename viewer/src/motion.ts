// How many bodies move: blocks of frames, unpacked one after the other in a worker, kept as the whole numbers that they are.
// src/trace/page_motion.hpp describes the same thing from the other side.

import { perBody } from './solids';
import { unpackBlock, type Block, type BlockJob, type Workers } from './unpack';

export type MotionHead = {
  frames_per_block: number;
  first_frames?: number; // of the first block, which is short; older pages have none
  blocks: number;
  low: number[];
  high: number[];
  step: number[];
  bytes: number[]; // of the first three columns, 2 or 4
};

const turnUnits = 32767 * Math.SQRT2;

/** A block with the units that it is kept in, and its frames. */
type Piece = { block: Block | null; head: MotionHead; from: number; frames: number };

/** The places and turns of all bodies, frame by frame, as far as they are unpacked. */
export class Motion {
  readonly head: MotionHead;
  readonly flat: boolean;
  private readonly moving: number[]; // body of every column
  private readonly pieces: Piece[] = [];
  private rest: (() => Promise<void>) | null = null;
  private readonly waiting: ((from: number, to: number) => void)[] = [];

  constructor(head: MotionHead, flat: boolean, moving: number[], frames: number) {
    this.head = { ...head, low: [...head.low], high: [...head.high] };
    this.flat = flat;
    this.moving = moving;
    for (let i = 0, from = 0; i < head.blocks; ++i) {
      const size = Math.min(i === 0 ? (head.first_frames ?? head.frames_per_block) : head.frames_per_block, frames - from);
      this.pieces.push({ block: null, head, from, frames: size });
      from += size;
    }
  }

  get complete(): boolean {
    return this.pieces.every(({ block }) => block !== null);
  }

  /** The frames of another one come after those of this one. Both are complete. */
  append(later: Motion): void {
    const last = this.pieces[this.pieces.length - 1];
    const frames = last ? last.from + last.frames : 0;
    for (const piece of later.pieces) this.pieces.push({ ...piece, from: piece.from + frames });
    later.head.low.forEach((x, axis) => (this.head.low[axis] = Math.min(this.head.low[axis], x)));
    later.head.high.forEach((x, axis) => (this.head.high[axis] = Math.max(this.head.high[axis], x)));
  }

  private pieceOf(frame: number): Piece | undefined {
    let [low, high] = [0, this.pieces.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.pieces[middle].from <= frame) low = middle;
      else high = middle;
    }
    return this.pieces[low];
  }

  /** Whether the frame can be shown already. */
  has(frame: number): boolean {
    return (this.pieceOf(frame)?.block ?? null) !== null;
  }

  /** Called whenever a block has come, with its first and last frame. */
  onBlock(act: (from: number, to: number) => void): void {
    this.waiting.push(act);
  }

  /** Unpacks the first block; the others follow by `unpackRest`. The workers end with the last one. */
  async unpack(first: string, rest: () => Promise<string[]>, workers: Workers | null): Promise<void> {
    const { bytes } = this.head;
    const next = async (i: number, packed: string): Promise<void> => {
      const piece = this.pieces[i];
      const job: BlockJob = { packed: packed.trim(), bodies: this.moving.length, frames: piece.frames, bytes, flat: this.flat };
      piece.block = await (workers ? workers.block(job) : unpackBlock(job));
      for (const act of this.waiting) act(piece.from, piece.from + piece.frames - 1);
    };
    await next(0, first);
    this.rest = async () => {
      const texts: (string | null)[] = await rest();
      // as many at a time as there are workers: their texts and blocks need room
      let i = 0;
      const lane = async (): Promise<void> => {
        while (i < texts.length) {
          const text = texts[i] ?? '';
          texts[i] = null;
          await next(++i, text);
        }
      };
      await Promise.all(Array.from({ length: workers?.count ?? 1 }, lane));
      workers?.end();
    };
  }

  /** Goes on with the other blocks: once the first frame is on the screen, which they would delay. */
  unpackRest(): void {
    void this.rest?.();
    this.rest = null;
  }

  /** Waits until all blocks are there. */
  finished(): Promise<void> {
    this.unpackRest();
    if (this.complete) return Promise.resolve();
    return new Promise((done) => this.onBlock(() => this.complete && done()));
  }

  /** Writes the bodies of a frame into `rows`, seven numbers each. False where it is not unpacked yet. */
  fill(frame: number, rows: Float32Array): boolean {
    const piece = this.pieceOf(frame);
    if (!piece?.block) return false;
    const { block, head: { low, step } } = piece;
    const count = this.moving.length;
    const from = (frame - piece.from) * count;
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
    for (const { block, head: { low, step }, from, frames: count } of this.pieces) {
      if (!block) continue;
      const places = block.places[axis];
      for (let k = 0; k < count && from + k < frames; ++k) values[from + k] = low[axis] + places[k * this.moving.length + column] * step[axis];
    }
    return values;
  }
}
