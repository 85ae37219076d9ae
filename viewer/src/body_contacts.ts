import type { Run } from './data';
import type { Status } from './statuses';
import { lastNotAfter } from './timeline';

/** One contact point at an instant. The force is on the first body; the normal points to it. */
export type BodyContact = {
  row: number;
  first: number;
  second: number;
  point: number[];
  normal: number[] | null;
  force: number[];
  gap: number;
  mu: number | null; // |F_T| is at most this times F_N; null: not recorded
  sliding: number; // m/s
  moment: number[]; // N m s on the first body, of rolling and spinning
  residual: number; // its share in the unit-free error of the step; NaN: not recorded
  status: Status;
};

/** Normal and tangential part of a force. */
export function parts({ force, normal }: { force: number[]; normal: number[] | null }): { n: number; t: number; tangent: number[] } {
  if (!normal) return { n: Math.hypot(...force), t: 0, tangent: [0, 0, 0] };
  const n = force[0] * normal[0] + force[1] * normal[1] + force[2] * normal[2];
  const tangent = force.map((f, i) => f - n * normal[i]);
  return { n, t: Math.hypot(...tangent), tangent };
}

/** A contact slides when friction is used up and it moves: below these it only creeps by rounding. */
const usedUp = 0.999;
const slow = 1e-6; // m/s

/** The contacts of bodies, frame by frame: as many as there are. Two bodies that touch are a pair, with some points. */
export class BodyContacts {
  readonly most: number; // in one frame
  readonly every: number; // frames that have contacts are so far apart
  readonly typical: number; // N: nineteen of twenty forces are smaller
  readonly time: Float64Array;
  private readonly firstRow: Int32Array;
  private readonly first: Float64Array;
  private readonly second: Float64Array;
  private readonly point: Float64Array[];
  private readonly normal: Float64Array[];
  private readonly force: Float64Array[];
  private readonly gap: Float64Array;
  private readonly mu: Float64Array;
  private readonly sliding: Float64Array;
  private readonly moment: Float64Array[];
  readonly residual: Float64Array;
  private readonly step: Float64Array;
  private readonly struck = new Map<string, number[]>(); // instants of impacts, by pair

  constructor(run: Run) {
    const count = run.track('contacts.count');
    this.time = run.track('time_s');
    this.every = run.track('contacts.every')[0] ?? 1;
    this.firstRow = new Int32Array(count.length + 1);
    count.forEach((n, i) => (this.firstRow[i + 1] = this.firstRow[i] + n));
    this.first = run.track('contacts.first');
    this.second = run.track('contacts.second');
    this.point = run.columns('contacts.point', 3);
    this.normal = run.columns('contacts.normal', 3);
    this.force = run.columns('contacts.force', 3);
    this.gap = run.track('contacts.gap_m');
    this.mu = run.track('contacts.friction');
    this.sliding = run.track('contacts.sliding_m_s');
    this.moment = run.columns('contacts.moment_Nms', 3);
    this.residual = run.track('contacts.residual');
    this.step = run.track('contacts.step_s');
    this.most = count.reduce((a, b) => Math.max(a, b), 0);
    const rows = this.point[0].length;
    // impacts are a thousand times larger than what holds a pile; of very many forces one in some is looked at
    const stride = Math.max(1, Math.floor(rows / 50_000));
    const all = Float64Array.from({ length: Math.floor(rows / stride) }, (_, k) => this.size(k * stride)).sort();
    // a millionth of the largest is rounding: where impacts are all there is, they are typical
    const sizes = all.filter((size) => size > 1e-6 * all[all.length - 1]);
    const pressed = sizes.length > 0 ? sizes[Math.min(sizes.length - 1, Math.floor(0.95 * sizes.length))] : 0;
    // next to weights the rest is rounding: balls that hang side by side
    const weight = heaviest(run);
    this.typical = pressed > 0 && pressed < 1e-6 * weight ? weight : pressed;
    this.noteImpacts(run);
  }

  /** The frame whose contacts are shown at an instant: the last one that has some recorded. */
  frame(t: number): number {
    const frame = lastNotAfter(this.time, t);
    return frame - (frame % this.every);
  }

  /** The rows of the contacts of a frame: from, to. */
  rowsOf(frame: number): [number, number] {
    return [this.firstRow[frame] ?? 0, this.firstRow[frame + 1] ?? 0];
  }

  /** Length of the step that a frame lies in; 0: there was none yet. */
  stepOf(frame: number): number {
    return this.step[frame] ?? 0;
  }

  size(row: number): number {
    return Math.hypot(this.force[0][row], this.force[1][row], this.force[2][row]);
  }

  pairOf(row: number): [number, number] {
    return [this.first[row], this.second[row]];
  }

  /** Places and forces at an instant, without making objects of them. */
  visit(t: number, act: (point: number[], force: number[], first: number, second: number, row: number) => void): void {
    if (this.most === 0) return;
    const [from, to] = this.rowsOf(this.frame(t));
    const at = [0, 0, 0];
    const f = [0, 0, 0];
    for (let k = from; k < to; ++k) {
      for (let axis = 0; axis < 3; ++axis) {
        at[axis] = this.point[axis][k];
        f[axis] = this.force[axis][k];
      }
      act(at, f, this.first[k], this.second[k], k);
    }
  }

