// What `carom report` puts into the page: a JSON head, and the numbers as one compressed block of bytes.
// docs/how-to/pictures.md and src/trace/page.cpp describe the same thing from the other side.

import { Motion, type MotionHead } from './motion';
import type { SolidsHead } from './solids';

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

export type Finding = { code: string; time_s: number | null; message: string; count: number };

export type Report = { status: string; end: string; certificate: Certificate; findings: Finding[] };

export type Palette = { colours: { name: string; value: string }[]; lines: number; status: Record<string, string> };

export type JointEntry = { name: string; kind: string; first: number; second: number; first_point_m: number[]; second_point_m: number[]; axis: number[] };

/** Masses (0: forces do not move the body), materials and joints of bodies. */
export type Mechanics = { gravity_m_s2: number[]; mass_kg: number[]; materials: string[]; joints: JointEntry[] };

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
  report: Report | null;
  palette: Palette;
  notes: string[];
  follow?: string; // version of a recording that still grows, from `carom view`; empty: none
  tracks: Track[];
};

export class Run {
  readonly head: Head;
  readonly motion: Motion | null;
  private readonly tracks: Map<string, Float64Array>;
  private readonly columnOf = new Map<number, number>(); // of the motion, by the first column of q

  constructor(head: Head, tracks: Map<string, Float64Array>) {
    this.head = head;
    this.tracks = tracks;
    const moving = (head.solids?.bodies ?? []).flatMap(({ first }, body) => (first >= 0 ? [{ first, body }] : []));
    moving.forEach(({ first }, k) => this.columnOf.set(first, k));
    this.motion = head.motion && head.solids ? new Motion(head.motion, head.solids.flat, moving.map(({ body }) => body)) : null;
  }

  /** A point swept by a moving set: it has a state and rates of change, no masses and no velocities. */
  get isSweeping(): boolean {
    return /^\s*\[sweeping\]/m.test(this.head.scene);
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

const bytesPerEntry = { f64: 8, f32: 4, u16: 2 } as const;

/** The largest 16-bit number means "not a number". */
const notANumber = 0xffff;

/** 16-bit numbers are differences from row to row, low bytes first, then high bytes. */
function decode16(bytes: Uint8Array, track: Track): Float64Array {
  const values = new Float64Array(track.rows);
  const unit = (track.max - track.min) / (notANumber - 1);
  let code = 0;
  for (let i = 0; i < track.rows; ++i) {
    code = (code + bytes[i] + 256 * bytes[track.rows + i]) & 0xffff;
    // the ends of the range are exact
    values[i] = code === notANumber ? NaN : code === notANumber - 1 ? track.max : track.min + code * unit;
  }
  return values;
}

export function decode(bytes: Uint8Array, tracks: Track[]): Map<string, Float64Array> {
  const result = new Map<string, Float64Array>();
  let at = 0;
  for (const track of tracks) {
    const size = track.rows * bytesPerEntry[track.as];
    if (at + size > bytes.length) throw new Error('the data of this page are cut off');
    const part = bytes.slice(at, at + size);
    at += size;
    if (track.as === 'u16') result.set(track.name, decode16(part, track));
    else if (track.as === 'f32') result.set(track.name, Float64Array.from(new Float32Array(part.buffer)));
    else result.set(track.name, new Float64Array(part.buffer));
  }
  return result;
}

async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.trim());
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** The run of a page; with a number, the one that it is compared with. `from`: the page, or one that a server has sent. */
export async function readRun(tag = '', from: Document = document): Promise<Run> {
  const head = from.getElementById(`carom-head${tag}`)?.textContent;
  const tracks = from.getElementById(`carom-tracks${tag}`)?.textContent;
  if (!head || tracks === undefined || tracks === null) {
    throw new Error('this page has no data: make one with carom report RUN.h5');
  }
  const parsed = JSON.parse(head) as Head;
  const run = new Run(parsed, decode(await inflate(fromBase64(tracks)), parsed.tracks));
  if (run.motion) {
    const scripts = [...from.querySelectorAll(`.carom-motion${tag}`)];
    const texts = scripts.map((script) => script.textContent);
    for (const script of scripts) script.remove();
    await run.motion.unpack(texts, run.track('time_s').length);
  }
  return run;
}

/** The other runs of the page, in their order. */
export async function readOthers(from: Document = document): Promise<Run[]> {
  const runs: Run[] = [];
  for (let i = 1; from.getElementById(`carom-head-${i}`); ++i) runs.push(await readRun(`-${i}`, from));
  return runs;
}
