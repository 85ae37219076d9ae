import { movingBodies } from './body_plots';
import type { DataTable, Run } from './data';
import type { Panel, Plots } from './plots';
import { counted, element, number, releaseAfterPointer, section, withUnit } from './text';
import { lastNotAfter } from './timeline';

/** A number over time that a run has, by its name. */
type Series = { unit: string; time: Float64Array; values: () => Float64Array };

/** Columns as `carom export --to csv` calls them have the names that a reader sees. */
const nameOf = (column: string): string => (column.endsWith('_J') ? column.replace(/_J$/, ' energy').replaceAll('_', ' ') : column.replace(/^gap_m\./, 'gap of '));

/** All that can be compared, in the order in which it is offered. */
function seriesOf(run: Run): Map<string, Series> {
  const time = run.track('time_s');
  const all = new Map<string, Series>();
  const add = (name: string, unit: string, track: string) => {
    if (run.has(track)) all.set(name, { unit, time, values: () => run.track(track) });
  };
  run.head.probes.forEach(({ name, unit }, i) => add(name, unit, `probe.${i}`));
  run.head.coordinates.forEach(({ name, unit }, i) => add(name, unit, `q.${i}`));
  run.head.coordinates.forEach(({ name, unit }, i) => add(`${name}'`, `${unit || '1'}/s`, `u.${i}`));
  if (run.motion) {
    for (const { name, first } of movingBodies(run)) {
      for (const axis of run.head.solids?.flat ? [0, 1] : [0, 1, 2]) all.set(`${name}_${'xyz'[axis]}`, { unit: 'm', time, values: () => run.track(`q.${first + axis}`) });
    }
  }
  run.head.contacts.forEach((name, i) => add(nameOf(`gap_m.${name}`), 'm', `gap_m.${i}`));
  for (const name of run.head.energies) add(nameOf(name), 'J', `energy.${name}`);
  return all;
}

function seriesOfTable({ columns }: DataTable): Map<string, Series> {
  const numbers = (values: (number | null)[]) => Float64Array.from(values, (x) => x ?? NaN);
  const time = numbers(columns.find(({ name }) => name === 'time_s')?.values ?? []);
  return new Map(columns.filter(({ name }) => name !== 'time_s').map(({ name, values }) => [nameOf(name), { unit: '', time, values: () => numbers(values) }]));
}

/** A series at other instants, straight between its own; none beyond its ends. */
export function resampled(time: Float64Array, values: Float64Array, at: Float64Array): Float64Array {
  return at.map((t) => {
    if (time.length === 0 || t < time[0] || t > time[time.length - 1]) return NaN;
    const i = lastNotAfter(time, t);
    const next = Math.min(i + 1, time.length - 1);
    const span = time[next] - time[i];
    return span > 0 ? values[i] + ((t - time[i]) / span) * (values[next] - values[i]) : values[i];
  });
}

type Told = { time: number; kind: string; who: string };

function eventsOf(run: Run): Told[] {
  const kind = run.track('events.kind');
  const contact = run.track('events.contact');
  return Array.from(run.track('events.time_s'), (time, i) => ({ time, kind: run.head.event_kinds[kind[i]] ?? '', who: run.head.event_names?.[contact[i]] ?? '' }));
}

/** The first event that one run has and the other has not, or has at another time than both steps explain; null: there is none. */
export function firstParting(a: Run, b: Run): { a: Told | null; b: Told | null; number: number } | null {
  const [first, second] = [eventsOf(a), eventsOf(b)];
  const allowed = 2 * Math.max(a.head.time_step_s, b.head.time_step_s);
  for (let i = 0; i < Math.max(first.length, second.length); ++i) {
    const [x, y] = [first[i] ?? null, second[i] ?? null];
    if (x && y && x.kind === y.kind && x.who === y.who && Math.abs(x.time - y.time) <= allowed) continue;
    return { a: x, b: y, number: i + 1 };
  }
  return null;
}

function told(event: Told | null, name: string): string {
  return event ? `${name} has ${event.kind.replaceAll('_', ' ')} of ${event.who} at ${withUnit(event.time, 's')}` : `${name} has no more`;
}

