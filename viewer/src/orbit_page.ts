import { Colours } from './colours';
import type { Palette } from './data';
import { button, counted, element, number, pageFont, releaseAfterPointer, section, table, withUnit } from './text';
import { hasRun, openButton, openPoint } from './points';
import { frameOf, writeNames, type Frame } from './axes';

type Complex = [number, number];

/** What `carom orbit --json` prints. */
export type OrbitJson = {
  converged: boolean;
  residual: number;
  period_s: number;
  start_s?: number;
  start: Record<string, { q: number; u: number; min: number | null; max: number | null }>;
  stable: boolean;
  stability?: string;
  multipliers: Complex[];
  dperiod_s?: Record<string, number> | null;
  events?: { time_s: number; kind: string; place: string; percussion_Ns: number }[];
  trouble?: string;
};

type BranchPoint = { value: number; period_s: number; stable: boolean; stability?: string; multipliers: Complex[]; min: number[]; max: number[]; branch?: number };
type SpecialPoint = { kind: string; value: number; orbit: OrbitJson; place?: string; time_s?: number };

/** What `carom branch --json` prints. */
export type BranchJson = { title: string; over: string; end: string; coordinates?: string[]; points: BranchPoint[]; special: SpecialPoint[]; curves?: Curve[]; switched?: { points: BranchPoint[]; special: SpecialPoint[]; curves?: Curve[] }[] };

/** Where a special point goes over a second parameter: lists of values under the names of both parameters. */
type Curve = { kind: string; place: string; end: string } & Record<string, number[] | string>;

export type OrbitsHead = { format: 'carom-orbit' | 'carom-branch'; title: string; carom_version: string; note?: string; palette: Palette; data: unknown };

/** The orbits in the page; null: it shows something else. */
export function orbitsIn(from: Document = document): OrbitsHead | null {
  const text = from.getElementById('carom-orbits')?.textContent;
  return text ? (JSON.parse(text) as OrbitsHead) : null;
}

const modulus = ([a, b]: Complex) => Math.hypot(a, b);
const complex = ([a, b]: Complex) => (b === 0 ? number(a) : `${number(a)} ${b < 0 ? '−' : '+'} ${number(Math.abs(b))} i`);

/** Multipliers in the complex plane: inside the unit circle disturbances of the orbit die out. */
class MultiplierPlane {
  readonly canvas = element('canvas', { class: 'phase plane', role: 'img' });

  /** `most`: what is farther from zero is not drawn. */
  draw(multipliers: Complex[], colours: Colours, size = 5, most = Infinity): void {
    const reach = Math.min(most, Math.max(1.25, ...multipliers.map(modulus).map((x) => 1.1 * x)));
    const wide = (reach * this.canvas.clientWidth) / Math.max(1, this.canvas.clientHeight);
    const frame = frameOf(this.canvas, [-wide, wide], [-reach, reach], colours, ['real part', 'imaginary part']);
    this.canvas.setAttribute('aria-label', `Multipliers in the complex plane: ${multipliers.slice(0, 12).map(complex).join(', ') || 'none'}${multipliers.length > 12 ? ', …' : ''}`);
    if (!frame) return;
    const { context, place, box } = frame;
    context.save();
    context.beginPath();
    context.rect(box.x, box.y, box.w, box.h);
    context.clip();
    const [[x, y], [right]] = [place(0, 0), place(1, 0)];
    context.strokeStyle = colours.text;
    context.globalAlpha = 0.5;
    context.beginPath();
    context.arc(x, y, right - x, 0, 2 * Math.PI);
    context.stroke();
    context.globalAlpha = 1;
    for (const multiplier of multipliers) {
      context.fillStyle = modulus(multiplier) > 1 ? colours.named('vermilion') : colours.line(0);
      context.beginPath();
      context.arc(...place(...multiplier), size, 0, 2 * Math.PI);
      context.fill();
    }
    context.restore();
  }
}

/** One orbit: its period, its state at the start, its multipliers and its events in order. */
export function orbitTables(orbit: OrbitJson): HTMLElement[] {
  const states = Object.entries(orbit.start).map(([name, { q, u, min, max }]) => [name, number(q, 8), number(u, 8), number(min, 6), number(max, 6)]);
  const start = orbit.start_s ?? 0;
  const events = (orbit.events ?? []).map(({ time_s, kind, place, percussion_Ns }) => [number(time_s, 8), number((time_s - start) / orbit.period_s, 5), kind.replaceAll('_', ' '), place, number(percussion_Ns)]);
  const by = Object.entries(orbit.dperiod_s ?? {}).map(([name, value]) => [name, number(value, 8)]);
  return [
    table('State at the start of the period', ['coordinate', 'value', 'velocity', 'lowest', 'highest'], states),
    table('Floquet multipliers', ['multiplier', 'modulus'], orbit.multipliers.map((m) => [complex(m), number(modulus(m), 6)])),
    ...(events.length > 0 ? [table('Events of one period', ['time, s', 'part of the period', 'what', 'where', 'percussion, N\u00a0s'], events)] : []),
    ...(by.length > 0 ? [table('Derivatives of the period, s per unit', ['parameter', 'derivative'], by)] : []),
  ];
}

