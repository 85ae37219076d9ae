// What `carom report` puts into the page: a JSON head, and the numbers as one compressed block of bytes.
// docs/how-to/pictures.md and src/trace/page.cpp describe the same thing from the other side.

import { Motion, type MotionHead } from './motion';
import type { SolidsHead } from './solids';
import { unpackTracks, Workers } from './unpack';

export type Track = {
  name: string;
  rows: number;
  as: 'f64' | 'f32' | 'u16';
  min: number;
  max: number;
};

export type DrawKind = 'point' | 'segment' | 'circle' | 'polyline' | 'trace';

/** A drawn thing; its numbers are columns of the table `draw`. */
export type DrawEntry = {
  kind: DrawKind;
  label: string;
  colour: string;
  contact: number; // -1: none
  closed: boolean;
  dimension: number; // 2 or 3
  points: number; // how many, each of `dimension` columns from `first` on
  first: number;
  radius: number; // column, -1: none
  normal: number; // first column, -1: none
  tangent?: number; // first column of the direction of t1; -1 or left out: by the rule (CF-3)
};

/** A contact with friction. */
export type ConeEntry = {
  contact: number;
  first: number; // column of its first tangential percussion
  dimension: number; // how many it has, 1 or 2
  outline: number[][]; // section of the cone at P_N = 1 and mu = 1; empty: no bound
};

export type Certificate = {
  max_residual: number | null;
  max_residual_time_s: number | null;
  max_penetration_m: number | null;
  max_cone_violation_Ns: number | null;
  energy_balance_J: number | null;
  energy: Record<string, number | null>;
  steps: number;
  unsolved_steps: number;
};

export type Finding = { code: string; time_s: number | null; message: string; count: number; uncertifies?: boolean };

export type Report = { status: string; end: string; certificate: Certificate; findings: Finding[] };

export type Palette = { colours: { name: string; value: string }[]; lines: number; status: Record<string, string> };

export type JointEntry = { name: string; kind: string; first: number; second: number; first_point_m: number[]; second_point_m: number[]; axis: number[]; turn_motor?: boolean; slide_motor?: boolean };

export type SpringEntry = { first: number; second: number; first_point_m: number[]; second_point_m: number[] };

/** Masses (0: forces do not move the body), materials, joints and springs of bodies. */
export type Mechanics = {
  gravity_m_s2: number[];
  mass_kg: number[];
  inertia_kg_m2?: number[][]; // per body, its axes: xx xy xz yy yz zz; older recordings have none
  materials: string[];
  joints: JointEntry[];
  springs?: SpringEntry[]; // older recordings have none
};

/** Measured data to compare with: columns of numbers, `time_s` among them. */
export type DataTable = { name: string; columns: { name: string; values: (number | null)[] }[] };

export type Head = {
  format: string;
  version: number;
  name?: string; // of the recording
  title: string;
  carom_version: string;
  scene: string;
  start_s: number;
  duration_s: number;
  time_step_s: number;
  every_s: number;
  coordinates: { name: string; unit: string }[];
  contacts: string[];
  probes: { name: string; unit: string }[];
  energies: string[];
  event_kinds: string[];
  event_names?: string[]; // by events.contact: contacts, then constraints
  friction?: ConeEntry[];
  draw: DrawEntry[];
  solids?: SolidsHead; // of a run of bodies
  mechanics?: Mechanics; // the same; older recordings have none
  motion?: MotionHead; // of many bodies: instead of tracks of their coordinates
  tables?: DataTable[];
  others?: number; // how many runs are compared with this one
  report: Report | null;
  palette: Palette;
  notes: string[];
  follow?: string; // of a recording that still grows, from `carom view`: what this page has of it; empty: none
  part?: boolean; // only what came after the page that is shown, to be appended
  tracks: Track[];
  late?: Track[]; // of many bodies: contacts and forces, which the first picture does not wait for
};

export const isSweepingScene = (scene: string): boolean => /^\s*\[sweeping\]/m.test(scene);

/** Tracks of the same length belong together: the first of each is never missing. */
const groups: [RegExp, string][] = [
  [/^events\./, 'events.time_s'],
  [/^jumps\./, 'jumps.time_s'],
  [/^contacts\.(?!count|step_s|every)/, 'contacts.first'],
];

