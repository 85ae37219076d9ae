import { Colours } from './colours';
import type { Palette } from './data';
import { frameOf } from './axes';
import { hasRun, openButton, openPoint } from './points';
import { button, counted, element, number, releaseAfterPointer, section, table } from './text';

/** The table of a study: a column has numbers (null: none) or words, one per row. */
export type StudyHead = {
  format: 'carom-study';
  title: string;
  carom_version: string;
  columns: { name: string; numbers?: (number | null)[]; texts?: string[] }[];
  note?: string; // which points have no run on this page
  palette: Palette;
};

/** Columns that every table of a study has: what is before the step was varied, what is after the number of steps came out. */
const bookkeeping = new Set(['run', 'study', 'time_step_s', 'status', 'end', 'end_s', 'steps', 'sample', 'rows']);

const statusName = (status: string): string => (status === 'uncertified' ? 'not certified' : status);

/** How a run ended, as the table says it, in words. */
const endNames: Record<string, string> = { duration: 'ran to its end', rest: 'came to rest', formula: 'ended by the formula of the scene', stopped: 'was stopped' };
const endName = (end: string): string => endNames[end] ?? end.replaceAll('_', ' ');

type Point = { x: number; y: number; row: number };

/** A study: any column over any other, each point with the command that runs it; how results are spread; the order of convergence. */
export class StudyPage {
  readonly element: HTMLElement;
  private readonly head: StudyHead;
  private readonly colours: Colours;
  private readonly rows: number;
  private readonly across: HTMLSelectElement;
  private readonly up: HTMLSelectElement;
  private readonly diagram = element('canvas', { class: 'phase study', role: 'img', tabindex: '0' });
  private readonly bars = element('canvas', { class: 'phase', role: 'img' });
  private readonly words = element('p', { class: 'picked', 'aria-live': 'polite' });
  private readonly details = element('div', { class: 'wide' });
  private readonly legend = element('p', { class: 'legend' });
  private shown: { point: Point; at: [number, number] }[] = [];
  private picked = -1;

  constructor(head: StudyHead) {
    this.head = head;
    this.colours = new Colours(head.palette);
    this.rows = Math.max(0, ...head.columns.map(({ numbers, texts }) => (numbers ?? texts ?? []).length));
    const numeric = head.columns.filter(({ numbers }) => numbers).map(({ name }) => name);
    const choice = (label: string, chosen: string) => {
      const select = element('select', { 'aria-label': label });
      for (const name of numeric) select.append(new Option(name, name, name === chosen, name === chosen));
      select.addEventListener('change', () => this.draw());
      releaseAfterPointer(select);
      return select;
    };
    this.across = choice('Across', this.isConvergence ? 'time_step_s' : (this.varied()[0] ?? (this.ownSteps ? 'time_step_s' : numeric[0])));
    this.up = choice('Up', this.firstResult() ?? numeric[numeric.length - 1]);
    this.diagram.addEventListener('pointerup', (event) => this.pickAt(event.offsetX, event.offsetY));
    this.element = element(
      'main',
      {},
      element(
        'div',
        { class: 'column' },
        section('diagram', this.isConvergence ? 'Convergence' : 'Results', element('div', { class: 'tools' }, element('label', {}, 'across ', this.across), element('label', {}, 'up ', this.up), button('Previous', 'Previous point (p)', () => this.step(-1)), button('Next', 'Next point (n)', () => this.step(1))), this.diagram, this.legend, this.words, this.details),
      ),
      element('div', { class: 'column' }, this.isConvergence ? null : section('spread', 'Distribution', this.bars), this.outcomes()),
    );
    this.colours.onChange(() => this.draw());
    new ResizeObserver(() => this.draw()).observe(this.diagram);
    this.diagram.addEventListener('dblclick', () => openPoint(this.runOf(this.picked)));
    document.addEventListener('keydown', (event) => {
      const { tagName } = event.target as HTMLElement;
      if (!this.element.isConnected || tagName === 'SELECT') return;
      if (event.key === 'n') this.step(1);
      if (event.key === 'p') this.step(-1);
      if (event.key === 'Enter' && tagName !== 'BUTTON') openPoint(this.runOf(this.picked));
    });
  }

  /** The number of the run of a row. */
  private runOf(row: number): number {
    return this.values('run')[row] ?? row;
  }

  /** Runs with finer and finer steps. */
  private get isConvergence(): boolean {
    return this.head.columns.some(({ name }) => name === 'level');
  }

  /** Not all runs have the same step. */
  private get ownSteps(): boolean {
    return new Set(this.values('time_step_s')).size > 1;
  }

  /** Distances over steps are shown by powers of ten. */
  private get isLogarithmic(): boolean {
    return this.isConvergence && this.across.value === 'time_step_s';
  }

  /** What was varied: the columns before the step. */
  private varied(): string[] {
    const names = this.head.columns.map(({ name }) => name);
    return names.slice(0, Math.max(0, names.indexOf('time_step_s'))).filter((name) => !bookkeeping.has(name) && name !== 'level' && name !== 'repetition');
  }

