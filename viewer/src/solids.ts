import type { Run } from './data';
import type { Motion } from './motion';
import type { Timeline } from './timeline';

/** The surface of a body: faces counter-clockwise seen from outside. One of a single face is a plane, seen through. */
export type SurfaceEntry = { vertices: number[][]; faces: number[][]; smooth: boolean };

/** A surface at its place in a body, stretched along its own axes. */
export type SolidEntry = { body: number; surface: number; scale: number[]; position: number[]; rotation: number[]; colour: string };

/** What carom says about bodies: which columns of q move each; -1: it stays where it is. */
export type SolidsHead = {
  flat: boolean;
  names?: string[]; // of the bodies; older pages have none
  fastest?: number; // body; -1: none moves
  bodies: { first: number; position: number[]; rotation: number[] }[];
  surfaces: SurfaceEntry[];
  solids: SolidEntry[];
};

/** Numbers of a body at one instant: place x y z, turn as a unit quaternion x y z w. */
export const perBody = 7;

export type Quaternion = [number, number, number, number]; // x y z w

/** Bodies over time. Rows are kept together, so that one instant is one run through memory. */
export class Solids {
  readonly head: SolidsHead;
  readonly reach: number[]; // of every solid: farthest vertex from the centre of its body
  private readonly rows: Float32Array; // of all instants, where the bodies are few
  private readonly motion: Motion | null; // else
  private readonly frames: number;
  private readonly now: Float32Array;
  private readonly ends: { row: number; values: Float32Array }[]; // rows of the motion that are shown now
  private readonly width: number;

  constructor(run: Run, timeline: Timeline, head: SolidsHead) {
    this.head = head;
    this.motion = run.motion;
    this.frames = timeline.time.length;
    this.width = perBody * head.bodies.length;
    this.now = new Float32Array(this.width);
    this.rows = new Float32Array(this.motion ? 0 : this.width * timeline.time.length);
    if (!this.motion) head.bodies.forEach((body, b) => this.fill(run, timeline, body, b));
    this.ends = (this.motion ? [0, 1] : []).map(() => ({ row: -1, values: this.resting() }));
    const known = new Map<string, number>(); // thousands of balls have one surface and one scale
    this.reach = head.solids.map((solid) => {
      const key = `${solid.surface} ${solid.scale.join(' ')}`;
      let far = known.get(key);
      if (far === undefined) known.set(key, (far = Math.max(0, ...head.surfaces[solid.surface].vertices.map((v) => Math.hypot(...v.map((x, i) => x * solid.scale[i]))))));
      return far + Math.hypot(...solid.position);
    });
  }

  private fill(run: Run, timeline: Timeline, body: SolidsHead['bodies'][number], b: number): void {
    const { rows, width } = this;
    const none = new Float64Array(0);
    const column = (k: number) => timeline.merged(run.track(`q.${body.first + k}`), none, none);
    const count = timeline.time.length;
    const put = (i: number, values: number[]) => rows.set(values, i * width + perBody * b);
    if (body.first < 0) {
      const [w, x, y, z] = body.rotation;
      for (let i = 0; i < count; ++i) put(i, [...body.position, x, y, z, w]);
    } else if (this.head.flat) {
      const [x, y, angle] = [0, 1, 2].map(column);
      for (let i = 0; i < count; ++i) put(i, [x[i], y[i], 0, 0, 0, Math.sin(angle[i] / 2), Math.cos(angle[i] / 2)]);
    } else {
      const [x, y, z, w, qx, qy, qz] = [0, 1, 2, 3, 4, 5, 6].map(column);
      for (let i = 0; i < count; ++i) put(i, [x[i], y[i], z[i], qx[i], qy[i], qz[i], w[i]]);
    }
  }

  /** Those that stay where they are, in place. */
  private resting(): Float32Array {
    const row = new Float32Array(this.width);
    this.head.bodies.forEach(({ position, rotation: [w, x, y, z] }, b) => row.set([...position, x, y, z, w], perBody * b));
    return row;
  }

  /** All bodies in a row of time. What is not unpacked yet shows the row before. */
  row(row: number): Float32Array {
    if (!this.motion) return this.rows.subarray(row * this.width, (row + 1) * this.width);
    const [older, newer] = this.ends;
    const known = this.ends.find((end) => end.row === row);
    if (known) return known.values;
    // the one that is farther away makes room
    const end = Math.abs(older.row - row) > Math.abs(newer.row - row) ? older : newer;
    end.row = this.motion.fill(row, end.values) ? row : -1;
    return end.values;
  }