/** The page of one periodic orbit. */
export class OrbitPage {
  readonly element: HTMLElement;
  private readonly plane = new MultiplierPlane();
  private readonly orbit: OrbitJson;
  private readonly colours: Colours;

  constructor(head: OrbitsHead) {
    this.orbit = head.data as OrbitJson;
    this.colours = new Colours(head.palette);
    const { orbit } = this;
    const words = orbit.converged
      ? `Period ${withUnit(orbit.period_s, 's')}, ${orbit.stability ?? (orbit.stable ? 'stable' : 'unstable')}; the orbit closes within ${number(orbit.residual, 2)}.`
      : `No orbit was found: the closure error is ${number(orbit.residual, 3)}. ${orbit.trouble ?? ''}`;
    this.element = element(
      'main',
      {},
      element('div', { class: 'column' }, section('orbit', 'Orbit', element('p', { class: 'picked' }, words), openButton(0), element('div', { class: 'wide' }, ...orbitTables(orbit)))),
      element('div', { class: 'column' }, section('multipliers', 'Multipliers', this.plane.canvas, element('p', { class: 'hint' }, 'Inside the unit circle disturbances of the orbit decay; outside they grow.'))),
    );
    this.colours.onChange(() => this.draw());
    new ResizeObserver(() => this.draw()).observe(this.plane.canvas);
    document.addEventListener('keydown', ({ key, target }) => {
      if (key === 'Enter' && this.element.isConnected && (target as HTMLElement).tagName !== 'BUTTON') openPoint(0);
    });
  }

  draw(): void {
    this.plane.draw(this.orbit.multipliers, this.colours);
  }
}

/** The orbit at a special point as one of the branch. */
function asPoint({ value, orbit }: SpecialPoint): BranchPoint {
  const states = Object.values(orbit.start);
  return { value, period_s: orbit.period_s, stable: orbit.stable, stability: orbit.stability, multipliers: orbit.multipliers, min: states.map(({ min }) => min ?? NaN), max: states.map(({ max }) => max ?? NaN) };
}

/** Where a branch or a curve ends, below and above. */
const endWords = (end: string): string => end.replace(/\brange\b/g, 'end of the range');

/** Branches that leave the first one at its period doublings, after its own points. */
function withSwitched(branch: BranchJson): BranchJson {
  const switched = branch.switched ?? [];
  return {
    ...branch,
    points: [...branch.points, ...switched.flatMap(({ points }, b) => points.map((point) => ({ ...point, branch: b + 1 })))],
    special: [...branch.special, ...switched.flatMap(({ special }) => special)],
    curves: [...(branch.curves ?? []), ...switched.flatMap(({ curves }) => curves ?? [])],
  };
}

/** A branch of orbits over a parameter: bifurcation diagram, multipliers of the picked orbit, special points. */
export class BranchPage {
  readonly element: HTMLElement;
  readonly branch: BranchJson;
  private readonly colours: Colours;
  private readonly diagram = element('canvas', { class: 'phase study', role: 'img', tabindex: '0' });
  private readonly plane = new MultiplierPlane();
  private readonly curvePlane = element('canvas', { class: 'phase', role: 'img' });
  private readonly up = element('select', { 'aria-label': 'Up' });
  private readonly words = element('p', { class: 'picked', 'aria-live': 'polite' });
  private readonly details = element('div', { class: 'wide' });
  shown: { at: [number, number]; point: number }[] = [];
  private picked = -1;