export class Run {
  readonly head: Head;
  motion: Motion | null;
  private readonly tracks: Map<string, Float64Array>;
  private readonly columnOf = new Map<number, number>(); // of the motion, by the first column of q

  /** `late`: unpacks the tracks that the first picture does not wait for. */
  constructor(head: Head, tracks: Map<string, Float64Array>, motion: Motion | null, private late: (() => Promise<Float64Array[]>) | null = null) {
    this.head = head;
    this.tracks = tracks;
    this.motion = motion;
    const moving = (head.solids?.bodies ?? []).filter(({ first }) => first >= 0);
    moving.forEach(({ first }, k) => this.columnOf.set(first, k));
  }

  /** Waits for the tracks that come late. False: there were none. */
  async readLate(): Promise<boolean> {
    const { late } = this;
    if (!late) return false;
    this.late = null;
    this.put(this.head.late ?? [], await late());
    return true;
  }

  /** Waits for everything that the page has of this run. */
  async whole(): Promise<this> {
    await this.readLate();
    await this.motion?.finished();
    return this;
  }

  private put(heads: Track[], values: Float64Array[]): void {
    values.forEach((track, i) => this.tracks.set(heads[i].name, track));
  }

  /** The same run, longer: what a page that follows it has not yet, or all of it anew. */
  grow(longer: Run): void {
    const { head, tracks, motion } = longer;
    if (!head.part) {
      this.tracks.clear();
      for (const [name, values] of tracks) this.tracks.set(name, values);
      this.motion = motion;
      Object.assign(this.head, head);
      return;
    }
    const rows = (name: string) => this.tracks.get(name)?.length ?? 0;
    const before = new Map([...tracks.keys()].map((name) => [name, rows(groups.find(([pattern]) => pattern.test(name))?.[1] ?? 'time_s')]));
    for (const [name, values] of tracks) {
      if (name === 'contacts.every') continue;
      const old = this.tracks.get(name) ?? new Float64Array(0);
      // what the page has left out from the start stays out
      if (old.length === before.get(name)) this.tracks.set(name, joined(old, values));
    }
    if (motion && this.motion) this.motion.append(motion);
    const { motion: _, notes, tracks: __, part: ___, ...changed } = head;
    Object.assign(this.head, changed, { notes: [...new Set([...this.head.notes, ...notes])] });
  }

  /** A point swept by a moving set: it has a state and rates of change, no masses and no velocities. */
  get isSweeping(): boolean {
    return isSweepingScene(this.head.scene);
  }

  /** What lengths of the picture are measured in. */
  get drawnUnit(): string {
    const units = new Set(this.head.coordinates.map(({ unit }) => unit));
    return this.isSweeping && units.size === 1 ? [...units][0] : 'm';
  }

  /** The numbers of that name; empty where they were not recorded. */
  track(name: string): Float64Array {
    return this.tracks.get(name) ?? (this.motion ? this.moved(name) : null) ?? new Float64Array(0);
  }

  /** Places of bodies that came as motion, and their rates of change between neighbouring frames. */
  private moved(name: string): Float64Array | null {
    const parts = /^([qu])\.(\d+)$/.exec(name);
    if (!parts || !this.motion) return null;
    for (const axis of [0, 1, 2]) {
      const column = this.columnOf.get(Number(parts[2]) - axis);
      if (column === undefined) continue;
      const time = this.track('time_s');
      const places = this.motion.track(column, axis, time.length);
      if (parts[1] === 'q') return places;
      return places.map((_, i) => {
        const [a, b] = [Math.max(0, i - 1), Math.min(time.length - 1, i + 1)];
        return b > a ? (places[b] - places[a]) / (time[b] - time[a]) : 0;
      });
    }
    return null;
  }

  has(name: string): boolean {
    return this.track(name).length > 0;
  }

  /** The columns NAME.0, NAME.1, ... as far as they are there. */
  columns(name: string, count: number): Float64Array[] {
    return Array.from({ length: count }, (_, i) => this.track(`${name}.${i}`));
  }
}

