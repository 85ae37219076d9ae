import { BodyContacts } from './body_contacts';
import type { DrawEntry, Run } from './data';
import { ForceView, manyContacts } from './force_view';
import { FreeBodies } from './free_body';
import { Links, type DrawnLink } from './body_links';
import { BodyColours, Looks } from './looks';
import { Solids } from './solids';
import type { Timeline } from './timeline';

/** What one instant looks like; stages draw it. */
export type Pose = {
  values: Float32Array; // the columns of all entries at this instant
  row: number; // last row of the timeline before it
  time: number;
  glow_s: number; // how long impacts are shown
  bodies: Float32Array; // places and turns of all bodies
};

const noBodies = new Float32Array(0);

/** The drawn things of a run over time. Rows are kept together, so that one instant is one run through memory. */
export class Picture {
  readonly entries: DrawEntry[];
  readonly solids: Solids | null;
  readonly contacts: BodyContacts; // of bodies
  readonly looks = new Looks();
  readonly forces: ForceView | null; // of bodies
  readonly bodyColours: BodyColours | null;
  readonly others: Picture[] = []; // of runs that are compared, drawn faintly
  readonly free: FreeBodies | null;
  readonly width: number; // numbers per row
  readonly rows: Float32Array;
  readonly all = new Bounds(); // of everything that is ever shown
  readonly moving = new Bounds(); // of what moves or could move, over the whole run; where nothing does, of everything
  private readonly movers = new Set<DrawEntry>();
  readonly links: Links | null; // of bodies
  private readonly run: Run;
  private readonly timeline: Timeline;
  private readonly now: Float32Array;

  constructor(run: Run, timeline: Timeline) {
    this.run = run;
    this.timeline = timeline;
    this.entries = run.head.draw;
    this.solids = run.head.solids ? new Solids(run, timeline, run.head.solids) : null;
    this.links = run.head.solids && run.head.mechanics ? new Links(run.head.mechanics, run.head.solids) : null;
    this.contacts = new BodyContacts(run);
    this.width = this.entries.reduce((n, e) => Math.max(n, e.first + e.points * e.dimension, e.radius + 1, e.normal < 0 ? 0 : e.normal + e.dimension, (e.tangent ?? -1) < 0 ? 0 : e.tangent! + e.dimension), 0);
    this.now = new Float32Array(this.width);
    this.rows = new Float32Array(this.width * timeline.time.length);
    for (let k = 0; k < this.width; ++k) {
      const struck = run.track(`jumps.draw.${k}`);
      const values = timeline.merged(run.track(`draw.${k}`), struck, struck);
      for (let i = 0; i < values.length; ++i) this.rows[i * this.width + k] = values[i];
    }
    this.measure();
    const { solids, contacts } = this;
    this.free = solids ? new FreeBodies(run, contacts, solids) : null;
    this.forces = solids && this.free ? new ForceView(contacts, solids, this.free, this.moving.size) : null;
    this.bodyColours = solids ? new BodyColours(run, solids, contacts) : null;
    this.chooseForces();
  }

  private chooseForces(): void {
    if (this.contacts.most > manyContacts) this.looks.forces = 'chains';
  }

  /** Also shows another run, and keeps room for it, unless it flies so far that this one would be a dot. */
  compareWith(other: Picture): void {
    this.others.push(other);
    if (other.moving.size > 4 * this.moving.size) return;
    for (const name of ['all', 'moving'] as const) for (const corner of [other[name].low, other[name].high]) this[name].grow(corner, 0);
  }

  /** Contacts have come after the first picture. */
  contactsCame(): void {
    Object.assign(this.contacts, new BodyContacts(this.run));
    this.chooseForces();
  }

  /** The run has grown: what is known of it is found again, what the reader has set stays. */
  grow(): void {
    const fresh = new Picture(this.run, this.timeline);
    const kept = ['solids', 'contacts', 'free', 'forces', 'bodyColours'] as const;
    for (const name of kept) if (this[name] && fresh[name]) Object.assign(this[name], fresh[name]);
    const { looks, others, solids, contacts, free, forces, bodyColours } = this;
    Object.assign(this, fresh, { looks, others, solids, contacts, free, forces, bodyColours });
  }

  /** Joints, springs and motors as they are drawn. */
  drawnLinks(bodies: Float32Array): DrawnLink[] {
    return this.links && this.solids ? this.links.at(this.solids, bodies, this.moving.size) : [];
  }

  /** The way of a body's centre up to a row. */
  trail(body: number, row: number): number[][] {
    const places: number[][] = [];
    const { solids } = this;
    if (!solids) return places;
    const stride = Math.max(1, Math.ceil(row / 2000));
    for (let i = 0; i <= row; i += stride) places.push([...solids.place(body, solids.row(i))]);
    return places;
  }