/** The run of the page beside others, or beside measured data: curves over each other, and their difference. */
export class Comparison {
  readonly element: HTMLElement;
  private readonly plots: Plots;
  private readonly own: Map<string, Series>;
  private readonly name: string;
  private readonly others: { name: string; series: Map<string, Series> }[];
  private readonly choice = element('select', { 'aria-label': 'Quantity to compare' });
  private readonly words = element('p', { class: 'picked', 'aria-live': 'polite' });
  private readonly figures = element('div');

  constructor(run: Run, others: Run[], plots: Plots) {
    this.plots = plots;
    this.name = run.head.name || 'this run';
    this.own = seriesOf(run);
    this.others = [
      ...others.map((other, i) => ({ name: other.head.name || `run ${i + 2}`, series: seriesOf(other) })),
      ...(run.head.tables ?? []).map((table) => ({ name: table.name, series: seriesOfTable(table) })),
    ];
    const shared = [...this.own.keys()].filter((name) => this.others.some(({ series }) => series.has(name)));
    for (const name of shared.slice(0, 5000)) this.choice.append(new Option(name, name));
    this.choice.addEventListener('change', () => this.show());
    releaseAfterPointer(this.choice);
    const drawn = run.head.draw.length > 0 || run.head.solids !== undefined;
    const partings = others.map((other, i) => element('li', {}, partingWords(run, other, this.name, this.others[i].name)));
    this.element = section(
      'compare',
      `Compared with ${this.others.map(({ name }) => name).join(', ')}`,
      partings.length > 0 ? element('ul', {}, ...partings) : null,
      partings.length > 0 && drawn ? element('p', { class: 'hint' }, `In the picture ${others.map((_, i) => this.others[i].name).join(', ')} ${others.length > 1 ? 'are' : 'is'} drawn faintly, at the same instant.`) : null,
      shared.length > 0 ? element('div', { class: 'tools' }, element('label', {}, 'Quantity ', this.choice)) : element('p', {}, 'They have no quantity with the same name.'),
      this.words,
      this.figures,
    );
    if (shared.length > 0) this.show();
  }

  private show(): void {
    const name = this.choice.value;
    const own = this.own.get(name);
    if (!own) return;
    const values = own.values();
    const { time, unit } = own;
    const found = this.others.flatMap(({ name: other, series }) => {
      const theirs = series.get(name);
      return theirs ? [{ name: other, values: resampled(theirs.time, theirs.values(), time) }] : [];
    });
    const differences = found.map(({ name: other, values: theirs }) => ({ name: `${other} − ${this.name}`, values: theirs.map((x, i) => x - values[i]) }));
    const panels: Panel[] = [
      { id: 'compare-both', title: `${name} in all`, unit, time, lines: [{ name: this.name, values }, ...found] },
      { id: 'compare-difference', title: `Difference of ${name}`, unit, time, lines: differences, note: 'At the frames of the first run; the others are interpolated linearly.' },
    ];
    this.plots.replace('compare', panels, this.figures);
    this.words.textContent = differences
      .map(({ name: pair, values: d }) => {
        const worst = d.reduce((best, x, i) => (Math.abs(x) > Math.abs(d[best] || 0) ? i : best), 0);
        let last = d.length - 1;
        while (last >= 0 && !Number.isFinite(d[last])) --last;
        if (last < 0) return `${pair}: they have no instant in common.`;
        const when = last === d.length - 1 ? 'at the end' : `at ${withUnit(time[last], 's')}, the last instant that both have`;
        return `${pair}: at most ${withUnit(Math.abs(d[worst] || 0), unit)}, at ${withUnit(time[worst], 's')}; ${withUnit(d[last], unit)} ${when}.`;
      })
      .join(' ');
  }
}

function partingWords(run: Run, other: Run, name: string, otherName: string): string {
  const count = counted(run.track('events.time_s').length, 'event');
  const parting = firstParting(run, other);
  if (!parting) return `${otherName} has the same ${count}, at the same instants within two steps.`;
  return `They differ from event ${number(parting.number)}: ${told(parting.a, name)}, ${told(parting.b, otherName)}.`;
}