  constructor(head: OrbitsHead) {
    this.branch = withSwitched(head.data as BranchJson);
    this.colours = new Colours(head.palette);
    for (const [value, text] of this.quantities()) this.up.append(new Option(text, value));
    // what varies along the branch comes first: an obstacle holds its extreme
    this.up.value = this.quantities().find(([value]) => this.spread(value) > this.floor(value))?.[0] ?? 'period';
    this.up.addEventListener('change', () => this.draw());
    releaseAfterPointer(this.up);
    this.diagram.addEventListener('pointerup', (event) => this.pickAt(event.offsetX, event.offsetY));
    this.diagram.addEventListener('dblclick', () => openPoint(this.picked));
    const tools = element(
      'div',
      { class: 'tools' },
      element('label', {}, 'up ', this.up),
      button('Previous', 'Previous orbit (p)', () => this.step(-1)),
      button('Next', 'Next orbit (n)', () => this.step(1)),
      element('span', { class: 'hint' }, 'Filled: stable. Hollow: unstable or neutral. Click an orbit for its multipliers' + (hasRun(0) ? ', double-click to open it.' : '.')),
    );
    this.element = element(
      'main',
      {},
      element('div', { class: 'column' }, section('diagram', 'Bifurcation diagram', tools, this.diagram, this.words, this.details)),
      element('div', { class: 'column' }, section('multipliers', 'Multipliers', this.plane.canvas, element('p', { class: 'hint' }, 'Of the picked orbit; while none is picked, of all of them near the unit circle. Inside it disturbances decay.')), this.specialSection(), this.curveSection()),
    );
    this.colours.onChange(() => this.draw());
    new ResizeObserver(() => this.draw()).observe(this.diagram);
    document.addEventListener('keydown', (event) => {
      const { tagName } = event.target as HTMLElement;
      if (!this.element.isConnected || tagName === 'SELECT') return;
      if (event.key === 'Enter' && tagName !== 'BUTTON') openPoint(this.picked);
      if (event.key === 'n') this.step(1);
      if (event.key === 'p') this.step(-1);
    });
  }

  /** What can be drawn over the parameter: extremes of the coordinates, the period, the largest multiplier. */
  private quantities(): [string, string][] {
    const { points, coordinates, special } = this.branch;
    const names = coordinates ?? Object.keys(special[0]?.orbit.start ?? {});
    const count = points[0]?.max.length ?? 0;
    const each = Array.from({ length: count }, (_, i) => names[i] ?? `coordinate ${i + 1}`);
    return [...each.flatMap((name, i): [string, string][] => [[`max ${i}`, `largest ${name}`], [`min ${i}`, `smallest ${name}`]]), ['period', 'period, s'], ['multiplier', 'largest modulus of a multiplier']];
  }

  private spread(quantity: string): number {
    const values = this.branch.points.map((point) => this.value(point, quantity)).filter(Number.isFinite);
    return Math.max(...values) - Math.min(...values);
  }

  /** Differences of a quantity below this are rounding. */
  private floor(quantity: string): number {
    const [what] = quantity.split(' ');
    const sizes = this.branch.points.flatMap((point) => (what === 'max' || what === 'min' ? [...point.max, ...point.min] : [this.value(point, quantity)]));
    return 1e-9 * Math.max(0, ...sizes.filter(Number.isFinite).map(Math.abs));
  }

  private value(point: BranchPoint, quantity = this.up.value): number {
    const [what, i] = quantity.split(' ');
    if (what === 'period') return point.period_s;
    if (what === 'multiplier') return Math.max(0, ...point.multipliers.map(modulus));
    return (what === 'max' ? point.max : point.min)[Number(i)] ?? NaN;
  }

  draw(): void {
    const { points, special, over } = this.branch;
    const [xs, ys] = [points.map(({ value }) => value), points.map((point) => this.value(point))];
    const frame = frameOf(this.diagram, xs, ys, this.colours, [over, this.up.selectedOptions[0]?.text ?? ''], { floor: this.floor(this.up.value), room: 0.04 });
    this.diagram.setAttribute('aria-label', `${this.up.selectedOptions[0]?.text} over ${over}: ${counted(points.length, 'orbit')}, ${counted(points.filter(({ stable }) => stable).length, 'stable one')}, ${counted(special.length, 'special point')}`);
    if (frame) this.drawPoints(frame, ys);
    this.drawCurves();
    const one = points[this.picked];
    // of no orbit in particular: all along the branch, near the circle that decides
    if (one) this.plane.draw(one.multipliers, this.colours);
    else this.plane.draw(points.flatMap(({ multipliers }) => multipliers), this.colours, 2, 2.2);
    if (!one) this.words.textContent = `${counted(points.length, 'orbit')} over ${over}. Ends: ${endWords(this.branch.end)}.`;
  }

  private curveSection(): HTMLElement | null {
    const curves = this.branch.curves ?? [];
    if (curves.length === 0) return null;
    const list = curves.map(({ kind, place, end }, i) => {
      const swatch = element('span', { class: 'swatch', 'aria-hidden': 'true' });
      swatch.style.background = this.colours.line(i);
      return element('span', { class: 'key' }, swatch, `${[kind.replaceAll('_', ' '), place].filter((text) => text).join(' of ')}; ends ${endWords(end)}`);
    });
    return section('curves', 'Curves of special points', this.curvePlane, element('p', { class: 'legend' }, ...list));
  }

