import { frameOf } from './axes';
import type { Colours } from './colours';
import type { Run } from './data';
import type { Player } from './player';
import { element, releaseAfterPointer, section } from './text';
import type { Timeline } from './timeline';

type Quantity = { name: string; unit: string; values: Float64Array };

/** Any quantity against any other: the way through phase space, with a dot at the instant shown. */
export class PhasePortrait {
  readonly element: HTMLElement;
  private quantities: Quantity[];
  private readonly run: Run;
  private readonly canvas = element('canvas', { class: 'phase', role: 'img', 'aria-label': 'Phase portrait' });
  private readonly across: HTMLSelectElement;
  private readonly up: HTMLSelectElement;
  private readonly timeline: Timeline;
  private readonly player: Player;
  private readonly colours: Colours;

  constructor(run: Run, timeline: Timeline, player: Player, colours: Colours) {
    this.timeline = timeline;
    this.player = player;
    this.colours = colours;
    this.run = run;
    this.quantities = quantitiesOf(run, timeline);
    const choice = (label: string, chosen: number) => {
      const select = element('select', { 'aria-label': label });
      this.quantities.forEach((q, i) => select.append(new Option(named(q), String(i), i === chosen, i === chosen)));
      select.addEventListener('change', () => this.draw());
      releaseAfterPointer(select);
      return select;
    };
    this.across = choice('Phase portrait, across', 0);
    this.up = choice('Phase portrait, up', Math.min(Math.ceil(this.quantities.length / 2), this.quantities.length - 1));
    const tools = element(
      'div',
      { class: 'tools' },
      element('label', {}, 'across ', this.across),
      element('label', {}, 'up ', this.up),
    );
    const fold = element('details', {}, element('summary', {}, 'Plot one quantity against another'), tools, this.canvas);
    fold.addEventListener('toggle', () => this.draw());
    this.element = section('phase', 'Phase portrait', fold);
    player.watch(() => {
      if (fold.open) this.draw();
    });
    colours.onChange(() => this.draw());
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  /** The run has grown. */
  grow(): void {
    this.quantities = quantitiesOf(this.run, this.timeline);
    this.draw();
  }

  /** There is nothing to choose from. */
  get empty(): boolean {
    return this.quantities.length === 0;
  }

  private draw(): void {
    const { canvas, colours } = this;
    if (this.empty) return;
    const x = this.quantities[Number(this.across.value)];
    const y = this.quantities[Number(this.up.value)];
    canvas.setAttribute('aria-label', `Phase portrait: ${y.name} against ${x.name}`);
    const frame = frameOf(canvas, x.values, y.values, colours, [named(x), named(y)]);
    if (!frame) return;
    const { context, place } = frame;
    context.strokeStyle = colours.line(0);
    context.lineWidth = 1.3;
    context.lineJoin = 'round';
    context.beginPath();
    for (let i = 0; i < x.values.length; ++i) context.lineTo(...place(x.values[i], y.values[i]));
    context.stroke();
    const row = this.timeline.row(this.player.time);
    context.fillStyle = colours.line(1);
    context.beginPath();
    context.arc(...place(x.values[row], y.values[row]), 5, 0, 2 * Math.PI);
    context.fill();
  }
}

const named = ({ name, unit }: Quantity) => (unit ? `${name}, ${unit}` : name);

/** More to choose from would be no choice. */
const most = 200;

function quantitiesOf(run: Run, timeline: Timeline): Quantity[] {
  const turned = quaternions(run);
  const chosen = run.head.coordinates.map((coordinate, i) => ({ ...coordinate, i })).filter(({ i }) => !turned.has(i)).slice(0, most);
  const track = (name: string, i: number) => run.track(`${name}.${i}`);
  const quantities = chosen.map(({ name, unit, i }) => ({ name, unit, values: timeline.merged(track('q', i), track('jumps.q', i), track('jumps.q', i)) }));
  if (!run.has('u.0')) return quantities;
  const velocities = chosen.map(({ name, unit, i }) => ({
    name: `${name}'`,
    unit: `${unit || '1'}/s`,
    values: timeline.merged(track('u', i), track('jumps.u_minus', i), track('jumps.u_plus', i)),
  }));
  return [...quantities, ...velocities];
}

/** Columns of the rotations of bodies in space: no quantities that a reader knows. */
function quaternions(run: Run): Set<number> {
  const { solids } = run.head;
  if (!solids || solids.flat) return new Set();
  return new Set(solids.bodies.flatMap(({ first }) => (first < 0 ? [] : [3, 4, 5, 6].map((k) => first + k))));
}
