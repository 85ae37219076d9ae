import type { ConeEntry, DrawEntry, Run } from './data';
import type { Pose } from './picture';
import type { Status, Statuses } from './statuses';
import { lastNotAfter } from './timeline';

/** What a contact transmits at an instant, N s: of the impact that is shown, or since the frame before. */
export type Percussion = { n: number; t1: number; t2: number; impact: boolean };

/** All components of all percussions over time, and the friction that bounds them. */
export class Percussions {
  readonly largest: number; // of what is transmitted between two frames without an impact, N s
  private readonly time: Float64Array;
  private readonly normal: Float64Array[];
  private readonly struck: Uint8Array[]; // per contact: frames with an impact since the one before
  private readonly cones: (ConeEntry | undefined)[]; // per contact
  private readonly tangential: Float64Array[];
  private readonly jumpTime: Float64Array;
  private readonly jumpTangential: Float64Array[];
  private readonly mu: Float64Array[]; // per cone
  private readonly statuses: Statuses;

  constructor(run: Run, statuses: Statuses) {
    const { contacts } = run.head;
    const friction = run.head.friction ?? [];
    const columns = friction.reduce((n, cone) => Math.max(n, cone.first + cone.dimension), 0);
    this.statuses = statuses;
    this.time = run.track('time_s');
    this.normal = run.columns('percussion_Ns', contacts.length);
    this.tangential = run.columns('friction.percussion_Ns', columns);
    this.jumpTime = run.track('jumps.time_s');
    this.jumpTangential = run.columns('jumps.friction_Ns', columns);
    this.mu = run.columns('friction.mu', friction.length).map(lastSeen);
    this.cones = contacts.map((_, c) => friction.find((cone) => cone.contact === c));
    this.struck = this.framesWithImpact(run);
    this.largest = this.largestBetweenImpacts();
  }

  cone(contact: number): ConeEntry | undefined {
    return this.cones[contact];
  }

  /** The frame whose sums hold the instant: the first one not before it. */
  private frame(t: number): number {
    const i = lastNotAfter(this.time, t);
    return this.time[i] < t ? Math.min(i + 1, this.time.length - 1) : i;
  }

  /** Null where percussions were not recorded, and where nothing is transmitted. */
  at(contact: number, t: number, glow_s: number): Percussion | null {
    const stroke = this.statuses.stroke(contact, t, glow_s);
    const first = this.cones[contact]?.first ?? -1;
    const second = this.cones[contact]?.dimension === 2 ? first + 1 : -1;
    if (stroke) {
      const row = lastNotAfter(this.jumpTime, stroke.time);
      const part = (k: number) => (k < 0 ? 0 : (this.jumpTangential[k]?.[row] ?? 0));
      return { n: stroke.percussion, t1: part(first), t2: part(second), impact: true };
    }
    const row = this.frame(t);
    const n = this.normal[contact]?.[row] ?? 0;
    const part = (k: number) => (k < 0 ? 0 : (this.tangential[k]?.[row] ?? 0));
    return n > 0 && !this.struck[contact][row] ? { n, t1: part(first), t2: part(second), impact: false } : null;
  }

  /** What the longest arrow stands for. */
  reference(percussion: Percussion): number {
    return percussion.impact ? this.statuses.largest : this.largest;
  }

  /** The coefficient that counts at the instant; of a contact that has not acted yet the first one that will. */
  coefficient(contact: number, t: number): number {
    const cone = this.cones[contact];
    if (!cone) return 0;
    return this.mu[this.coneNumber(contact)]?.[this.frame(t)] ?? 0;
  }

  /** How much of what friction can bear is used: 1 on the boundary of the cone. Null where there is no bound. */
  used(contact: number, t: number, percussion: Percussion): number | null {
    const outline = this.cones[contact]?.outline ?? [];
    const bound = this.coefficient(contact, t) * percussion.n;
    return outline.length > 0 && bound > 0 ? gauge(outline, [percussion.t1 / bound, percussion.t2 / bound]) : null;
  }

  status(contact: number, pose: Pose): Status {
    return this.statuses.status(contact, pose.time, pose.glow_s);
  }

  private coneNumber(contact: number): number {
    let k = -1;
    for (let c = 0; c <= contact; ++c) if (this.cones[c]) ++k;
    return k;
  }

  private framesWithImpact(run: Run): Uint8Array[] {
    const struck = run.head.contacts.map(() => new Uint8Array(this.time.length));
    const kind = run.track('events.kind');
    const contact = run.track('events.contact');
    run.track('events.time_s').forEach((t, i) => {
      if (run.head.event_kinds[kind[i]] === 'impact' && struck[contact[i]]) struck[contact[i]][this.frame(t)] = 1;
    });
    return struck;
  }

  private largestBetweenImpacts(): number {
    let largest = 0;
    this.normal.forEach((values, c) => {
      for (let i = 0; i < values.length; ++i) if (!this.struck[c][i]) largest = Math.max(largest, values[i]);
    });
    return largest;
  }
}

