import type { Run } from './data';

/**
 * Frames and impacts in one order of time. At an impact there are two rows with the same instant, the left and the
 * right limit, so that positions pass through the impact and velocities jump there.
 */
export class Timeline {
  readonly time: Float64Array;
  private readonly frame: Int32Array; // row of the frames, or -1
  private readonly jump: Int32Array; // row of the jumps, or -1
  private readonly after: Uint8Array; // 1: right limit of a jump

  constructor(run: Run) {
    const frames = run.track('time_s');
    const jumps = run.track('jumps.time_s');
    const halfStep = (run.head.time_step_s / 2) * (1 - 1e-6);
    const rows = frames.length + 2 * jumps.length;
    const time = new Float64Array(rows);
    const frame = new Int32Array(rows).fill(-1);
    const jump = new Int32Array(rows).fill(-1);
    const after = new Uint8Array(rows);
    let n = 0;
    let j = 0;
    const addJump = () => {
      for (const side of [0, 1]) {
        time[n] = jumps[j];
        jump[n] = j;
        after[n++] = side;
      }
      ++j;
    };
    for (let i = 0; i < frames.length; ++i) {
      while (j < jumps.length && jumps[j] <= frames[i]) addJump();
      // a frame in the first half of a step with an impact has the velocity after it already
      const isAhead = j < jumps.length && frames[i] > jumps[j] - halfStep;
      if (isAhead && i > 0) continue;
      time[n] = frames[i];
      frame[n++] = i;
    }
    while (j < jumps.length) addJump();
    this.time = time.subarray(0, n);
    this.frame = frame.subarray(0, n);
    this.jump = jump.subarray(0, n);
    this.after = after.subarray(0, n);
  }

  /** The run has grown. */
  grow(run: Run): void {
    Object.assign(this, new Timeline(run));
  }

  get start(): number {
    return this.time[0] ?? 0;
  }

  get end(): number {
    return this.time[this.time.length - 1] ?? 0;
  }

  /** A quantity of the frames with its values before and after each impact. */
  merged(frames: Float64Array, before: Float64Array, after: Float64Array): Float64Array {
    const values = new Float64Array(this.time.length);
    for (let i = 0; i < values.length; ++i) {
      const j = this.jump[i];
      values[i] = j < 0 ? frames[this.frame[i]] : (this.after[i] ? after : before)[j];
    }
    return values;
  }

  /** A merged quantity at an instant, straight between its rows; at a jump its right limit. */
  at(values: Float64Array, t: number): number {
    const row = this.row(t);
    const next = Math.min(row + 1, this.time.length - 1);
    const span = this.time[next] - this.time[row];
    const part = span > 0 ? Math.min(1, Math.max(0, (t - this.time[row]) / span)) : 0;
    return values[row] + part * (values[next] - values[row]);
  }

  /** The last row at or before t: right limits win. */
  row(t: number): number {
    return lastNotAfter(this.time, t);
  }
}

/** Index of the last entry <= t of a sorted list; 0 when all are after it. */
export function lastNotAfter(sorted: ArrayLike<number>, t: number): number {
  let low = 0;
  let high = sorted.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= t) low = middle;
    else high = middle;
  }
  return low;
}
