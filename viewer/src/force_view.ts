import { parts, type BodyContact, type BodyContacts } from './body_contacts';
import { across, type Force, type ForceKind, type FreeBodies } from './free_body';
import type { Looks } from './looks';
import type { Cone } from './percussions';
import type { Pose } from './picture';
import type { Solids } from './solids';
import { roundBelow } from './text';

type Vector = [number, number, number];

/** An arrow in the world, or a piece of a bent one. `kind` decides its colour. */
export type Arrow = { from: number[]; way: number[]; kind: ForceKind | 'sum'; headless?: boolean };

/** A piece of a force chain: from the middle of a body to where it is pressed. */
export type Link = { from: number[]; to: number[]; part: number };

/** More contacts than this at once are a thicket of arrows: chains show them. */
export const manyContacts = 150;

/** Contact forces as they are drawn: on both partners, of bodies that move; of a picked body all forces. */
export class ForceView {
  readonly contacts: BodyContacts;
  private readonly solids: Solids;
  private readonly free: FreeBodies;
  private readonly longest: number; // m: how long a typical force is drawn

  constructor(contacts: BodyContacts, solids: Solids, free: FreeBodies, size: number) {
    this.contacts = contacts;
    this.solids = solids;
    this.free = free;
    const movers = solids.reach.filter((_, s) => solids.head.bodies[solids.head.solids[s].body].first >= 0).sort((a, b) => a - b);
    const middle = movers[Math.floor(movers.length / 2)] ?? size;
    this.longest = Math.min(0.16 * size, Math.max(1.6 * middle, 0.04 * size));
  }

  /** Metres that a newton is long. */
  scale(looks: Looks): number {
    return this.contacts.typical > 0 ? (looks.arrowScale * this.longest) / this.contacts.typical : 0;
  }

  arrows(pose: Pose, looks: Looks): Arrow[] {
    const scale = this.scale(looks);
    const found: Arrow[] = [];
    if (scale === 0 && looks.pickedBody < 0) return found;
    if (looks.pickedBody >= 0) return this.diagram(looks.pickedBody, pose.time, looks);
    if (looks.forces !== 'arrows') return found;
    const { bodies } = this.solids.head;
    this.contacts.visit(pose.time, (point, force, first, second) => {
      const way = this.shortened(force, scale);
      if (bodies[first].first >= 0) found.push({ from: [...point], way, kind: 'contact' });
      if (bodies[second].first >= 0) found.push({ from: [...point], way: way.map((x) => -x), kind: 'contact' });
    });
    return found;
  }

  /** The free-body diagram: contacts, weight, joints, loads, and what they sum to. */
  private diagram(body: number, t: number, looks: Looks): Arrow[] {
    const diagram = this.free.at(body, t);
    if (!diagram) {
      const scale = this.scale(looks);
      return this.contacts.of(body, t).map(({ point, force, first }) => ({ from: point, way: this.shortened(first === body ? force : force.map((x) => -x), scale), kind: 'contact' }));
    }
    const scale = this.diagramScale(diagram.forces, looks);
    const arrows: Arrow[] = diagram.forces.map(({ at, force, kind }) => ({ from: at, way: force.map((x) => x * scale), kind }));
    const along = diagram.massTimesAcceleration.map((x) => x * scale);
    if (Math.hypot(...along) > 0.01 * this.longest) arrows.push({ from: diagram.centre, way: along, kind: 'sum' });
    return [...arrows, ...this.couples(diagram.forces, looks)];
  }

  /** All forces of a diagram are seen whole. */
  private diagramScale(forces: Force[], looks: Looks): number {
    const largest = Math.max(...forces.map(({ force }) => Math.hypot(...force)), 1e-300);
    return Math.min(this.scale(looks) || Infinity, (2.2 * looks.arrowScale * this.longest) / largest);
  }

  /** Metres of the picture for each newton of the arrows that are shown at an instant, and whether some are cut short. */
  shownScale(t: number, looks: Looks): { scale: number; cut: boolean } {
    const diagram = looks.pickedBody >= 0 ? this.free.at(looks.pickedBody, t) : null;
    if (diagram) return { scale: this.diagramScale(diagram.forces, looks), cut: false };
    const scale = this.scale(looks);
    let cut = false;
    if (looks.forces === 'arrows') this.contacts.visit(t, (_, force) => (cut ||= Math.hypot(force[0], force[1], force[2]) * scale > longestArrow * this.longest));
    return { scale, cut };
  }

  /** A round force whose arrow is some seventy pixels long, as arrows are drawn at an instant; 0: there are none. */
  key(t: number, looks: Looks, pixelsPerMetre: number): { newton: number; pixels: number; cut: boolean } {
    const { scale, cut } = this.shownScale(t, looks);
    const shown = scale > 0 && (looks.forces === 'arrows' || looks.pickedBody >= 0);
    const newton = shown ? roundBelow(70 / pixelsPerMetre / scale) : 0;
    return Number.isFinite(newton) ? { newton, pixels: newton * scale * pixelsPerMetre, cut } : { newton: 0, pixels: 0, cut };
  }