  private drawCurves(): void {
    const curves = this.branch.curves ?? [];
    const { over } = this.branch;
    const second = Object.keys(curves[0] ?? {}).find((name) => !['kind', 'place', 'end', over].includes(name));
    if (!second) return;
    const values = (curve: Curve, name: string) => curve[name] as number[];
    const frame = frameOf(this.curvePlane, curves.flatMap((curve) => values(curve, over)), curves.flatMap((curve) => values(curve, second)), this.colours, [over, second]);
    this.curvePlane.setAttribute('aria-label', `Special points over ${over} and ${second}: ${counted(curves.length, 'curve')}`);
    if (!frame) return;
    curves.forEach((curve, i) => {
      frame.context.strokeStyle = this.colours.line(i);
      frame.context.lineWidth = 1.6;
      frame.context.beginPath();
      values(curve, over).forEach((x, k) => frame.context.lineTo(...frame.place(x, values(curve, second)[k])));
      frame.context.stroke();
    });
  }

  private drawPoints(frame: Frame, ys: number[]): void {
    const { context, place } = frame;
    const { points, special } = this.branch;
    this.shown = points.flatMap(({ value }, point) => (Number.isFinite(ys[point]) ? [{ at: place(value, ys[point]), point }] : []));
    const size = points.length > 1000 ? 1.5 : points.length > 200 ? 2.5 : 3.5;
    for (const { at, point } of this.shown) {
      // every branch has two colours: where it is stable and where it is not
      context.fillStyle = context.strokeStyle = this.colours.line(2 * (points[point].branch ?? 0) + (points[point].stable ? 0 : 1));
      context.beginPath();
      context.arc(...at, point === this.picked ? size + 4 : size, 0, 2 * Math.PI);
      if (points[point].stable || point === this.picked) context.fill();
      else context.stroke();
    }
    // special points where their own orbits lie, with their names
    context.font = pageFont(12);
    context.strokeStyle = context.fillStyle = this.colours.text;
    const named = special.flatMap((one) => {
      const y = this.value(asPoint(one));
      return Number.isFinite(y) ? [{ text: one.kind.replaceAll('_', ' '), at: place(one.value, y) }] : [];
    });
    for (const { at: [x, y] } of named) context.strokeRect(x - 5, y - 5, 10, 10);
    writeNames(frame, named, this.colours);
  }

  private pickAt(x: number, y: number): void {
    let [best, reach] = [-1, 14];
    for (const { at, point } of this.shown) {
      const distance = Math.hypot(at[0] - x, at[1] - y);
      if (distance < reach) [best, reach] = [point, distance];
    }
    this.pick(best);
  }

  private step(direction: 1 | -1): void {
    const last = this.branch.points.length - 1;
    this.pick(this.picked < 0 ? (direction > 0 ? 0 : last) : Math.min(last, Math.max(0, this.picked + direction)));
  }

  /** Shows an orbit of the branch, and the commands that find and run it again. */
  pick(point: number): void {
    const one = this.branch.points[point];
    this.picked = one ? point : -1;
    this.details.replaceChildren();
    if (one) {
      this.words.textContent = `${this.branch.over} = ${number(one.value, 8)}: period ${withUnit(one.period_s, 's')}, ${one.stability ?? (one.stable ? 'stable' : 'unstable')}; multipliers ${one.multipliers.map(complex).join(', ')}.`;
      const set = `--set parameters.${this.branch.over}=${one.value}`;
      this.details.append(openButton(point) ?? '', element('pre', {}, `carom orbit SCENE.toml ${set} --period ${one.period_s}\ncarom run SCENE.toml ${set} -o run.h5\ncarom report run.h5`));
    }
    this.draw();
  }

  private specialSection(): HTMLElement {
    const { special, over } = this.branch;
    if (special.length === 0) return section('special', 'Special points', element('p', {}, 'None was found on this branch.'));
    const rows = special.map(({ kind, value, place, time_s, orbit }) => {
      // of several branches over this value the one with its period
      const away = ({ value: x, period_s }: BranchPoint) => Math.abs(x - value) / (Math.abs(value) || 1) + Math.abs(period_s - orbit.period_s) / (orbit.period_s || 1);
      const nearest = this.branch.points.reduce((best, point, i) => (away(point) < away(this.branch.points[best]) ? i : best), 0);
      const go = button(number(value, 8), `Show the orbit nearest to this ${kind.replaceAll('_', ' ')}`, () => this.pick(nearest));
      return [go, kind.replaceAll('_', ' '), place ? `${place}, ${number(time_s, 6)} s` : '', number(orbit.period_s, 8), orbit.multipliers.map(complex).join(', ')];
    });
    return section('special', 'Special points', element('div', { class: 'wide' }, table('Where the branch changes', [over, 'what', 'where', 'period, s', 'multipliers'], rows)));
  }
}
