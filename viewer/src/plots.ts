import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

import type { BodyContacts } from './body_contacts';
import { bodyOverview, fastest, maxPlotted, movingBodies, panelsOfBodies, panelsOfPair } from './body_plots';
import { rampColour } from './looks';
import type { Colours } from './colours';
import type { Run } from './data';
import type { Player } from './player';
import { button, element, NameChoice, number, pageFont, section, table } from './text';
import { lastNotAfter, type Timeline } from './timeline';

export type PlotLine = { name: string; values: Float64Array };
export type Panel = {
  id: string;
  title: string;
  unit: string;
  time: Float64Array;
  lines: PlotLine[];
  log?: boolean; // drawn by powers of ten
  steps?: boolean;
  note?: string;
  floor?: number; // differences below this are rounding: the axis is never finer
  cells?: Cells; // a histogram over time, drawn below the lines
};

/** Counts per column of time and class; classes divide the powers of ten `from` to `to`. */
export type Cells = { starts: Float64Array; from: number; to: number; counts: Float64Array[] };

/** More lines than this in one panel cannot be told apart; the rest goes to panels of their own. */
const linesPerPanel = 8;

/** Coordinates beyond these are in tables: a page of a thousand plots shows nothing. */
const plottedCoordinates = 96;

/** One panel for each unit, split where it would get too full. */
function panelsByUnit(
  id: string,
  title: string,
  time: Float64Array,
  lines: (PlotLine & { unit: string })[],
  more: Partial<Panel> = {},
): Panel[] {
  const panels: Panel[] = [];
  for (const unit of new Set(lines.map((line) => line.unit))) {
    const same = lines.filter((line) => line.unit === unit && line.values.length > 0);
    for (let i = 0; i < same.length; i += linesPerPanel) {
      const number = panels.length + 1;
      panels.push({ id: `${id}-${number}`, title, unit, time, lines: same.slice(i, i + linesPerPanel), ...more });
    }
  }
  return panels;
}

function coordinatePanels(run: Run, timeline: Timeline): Panel[] {
  const { coordinates } = run.head;
  const q = run.columns('q', coordinates.length);
  const struck = run.columns('jumps.q', coordinates.length);
  const lines = coordinates.slice(0, plottedCoordinates).map(({ name, unit }, i) => ({
    name,
    unit,
    values: timeline.merged(q[i], struck[i], struck[i]),
  }));
  const all = coordinates.length;
  const title = run.isSweeping ? 'State' : 'Coordinates';
  const note = lines.length < all ? { note: `Of ${all} coordinates ${lines.length} are plotted; carom export --to csv writes all.` } : {};
  return panelsByUnit('coordinates', title, timeline.time, lines, note);
}

function velocityPanels(run: Run, timeline: Timeline): Panel[] {
  const { coordinates } = run.head;
  if (!run.has('u.0')) return [];
  const u = run.columns('u', coordinates.length);
  const before = run.columns('jumps.u_minus', coordinates.length);
  const after = run.columns('jumps.u_plus', coordinates.length);
  const lines = coordinates.slice(0, plottedCoordinates).map(({ name, unit }, i) => ({
    name: `${name}'`,
    unit: `${unit || '1'}/s`,
    values: timeline.merged(u[i], before[i], after[i]),
  }));
  return run.isSweeping
    ? panelsByUnit('velocities', 'Rates of change', timeline.time, lines)
    : panelsByUnit('velocities', 'Velocities', timeline.time, lines, run.has('jumps.time_s') ? { note: 'Vertical lines are jumps at impacts.' } : {});
}

