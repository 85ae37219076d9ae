import { BodyContacts, type BodyContact } from './body_contacts';
import type { Run } from './data';
import { perBody, type Solids } from './solids';

export type Vector = [number, number, number];

/** One force on a body: what exerts it, where it acts, and how strong it is, N. */
export type Force = { name: string; kind: 'contact' | 'weight' | 'joint' | 'load'; at: number[] | null; force: number[]; contact?: BodyContact };

/** All forces on a body in the step that a frame lies in, and what they make of it. */
export type FreeBody = {
  forces: Force[];
  sum: number[]; // N
  massTimesAcceleration: number[]; // N, from the change of its velocity, which is recorded apart
  moment: number[]; // N m about the centre of mass, of the forces that have a place
};

const scaled = (v: number[], s: number): number[] => v.map((x) => x * s);
const sum = (list: number[][]): number[] => list.reduce((a, b) => a.map((x, i) => x + b[i]), [0, 0, 0]);
export const cross = (a: number[], b: number[]): number[] => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

/** Free-body diagrams: m dv/h = contacts + weight + loads + joints, each recorded by itself. */
export class FreeBodies {
  private readonly run: Run;
  private readonly contacts: BodyContacts;
  private readonly solids: Solids;
  private readonly column: number[]; // per body: its place among those that move, -1: it does not

  constructor(run: Run, contacts: BodyContacts, solids: Solids) {
    this.run = run;
    this.contacts = contacts;
    this.solids = solids;
    let next = 0;
    this.column = solids.head.bodies.map(({ first }) => (first >= 0 ? next++ : -1));
  }

  /** Forces move the body, and they were recorded. */
  has(body: number): boolean {
    return (this.run.head.mechanics?.mass_kg[body] ?? 0) > 0 && this.run.has(`velocity_change_m_s.${3 * this.column[body]}`);
  }

  /** Null at the start, where no step has been taken, and for bodies without a diagram. */
  at(body: number, t: number): FreeBody | null {
    const frame = this.contacts.frame(t);
    const h = this.contacts.stepOf(frame);
    const mechanics = this.run.head.mechanics;
    if (!mechanics || !this.has(body) || !(h > 0)) return null;
    const { names = [] } = this.solids.head;
    const forces: Force[] = this.contacts.of(body, t).map((contact) => ({
      name: names[contact.first === body ? contact.second : contact.first] ?? '',
      kind: 'contact',
      at: contact.point,
      force: contact.first === body ? contact.force : scaled(contact.force, -1),
      contact,
    }));
    const mass = mechanics.mass_kg[body];
    const bodies = this.solids.row(frame);
    const centre = this.solids.place(body, bodies);
    if (mechanics.gravity_m_s2.some((g) => g !== 0)) forces.push({ name: 'weight', kind: 'weight', at: [...centre], force: scaled(mechanics.gravity_m_s2, mass) });
    const joints = this.joints(body, frame, h, bodies);
    forces.push(...joints, ...this.loads(body, frame, centre));
    const massTimesAcceleration = scaled(this.vector('velocity_change_m_s', this.column[body], frame), mass / h);
    // at the end of a step velocities are brought back onto the joints: of order h, and not recorded by itself
    if (joints.length > 0) {
      const known = sum(forces.map(({ force }) => force));
      forces.push({ name: 'back onto the joints', kind: 'joint', at: null, force: massTimesAcceleration.map((x, i) => x - known[i]) });
    }
    return {
      forces,
      sum: sum(forces.map(({ force }) => force)),
      massTimesAcceleration,
      moment: sum(forces.flatMap(({ at, force }) => (at ? [cross(at.map((x, i) => x - centre[i]), force)] : []))),
    };
  }

  private joints(body: number, frame: number, h: number, bodies: Float32Array): Force[] {
    const joints = this.run.head.mechanics?.joints ?? [];
    return joints.flatMap((joint, j) => {
      const sign = joint.first === body ? 1 : joint.second === body ? -1 : 0;
      if (sign === 0 || !this.run.has(`joint_percussion_Ns.${3 * j}`)) return [];
      const force = scaled(this.vector('joint_percussion_Ns', j, frame), sign / h);
      const at = this.solids.inWorld(body, sign > 0 ? joint.first_point_m : joint.second_point_m, bodies);
      return [{ name: joint.name || joint.kind, kind: 'joint' as const, at, force }];
    });
  }

  private loads(body: number, frame: number, centre: number[]): Force[] {
    if (!this.run.has('load_N.0')) return [];
    const force = this.vector('load_N', this.column[body], frame);
    return force.some((x) => x !== 0) ? [{ name: 'springs, dampers, given forces', kind: 'load', at: [...centre], force }] : [];
  }

  private vector(name: string, k: number, frame: number): number[] {
    return [0, 1, 2].map((axis) => this.run.track(`${name}.${3 * k + axis}`)[frame] ?? 0);
  }
}

/** Where the two sides of a joint are in a pose; of the world its own point. */
export function jointEnds(run: Run, solids: Solids, joint: number, bodies: Float32Array): [number[], number[]] {
  const { first, second, first_point_m, second_point_m } = run.head.mechanics!.joints[joint];
  return [solids.inWorld(first, first_point_m, bodies), second < 0 ? second_point_m : solids.inWorld(second, second_point_m, bodies)];
}

/** The direction of the axis of a joint in a pose. */
export function jointAxis(run: Run, solids: Solids, joint: number, bodies: Float32Array): number[] {
  const { first, axis } = run.head.mechanics!.joints[joint];
  const at = solids.inWorld(first, axis, bodies);
  return at.map((x, i) => x - bodies[perBody * first + i]);
}