  private results(): string[] {
    const names = this.head.columns.filter(({ numbers }) => numbers).map(({ name }) => name);
    const from = names.indexOf('steps');
    return (from < 0 ? names : names.slice(from + 1)).filter((name) => !bookkeeping.has(name) && name !== 'time_s');
  }

  /** What the reader looks at first: a result that is not the same in all runs; where the step was refined, at a given instant. */
  private firstResult(): string | undefined {
    const differs = (name: string) => {
      const values = this.values(name).filter((x): x is number => x !== null);
      const [low, high] = [Math.min(...values), Math.max(...values)];
      return high - low > Math.max(1e-12, 1e-6 * Math.max(Math.abs(low), Math.abs(high))); // below that it is rounding
    };
    const results = this.results();
    return (this.isConvergence ? results.find((name) => name.includes('@') && differs(name)) : undefined) ?? results.find(differs) ?? results[0];
  }

  private values(name: string): (number | null)[] {
    return this.head.columns.find((column) => column.name === name)?.numbers ?? [];
  }

  private text(name: string, row: number): string {
    const column = this.head.columns.find((one) => one.name === name);
    return column?.texts?.[row] ?? (column?.numbers?.[row] === null || column?.numbers?.[row] === undefined ? '' : number(column.numbers[row], 8));
  }

  /** In a convergence study the distance from the finest run over the step, both by powers of ten. */
  private points(): Point[] {
    const [xs, ys] = [this.values(this.across.value), this.values(this.up.value)];
    const points = xs.flatMap((x, row) => (x !== null && ys[row] !== null && ys[row] !== undefined ? [{ x, y: ys[row] as number, row }] : []));
    if (!this.isLogarithmic || points.length === 0) return points;
    const finest = points.reduce((best, point) => (point.x < best.x ? point : best), points[0]);
    return points.filter(({ x, y }) => x > finest.x && y !== finest.y).map(({ x, y, row }) => ({ x: Math.log10(x), y: Math.log10(Math.abs(y - finest.y)), row }));
  }

  draw(): void {
    const points = this.points();
    const order = this.isLogarithmic ? orderOf(points, Math.log10(Math.min(...this.values('time_step_s').filter((h): h is number => h !== null)))) : null;
    this.drawPoints(points, order);
    this.showLegend();
    this.drawBars();
    this.diagram.setAttribute('aria-label', `${this.up.value} over ${this.across.value}: ${counted(points.length, 'point')}`);
    if (this.picked < 0) {
      this.words.textContent = order === null ? `Click a point for its run${hasRun(0) ? '; double-click opens it' : ''}.` : `Distance from the finest run over the time step, in powers of ten. The line is the distance of runs whose error is proportional to the step to the power ${number(order.power, 3)}: order ${number(order.power, 3)}.`;
    }
  }

  private drawPoints(points: Point[], order: Order | null): void {
    const frame = frameOf(this.diagram, points.map(({ x }) => x), points.map(({ y }) => y), this.colours, this.isLogarithmic ? [`log₁₀ of ${this.across.value}`, `log₁₀ of the distance of ${this.up.value}`] : [this.across.value, this.up.value], { room: 0.03 });
    if (!frame) return;
    const { context, place } = frame;
    if (order) {
      const [low, high] = [Math.min(...points.map(({ x }) => x)), Math.max(...points.map(({ x }) => x))];
      context.strokeStyle = this.colours.named('vermilion');
      context.lineWidth = 1.2;
      context.beginPath();
      for (let k = 0; k <= 60; ++k) {
        const x = low + (k / 60) * (high - low);
        context.lineTo(...place(x, order.distance(x)));
      }
      context.stroke();
    }
    this.shown = points.map((point) => ({ point, at: place(point.x, point.y) }));
    const size = points.length > 2000 ? 1 : points.length > 300 ? 2 : 3.5;
    for (const { point, at } of this.shown) {
      context.fillStyle = this.statusColour(this.text('status', point.row));
      context.beginPath();
      context.arc(...at, point.row === this.picked ? size + 4 : size, 0, 2 * Math.PI);
      context.fill();
    }
  }

  private statusColour(status: string): string {
    return status === 'uncertified' ? this.colours.named('orange') : status === 'failed' ? this.colours.named('vermilion') : this.colours.line(0);
  }

  /** What the colours of the points mean, where there are several. */
  private showLegend(): void {
    const statuses = new Set(this.head.columns.find(({ name }) => name === 'status')?.texts ?? []);
    const keys = [...statuses].map((status) => {
      const swatch = element('span', { class: 'swatch', 'aria-hidden': 'true' });
      swatch.style.background = this.statusColour(status);
      return element('span', { class: 'key' }, swatch, statusName(status));
    });
    this.legend.replaceChildren(...(keys.length > 1 ? keys : []));
  }