  /** Whose ways are drawn: the picked body's, else of all that move, as long as they are few. */
  get trailed(): number[] {
    const { solids, looks } = this;
    if (!solids || !looks.traces) return [];
    const movers = solids.head.bodies.flatMap(({ first }, b) => (first >= 0 ? [b] : []));
    return looks.pickedBody >= 0 ? [looks.pickedBody] : movers.slice(0, 64);
  }

  get spatial(): boolean {
    if (this.solids) return !this.solids.head.flat;
    return this.entries.some((entry) => entry.dimension === 3);
  }

  get unit(): string {
    return this.run.drawnUnit;
  }

  /** There is nothing to be seen. */
  get empty(): boolean {
    return this.entries.length === 0 && !this.solids;
  }

  /** The longest side of what is ever shown. */
  get size(): number {
    return this.all.size;
  }

  /** Straight between two rows; at an impact there are two rows of the same instant, and the second counts. */
  at(t: number, glow_s: number): Pose {
    const { time } = this.timeline;
    const row = this.timeline.row(t);
    const next = Math.min(row + 1, time.length - 1);
    const span = time[next] - time[row];
    const part = span > 0 ? Math.min(1, Math.max(0, (t - time[row]) / span)) : 0;
    const from = row * this.width;
    const to = next * this.width;
    for (let k = 0; k < this.width; ++k) {
      const a = this.rows[from + k];
      this.now[k] = a + part * (this.rows[to + k] - a);
    }
    return { values: this.now, row, time: t, glow_s, bodies: this.solids ? this.solids.at(row, next, part) : noBodies };
  }

  /** Where what is followed is in a pose: a body, or for -1 the middle of all that move. */
  followedPlace(pose: Pose, body: number): number[] | null {
    const places: number[][] = [];
    if (this.solids) {
      const { head } = this.solids;
      head.bodies.forEach((entry, b) => {
        if (body === b || (body < 0 && entry.first >= 0)) places.push(this.solids!.place(b, pose.bodies));
      });
    } else {
      for (const entry of this.entries) {
        if (this.movers.has(entry)) places.push([0, 1, 2].map((axis) => (axis < entry.dimension ? pose.values[entry.first + axis] : 0)));
      }
    }
    if (places.length === 0) return null;
    return [0, 1, 2].map((axis) => places.reduce((sum, place) => sum + place[axis], 0) / places.length);
  }

  private measure(): void {
    this.solids?.measure((place, reach, moves) => this.include(place, reach, moves));
    // what bodies hang on is seen with them
    if (this.solids) for (const { ends } of this.drawnLinks(this.solids.row(0))) for (const end of ends) this.include(end, 0, true);
    for (const entry of this.entries) {
      const moves = this.varies(entry);
      if (moves && entry.kind !== 'trace') this.movers.add(entry);
      for (let i = 0; i < this.timeline.time.length; ++i) {
        const row = i * this.width;
        const radius = entry.radius < 0 ? 0 : Math.abs(this.rows[row + entry.radius]);
        for (let p = 0; p < entry.points; ++p) this.enclose(entry, row + entry.first + p * entry.dimension, radius, moves);
      }
    }
    this.all.close();
    if (this.moving.empty) this.moving.grow(this.all.low, 0).grow(this.all.high, 0);
  }

  /** Something that is drawn elsewhere at another instant. */
  private varies(entry: DrawEntry): boolean {
    const { rows, width } = this;
    for (let k = entry.first; k < entry.first + entry.points * entry.dimension; ++k) {
      for (let at = k; at < rows.length; at += width) if (rows[at] !== rows[k]) return true;
    }
    return false;
  }

  private include(place: number[], reach: number, moves: boolean): void {
    this.all.grow(place, reach);
    if (moves) this.moving.grow(place, reach);
  }

  private enclose(entry: DrawEntry, at: number, radius: number, moves: boolean): void {
    this.include([0, 1, 2].map((axis) => (axis < entry.dimension ? this.rows[at + axis] : 0)), radius, moves);
  }
}

/** A box along the axes that grows with what is put into it. */
export class Bounds {
  readonly low = [Infinity, Infinity, Infinity];
  readonly high = [-Infinity, -Infinity, -Infinity];

  get empty(): boolean {
    return !(this.low[0] <= this.high[0]);
  }

  /** The longest side. */
  get size(): number {
    return Math.max(1e-9, ...this.high.map((h, i) => h - this.low[i]));
  }

  get centre(): number[] {
    return this.low.map((x, i) => (x + this.high[i]) / 2);
  }

  get corners(): number[][] {
    const ends = [this.low, this.high];
    return Array.from({ length: 8 }, (_, k) => [ends[k & 1][0], ends[(k >> 1) & 1][1], ends[(k >> 2) & 1][2]]);
  }

