import type { BodyContacts } from './body_contacts';
import type { Colours } from './colours';
import type { Run } from './data';
import type { Pose } from './picture';
import type { Solids } from './solids';
import type { Status } from './statuses';

export type ForceLook = 'arrows' | 'chains' | 'none';
export type ColourBy = 'own' | 'speed' | 'force' | 'status' | 'material' | 'residual';

export const forceWords: Record<ForceLook, string> = { arrows: 'as arrows', chains: 'as chains', none: 'not shown' };
export const colourWords: Record<ColourBy, string> = {
  own: 'scene',
  speed: 'speed',
  force: 'contact force',
  status: 'contact status',
  material: 'material',
  residual: 'residual',
};

/** How the reader wants bodies to be shown. */
export class Looks {
  forces: ForceLook = 'arrows';
  colourBy: ColourBy = 'own';
  arrowScale = 1;
  savedViews: number[][] = []; // of the stage
  transparent = false;
  ghost = false; // of the start
  traces = false;
  cut: { axis: 0 | 1 | 2; part: number } | null = null; // only what is below this part of the picture along the axis
  measured: number[][] = []; // points of the world, between which the reader measures
  pickedBody = -1;
  pickedPair: [number, number] | null = null;
}

/** Dark blue over green to yellow: also told apart in grey, and by those who see few colours. */
const ramp = [
  [68, 1, 84],
  [59, 82, 139],
  [33, 145, 140],
  [94, 201, 98],
  [253, 231, 37],
];

/** In 128 steps, which nobody sees: as many colours to be read, however many bodies there are. */
export function rampColour(part: number): string {
  const x = (Math.round(128 * Math.min(1, Math.max(0, Number.isFinite(part) ? part : 0))) / 128) * (ramp.length - 1);
  const i = Math.min(ramp.length - 2, Math.floor(x));
  const mix = ramp[i].map((a, k) => Math.round(a + (x - i) * (ramp[i + 1][k] - a)));
  return `rgb(${mix.join(',')})`;
}

export const rampStops = [0, 0.25, 0.5, 0.75, 1];

/** Which colour each body has, by what the reader wants to see. */
export class BodyColours {
  private readonly run: Run;
  private readonly solids: Solids;
  private readonly contacts: BodyContacts;
  private readonly time: Float64Array;
  private topSpeed_ = -1;
  private residuals_: [number, number] | null | undefined;

  constructor(run: Run, solids: Solids, contacts: BodyContacts) {
    this.run = run;
    this.solids = solids;
    this.contacts = contacts;
    this.time = run.track('time_s');
  }

  get materials(): string[] {
    return [...new Set(this.run.head.mechanics?.materials ?? [])];
  }

  /** Powers of ten of the smallest and the largest residual of a contact in the run; null: none were recorded. */
  get residuals(): [number, number] | null {
    if (this.residuals_ !== undefined) return this.residuals_;
    let [low, high] = [Infinity, -Infinity];
    for (const x of this.contacts.residual) {
      if (!(x > 0)) continue;
      low = Math.min(low, Math.log10(x));
      high = Math.max(high, Math.log10(x));
    }
    // below rounding nothing is to be told apart
    return (this.residuals_ = low <= high ? [Math.max(-17, Math.floor(low)), Math.max(-16, Math.ceil(high))] : null);
  }

  /** What the bright end of the scale stands for. */
  top(by: ColourBy): number {
    return by === 'speed' ? this.topSpeed : by === 'force' ? 2 * this.contacts.typical : 0;
  }

  /** One colour per body; null: it keeps its own. */
  at(by: ColourBy, pose: Pose, colours: Colours): (string | null)[] | null {
    if (by === 'own') return null;
    const { bodies } = this.solids.head;
    if (by === 'material') {
      const all = this.materials;
      return bodies.map((_, b) => colours.line(all.indexOf(this.run.head.mechanics?.materials[b] ?? '')));
    }
    if (by === 'status') return this.statuses(pose.time).map((status) => (status ? colours.status(status) : null));
    if (by === 'residual') return this.byResidual(pose.time);
    const values = by === 'speed' ? this.speeds(pose) : this.pressing(pose.time);
    const top = this.top(by);
    return bodies.map(({ first }, b) => (first < 0 ? null : rampColour(top > 0 ? values[b] / top : 0)));
  }

  speeds(pose: Pose): Float32Array {
    const next = Math.min(pose.row + 1, this.time.length - 1);
    return this.solids.speeds(pose.row, this.time[next] - this.time[pose.row]);
  }

  /** The largest contact force on each body, N. */
  private pressing(t: number): Float32Array {
    const force = new Float32Array(this.solids.head.bodies.length);
    this.contacts.visit(t, (_, f, first, second) => {
      const size = Math.hypot(f[0], f[1], f[2]);
      force[first] = Math.max(force[first], size);
      force[second] = Math.max(force[second], size);
    });
    return force;
  }

  /** By the worst contact of a body; those that nothing touches keep their own colour. */
  private byResidual(t: number): (string | null)[] {
    const worst: (number | null)[] = this.solids.head.bodies.map(() => null);
    this.contacts.visit(t, (_, __, first, second, row) => {
      const residual = this.contacts.residual[row];
      if (Number.isNaN(residual)) return;
      for (const body of [first, second]) worst[body] = Math.max(worst[body] ?? 0, residual);
    });
    const [low, high] = this.residuals ?? [-17, -16];
    return worst.map((x, b) => (x === null || this.solids.head.bodies[b].first < 0 ? null : rampColour((Math.log10(Math.max(x, 1e-300)) - low) / (high - low))));
  }

  /** Of the contacts of a body the most lively: an impact, then slip, then stick; open where nothing touches it. */
  private statuses(t: number): (Status | null)[] {
    const order: Status[] = ['open', 'closed', 'stick', 'slip', 'impact'];
    const frame = this.contacts.frame(t);
    const found: (Status | null)[] = this.solids.head.bodies.map(({ first }) => (first < 0 ? null : 'open'));
    this.contacts.visit(t, (_, __, first, second, row) => {
      const { status } = this.contacts.contact(row, frame);
      for (const body of [first, second]) {
        const known = found[body];
        if (known && order.indexOf(status) > order.indexOf(known)) found[body] = status;
      }
    });
    return found;
  }

  private get topSpeed(): number {
    if (this.topSpeed_ >= 0) return this.topSpeed_;
    const told = this.run.track('speeds.0');
    let top = 0;
    if (told.length > 0) top = told.reduce((a, b) => Math.max(a, b), 0);
    else for (let row = 0; row + 1 < this.time.length; ++row) for (const v of this.solids.speeds(row, this.time[row + 1] - this.time[row])) top = Math.max(top, v);
    return (this.topSpeed_ = top);
  }
}