function joined(a: Float64Array, b: Float64Array): Float64Array {
  const all = new Float64Array(a.length + b.length);
  all.set(a);
  all.set(b, a.length);
  return all;
}

/** More text than this is unpacked in workers; for less, starting one takes longer than the work. */
const muchText = 1_000_000;

/**
 * The run of a page; with a tag, one that it is compared with or that a point opens. `from`: the page, or what a server has sent.
 * `shown`: the run that this is a part of.
 */
export async function readRun(tag = '', from: Document = document, shown: Run | null = null): Promise<Run> {
  const head = (await arrived(from, `#carom-head${tag}`))?.textContent;
  const tracks = (await arrived(from, `#carom-tracks${tag}`))?.textContent;
  if (!head || tracks === undefined || tracks === null) {
    throw new Error('this page has no data: make one with carom report RUN.h5');
  }
  const parsed = JSON.parse(head) as Head;
  // a part has the bodies of the page
  if (parsed.part && shown) parsed.solids = shown.head.solids;
  const moves = parsed.motion !== undefined && parsed.motion.blocks > 0 && parsed.solids !== undefined;
  const workers = tracks.length > muchText || moves ? new Workers() : null;
  const job = { packed: tracks.trim(), tracks: parsed.tracks };
  // both at a time, in different workers
  const values = workers ? workers.tracks(job) : unpackTracks(job);
  const motion = moves ? await motionOf(parsed, from, tag, workers) : null;
  const late = parsed.late ? lateTracks(parsed.late, from, `#carom-late${tag}`, workers) : null;
  if (!motion && !late) workers?.end();
  const named = new Map((await values).map((track, i) => [parsed.tracks[i].name, track]));
  return new Run(parsed, named, motion, late);
}

/** Asked for before the rest of the motion, whose workers end with it. */
function lateTracks(tracks: Track[], from: Document, place: string, workers: Workers | null): () => Promise<Float64Array[]> {
  return async () => {
    const job = { packed: ((await arrived(from, place))?.textContent ?? '').trim(), tracks };
    return workers ? workers.tracks(job) : unpackTracks(job);
  };
}

/** The motion of many bodies with its first frames; the others follow. */
async function motionOf(head: Head, from: Document, tag: string, workers: Workers | null): Promise<Motion | null> {
  if (!head.motion || !head.solids) return null;
  const moving = head.solids.bodies.flatMap(({ first }, body) => (first >= 0 ? [body] : []));
  const frames = head.tracks.find(({ name }) => name === 'time_s')?.rows ?? 0;
  const motion = new Motion(head.motion, head.solids.flat, moving, frames);
  const name = `.carom-motion${tag}`;
  // the page needs its text no more, unless the run can be opened again
  const again = tag.startsWith('-run-');
  const taken = (script: Element): string => {
    if (!again) script.remove();
    return script.textContent;
  };
  const first = await arrived(from, name);
  const rest = async () => {
    await arrived(from, null);
    const scripts = [...from.querySelectorAll(name)];
    return (again ? scripts.slice(1) : scripts).map(taken);
  };
  await motion.unpack(first ? taken(first) : '', rest, workers);
  return motion;
}

/**
 * An element of a page that is still being read, once it is whole: when something follows it, or at the end of the page. Null: the page
 * does not have it. Without a selector: the end of the page.
 */
export function arrived(page: Document, selector: string | null): Promise<Element | null> {
  const found = () => (selector === null ? null : page.querySelector(selector));
  const isWhole = () => page.readyState !== 'loading' || !!found()?.nextElementSibling;
  if (isWhole()) return Promise.resolve(found());
  return new Promise((done) => {
    const look = () => {
      if (!isWhole()) return;
      watch.disconnect();
      page.removeEventListener('readystatechange', look);
      done(found());
    };
    const watch = new MutationObserver(look);
    if (selector !== null) watch.observe(page, { childList: true, subtree: true });
    page.addEventListener('readystatechange', look);
  });
}

/** The other runs of the page, in their order. */
export async function readOthers(from: Document = document): Promise<Run[]> {
  const runs: Run[] = [];
  for (let i = 1; from.getElementById(`carom-head-${i}`); ++i) runs.push(await readRun(`-${i}`, from));
  for (const run of runs) await run.readLate();
  return runs;
}
