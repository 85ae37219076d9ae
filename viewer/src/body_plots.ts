import type { BodyContacts } from './body_contacts';
import type { Run } from './data';
import type { Panel } from './plots';
import { turn } from './solids';
import { counted } from './text';

/** A body that can move: its name, and the first of its columns of q. */
type Mover = { name: string; body: number; first: number };

/** More bodies than this have no lines of their own: how they are distributed is shown instead. */
const ownLines = 8;

/** So many bodies can be plotted side by side. */
export const maxPlotted = 6;

export function movingBodies(run: Run): Mover[] {
  const solids = run.head.solids;
  if (!solids) return [];
  return solids.bodies.flatMap(({ first }, body) => {
    // the first coordinate of a body is NAME_x
    const name = solids.names?.[body] ?? run.head.coordinates[first]?.name.replace(/_x$/, '') ?? `body ${body + 1}`;
    return first < 0 ? [] : [{ name, body, first }];
  });
}

function speedOf(run: Run, { first }: Mover): Float64Array {
  const u = [0, 1, ...(run.head.solids?.flat ? [] : [2])].map((k) => run.track(`u.${first + k}`));
  return u[0].map((_, i) => Math.hypot(...u.map((column) => column[i])));
}

/** Angular velocity in the axes of the world: of a unit quaternion p, twice the vector part of p' times the conjugate of p. */
function spinOf(run: Run, { first }: Mover): Float64Array[] {
  if (run.head.solids?.flat) return [run.track(`u.${first + 2}`)];
  const p = [3, 4, 5, 6].map((k) => run.track(`q.${first + k}`));
  const d = [3, 4, 5, 6].map((k) => run.track(`u.${first + k}`));
  const part = (a: number, b: number, c: number) =>
    d[0].map((_, i) => 2 * (d[a][i] * p[0][i] - d[0][i] * p[a][i] + p[b][i] * d[c][i] - p[c][i] * d[b][i]));
  return [part(1, 2, 3), part(2, 3, 1), part(3, 1, 2)];
}

/** The body that is fastest at some instant: the one that a reader looks for first. */
export function fastest(run: Run, movers: Mover[]): number {
  const told = run.head.solids?.fastest ?? -1;
  if (told >= 0) return told;
  let best = movers[0].body;
  let speed = 0;
  for (const mover of movers) {
    const top = speedOf(run, mover).reduce((a, b) => Math.max(a, b), 0);
    if (top > speed) [best, speed] = [mover.body, top];
  }
  return best;
}

/** Largest size of the positions: what is a millionth of a millionth of it is rounding. */
function scales(run: Run): { length: number; time: number } {
  let length = 1e-9;
  if (run.motion) length = Math.max(length, ...run.motion.head.low.map(Math.abs), ...run.motion.head.high.map(Math.abs));
  else for (const { first } of movingBodies(run)) {
    for (const k of [0, 1]) for (const x of run.track(`q.${first + k}`)) if (Math.abs(x) > length) length = Math.abs(x);
  }
  return { length, time: run.head.duration_s || 1 };
}

const shares = [
  { name: 'largest', share: 1 },
  { name: '90th percentile', share: 0.9 },
  { name: 'median', share: 0.5 },
  { name: '10th percentile', share: 0.1 },
];

/** What a list of numbers per frame is distributed like, over time. */
function distribution(frames: number, numbersOf: (frame: number) => Float64Array): { name: string; values: Float64Array }[] {
  const lines = shares.map(({ name }) => ({ name, values: new Float64Array(frames) }));
  for (let frame = 0; frame < frames; ++frame) {
    const sorted = numbersOf(frame).sort();
    shares.forEach(({ share }, k) => {
      lines[k].values[frame] = sorted.length > 0 ? sorted[Math.min(sorted.length - 1, Math.round(share * (sorted.length - 1)))] : 0;
    });
  }
  return lines;
}

/** All bodies together: speeds, contacts, forces and overlaps over time. */
export function bodyOverview(run: Run, contacts: BodyContacts): Panel[] {
  const movers = movingBodies(run);
  const time = run.track('time_s');
  const { length, time: duration } = scales(run);
  const panels: Panel[] = [];
  if (run.has('speeds.0')) {
    const lines = run.columns('speeds', shares.length).map((values, k) => ({ name: shares[k].name, values }));
    panels.push({ id: 'speeds', title: `Speeds of ${counted(movers.length, 'body', 'bodies')}`, unit: 'm/s', time, lines, floor: (1e-9 * length) / duration, note: 'Of the centres of mass; single bodies are plotted below.' });
  } else if (run.has('u.0')) {
    const speeds = movers.map((mover) => ({ name: mover.name, values: speedOf(run, mover) }));
    const many = speeds.length > ownLines;
    panels.push({
      id: 'speeds',
      title: many ? `Speeds of ${counted(movers.length, 'body', 'bodies')}` : 'Speeds of the bodies',
      unit: 'm/s',
      time,
      lines: many ? distribution(time.length, (frame) => Float64Array.from(speeds, ({ values }) => values[frame])) : speeds,
      floor: (1e-9 * length) / duration,
      note: many ? 'Of the centres of mass; single bodies are plotted below.' : 'Of the centres of mass.',
    });
  }
  return [...panels, ...contactPanels(run, contacts, length)];
}

