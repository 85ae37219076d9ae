import type { Colours } from './colours';
import type { Run } from './data';
import type { Player } from './player';
import { element, number, pageFont, releaseAfterPointer, section } from './text';
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
      this.quantities.forEach((q, i) => select.append(new Option(q.unit ? `${q.name}, ${q.unit}` : q.name, String(i), i === chosen, i === chosen)));
      select.addEventListener('change', () => this.draw());
      releaseAfterPointer(select);
      return select;
    };
    this.across = choice('Phase portrait, across', 0);
    this.up = choice('Phase portrait, up', Math.min(run.head.coordinates.length, most, this.quantities.length - 1));
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
    const { canvas } = this;
    const ratio = window.devicePixelRatio || 1;
    const width = canvas.clientWidth;
    const height = canvas.clientHeight;
    const context = canvas.getContext('2d');
    if (!context || width === 0) return;
    if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
    if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    if (this.empty) return;
    const x = this.quantities[Number(this.across.value)];
    const y = this.quantities[Number(this.up.value)];
    const place = frame(context, width, height, x, y, this.colours);
    canvas.setAttribute('aria-label', `Phase portrait: ${y.name} against ${x.name}`);

    context.strokeStyle = this.colours.line(0);
    context.lineWidth = 1.3;
    context.beginPath();
    for (let i = 0; i < x.values.length; ++i) context.lineTo(...place(x.values[i], y.values[i]));
    context.stroke();
    const row = this.timeline.row(this.player.time);
    context.fillStyle = this.colours.line(1);
    context.beginPath();
    context.arc(...place(x.values[row], y.values[row]), 5, 0, 2 * Math.PI);
    context.fill();
  }
}

/** More to choose from would be no choice. */
const most = 200;

function quantitiesOf(run: Run, timeline: Timeline): Quantity[] {
  const { coordinates } = run.head;
  const n = Math.min(coordinates.length, most);
  const struck = run.columns('jumps.q', n);
  const quantities = run.columns('q', n).map((q, i) => ({ ...coordinates[i], values: timeline.merged(q, struck[i], struck[i]) }));
  if (!run.has('u.0')) return quantities;
  const before = run.columns('jumps.u_minus', n);
  const after = run.columns('jumps.u_plus', n);
  const velocities = run.columns('u', n).map((u, i) => ({
    name: `${coordinates[i].name}'`,
    unit: `${coordinates[i].unit || '1'}/s`,
    values: timeline.merged(u, before[i], after[i]),
  }));
  return [...quantities, ...velocities];
}

/** Draws the frame with the ends of both axes and returns where a point goes. */
function frame(
  context: CanvasRenderingContext2D,
  width: number,
  height: number,
  x: Quantity,
  y: Quantity,
  colours: Colours,
): (a: number, b: number) => [number, number] {
  const range = ({ values }: Quantity): [number, number] => {
    let low = Infinity;
    let high = -Infinity;
    for (const v of values) {
      low = v < low ? v : low;
      high = v > high ? v : high;
    }
    return low < high ? [low, high] : [(low || 0) - 1, (low || 0) + 1];
  };
  const [left, right] = range(x);
  const [bottom, top] = range(y);
  const box = { x: 70, y: 10, w: width - 86, h: height - 46 };
  context.strokeStyle = colours.grid;
  context.strokeRect(box.x, box.y, box.w, box.h);
  context.fillStyle = colours.text;
  context.font = pageFont(12);
  context.textBaseline = 'top';
  context.fillText(number(left), box.x, box.y + box.h + 5);
  context.fillText(x.name, box.x + box.w / 2, box.y + box.h + 5);
  context.textAlign = 'right';
  context.fillText(number(right), box.x + box.w, box.y + box.h + 5);
  context.fillText(number(top), box.x - 6, box.y);
  context.textBaseline = 'middle';
  context.fillText(y.name, box.x - 6, box.y + box.h / 2);
  context.textBaseline = 'bottom';
  context.fillText(number(bottom), box.x - 6, box.y + box.h);
  context.textAlign = 'left';
  return (a, b) => [
    box.x + (box.w * (a - left)) / (right - left),
    box.y + box.h - (box.h * (b - bottom)) / (top - bottom),
  ];
}