  grow(place: number[], reach: number): this {
    place.forEach((x, axis) => {
      if (!Number.isFinite(x) || !Number.isFinite(reach)) return;
      this.low[axis] = Math.min(this.low[axis], x - reach);
      this.high[axis] = Math.max(this.high[axis], x + reach);
    });
    return this;
  }

  /** Where nothing was put in, the origin. */
  close(): void {
    for (const axis of [0, 1, 2]) {
      if (!(this.low[axis] <= this.high[axis])) this.low[axis] = this.high[axis] = 0;
    }
  }
}

export interface Stage {
  readonly kind: 'canvas' | 'webgl';
  readonly element: HTMLElement;
  /** Puts the pose in place, without drawing: what a frame costs the script. */
  place(pose: Pose): void;
  draw(): void;
  resize(): void;
  fit(): void;
  zoom(factor: number): void;
  turn(azimuth: number, elevation: number): void;
  /** Looks at what is drawn at this place of the window from now on: the thing there becomes the centre, and is followed. */
  centreAt(clientX: number, clientY: number): void;
  /** Keeps what is in the centre there while it moves. */
  follow(on: boolean): void;
  /** Shows the friction cone of this contact from now on; -1: of none. */
  pick(contact: number): void;
  /** The drawn contact at this place of the window; -1: there is none. */
  contactAt(clientX: number, clientY: number): number;
  /** Where a point of the world is drawn, in pixels of the stage. */
  project(x: number, y: number, z: number): [number, number];
  /** The body at this place of the window; -1: there is none. */
  bodyAt(clientX: number, clientY: number): number;
  /** The point of the world that is drawn at this place of the window; null: nothing is. */
  pointAt(clientX: number, clientY: number): number[] | null;
  /** Metres that a square of the grid is wide; left out: there is no grid. */
  readonly square?: number;
  /** Pixels that a metre in the middle of the stage is long. */
  readonly pixelsPerMetre: number;
  /** Where the eye is, as numbers that `look` takes. */
  view(): number[];
  look(view: number[]): void;
  /** From this direction, degrees; the whole picture is seen. */
  lookFrom(azimuth: number, elevation: number): void;
  paint(): void;
  /** The picture has more rows now. */
  grow(): void;
  /** Gives back what the browser has few of. */
  dispose(): void;
}

/** Directions to look from: azimuth, elevation in degrees. Without turning, the eye is in front, at negative y. */
export const presets: Record<string, [number, number]> = {
  front: [0, 0],
  right: [90, 0],
  back: [180, 0],
  left: [-90, 0],
  top: [0, 89.9],
  bottom: [0, -89.9],
  iso: [26.6, 22.4],
};

/** How near to a drawn contact a press must be to pick it, in pixels. */
export const pickReach = 22;

/** What the wheel turns and fingers spread, as a factor of size; `act` also gets the place of the window that stays where it is. */
export function onZoom(element: HTMLElement, act: (factor: number, clientX: number, clientY: number) => void): void {
  element.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      // lines and pages count as so many pixels; a pinch on a touchpad arrives as a wheel with ctrl, in finer steps
      const pixels = event.deltaY * [1, 16, 400][event.deltaMode];
      act(Math.exp(-pixels * (event.ctrlKey ? 0.01 : 0.0015)), event.clientX, event.clientY);
    },
    { passive: false },
  );
  const fingers = new Map<number, PointerEvent>();
  const gone = (event: PointerEvent) => fingers.delete(event.pointerId);
  element.addEventListener('pointerdown', (event) => event.pointerType === 'touch' && fingers.set(event.pointerId, event));
  for (const end of ['pointerup', 'pointercancel', 'pointerleave'] as const) element.addEventListener(end, gone);
  element.addEventListener('pointermove', (event) => {
    if (!fingers.has(event.pointerId)) return;
    const spread = () => {
      const [a, b] = [...fingers.values()];
      return { length: Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY), x: (a.clientX + b.clientX) / 2, y: (a.clientY + b.clientY) / 2 };
    };
    const before = fingers.size === 2 ? spread() : null;
    fingers.set(event.pointerId, event);
    const after = before ? spread() : null;
    if (before && after && before.length > 0) act(after.length / before.length, after.x, after.y);
  });
}

/** Tells presses from drags. */
export function onPress(element: HTMLElement, act: (event: PointerEvent) => void): void {
  let from = [0, 0];
  element.addEventListener('pointerdown', (event) => (from = [event.clientX, event.clientY]));
  element.addEventListener('pointerup', (event) => {
    if (Math.hypot(event.clientX - from[0], event.clientY - from[1]) < 5) act(event);
  });
}

/** The nearest of some places on the screen, as far as it is near enough. */
export function nearest(places: { contact: number; x: number; y: number }[], x: number, y: number): number {
  let best = -1;
  let reach = pickReach;
  for (const place of places) {
    const distance = Math.hypot(place.x - x, place.y - y);
    if (distance < reach) [best, reach] = [place.contact, distance];
  }
  return best;
}
