// Joints, springs and motors of bodies as lines.

import type { JointEntry, Mechanics, SpringEntry } from './data';
import { across } from './free_body';
import { perBody, type Solids, type SolidsHead } from './solids';

type Piece = [number[], number[]];

/** What connects two bodies, as it is drawn: its ends, lines that show how it acts, and which ends are points of their own. */
export type DrawnLink = { kind: 'joint' | 'spring' | 'motor'; ends: [number[], number[]]; lines: Piece[]; points: number[][] };

/** Turns of the coil of a spring: always as many, so that it is seen how far it is stretched. */
const coils = 8;
/** Of its length, at each end, without coils. */
const straight = 0.12;

export class Links {
  private readonly shapeless: Set<number>; // bodies

  constructor(
    private readonly mechanics: Mechanics,
    head: SolidsHead,
  ) {
    const shaped = new Set(head.solids.map(({ body }) => body));
    this.shapeless = new Set(head.bodies.flatMap((_, body) => (shaped.has(body) ? [] : [body])));
  }

  get kinds(): Set<DrawnLink['kind']> {
    const { joints, springs = [] } = this.mechanics;
    const found = new Set<DrawnLink['kind']>();
    if (joints.some(({ kind }) => kind !== 'gear')) found.add('joint');
    if (springs.length > 0) found.add('spring');
    if (joints.some(({ turn_motor, slide_motor }) => turn_motor || slide_motor)) found.add('motor');
    return found;
  }

  /** All of them in a pose. `size`: of what moves. */
  at(solids: Solids, bodies: Float32Array, size: number): DrawnLink[] {
    const { joints, springs = [] } = this.mechanics;
    return [
      ...joints.filter(({ kind }) => kind !== 'gear').flatMap((joint) => this.joint(joint, solids, bodies, size)),
      ...springs.map((spring) => springBetween(endsOf(spring, solids, bodies), solids.head.flat, 0.02 * size)),
    ];
  }

  private joint(joint: JointEntry, solids: Solids, bodies: Float32Array, size: number): DrawnLink[] {
    const { kind, first, second } = joint;
    const ends = endsOf(joint, solids, bodies);
    const axis = axisOf(joint, solids, bodies);
    const lines = linesOfJoint(kind, ends, axis, [...solids.place(first, bodies)], 0.08 * size);
    const linked = kind === 'string' || kind === 'distance';
    // a body without a shape is seen by the lines to its joints
    if (!linked && second >= 0 && this.shapeless.has(second)) lines.push([[...solids.place(second, bodies)], ends[1]]);
    const drawn: DrawnLink[] = [{ kind: 'joint', ends, lines, points: linked ? ends : [ends[0]] }];
    if (joint.turn_motor) drawn.push({ kind: 'motor', ends, lines: bentArrow(ends[1], axis, 0.045 * size), points: [] });
    if (joint.slide_motor) drawn.push({ kind: 'motor', ends, lines: arrowBeside(ends[0], axis, 0.09 * size, solids.head.flat), points: [] });
    return drawn;
  }
}

/** Where the two sides are in a pose; of the world its own point. */
function endsOf({ first, second, first_point_m, second_point_m }: SpringEntry, solids: Solids, bodies: Float32Array): [number[], number[]] {
  return [solids.inWorld(first, first_point_m, bodies), second < 0 ? second_point_m : solids.inWorld(second, second_point_m, bodies)];
}

/** The direction of the axis of a joint in a pose. */
function axisOf({ first, axis }: JointEntry, solids: Solids, bodies: Float32Array): number[] {
  return solids.inWorld(first, axis, bodies).map((x, i) => x - bodies[perBody * first + i]);
}

const moved = (from: number[], way: number[], part: number): number[] => from.map((x, i) => x + part * way[i]);

function piecesOf(points: number[][]): Piece[] {
  return points.slice(1).map((point, k) => [points[k], point]);
}

/** Strings and rods between their ends; a body that hangs on a pin from its centre to it; slides along their axis. */
function linesOfJoint(kind: string, ends: [number[], number[]], axis: number[], centre: number[], reach: number): Piece[] {
  if (kind === 'string' || kind === 'distance') return [ends];
  const along = (end: number[], side: number) => moved(end, axis, side * reach);
  if (kind === 'prismatic' || kind === 'cylindrical') {
    const way = ends[0].reduce((sum, x, i) => sum + (x - ends[1][i]) * axis[i], 0);
    return [[along(ends[1], way < 0 ? 1 : -1), along(ends[0], way < 0 ? -1 : 1)]];
  }
  const lines: Piece[] = [];
  if (Math.hypot(...centre.map((x, i) => x - ends[0][i])) > reach) lines.push([centre, ends[0]]);
  if (kind === 'revolute' || kind === 'universal') lines.push([along(ends[1], -0.4), along(ends[1], 0.4)]);
  return lines;
}

/** A zigzag in the plane, a helix in space. */
function springBetween(ends: [number[], number[]], flat: boolean, radius: number): DrawnLink {
  const way = ends[1].map((x, i) => x - ends[0][i]);
  const length = Math.hypot(...way);
  const points = [ends[0]];
  if (length > 0) {
    const unit = way.map((x) => x / length);
    const [a, b] = flat ? [[-unit[1], unit[0], 0], [0, 0, 0]] : across(unit);
    const perTurn = flat ? 4 : 12;
    for (let k = 0; k <= coils * perTurn; ++k) {
      const angle = (2 * Math.PI * k) / perTurn;
      const middle = moved(ends[0], way, straight + ((1 - 2 * straight) * k) / (coils * perTurn));
      points.push(moved(moved(middle, a, radius * Math.sin(angle)), b, radius * (1 - Math.cos(angle))));
    }
  }
  return { kind: 'spring', ends, lines: piecesOf([...points, ends[1]]), points: ends };
}

/** Three quarters of a circle about an axis, with a head: a motor that turns. */
function bentArrow(centre: number[], axis: number[], radius: number): Piece[] {
  const [a, b] = across(axis);
  const at = (degrees: number, r: number) => {
    const angle = (degrees * Math.PI) / 180;
    return moved(moved(centre, a, r * Math.cos(angle)), b, r * Math.sin(angle));
  };
  const arc = Array.from({ length: 19 }, (_, k) => at(15 * k, radius));
  return [...piecesOf(arc), [arc[18], at(245, 0.72 * radius)], [arc[18], at(245, 1.28 * radius)]];
}

/** An arrow of two heads beside an axis: a motor that slides. */
function arrowBeside(point: number[], axis: number[], reach: number, flat: boolean): Piece[] {
  const side = flat ? [-axis[1], axis[0], 0] : across(axis)[0];
  const middle = moved(point, side, 0.35 * reach);
  const tips = [-1, 1].map((sign) => moved(middle, axis, sign * reach));
  const head = (tip: number[], sign: number): Piece[] => [-1, 1].map((s): Piece => [tip, moved(moved(tip, axis, -0.25 * sign * reach), side, 0.14 * s * reach)]);
  return [[tips[0], tips[1]], ...head(tips[0], -1), ...head(tips[1], 1)];
}