function contactPanels(run: Run, contacts: BodyContacts, length: number): Panel[] {
  if (contacts.most === 0) return [];
  // of very many contacts the page has those of some frames only
  const frames = Array.from({ length: Math.ceil(contacts.time.length / contacts.every) }, (_, k) => k * contacts.every);
  const time = Float64Array.from(frames, (frame) => contacts.time[frame]);
  const components = run.columns('contacts.force', 3);
  const sizes = components[0].map((_, k) => Math.hypot(components[0][k], components[1][k], components[2][k]));
  const count = run.track('contacts.count');
  const spread = distribution(time.length, (k) => sizes.slice(...contacts.rowsOf(frames[k])));
  const histogram = forceHistogram(time, (k) => sizes.subarray(...contacts.rowsOf(frames[k])), spread[2].values);
  const panels: Panel[] = [
    { id: 'contacts', title: 'Active contacts', unit: '', time, lines: [{ name: 'number', values: Float64Array.from(frames, (frame) => count[frame]) }], steps: true },
    {
      id: 'contact-forces',
      title: 'Contact forces',
      unit: 'N',
      time,
      lines: spread,
      note: 'Mean over the step that contains the frame: impacts stand out.',
    },
    ...(histogram ? [histogram] : []),
  ];
  if (run.has('contacts.gap_m')) {
    const gap = run.track('contacts.gap_m');
    const overlap = time.map((_, k) => gap.subarray(...contacts.rowsOf(frames[k])).reduce((worst, g) => Math.max(worst, -g), 0));
    panels.push({ id: 'overlap', title: 'Largest overlap', unit: 'm', time, lines: [{ name: 'of two bodies', values: overlap }], floor: 1e-9 * length, note: 'Halfway through the step that contains the frame.' });
  }
  return panels;
}

/** Classes of the histogram of forces, and columns of it over time. */
const forceBins = 36;
const timeBins = 300;

/** How many contacts carry which force, over time: one column of classes per instant, by powers of ten. Null where few press. */
function forceHistogram(time: Float64Array, sizesOf: (frame: number) => Float64Array, median: Float64Array): Panel | null {
  let [low, high, rows] = [Infinity, 0, 0];
  for (let k = 0; k < time.length; ++k) {
    for (const f of sizesOf(k)) {
      if (!(f > 0)) continue;
      ++rows;
      low = Math.min(low, f);
      high = Math.max(high, f);
    }
  }
  if (rows < 20 * Math.min(time.length, 50) || !(high > low)) return null;
  // forces a million times smaller than the largest carry nothing
  const [from, to] = [Math.log10(Math.max(low, 1e-6 * high)), Math.log10(high)];
  const columns = Math.min(timeBins, time.length);
  const counts = Array.from({ length: columns }, () => new Float64Array(forceBins));
  const starts = Float64Array.from({ length: columns + 1 }, (_, c) => time[Math.min(time.length - 1, Math.floor((c * time.length) / columns))]);
  for (let k = 0; k < time.length; ++k) {
    const column = counts[Math.min(columns - 1, Math.floor((k * columns) / time.length))];
    for (const f of sizesOf(k)) {
      const bin = Math.floor(((Math.log10(f) - from) / (to - from)) * forceBins);
      if (bin >= 0) ++column[Math.min(forceBins - 1, bin)];
    }
  }
  return {
    id: 'force-histogram',
    title: 'Histogram of contact forces',
    unit: 'N',
    time,
    lines: [{ name: 'median', values: median.map((x) => (x > 0 ? x : NaN)) }],
    log: true,
    cells: { starts, from, to, counts },
    note: 'Brightness: the number of contacts that carry a force of that size, darkest none, brightest the most frequent class of the run.',
  };
}

/** The resultant of the contact forces on a body, frame by frame. */
function forceOn(run: Run, contacts: BodyContacts, body: number): Float64Array {
  const components = run.columns('contacts.force', 3);
  const first = run.track('contacts.first');
  const second = run.track('contacts.second');
  return run.track('time_s').map((_, frame) => {
    if (frame % contacts.every !== 0) return NaN;
    const sum = [0, 0, 0];
    const [from, to] = contacts.rowsOf(frame);
    for (let k = from; k < to; ++k) {
      const sign = first[k] === body ? 1 : second[k] === body ? -1 : 0;
      if (sign !== 0) for (const axis of [0, 1, 2]) sum[axis] += sign * components[axis][k];
    }
    return Math.hypot(...sum);
  });
}