function energyPanels(run: Run, time: Float64Array): Panel[] {
  if (!run.has('energy.kinetic_J')) return [];
  const kinetic = run.track('energy.kinetic_J');
  const potential = run.track('energy.potential_J');
  const lines = [
    { name: 'kinetic', values: kinetic },
    { name: 'potential', values: potential },
    { name: 'total', values: kinetic.map((k, i) => k + potential[i]) },
  ];
  const ledger = run.head.energies
    .filter((name) => name !== 'kinetic_J' && name !== 'potential_J')
    .map((name) => ({ name: name.replace(/_J$/, '').replaceAll('_', ' '), values: run.track(`energy.${name}`) }))
    .filter(({ values }) => values.some((x) => x !== 0));
  const panels: Panel[] = [{ id: 'energies', title: 'Energies', unit: 'J', time, lines }];
  if (ledger.length > 0) {
    const note = 'Sums since the start: what each entry of the energy balance added to kinetic and potential energy.';
    const largest = lines.reduce((most, { values }) => values.reduce((a, x) => Math.max(a, Math.abs(x)), most), 0);
    panels.push({ id: 'ledger-lines', title: 'Energy balance by entry', unit: 'J', time, lines: ledger, note, floor: 1e-9 * largest });
  }
  return panels;
}

/** Tangential percussions: one line in the plane, two in space. */
function frictionLines(run: Run): (PlotLine & { unit: string })[] {
  return (run.head.friction ?? []).flatMap(({ contact, first, dimension }) =>
    Array.from({ length: dimension }, (_, i) => ({
      name: dimension === 1 ? run.head.contacts[contact] : `${run.head.contacts[contact]} t${i + 1}`,
      unit: 'N s',
      values: run.track(`friction.percussion_Ns.${first + i}`),
    })),
  );
}

export function panelsOf(run: Run, timeline: Timeline, touching: BodyContacts): Panel[] {
  const { contacts, probes } = run.head;
  const time = run.track('time_s');
  const named = (name: string, names: string[], unit: string) =>
    run.columns(name, names.length).map((values, i) => ({ name: names[i], unit, values }));
  const residual = run.track('residual').map((x) => (x > 0 ? x : NaN));
  const probePanels = panelsByUnit(
    'probes',
    'Probes',
    time,
    probes.map(({ name, unit }, i) => ({ name, unit, values: run.track(`probe.${i}`) })),
  );
  // what was asked for comes first; coordinates of bodies are no curves to look at, their motion is
  const bodies = run.head.solids !== undefined;
  const panels = [
    ...(bodies ? [...probePanels, ...energyPanels(run, time), ...bodyOverview(run, touching)] : []),
    ...(bodies ? [] : [...coordinatePanels(run, timeline), ...velocityPanels(run, timeline)]),
    ...panelsByUnit('gaps', 'Gaps', time, named('gap_m', contacts, 'm')),
    ...panelsByUnit('percussions', 'Percussions', time, named('percussion_Ns', contacts, 'N s'), {
      steps: true,
      note: 'Sum since the previous frame.',
    }),
    ...panelsByUnit('friction', 'Friction percussions', time, frictionLines(run), {
      steps: true,
      note: 'Tangential components, sum since the previous frame.',
    }),
    ...(bodies ? [] : [...probePanels, ...energyPanels(run, time)]),
  ];
  if (residual.some((x) => x > 0)) {
    panels.push({
      id: 'residual',
      title: 'Residual',
      unit: 'unit-free',
      time,
      lines: [{ name: 'worst of a step', values: residual }],
      log: true,
      note: 'Error of the one-step problem, measured after the solve; worst since the previous frame. Steps solved exactly are not drawn.',
    });
  }
  return panels;
}

/** A panel on the page: its chart, and the table with its numbers. */
type Drawn = { chart: uPlot; holder: HTMLElement; panel: Panel; numbers: HTMLElement };

/** All panels over time, with one common zoom and the instant of the playback as an upright line. */
export class Plots {
  readonly element: HTMLElement;
  private charts: Drawn[] = [];
  private readonly player: Player;
  private readonly colours: Colours;
  private range: [number, number];
  private following = false;
  private live = new WeakSet<uPlot>(); // charts whose scales the reader may change

