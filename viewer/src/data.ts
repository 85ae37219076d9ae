// What `carom report` puts into the page: a JSON head, and the numbers as one compressed block of bytes.
// docs/how-to/pictures.md and src/trace/page.cpp describe the same thing from the other side.

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

export type Head = {
  format: string;
  version: number;
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
  event_names: string[]; // by events.contact: contacts, then constraints
  friction?: ConeEntry[];
  draw: DrawEntry[];
  solids?: SolidsHead; // of a run of bodies
  report: Report | null;
  palette: Palette;
  notes: string[];
  follow?: string; // version of a recording that still grows, from `carom view`; empty: none
  tracks: Track[];
};

export class Run {
  readonly head: Head;
  private readonly tracks: Map<string, Float64Array>;

  constructor(head: Head, tracks: Map<string, Float64Array>) {
    this.head = head;
    this.tracks = tracks;
  }

  /** The numbers of that name; empty where they were not recorded. */
  track(name: string): Float64Array {
    return this.tracks.get(name) ?? new Float64Array(0);
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

export async function readRun(): Promise<Run> {
  const head = document.getElementById('carom-head')?.textContent;
  const tracks = document.getElementById('carom-tracks')?.textContent;
  if (!head || tracks === undefined || tracks === null) {
    throw new Error('this page has no data: make one with carom report RUN.h5');
  }
  const parsed = JSON.parse(head) as Head;
  return new Run(parsed, decode(await inflate(fromBase64(tracks)), parsed.tracks));
}