/** Two bodies that touch: what they do to each other over time. */
export function panelsOfPair(run: Run, contacts: BodyContacts, first: number, second: number): Panel[] {
  const names = run.head.solids?.names ?? [];
  const title = `${names[first]} and ${names[second]}`;
  const { normal, tangential, gap } = contacts.history(first, second);
  const { time } = contacts;
  return [
    { id: 'pair-force', title: `Contact force of ${title}`, unit: 'N', time, lines: [{ name: 'normal', values: normal }, { name: 'friction', values: tangential }], note: 'Magnitudes, summed over the points of the contact; mean over the step that contains the frame.' },
    { id: 'pair-gap', title: `Gap of ${title}`, unit: 'm', time, lines: [{ name: 'smallest', values: gap }], note: 'While the contact is active.' },
  ];
}

/** Kinetic energy of a body, of translation and rotation; empty where its mass or inertia was not recorded. */
function energyOf(run: Run, mover: Mover): Float64Array {
  const { mass_kg = [], inertia_kg_m2 = [] } = run.head.mechanics ?? {};
  const [mass, J] = [mass_kg[mover.body], inertia_kg_m2[mover.body]];
  if (!mass || !J || run.motion) return new Float64Array(0);
  const speed = speedOf(run, mover);
  const spin = spinOf(run, mover);
  if (run.head.solids?.flat) return speed.map((v, i) => 0.5 * (mass * v * v + J[5] * spin[0][i] ** 2));
  const turns = [4, 5, 6, 3].map((k) => run.track(`q.${mover.first + k}`));
  return speed.map((v, i) => {
    // in the axes of the body
    const [x, y, z] = turn([-turns[0][i], -turns[1][i], -turns[2][i], turns[3][i]], spin.map((w) => w[i]));
    return 0.5 * (mass * v * v + J[0] * x * x + J[3] * y * y + J[5] * z * z) + J[1] * x * y + J[2] * x * z + J[4] * y * z;
  });
}

/** Chosen bodies: position, speed, angular velocity, kinetic energy, contact force. Of several, one line each. */
export function panelsOfBodies(run: Run, contacts: BodyContacts, bodies: number[]): Panel[] {
  const movers = bodies.flatMap((body) => movingBodies(run).filter((one) => one.body === body));
  if (movers.length === 0) return [];
  const time = run.track('time_s');
  const flat = run.head.solids?.flat ?? false;
  const { length, time: duration } = scales(run);
  const axes = flat ? ['x', 'y'] : ['x', 'y', 'z'];
  const [single, several] = [movers.length === 1, movers.length > 1];
  const of = single ? ` of ${movers[0].name}` : '';
  const panel = (id: string, title: string, unit: string, lines: Panel['lines'], floor: number): Panel => ({ id: `body-${id}`, title: `${title}${of}`, unit, time, lines: lines.filter(({ values }) => values.length > 0), floor });
  const each = (name: string, values: (mover: Mover) => Float64Array) => movers.map((mover) => ({ name: single ? name : mover.name, values: values(mover) }));
  const place = (k: number) => (mover: Mover) => run.track(`q.${mover.first + k}`);
  const panels = single
    ? [panel('position', 'Position', 'm', axes.map((name, k) => ({ name, values: place(k)(movers[0]) })), 1e-9 * length)]
    : axes.map((name, k) => panel(`position-${name}`, `Position ${name}`, 'm', each(name, place(k)), 1e-9 * length));
  if (run.has(`u.${movers[0].first}`)) {
    panels.push(panel('speed', 'Speed', 'm/s', each('speed', (mover) => speedOf(run, mover)), (1e-9 * length) / duration));
    if (flat || !run.motion) panels.push(panel('spin', several && !flat ? 'Angular speed' : 'Angular velocity', 'rad/s', spinLines(run, movers, axes), 1e-9 / duration));
    panels.push(panel('energy', 'Kinetic energy', 'J', each('kinetic', (mover) => energyOf(run, mover)), 1e-300));
  }
  if (run.has('contacts.first')) panels.push(panel('force', 'Contact force', 'N', each('resultant', ({ body }) => forceOn(run, contacts, body)), 1e-12));
  return panels.filter(({ lines }) => lines.length > 0);
}

/** Components of one body; of several in space the magnitude. */
function spinLines(run: Run, movers: Mover[], axes: string[]): Panel['lines'] {
  const flat = run.head.solids?.flat ?? false;
  if (movers.length === 1) return spinOf(run, movers[0]).map((values, k) => ({ name: flat ? 'rate' : axes[k], values }));
  return movers.map((mover) => {
    const spin = spinOf(run, mover);
    return { name: mover.name, values: flat ? spin[0] : spin[0].map((_, i) => Math.hypot(...spin.map((w) => w[i]))) };
  });
}