  /** All bodies between two rows: places straight, turns along the chord. */
  at(row: number, next: number, part: number): Float32Array {
    const { width, now } = this;
    const from = this.row(row);
    const to = part > 0 ? this.row(next) : from;
    for (let b = 0; b < width; b += perBody) {
      let dot = 0;
      for (let k = 3; k < 7; ++k) dot += from[b + k] * to[b + k];
      const sign = dot < 0 ? -1 : 1;
      let length = 0;
      for (let k = 0; k < perBody; ++k) {
        const a = from[b + k];
        const c = to[b + k] * (k < 3 ? 1 : sign);
        now[b + k] = a + part * (c - a);
        if (k >= 3) length += now[b + k] ** 2;
      }
      const scale = length > 0 ? 1 / Math.sqrt(length) : 1;
      for (let k = 3; k < perBody; ++k) now[b + k] *= scale;
    }
    return now;
  }

  /** Calls for every solid and every row of time; of those that stay still for the first row only. */
  measure(visit: (place: number[], reach: number, moves: boolean) => void): void {
    const { rows, width, motion } = this;
    if (motion) {
      const { low, high } = motion.head;
      const reach = this.head.solids.reduce((far, solid, s) => (this.head.bodies[solid.body].first >= 0 ? Math.max(far, this.reach[s]) : far), 0);
      for (const end of [low, high]) visit(this.head.flat ? [end[0], end[1], 0] : end, reach, true);
    }
    this.head.solids.forEach((solid, s) => {
      const moves = this.head.bodies[solid.body].first >= 0;
      if (moves && motion) return;
      const plane = this.head.surfaces[solid.surface].faces.length === 1 && !this.head.flat;
      // planes are as large as the bodies at the start need: their corners count, not a ball around them
      if (plane && !moves) {
        for (const corner of this.corners(solid, 0)) visit(corner, 0, false);
        return;
      }
      const count = moves ? rows.length / width : 1;
      for (let i = 0; i < count; ++i) {
        const at = i * width + perBody * solid.body;
        visit([rows[at], rows[at + 1], rows[at + 2]], moves ? this.reach[s] : 0, moves);
        if (!moves) for (const corner of this.corners(solid, 0)) visit(corner, 0, false);
      }
    });
  }

  /** How fast the centre of every body moves from a row to the next, m/s. */
  speeds(row: number, dt: number): Float32Array {
    const next = Math.min(row + 1, this.frames - 1);
    const a = this.row(row);
    const b = this.row(next);
    const speeds = new Float32Array(this.head.bodies.length);
    for (let i = 0, at = 0; i < speeds.length && dt > 0; ++i, at += perBody) {
      speeds[i] = Math.sqrt((b[at] - a[at]) ** 2 + (b[at + 1] - a[at + 1]) ** 2 + (b[at + 2] - a[at + 2]) ** 2) / dt;
    }
    return speeds;
  }

  /** A point of a body in the world: given from its centre, in its axes. */
  inWorld(body: number, point: number[], bodies: Float32Array): number[] {
    const at = perBody * body;
    return turn([bodies[at + 3], bodies[at + 4], bodies[at + 5], bodies[at + 6]], point).map((x, i) => x + bodies[at + i]);
  }

  /** Where a body is in a pose. */
  place(body: number, bodies: Float32Array): [number, number, number] {
    const at = perBody * body;
    return [bodies[at], bodies[at + 1], bodies[at + 2]];
  }

  private corners(solid: SolidEntry, row: number): number[][] {
    const at = this.motion ? this.resting() : this.row(row);
    return this.head.surfaces[solid.surface].vertices.map((v) => placed(v, solid, at));
  }
}

/** A vertex of a surface in the world. */
export function placed(vertex: number[], solid: SolidEntry, bodies: Float32Array): number[] {
  const at = perBody * solid.body;
  const scaled = vertex.map((x, i) => x * solid.scale[i]);
  const [w, x, y, z] = solid.rotation;
  const inBody = turn([x, y, z, w], scaled).map((c, i) => c + solid.position[i]);
  return turn([bodies[at + 3], bodies[at + 4], bodies[at + 5], bodies[at + 6]], inBody).map((c, i) => c + bodies[at + i]);
}

export function turn([x, y, z, w]: Quaternion, v: number[]): number[] {
  // v + 2 q x (q x v + w v)
  const a = [y * v[2] - z * v[1] + w * v[0], z * v[0] - x * v[2] + w * v[1], x * v[1] - y * v[0] + w * v[2]];
  return [v[0] + 2 * (y * a[2] - z * a[1]), v[1] + 2 * (z * a[0] - x * a[2]), v[2] + 2 * (x * a[1] - y * a[0])];
}