  /** The kinds of forces on a body at an instant. */
  kindsOn(body: number, t: number): Set<ForceKind> {
    return new Set((this.free.at(body, t)?.forces ?? []).map(({ kind }) => kind));
  }

  /** The largest couple on a body, N m; 0: there is none. */
  largestCouple(body: number, t: number): number {
    return Math.max(0, ...(this.free.at(body, t)?.forces ?? []).map(({ couple }) => Math.hypot(...couple)));
  }

  /** Couples as arcs about their axes, in the sense of rotation: the longer, the larger. */
  private couples(forces: Force[], looks: Looks): Arrow[] {
    const sizes = forces.map(({ couple }) => Math.hypot(...couple));
    const largest = Math.max(0, ...sizes);
    const strongest = Math.max(...forces.map(({ force }) => Math.hypot(...force)));
    // next to the forces of a body this is rounding
    if (!(largest > 1e-6 * strongest * this.longest)) return [];
    return forces.flatMap(({ at, couple, kind }, i) => (sizes[i] > 1e-3 * largest ? arc(at, couple.map((x) => x / sizes[i]), 0.45 * looks.arrowScale * this.longest, (300 * sizes[i]) / largest, kind) : []));
  }

  /** Force chains: pieces between the centres of bodies and their contacts. */
  links(pose: Pose, looks: Looks): Link[] {
    const found: Link[] = [];
    if (looks.forces !== 'chains' || this.contacts.typical === 0) return found;
    const { bodies } = this.solids.head;
    this.contacts.visit(pose.time, (point, force, first, second) => {
      const part = Math.min(2, Math.hypot(force[0], force[1], force[2]) / this.contacts.typical);
      for (const body of [first, second]) {
        if (bodies[body].first >= 0) found.push({ from: this.solids.place(body, pose.bodies), to: [...point], part });
      }
    });
    return found;
  }

  /** How thick a link of a chain is, m. */
  thickness({ part }: Link, looks: Looks): number {
    return 0.12 * this.longest * looks.arrowScale * Math.sqrt(part);
  }

  /** The friction cones of the picked pair, around the normals of its points: of the force on the body that moves, of two on the first. */
  cones(t: number, looks: Looks, flat: boolean): Cone[] {
    if (!looks.pickedPair) return [];
    const { bodies } = this.solids.head;
    const onMover = (contact: BodyContact): BodyContact => {
      if (bodies[contact.first].first >= 0 || bodies[contact.second].first < 0) return contact;
      const opposite = (v: number[]) => v.map((x) => -x);
      return { ...contact, normal: contact.normal && opposite(contact.normal), force: opposite(contact.force) };
    };
    return this.contacts.of(looks.pickedPair[0], t, looks.pickedPair[1]).flatMap((contact) => coneOfContact(onMover(contact), flat, 1.4 * this.longest));
  }

  private shortened(force: number[], scale: number): number[] {
    const length = Math.hypot(force[0], force[1], force[2]) * scale;
    const limit = longestArrow * this.longest;
    return force.map((f) => f * scale * (length > limit ? limit / length : 1));
  }
}

/** Longer arrows are cut short: impacts are a thousand times larger than what holds a pile. In lengths of a typical one. */
const longestArrow = 2.5;

/** A bent arrow: an arc of so many degrees about an axis, with a head at its end. */
function arc(centre: number[], axis: number[], radius: number, degrees: number, kind: ForceKind): Arrow[] {
  const [a, b] = across(axis);
  const steps = Math.max(4, Math.ceil(degrees / 15));
  const end = (Math.max(40, degrees) * Math.PI) / 180;
  const point = (k: number) => centre.map((x, i) => x + radius * (Math.cos((end * k) / steps) * a[i] + Math.sin((end * k) / steps) * b[i]));
  return Array.from({ length: steps }, (_, k) => {
    const from = point(k);
    return { from, way: point(k + 1).map((x, i) => x - from[i]), kind, headless: k + 1 < steps };
  });
}

const rimPoints = 32;

/** The cone K_mu of a contact of bodies, and its force on the same scale. */
function coneOfContact(contact: BodyContact, flat: boolean, size: number): Cone[] {
  const { normal, mu, point, status } = contact;
  if (!normal || mu === null) return [];
  const [t1, t2] = flat ? [[normal[1], -normal[0], 0], [0, 0, 0]] : across(normal);
  const height = size / Math.hypot(1, mu);
  const rimAt = (c: number, s: number): Vector => [0, 1, 2].map((i) => point[i] + height * (normal[i] + mu * (c * t1[i] + s * t2[i]))) as Vector;
  const rim = flat ? [rimAt(-1, 0), rimAt(1, 0)] : Array.from({ length: rimPoints }, (_, k) => rimAt(Math.cos((2 * Math.PI * k) / rimPoints), Math.sin((2 * Math.PI * k) / rimPoints)));
  const { n } = parts(contact);
  const percussion = n > 0 ? (contact.force.map((f) => (f * height) / n) as Vector) : null;
  return [{ apex: point as Vector, rim: mu > 0 ? rim : [], percussion, status }];
}