  /** How often the results lie where. */
  private drawBars(): void {
    const values = this.values(this.up.value).filter((x): x is number => x !== null);
    const [low, high] = values.reduce(([a, b], x) => [Math.min(a, x), Math.max(b, x)], [Infinity, -Infinity]);
    const bins = 40;
    const counts = new Array<number>(bins).fill(0);
    for (const x of values) ++counts[Math.min(bins - 1, high > low ? Math.floor(((x - low) / (high - low)) * bins) : 0)];
    const frame = frameOf(this.bars, [low, high], [0, Math.max(...counts)], this.colours, [this.up.value, this.values('sample').length > 0 ? 'rows' : 'runs'], { counts: true });
    if (!frame) return;
    const { context, place } = frame;
    context.fillStyle = this.colours.line(0);
    counts.forEach((count, k) => {
      const [x, y] = place(low + (k / bins) * (high - low || 1), count);
      const [right, bottom] = place(low + ((k + 0.9) / bins) * (high - low || 1), 0);
      context.fillRect(x, y, right - x, bottom - y);
    });
    this.bars.setAttribute('aria-label', `Histogram of ${this.up.value} from ${number(low)} to ${number(high)}`);
  }

  /** Statuses and ends, how often each. */
  private outcomes(): HTMLElement | null {
    const counts = new Map<string, number>();
    for (let row = 0; row < this.rows; ++row) {
      const outcome = [statusName(this.text('status', row)), endName(this.text('end', row))].filter((text) => text).join(', ');
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
    }
    const rows = [...counts].sort((a, b) => b[1] - a[1]).map(([outcome, count]) => [outcome || 'nothing is said', String(count)]);
    return section('outcomes', 'Outcomes', table('Rows of the table', ['outcome', 'rows'], rows));
  }

  private pickAt(x: number, y: number): void {
    let best = -1;
    let reach = 14;
    for (const { point, at } of this.shown) {
      const distance = Math.hypot(at[0] - x, at[1] - y);
      if (distance < reach) [best, reach] = [point.row, distance];
    }
    this.pick(best);
  }

  /** The next row or the one before; after the last one none. */
  private step(direction: 1 | -1): void {
    this.pick(this.picked < 0 && direction < 0 ? this.rows - 1 : this.picked + direction);
  }

  /** Shows the row, and the command that makes its run again with its page. */
  private pick(row: number): void {
    this.picked = row >= 0 && row < this.rows ? row : -1;
    this.details.replaceChildren();
    if (this.picked >= 0) {
      const sets = this.varied().map((name) => ` --set ${name}=${this.exact(name, row)}`);
      if (this.ownSteps) sets.push(` --set integrator.time_step_s=${this.exact('time_step_s', row)}`);
      const file = `run_${this.text('run', row) || row}`;
      this.words.textContent = `Run ${this.text('run', row) || row}: ${this.text('status', row)}`;
      const shifts = this.head.columns.filter(({ name }) => name.startsWith('shift.'));
      this.details.append(
        openButton(this.runOf(row)) ?? '',
        element('pre', {}, `carom run SCENE.toml${sets.join('')} -o ${file}.h5\ncarom report ${file}.h5`),
        ...(shifts.length > 0 ? [element('p', { class: 'hint' }, `Its start was shifted: add ${shifts.map(({ name }) => `${this.exact(name, row)} to ${name.slice(6)}`).join(', ')}.`)] : []),
        table('All columns of its row', ['column', 'value'], this.head.columns.map(({ name }) => [name, this.text(name, row)])),
      );
    }
    this.draw();
  }

  /** Numbers as the table has them, to be used again. */
  private exact(name: string, row: number): string {
    const column = this.head.columns.find((one) => one.name === name);
    return column?.texts?.[row] ?? String(column?.numbers?.[row] ?? '');
  }
}

/** The order of convergence, and the distance from the finest run that it gives: log10 over log10 of the step. */
type Order = { power: number; distance: (x: number) => number };

/**
 * The order p for which C (h^p - h0^p) is nearest to the distances from the finest run, whose own error is C h0^p: a straight line through
 * them would be too steep. Null: there are too few points.
 */
export function orderOf(points: { x: number; y: number }[], finest: number): Order | null {
  if (new Set(points.map(({ x }) => x)).size < 2) return null;
  const shape = (x: number, p: number) => p * x + Math.log10(1 - 10 ** (p * (finest - x)));
  const mean = (values: number[]) => values.reduce((sum, x) => sum + x, 0) / values.length;
  const fit = (p: number) => {
    const rest = points.map(({ x, y }) => y - shape(x, p));
    const offset = mean(rest);
    return { offset, error: mean(rest.map((r) => (r - offset) ** 2)) };
  };
  const powers = Array.from({ length: 240 }, (_, k) => 0.05 * (k + 1));
  const near = powers.reduce((best, p) => (fit(p).error < fit(best).error ? p : best));
  let [low, high] = [Math.max(1e-3, near - 0.05), near + 0.05];
  for (let k = 0; k < 60; ++k) {
    const [a, b] = [low + (high - low) / 3, high - (high - low) / 3];
    if (fit(a).error < fit(b).error) high = b;
    else low = a;
  }
  const power = (low + high) / 2;
  const { offset } = fit(power);
  return { power, distance: (x) => offset + shape(x, power) };
}

/** The study in the page; null: the page shows a run. */
export function studyIn(from: Document = document): StudyHead | null {
  const text = from.getElementById('carom-study')?.textContent;
  return text ? (JSON.parse(text) as StudyHead) : null;
}