  contact(row: number, frame: number): BodyContact {
    const contact = {
      row,
      first: this.first[row],
      second: this.second[row],
      point: this.point.map((column) => column[row]),
      normal: this.normal[0].length > 0 ? this.normal.map((column) => column[row]) : null,
      force: this.force.map((column) => column[row]),
      gap: this.gap[row] ?? NaN,
      mu: this.mu.length > 0 ? this.mu[row] : null,
      sliding: this.sliding[row] ?? 0,
      moment: this.moment.map((column) => column[row] ?? 0),
      residual: this.residual[row] ?? NaN,
    };
    return { ...contact, status: this.status(contact, frame) };
  }

  /** All points at which a body is touched at an instant; `other`: by this one only. */
  of(body: number, t: number, other = -1): BodyContact[] {
    const frame = this.frame(t);
    const [from, to] = this.rowsOf(frame);
    const found: BodyContact[] = [];
    for (let k = from; k < to; ++k) {
      const [a, b] = [this.first[k], this.second[k]];
      if ((a === body && (other < 0 || b === other)) || (b === body && (other < 0 || a === other))) found.push(this.contact(k, frame));
    }
    return found;
  }

  /** What two bodies did to each other over time: normal and tangential force on the first, N, and the smallest gap, m. */
  history(first: number, second: number): { normal: Float64Array; tangential: Float64Array; gap: Float64Array } {
    const frames = this.time.length;
    const normal = new Float64Array(frames);
    const tangential = new Float64Array(frames);
    const gap = new Float64Array(frames).fill(NaN);
    for (let frame = 0; frame < frames; ++frame) {
      if (frame % this.every !== 0) normal[frame] = tangential[frame] = NaN;
      const [from, to] = this.rowsOf(frame);
      for (let k = from; k < to; ++k) {
        if (!((this.first[k] === first && this.second[k] === second) || (this.first[k] === second && this.second[k] === first))) continue;
        const { n, t } = parts(this.contact(k, frame));
        normal[frame] += n;
        tangential[frame] += t;
        gap[frame] = Number.isNaN(gap[frame]) ? this.gap[k] : Math.min(gap[frame], this.gap[k]);
      }
    }
    return { normal, tangential, gap };
  }

  /** Pairs that ever press, the strongest first; so many at most. */
  pairs(most: number): { first: number; second: number; largest: number }[] {
    const largest = new Map<string, { first: number; second: number; largest: number }>();
    for (let k = 0; k < this.first.length; ++k) {
      const key = `${this.first[k]}-${this.second[k]}`;
      const size = this.size(k);
      const known = largest.get(key);
      if (!known) largest.set(key, { first: this.first[k], second: this.second[k], largest: size });
      else if (size > known.largest) known.largest = size;
    }
    return [...largest.values()].sort((a, b) => b.largest - a.largest).slice(0, most);
  }

  private status(contact: Omit<BodyContact, 'status'>, frame: number): Status {
    const instants = this.struck.get(`${contact.first}-${contact.second}`) ?? this.struck.get(`${contact.second}-${contact.first}`);
    const step = this.stepOf(frame);
    if (instants) {
      const near = lastNotAfter(instants, this.time[frame] + step);
      if (Math.abs(instants[near] - this.time[frame]) <= step) return 'impact';
    }
    if (contact.mu === null || contact.mu === 0) return 'closed';
    const { n, t } = parts(contact);
    return t >= usedUp * contact.mu * n && contact.sliding > slow ? 'slip' : 'stick';
  }

  /** Events of bodies are named by their pair: "ball-floor", "box-floor (2)". */
  private noteImpacts(run: Run): void {
    const names = run.head.solids?.names ?? [];
    const number = new Map(names.map((name, body) => [name, body]));
    const pairs = run.head.event_names?.map((name) => pairInName(name, number)) ?? [];
    const kind = run.track('events.kind');
    const contact = run.track('events.contact');
    run.track('events.time_s').forEach((t, i) => {
      const pair = pairs[contact[i]];
      if (!pair || run.head.event_kinds[kind[i]] !== 'impact') return;
      const key = pair.join('-');
      const known = this.struck.get(key);
      if (known) known.push(t);
      else this.struck.set(key, [t]);
    });
  }
}

/** The largest weight of a body, N. */
function heaviest(run: Run): number {
  const { mass_kg = [], gravity_m_s2 = [0] } = run.head.mechanics ?? {};
  return mass_kg.reduce((most, mass) => Math.max(most, mass), 0) * Math.hypot(...gravity_m_s2);
}

/** The two bodies of the name of a contact; null where it is none of bodies. */
export function pairInName(name: string, number: Map<string, number>): [number, number] | null {
  const parts = /^(.+)-([^-]+?)(?: \(\d+\))?$/.exec(name);
  const first = parts ? number.get(parts[1]) : undefined;
  const second = parts ? number.get(parts[2]) : undefined;
  return first === undefined || second === undefined ? null : [first, second];
}
