import { BodyContacts, type BodyContact } from './body_contacts';
import type { Run } from './data';
import type { Solids } from './solids';

export type Vector = [number, number, number];

export type ForceKind = 'contact' | 'weight' | 'joint' | 'load' | 'constraint';

/** One force on a body: its source, its point of application, its components in N, and a couple that comes with it in N m. */
export type Force = { name: string; kind: ForceKind; at: number[]; force: number[]; couple: number[]; contact?: BodyContact };

/** All forces on a body in the step that contains a frame, and the motion that they cause. */
export type FreeBody = {
  centre: number[]; // centre of mass halfway through the step, where moments are taken
  forces: Force[];
  sum: number[]; // N
  massTimesAcceleration: number[]; // N, from the change of velocity, which is recorded separately
  moment: number[]; // N m about the centre
  spinRate: number[] | null; // N m, rate of change of the angular momentum, recorded separately; null: not recorded
};

const zero = [0, 0, 0];
const scaled = (v: number[], s: number): number[] => v.map((x) => x * s);
const sum = (list: number[][]): number[] => list.reduce((a, b) => a.map((x, i) => x + b[i]), zero);
export const cross = (a: number[], b: number[]): number[] => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

/** Two unit vectors at right angles to a third: the three are right-handed. */
export function across(normal: number[]): [number[], number[]] {
  const helper = Math.abs(normal[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0];
  const along = helper.reduce((sum, x, i) => sum + x * normal[i], 0);
  const raw = helper.map((x, i) => x - along * normal[i]);
  const length = Math.hypot(...raw);
  const t1 = raw.map((x) => x / length);
  return [t1, cross(normal, t1)];
}

/** Moment of a force about a point. */
export const momentAbout = (centre: number[], { at, force, couple }: Force): number[] => sum([cross(at.map((x, i) => x - centre[i]), force), couple]);

/** Free-body diagrams: contacts + weight + loads + constraints + joints = m dv/h, each recorded separately (BO-25). */
export class FreeBodies {
  private readonly run: Run;
  private readonly contacts: BodyContacts;
  private readonly solids: Solids;
  private readonly column: number[]; // per body: its number among those that move, -1: it does not

  constructor(run: Run, contacts: BodyContacts, solids: Solids) {
    this.run = run;
    this.contacts = contacts;
    this.solids = solids;
    let next = 0;
    this.column = solids.head.bodies.map(({ first }) => (first >= 0 ? next++ : -1));
  }

  /** The body is moved by forces, and they were recorded. */
  has(body: number): boolean {
    return (this.run.head.mechanics?.mass_kg[body] ?? 0) > 0 && this.run.has(`velocity_change_m_s.${3 * this.column[body]}`);
  }

  /** Null at the start, where no step has been taken, and for bodies without a diagram. */
  at(body: number, t: number): FreeBody | null {
    const frame = this.contacts.frame(t);
    const h = this.contacts.stepOf(frame);
    const mechanics = this.run.head.mechanics;
    if (!mechanics || !this.has(body) || !(h > 0)) return null;
    const mass = mechanics.mass_kg[body];
    const k = this.column[body];
    const bodies = this.solids.row(frame);
    const centre = this.vector('half_way_m', k, frame) ?? [...this.solids.place(body, bodies)];
    const forces = [...this.touching(body, t, h), ...this.applied(body, frame, h, centre), ...this.joints(body, frame, h, bodies)];
    const spin = this.vector('spin_change_Nms', k, frame);
    return {
      centre,
      forces,
      sum: sum(forces.map(({ force }) => force)),
      massTimesAcceleration: scaled(this.vector('velocity_change_m_s', k, frame) ?? zero, mass / h),
      moment: sum(forces.map((force) => momentAbout(centre, force))),
      spinRate: spin && scaled(spin, 1 / h),
    };
  }

  private touching(body: number, t: number, h: number): Force[] {
    const { names = [] } = this.solids.head;
    return this.contacts.of(body, t).map((contact) => {
      const sign = contact.first === body ? 1 : -1;
      const other = sign > 0 ? contact.second : contact.first;
      return { name: names[other] ?? '', kind: 'contact', at: contact.point, force: scaled(contact.force, sign), couple: scaled(contact.moment, sign / h), contact };
    });
  }

  /** Weight, loads, and what gears and formulas do. */
  private applied(body: number, frame: number, h: number, centre: number[]): Force[] {
    const { gravity_m_s2, mass_kg } = this.run.head.mechanics!;
    const k = this.column[body];
    const given: Force[] = [
      { name: 'weight', kind: 'weight', at: centre, force: scaled(gravity_m_s2, mass_kg[body]), couple: zero },
      { name: 'springs, dampers, applied forces', kind: 'load', at: centre, force: this.vector('load_N', k, frame) ?? zero, couple: this.vector('load_torque_Nm', k, frame) ?? zero },
      {
        name: 'gears and formulas',
        kind: 'constraint',
        at: centre,
        force: scaled(this.vector('constraint_Ns', k, frame) ?? zero, 1 / h),
        couple: scaled(this.vector('constraint_moment_Nms', k, frame) ?? zero, 1 / h),
      },
    ];
    return given.filter(({ force, couple }) => [...force, ...couple].some((x) => x !== 0));
  }

  /** What a gear does is recorded per body. */
  private joints(body: number, frame: number, h: number, bodies: Float32Array): Force[] {
    const joints = this.run.head.mechanics?.joints ?? [];
    return joints.flatMap((joint, j) => {
      const sign = joint.first === body ? 1 : joint.second === body ? -1 : 0;
      const percussion = this.vector('joint_percussion_Ns', j, frame);
      if (sign === 0 || !percussion || joint.kind === 'gear') return [];
      // moments are about the point of the first body; along a string or rod either end will do
      const linked = joint.kind === 'string' || joint.kind === 'distance';
      const at = linked && sign < 0 ? this.solids.inWorld(body, joint.second_point_m, bodies) : this.solids.inWorld(joint.first, joint.first_point_m, bodies);
      const moment = this.vector('joint_moment_Nms', j, frame) ?? zero;
      return [{ name: joint.name || joint.kind, kind: 'joint' as const, at, force: scaled(percussion, sign / h), couple: scaled(moment, sign / h) }];
    });
  }

  /** Null where it was not recorded. */
  private vector(name: string, k: number, frame: number): number[] | null {
    if (!this.run.has(`${name}.${3 * k}`)) return null;
    return [0, 1, 2].map((axis) => this.run.track(`${name}.${3 * k + axis}`)[frame] ?? 0);
  }
}