/** Where a contact did not act, 0, the coefficient it had before; before it acted at all, the one it will have. */
function lastSeen(values: Float64Array): Float64Array {
  let seen = values.find((mu) => mu > 0) ?? 0;
  return values.map((mu) => (seen = mu > 0 ? mu : seen));
}

/** The number s with x on the boundary of s times the shape; the outline goes around the origin. */
function gauge(outline: number[][], x: number[]): number {
  if (outline.length === 2) {
    const end = x[0] < 0 ? outline[0][0] : outline[1][0];
    return x[0] === 0 ? 0 : end === 0 ? Infinity : x[0] / end;
  }
  let most = 0;
  outline.forEach((a, i) => {
    const b = outline[(i + 1) % outline.length];
    const outward = [b[1] - a[1], a[0] - b[0]];
    const reach = outward[0] * a[0] + outward[1] * a[1];
    const along = outward[0] * x[0] + outward[1] * x[1];
    if (along > 0) most = Math.max(most, reach > 0 ? along / reach : Infinity);
  });
  return most;
}

type Vector = [number, number, number];
type Frame = { n: Vector; t1: Vector; t2: Vector };

const dot = (a: Vector, b: Vector) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const scaled = (a: Vector, s: number): Vector => [a[0] * s, a[1] * s, a[2] * s];
const sum = (...parts: Vector[]): Vector => parts.reduce((a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]], [0, 0, 0]);
const cross = (a: Vector, b: Vector): Vector => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

function unit(a: Vector): Vector | null {
  const length = Math.hypot(...a);
  return length > 0 && Number.isFinite(length) ? scaled(a, 1 / length) : null;
}

function vectorAt(values: Float32Array, first: number, dimension: number): Vector {
  return [values[first], values[first + 1], dimension === 3 ? values[first + 2] : 0];
}

/** Normal and tangents of a drawn contact, as carom has them (CF-3) unless the drawing says where t1 points. */
function frameOf(entry: DrawEntry, pose: Pose): Frame | null {
  if (entry.contact < 0 || entry.normal < 0) return null;
  const n = unit(vectorAt(pose.values, entry.normal, entry.dimension));
  if (!n) return null;
  const given = entry.tangent ?? -1;
  let along: Vector = entry.dimension === 2 ? [n[1], -n[0], 0] : Math.abs(n[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0];
  if (given >= 0) along = vectorAt(pose.values, given, entry.dimension);
  const t1 = unit(sum(along, scaled(n, -dot(along, n))));
  if (!t1) return null;
  return { n, t1, t2: entry.dimension === 3 ? cross(n, t1) : [0, 0, 0] };
}

function inSpace({ n, t1, t2 }: Frame, p: { n: number; t1: number; t2: number }): Vector {
  return sum(scaled(n, p.n), scaled(t1, p.t1), scaled(t2, p.t2));
}

/** A short line along the normal of a drawn contact. */
export function normalOf(entry: DrawEntry, pose: Pose, size: number): Vector | null {
  const frame = frameOf(entry, pose);
  return frame ? scaled(frame.n, 0.07 * size) : null;
}

/** An arrow for what a contact transmits, from the drawn point on. */
export function arrowOf(entry: DrawEntry, pose: Pose, percussions: Percussions, size: number): Vector | null {
  const frame = frameOf(entry, pose);
  const percussion = frame ? percussions.at(entry.contact, pose.time, pose.glow_s) : null;
  if (!frame || !percussion) return null;
  const vector = inSpace(frame, percussion);
  const length = Math.hypot(...vector);
  const largest = percussions.reference(percussion);
  if (!(length > 0) || !(largest > 0)) return null;
  return scaled(vector, (Math.min(0.3, 0.06 + (0.2 * length) / largest) * size) / length);
}

/** The cone of a contact as it is drawn: around its normal, with the percussion on the same scale. */
export type Cone = { apex: Vector; rim: Vector[]; percussion: Vector | null; status: Status };

export function coneOf(entry: DrawEntry, pose: Pose, percussions: Percussions, size: number): Cone | null {
  const frame = frameOf(entry, pose);
  if (!frame) return null;
  const mu = percussions.coefficient(entry.contact, pose.time);
  const outline = percussions.cone(entry.contact)?.outline ?? [];
  const widest = Math.max(0, ...outline.map((x) => mu * Math.hypot(...x)));
  // the same length from the apex to the rim, however wide it is
  const height = (0.3 * size) / Math.hypot(1, widest);
  const apex = vectorAt(pose.values, entry.first, entry.dimension);
  const rim = outline.map((x) => sum(apex, scaled(inSpace(frame, { n: 1, t1: mu * x[0], t2: mu * x[1] }), height)));
  const percussion = percussions.at(entry.contact, pose.time, pose.glow_s);
  const largest = percussion ? percussions.reference(percussion) : 0;
  return {
    apex,
    rim,
    percussion: percussion && largest > 0 ? scaled(inSpace(frame, percussion), height / Math.max(largest, percussion.n)) : null,
    status: percussions.status(entry.contact, pose),
  };
}
