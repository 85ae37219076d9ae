import type { Colours } from './colours';
import { number, pageFont } from './text';

/** Round numbers in a range, so many at most; none nearer to each other than `finest`. */
export function ticksOf(low: number, high: number, most: number, finest = 0): number[] {
  const raw = Math.max(finest, (high - low) / Math.max(1, most));
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5, 10].find((k) => k * power >= raw) ?? 10);
  const ticks: number[] = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step && ticks.length < 50; ++k) ticks.push(k * step);
  return ticks;
}

/** As many digits as it takes to tell neighbouring ticks apart. */
function labelsOf(ticks: number[]): string[] {
  const step = Math.abs((ticks[1] ?? 0) - (ticks[0] ?? 0));
  const largest = Math.max(...ticks.map(Math.abs), 0);
  const digits = step > 0 && largest > 0 ? Math.ceil(Math.log10(largest / step)) + 2 : 4;
  return ticks.map((x) => number(Math.abs(x) < 1e-9 * step ? 0 : x, Math.min(15, Math.max(3, digits))));
}

/** The range of some numbers; a single one has room around it, in proportion. */
function ends(values: Numbers): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const x of values) if (Number.isFinite(x)) [low, high] = [Math.min(low, x), Math.max(high, x)];
  if (low < high) return [low, high];
  const room = Math.abs(low) > 0 ? 0.1 * Math.abs(low) : 1;
  return low === high ? [low - room, high + room] : [0, 1];
}

/** Lists of numbers as pages have them. */
type Numbers = number[] | Float64Array;

/** Canvas of a diagram, and where a point of it goes. */
export type Frame = { context: CanvasRenderingContext2D; place: (x: number, y: number) => [number, number]; box: { x: number; y: number; w: number; h: number } };

export type FrameOptions = {
  floor?: number; // what is finer upwards is rounding
  room?: number; // this part of the ranges is left free around the points
  counts?: boolean; // upwards there are whole numbers
};

/** Draws axes and says where a point goes; null: the canvas has no size yet. */
export function frameOf(canvas: HTMLCanvasElement, xs: Numbers, ys: Numbers, colours: Colours, names: [string, string], { floor = 0, room = 0, counts = false }: FrameOptions = {}): Frame | null {
  const { clientWidth: width, clientHeight: height } = canvas;
  const context = canvas.getContext('2d');
  if (!context || width === 0) return null;
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  const [first, last] = ends(xs);
  const [left, right] = [first - room * (last - first), last + room * (last - first)];
  const [low, high] = ends(ys);
  const half = Math.max((0.5 + room) * (high - low), floor / 2);
  const [bottom, top] = [(low + high) / 2 - half, (low + high) / 2 + half];
  context.font = pageFont(12);
  const up = ticksOf(bottom, top, Math.max(2, height / 60), counts ? 1 : 0);
  const upLabels = labelsOf(up);
  const margin = 30 + Math.max(24, ...upLabels.map((text) => context.measureText(text).width));
  const box = { x: margin, y: 12, w: width - margin - 16, h: height - 58 };
  const place = (x: number, y: number): [number, number] => [box.x + (box.w * (x - left)) / (right - left), box.y + box.h - (box.h * (y - bottom)) / (top - bottom)];
  const line = (...[x1, y1, x2, y2]: number[]) => {
    context.beginPath();
    context.moveTo(x1, y1);
    context.lineTo(x2, y2);
    context.stroke();
  };
  context.strokeStyle = colours.grid;
  context.strokeRect(box.x, box.y, box.w, box.h);
  context.fillStyle = colours.text;
  context.textBaseline = 'top';
  context.textAlign = 'center';
  // as many as have room for their labels
  let [most, across] = [box.w / 40, ticksOf(left, right, box.w / 40)];
  const widest = () => Math.max(...labelsOf(across).map((text) => context.measureText(text).width));
  while (most > 2 && across.length * (widest() + 16) > box.w) across = ticksOf(left, right, (most *= 0.8));
  labelsOf(across).forEach((text, i) => {
    const [x] = place(across[i], bottom);
    line(x, box.y, x, box.y + box.h);
    context.fillText(text, x, box.y + box.h + 6);
  });
  context.fillText(names[0], box.x + box.w / 2, box.y + box.h + 24);
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  upLabels.forEach((text, i) => {
    const [, y] = place(left, up[i]);
    line(box.x, y, box.x + box.w, y);
    context.fillText(text, box.x - 6, y);
  });
  context.save();
  context.translate(14, box.y + box.h / 2);
  context.rotate(-Math.PI / 2);
  context.textAlign = 'center';
  context.fillText(names[1], 0, 0);
  context.restore();
  context.textAlign = 'left';
  context.textBaseline = 'bottom';
  return { context, place, box };
}

/** Writes names beside their points where nothing else is written yet; a name without room is left out. */
export function writeNames({ context, box }: Frame, names: { text: string; at: [number, number] }[], colours: Colours): void {
  const height = 14;
  const taken: [number, number, number, number][] = [];
  for (const { text, at: [x, y] } of names) {
    const { width } = context.measureText(text);
    const places = [-1, 1, -2, 2, -3, 3, -4, 4].flatMap((row) => [x + 9, x - 9 - width].map((left): [number, number] => [left, y + row * height - (row < 0 ? 0 : height) + (row < 0 ? 6 : 8)]));
    const free = places.find(([left, top]) => {
      const inside = left >= box.x && left + width <= box.x + box.w && top >= box.y && top + height <= box.y + box.h;
      return inside && taken.every(([l, t, r, b]) => left + width < l || left > r || top + height < t || top > b);
    });
    if (!free) continue;
    taken.push([free[0], free[1], free[0] + width, free[1] + height]);
    // points below a name shine through
    context.globalAlpha = 0.7;
    context.fillStyle = colours.ground;
    context.fillRect(free[0] - 2, free[1] - 1, width + 4, height);
    context.globalAlpha = 1;
    context.fillStyle = colours.text;
    context.textBaseline = 'top';
    context.textAlign = 'left';
    context.fillText(text, ...free);
  }
}