  private readonly run: Run;
  private readonly timeline: Timeline;
  private readonly touching: BodyContacts;
  private pair: [number, number] | null = null;
  private end: number; // of the run, when it was shown last
  private bodyChoice: NameChoice | null = null;
  /** Charts on the screen: only these follow the playback. */
  private readonly inSight = new Set<Element>();
  private readonly sight = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) this.inSight.delete(target);
      else this.inSight.add(target);
      const drawn = this.charts.find(({ holder }) => holder === target);
      if (isIntersecting && drawn) this.follow(drawn.chart, drawn.panel);
    }
  });
  private readonly chosenList = element('span', { class: 'chosen' });
  private plotted: number[] = [];
  private readonly extra = new Map<string, HTMLElement[]>(); // figures that come and go: of a body, of a pair

  constructor(run: Run, timeline: Timeline, player: Player, colours: Colours, touching: BodyContacts) {
    this.run = run;
    this.timeline = timeline;
    this.touching = touching;
    this.end = player.end;
    this.player = player;
    this.colours = colours;
    this.range = [player.start, player.end];
    const tools = element(
      'div',
      { class: 'tools', role: 'group', 'aria-label': 'Zoom of all plots' },
      button('Zoom in', 'Zoom in around the instant shown (z)', () => this.zoom(0.5)),
      button('Zoom out', 'Zoom out (x)', () => this.zoom(2)),
      button('All', 'Show the whole run (0)', () => this.show(player.start, player.end)),
      element('span', { class: 'hint' }, 'Drag across a plot to zoom, click to go there, double-click to see all.'),
    );
    this.element = section('plots', 'Plots', tools);
    for (const panel of panelsOf(run, timeline, touching)) this.add(panel);
    if (run.head.solids) this.addBodyChoice(run);
    let queued = false;
    player.watch(() => {
      if (queued) return;
      queued = true;
      requestAnimationFrame(() => {
        queued = false;
        for (const drawn of this.charts) if (this.inSight.has(drawn.holder)) this.follow(drawn.chart, drawn.panel);
      });
    });
    colours.onChange(() => this.rebuild());
    new ResizeObserver(() => this.resize()).observe(this.element);
  }

  /** Bodies of the reader's choice, in panels of their own. */
  private addBodyChoice(run: Run): void {
    const movers = movingBodies(run);
    if (movers.length === 0) return;
    const names = movers.map(({ name, body }): [number, string] => [body, name]);
    this.bodyChoice = new NameChoice('Body to plot', names, (body) => this.showBody(body));
    const row = element('div', { class: 'tools', role: 'group', 'aria-label': 'Plotted bodies' }, element('label', {}, 'Body: ', this.bodyChoice.element));
    if (movers.length > 1) {
      const more = new NameChoice('Add a body to the plots', names, (body) => {
        if (body >= 0) this.showBodies([...this.plotted, body]);
        more.show(-1);
      }, 'add a body');
      row.append(element('label', {}, 'and ', more.element), this.chosenList);
    }
    this.element.append(row);
    this.showBody(fastest(run, movers));
    // positions that arrive later are drawn once all are there
    if (run.motion && !run.motion.complete) run.motion.onBlock(() => run.motion?.complete && this.showBodies(this.plotted));
  }

  /** Plots a body alone. */
  showBody(body: number): void {
    this.showBodies([body]);
  }

  /** Plots bodies side by side; a few at most, the last ones stay. */
  showBodies(bodies: number[]): void {
    if (!this.bodyChoice) return;
    this.plotted = [...new Set(bodies)].slice(-maxPlotted);
    this.bodyChoice.show(this.plotted[0] ?? -1);
    const names = this.run.head.solids?.names ?? [];
    const others = this.plotted.slice(1).map((body) => {
      const name = names[body] ?? `body ${body + 1}`;
      return button(`${name} ×`, `Remove ${name} from the plots`, () => this.showBodies(this.plotted.filter((one) => one !== body)));
    });
    this.chosenList.replaceChildren(...others);
    this.replace('body', panelsOfBodies(this.run, this.touching, this.plotted));
  }

  /** The bodies that have lines of their own. */
  get shownBodies(): number[] {
    return this.plotted;
  }

  /** Plots what two bodies do to each other; null: of no pair. */
  showPair(pair: [number, number] | null): void {
    this.pair = pair;
    this.replace('pair', pair ? panelsOfPair(this.run, this.touching, ...pair) : []);
  }

  /** The run has grown: the same panels with longer lines. Who saw the whole run sees it again. */
  grow(): void {
    const { run, timeline, touching, player } = this;
    const whole = this.range[0] <= player.start && this.range[1] >= this.end;
    this.end = player.end;
    const fresh = [...panelsOf(run, timeline, touching), ...panelsOfBodies(run, touching, this.plotted), ...(this.pair ? panelsOfPair(run, touching, ...this.pair) : [])];
    let before: HTMLElement | null = null;
    for (const panel of fresh) {
      const drawn = this.charts.find((one) => one.panel.id === panel.id);
      const figure = drawn ? this.lengthen(drawn, panel) : this.add(panel);
      if (!drawn && before) before.after(figure);
      before = figure;
    }
    if (whole) this.show(player.start, player.end);
    else this.show(...this.range);
  }

  private lengthen(drawn: Drawn, panel: Panel): HTMLElement {
    const same = drawn.panel.lines.map(({ name }) => name).join() === panel.lines.map(({ name }) => name).join();
    Object.assign(drawn.panel, panel);
    this.following = true;
    if (same) {
      drawn.chart.setData(dataOf(panel), false);
    } else {
      drawn.chart.destroy();
      drawn.chart = this.make(drawn.panel, drawn.holder);
    }
    this.following = false;
    drawn.holder.setAttribute('aria-label', describe(panel));
    drawn.numbers.replaceChildren(numbersOf(panel));
    return drawn.holder.parentElement as HTMLElement;
  }

  /** Panels that take the place of those shown before under this key: among the others, or in a section of their own. */
  replace(key: string, panels: Panel[], place: HTMLElement = this.element): void {
    const gone = this.extra.get(key) ?? [];
    for (const figure of gone) figure.remove();
    this.charts = this.charts.filter(({ chart, holder }) => !gone.some((figure) => figure.contains(holder)) || (chart.destroy(), false));
    this.extra.set(key, panels.map((panel) => this.add(panel, place)));
    this.resize();
  }

  get shown(): [number, number] {
    return this.range;
  }

  zoom(factor: number): void {
    const [from, to] = this.range;
    const t = Math.min(to, Math.max(from, this.player.time));
    this.show(t - (t - from) * factor, t + (to - t) * factor);
  }

  show(from: number, to: number): void {
    const { start, end } = this.player;
    this.range = [Math.max(start, from), Math.min(end, Math.max(to, from + 1e-9 * (end - start)))];
    this.following = true;
    for (const { chart } of this.charts) chart.setScale('x', { min: this.range[0], max: this.range[1] });
    this.following = false;
  }

  private add(panel: Panel, place: HTMLElement = this.element): HTMLElement {
    const holder = element('div', { class: 'chart', role: 'img', 'aria-label': describe(panel) });
    const numbers = element('div', { class: 'wide', tabindex: '0', role: 'group', 'aria-label': `${panel.title} in numbers` }, numbersOf(panel));
    const fold = element('details', {}, element('summary', {}, 'In numbers'), numbers);
    const caption = element('figcaption', {}, panel.unit ? `${panel.title}, ${panel.unit}` : panel.title);
    const note = panel.note ? element('p', { class: 'hint' }, panel.note) : null;
    const figure = element('figure', { id: `plot-${panel.id}` }, caption, holder, note, fold);
    place.append(figure);
    this.charts.push({ chart: this.make(panel, holder), holder, panel, numbers });
    this.sight.observe(holder);
    return figure;
  }

  private make(panel: Panel, holder: HTMLElement): uPlot {
    const { colours, player } = this;
    const axis = { font: pageFont(12), stroke: colours.text, grid: { stroke: colours.grid, width: 1 }, ticks: { stroke: colours.grid } };
    const ticks = (_: uPlot, splits: (number | null)[]) => splits.map((x) => (x === null ? '' : number(x)));
    const powers = (_: uPlot, splits: (number | null)[]) => splits.map((x) => (x === null ? '' : number(10 ** x)));
    const options: uPlot.Options = {
      width: Math.max(200, holder.clientWidth || 600),
      height: 190,
      pxAlign: false, // rounded to whole pixels, slow curves would look like stairs
      scales: { x: { time: false }, y: { range: (_, low, high) => rangeOf(panel, low, high) } },
      axes: [
        { ...axis, values: ticks },
        panel.log ? { ...axis, values: powers, incrs: [...(panel.cells ? [0.1, 0.2, 0.5] : []), 1, 2, 3, 5, 10, 20, 50], size: 76 } : { ...axis, values: ticks, size: 76 },
      ],
      cursor: { sync: { key: 'carom' }, drag: { x: true, y: false }, points: { size: 6 } },
      legend: { live: true },
      series: [
        { label: 't', value: (_, t) => (t === null ? '' : `${number(t, 5)} s`) },
        ...panel.lines.map(({ name }, i) => this.series(name, i, panel)),
      ],
      hooks: {
        drawAxes: panel.cells ? [(chart) => drawCells(chart, panel.cells!)] : [],
        draw: [(chart) => drawNow(chart, player.time, colours)],
        setScale: [
          (chart, key) => {
            const { min, max } = chart.scales[key];
            if (key === 'x' && this.live.has(chart) && !this.following && min != null && max != null) this.show(min, max);
          },
        ],
      },
    };
    this.following = true;
    const chart = new uPlot(options, dataOf(panel), holder);
    chart.setScale('x', { min: this.range[0], max: this.range[1] });
    this.following = false;
    // uPlot tells of its first scales a little later: they are not the reader's
    setTimeout(() => this.live.add(chart));
    this.seekOnClick(chart);
    chart.over.addEventListener('mouseleave', () => this.follow(chart, panel));
    requestAnimationFrame(() => this.follow(chart, panel)); // uPlot empties the legend once it has drawn
    return chart;
  }

  private series(name: string, i: number, panel: Panel): uPlot.Series {
    const series: uPlot.Series = {
      label: name,
      stroke: panel.cells ? this.colours.named('vermilion') : this.colours.line(i),
      width: 1.6,
      dash: i % 3 === 1 ? [7, 3] : i % 3 === 2 ? [2, 3] : undefined,
      points: { show: panel.log && !panel.cells },
      value: (_, x) => number(panel.log && x !== null ? 10 ** x : x),
    };
    if (panel.steps && uPlot.paths.stepped) series.paths = uPlot.paths.stepped({ align: -1 });
    return series;
  }

  /** A click that did not drag goes to its instant. */
  private seekOnClick(chart: uPlot): void {
    let down = -1;
    chart.over.addEventListener('mousedown', (event) => (down = event.offsetX));
    chart.over.addEventListener('click', (event) => {
      if (Math.abs(event.offsetX - down) <= 3) this.player.seek(chart.posToVal(event.offsetX, 'x'));
    });
  }

  /** The line at the instant shown, and the values there while no pointer asks for others. */
  private follow(chart: uPlot, panel: Panel): void {
    chart.redraw(false, false);
    if (chart.cursor.left === undefined || chart.cursor.left < 0) {
      chart.setLegend({ idx: lastNotAfter(panel.time, this.player.time) }, false);
    }
  }

  private resize(): void {
    for (const { chart, holder } of this.charts) {
      const width = holder.clientWidth;
      if (width > 0 && width !== chart.width) chart.setSize({ width, height: chart.height });
    }
  }

  private rebuild(): void {
    for (const drawn of this.charts) {
      drawn.chart.destroy();
      drawn.chart = this.make(drawn.panel, drawn.holder);
    }
  }
}

