import type { Run } from './data';
import type { Timeline } from './timeline';

/** The surface of a body: faces counter-clockwise seen from outside. One of a single face is a plane, seen through. */
export type SurfaceEntry = { vertices: number[][]; faces: number[][]; smooth: boolean };

/** A surface at its place in a body, stretched along its own axes. */
export type SolidEntry = { body: number; surface: number; scale: number[]; position: number[]; rotation: number[]; colour: string };

/** What carom says about bodies: which columns of q move each; -1: it stays where it is. */
export type SolidsHead = {
  flat: boolean;
  names?: string[]; // of the bodies; older pages have none
  bodies: { first: number; position: number[]; rotation: number[] }[];
  surfaces: SurfaceEntry[];
  solids: SolidEntry[];
};

/** Numbers of a body at one instant: place x y z, turn as a unit quaternion x y z w. */
export const perBody = 7;

type Quaternion = [number, number, number, number]; // x y z w

/** Bodies over time. Rows are kept together, so that one instant is one run through memory. */
export class Solids {
  readonly head: SolidsHead;
  readonly reach: number[]; // of every solid: farthest vertex from the centre of its body
  private readonly rows: Float32Array;
  private readonly now: Float32Array;
  private readonly width: number;

  constructor(run: Run, timeline: Timeline, head: SolidsHead) {
    this.head = head;
    this.width = perBody * head.bodies.length;
    this.now = new Float32Array(this.width);
    this.rows = new Float32Array(this.width * timeline.time.length);
    head.bodies.forEach((body, b) => this.fill(run, timeline, body, b));
    this.reach = head.solids.map((solid) => {
      const far = Math.max(0, ...head.surfaces[solid.surface].vertices.map((v) => Math.hypot(...v.map((x, i) => x * solid.scale[i]))));
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

  /** All bodies between two rows: places straight, turns along the chord. */
  at(row: number, next: number, part: number): Float32Array {
    const { rows, width, now } = this;
    const from = row * width;
    const to = next * width;
    for (let b = 0; b < width; b += perBody) {
      let dot = 0;
      for (let k = 3; k < 7; ++k) dot += rows[from + b + k] * rows[to + b + k];
      const sign = dot < 0 ? -1 : 1;
      let length = 0;
      for (let k = 0; k < perBody; ++k) {
        const a = rows[from + b + k];
        const c = rows[to + b + k] * (k < 3 ? 1 : sign);
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
    const { rows, width } = this;
    this.head.solids.forEach((solid, s) => {
      const moves = this.head.bodies[solid.body].first >= 0;
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

  /** Where a body is in a pose. */
  place(body: number, bodies: Float32Array): [number, number, number] {
    const at = perBody * body;
    return [bodies[at], bodies[at + 1], bodies[at + 2]];
  }

  private corners(solid: SolidEntry, row: number): number[][] {
    const at = this.rows.subarray(row * this.width, (row + 1) * this.width);
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

function turn([x, y, z, w]: Quaternion, v: number[]): number[] {
  // v + 2 q x (q x v + w v)
  const a = [y * v[2] - z * v[1] + w * v[0], z * v[0] - x * v[2] + w * v[1], x * v[1] - y * v[0] + w * v[2]];
  return [v[0] + 2 * (y * a[2] - z * a[1]), v[1] + 2 * (z * a[0] - x * a[2]), v[2] + 2 * (x * a[1] - y * a[0])];
}

/** The forces of contacts between bodies, frame by frame: as many as there are. */
export class ContactForces {
  readonly most: number; // in one frame
  readonly largest: number; // N
  private readonly firstRow: Int32Array;
  private readonly point: Float64Array[];
  private readonly force: Float64Array[];
  private readonly time: Float64Array;

  constructor(run: Run) {
    const count = run.track('contacts.count');
    this.time = run.track('time_s');
    this.firstRow = new Int32Array(count.length + 1);
    count.forEach((n, i) => (this.firstRow[i + 1] = this.firstRow[i] + n));
    this.point = run.columns('contacts.point', 3);
    this.force = run.columns('contacts.force', 3);
    this.most = count.reduce((a, b) => Math.max(a, b), 0);
    const rows = this.point[0].length;
    // a few impacts are a thousand times larger than what holds a pile: the largest of nearly all counts
    const sizes = new Float64Array(rows).map((_, k) => Math.hypot(...this.force.map((f) => f[k]))).sort();
    this.largest = rows > 0 ? sizes[Math.min(rows - 1, Math.floor(0.99 * rows))] : 0;
  }

  /** The rows of the contacts of a frame: from, to. */
  rowsOf(frame: number): [number, number] {
    return [this.firstRow[frame] ?? 0, this.firstRow[frame + 1] ?? 0];
  }

  /** Places and forces at an instant: those of the frame at or before it. */
  at(t: number, visit: (point: number[], force: number[]) => void): void {
    if (this.most === 0) return;
    let frame = 0;
    let high = this.time.length;
    while (high - frame > 1) {
      const middle = (frame + high) >> 1;
      if (this.time[middle] <= t) frame = middle;
      else high = middle;
    }
    for (let k = this.firstRow[frame]; k < this.firstRow[frame + 1]; ++k) {
      visit(this.point.map((column) => column[k]), this.force.map((column) => column[k]));
    }
  }

  /** The arrow of a force, m; the largest has this length. */
  arrow(force: number[], longest: number): number[] {
    const size = Math.hypot(...force);
    const scale = this.largest > 0 && size > 0 ? (longest * Math.min(1, size / this.largest)) / size : 0;
    return force.map((f) => f * scale);
  }
}