/** What the upright axis of a panel spans. A line that does not change gets room around it instead of a scale up to a hundred. */
function rangeOf(panel: Panel, low: number | null, high: number | null): [number | null, number | null] {
  if (panel.cells) return [panel.cells.from - 0.05, panel.cells.to + 0.05];
  if (panel.floor) return noFinerThan(panel.floor, low, high);
  if (low === null || high === null) return [low, high];
  const largest = Math.max(Math.abs(low), Math.abs(high));
  if (high - low > 1e-12 * largest && largest > roundedAway) return uPlot.rangeNum(low, high, 0.1, true);
  const middle = largest > roundedAway ? (low + high) / 2 : 0;
  const half = middle === 0 || panel.log ? 1 : 0.2 * Math.abs(middle);
  return [middle - half, middle + half];
}

/** Whatever the unit, lines that stay below this show nothing but rounding. */
const roundedAway = 1e-18;

/** A range with some room above and below; rounding errors do not fill it. */
function noFinerThan(floor: number, low: number | null, high: number | null): [number, number] {
  const [a, b] = [low ?? 0, high ?? 0];
  const half = Math.max(0.55 * (b - a), floor / 2);
  return [(a + b) / 2 - half, (a + b) / 2 + half];
}

/** uPlot leaves out what is null; of NaN and the infinite it makes nonsense. */
function withGaps(values: Float64Array): Float64Array | (number | null)[] {
  if (values.every(Number.isFinite)) return values;
  return Array.from(values, (x) => (Number.isFinite(x) ? x : null));
}

/** uPlot's own logarithmic scale never ends its ticks for numbers such as 1e-23: the powers are drawn instead. */
function dataOf(panel: Panel): uPlot.AlignedData {
  const drawn = panel.lines.map(({ values }) => withGaps(panel.log ? values.map((x) => Math.log10(x)) : values));
  return [panel.time, ...drawn] as unknown as uPlot.AlignedData;
}

function numbersOf(panel: Panel): HTMLElement {
  const rows = panel.lines.map(({ name, values }) => {
    const [low, high] = ends(values);
    return [name, number(values[0]), number(values[values.length - 1]), number(low), number(high)];
  });
  return table(`${panel.title}, ${panel.unit}`, ['', 'start', 'end', 'lowest', 'highest'], rows);
}

function ends(values: Float64Array): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (const x of values) {
    if (x < low) low = x;
    if (x > high) high = x;
  }
  return low <= high ? [low, high] : [NaN, NaN];
}

function describe(panel: Panel): string {
  const lines = panel.lines.slice(0, linesPerPanel).map(({ name, values }) => {
    const [low, high] = ends(values);
    return `${name} from ${number(low)} to ${number(high)}`;
  });
  return `${panel.title} over time, ${panel.unit}: ${lines.join('; ')}`;
}

/** Classes as rectangles: the brighter, the more contacts; empty ones are left out. */
function drawCells(chart: uPlot, { starts, from, to, counts }: Cells): void {
  const { ctx, bbox } = chart;
  const most = counts.reduce((a, column) => column.reduce((b, n) => Math.max(b, n), a), 1);
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  counts.forEach((column, c) => {
    const [left, right] = [starts[c], starts[c + 1]].map((t) => chart.valToPos(t, 'x', true));
    if (right < bbox.left || left > bbox.left + bbox.width) return;
    const step = (to - from) / column.length;
    column.forEach((n, k) => {
      if (n === 0) return;
      const [top, bottom] = [from + (k + 1) * step, from + k * step].map((y) => chart.valToPos(y, 'y', true));
      ctx.fillStyle = rampColour(Math.sqrt(n / most));
      // neighbours share their edges: no hairlines between them
      ctx.fillRect(left, top, Math.max(1, right - left) + 0.6, bottom - top + 0.6);
    });
  });
  ctx.restore();
}

function drawNow(chart: uPlot, t: number, colours: Colours): void {
  const { min, max } = chart.scales.x;
  if (min == null || max == null || t < min || t > max) return;
  const x = Math.round(chart.valToPos(t, 'x', true));
  const { ctx, bbox } = chart;
  ctx.save();
  ctx.setLineDash([]);
  ctx.strokeStyle = colours.text;
  ctx.globalAlpha = 0.6;
  ctx.lineWidth = window.devicePixelRatio || 1;
  ctx.beginPath();
  ctx.moveTo(x, bbox.top);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
  ctx.restore();
}
