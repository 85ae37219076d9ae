import { CanvasStage } from './canvas_stage';
import { Colours } from './colours';
import type { Run } from './data';
import { Nearest, paletteOf, toGif } from './gif';
import { toMp4, type Codec } from './mp4';
import { Percussions } from './percussions';
import { Picture, presets, type Stage } from './picture';
import { Statuses } from './statuses';
import { element, number, pageFont, withUnit } from './text';
import { ThreeStage } from './three_stage';
import { Timeline } from './timeline';
import { toWebm, type Encoded } from './webm';

export type FilmFormat = 'png' | 'gif' | 'webm' | 'mp4';

/** What is wanted: a picture at an instant, or a film from one to another. */
export type FilmOrder = {
  format: FilmFormat;
  width: number;
  height: number;
  at: number;
  from: number;
  until: number;
  speed: number; // seconds of the run for each second of the film
  fps: number;
  camera: string; // a preset, "azimuth,elevation,zoom" in degrees, or the numbers of a stage's view
  dark: boolean;
};

/** The order in the words behind the # of the page's address; null: there is none. */
export function orderIn(words: URLSearchParams, start: number, end: number): FilmOrder | null {
  const format = words.get('film');
  if (format !== 'png' && format !== 'gif' && format !== 'webm' && format !== 'mp4') return null;
  const numberOf = (name: string, otherwise: number) => (words.has(name) && Number.isFinite(Number(words.get(name))) ? Number(words.get(name)) : otherwise);
  const [width, height] = (words.get('size') ?? '1280x720').split('x').map(Number);
  return {
    format,
    width,
    height,
    at: numberOf('at', end),
    from: numberOf('from', start),
    until: numberOf('until', end),
    speed: numberOf('speed', 1),
    fps: numberOf('fps', 30),
    camera: words.get('camera') ?? '',
    dark: words.has('dark'),
  };
}

/** The instants of the pictures of a film: evenly apart, whatever the clock of this machine does. */
export function instantsOf({ format, at, from, until, speed, fps }: FilmOrder): number[] {
  if (format === 'png') return [at];
  const count = Math.max(1, Math.floor(((until - from) / speed) * fps + 1e-9) + 1);
  return Array.from({ length: count }, (_, i) => Math.min(until, from + (i * speed) / fps));
}

/** How long an impact is shown in a film, s. */
const glow_s = 0.1;

/** A stage of its own, of the size of the film, that draws one instant after the other. */
class Camera {
  readonly canvas = element('canvas');
  private readonly context: CanvasRenderingContext2D;
  private readonly holder = element('div', { class: 'film' });
  private readonly picture: Picture;
  private readonly colours: Colours;
  private readonly stage: Stage;
  private readonly order: FilmOrder;

  constructor(run: Run, order: FilmOrder, looks: Picture['looks'] | null, view: number[] | null) {
    this.order = order;
    this.canvas.width = order.width;
    this.canvas.height = order.height;
    const context = this.canvas.getContext('2d', { willReadFrequently: order.format === 'gif' });
    if (!context) throw new Error('this browser has no canvas');
    this.context = context;
    const timeline = new Timeline(run);
    this.picture = new Picture(run, timeline);
    if (looks) Object.assign(this.picture.looks, looks);
    this.colours = new Colours(run.head.palette, order.dark ? 'dark' : 'light');
    const percussions = new Percussions(run, new Statuses(run));
    this.stage = this.makeStage(percussions);
    Object.assign(this.holder.style, { width: `${order.width}px`, height: `${order.height}px` });
    this.holder.append(this.stage.element);
    document.body.append(this.holder);
    this.stage.resize();
    this.aim(view);
  }

  private makeStage(percussions: Percussions): Stage {
    if (this.picture.spatial) {
      try {
        return new ThreeStage(this.picture, this.colours, percussions, 1);
      } catch {
        // no WebGL: the plain canvas draws the same
      }
    }
    return new CanvasStage(this.picture, this.colours, percussions, 1);
  }

  private aim(view: number[] | null): void {
    const { camera } = this.order;
    const numbers = camera.split(',').map(Number);
    if (view) this.stage.look(view);
    else if (presets[camera]) this.stage.lookFrom(...presets[camera]);
    else if (camera && numbers.every(Number.isFinite)) {
      this.stage.lookFrom(numbers[0], numbers[1] ?? 20);
      if (numbers.length > 2) this.stage.zoom(numbers[2]);
    }
  }

  /** Draws an instant onto the canvas, with its time. */
  draw(t: number): void {
    const { context, canvas, colours } = this;
    const glow = this.order.format === 'png' ? 1e-9 : glow_s * this.order.speed;
    this.stage.place(this.picture.at(t, glow));
    this.stage.draw();
    context.fillStyle = colours.ground;
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(this.stage.element as HTMLCanvasElement, 0, 0, canvas.width, canvas.height);
    context.fillStyle = colours.text;
    context.font = pageFont(Math.max(12, Math.round(canvas.height / 36)));
    context.textBaseline = 'bottom';
    const [left, bottom] = [canvas.height / 60, canvas.height - canvas.height / 60];
    context.fillText(`t = ${number(t, 4)} s`, left, bottom);
    this.drawKey(t, left + context.measureText('t = 0.0000 s').width + 3 * left, bottom);
  }

  /** How long the arrow of a round force is, where forces are drawn as arrows. */
  private drawKey(t: number, x: number, bottom: number): void {
    const { context, picture, stage } = this;
    const { newton, pixels } = picture.forces?.key(t, picture.looks, stage.pixelsPerMetre) ?? { newton: 0, pixels: 0 };
    if (newton === 0 || picture.contacts.most === 0) return;
    const y = bottom - parseFloat(context.font) / 2;
    context.strokeStyle = context.fillStyle;
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(x + pixels, y);
    context.lineTo(x + pixels - 6, y - 3);
    context.moveTo(x + pixels, y);
    context.lineTo(x + pixels - 6, y + 3);
    context.stroke();
    context.fillText(withUnit(newton, 'N'), x + pixels + 6, bottom);
  }

  end(): void {
    this.holder.remove();
    this.stage.dispose();
  }
}

type Progress = (part: number) => Promise<void> | void;

/** Makes a picture or a film of a run. `looks` and `view`: as the reader has set the stage. */
export async function makeFilm(run: Run, order: FilmOrder, progress: Progress, looks: Picture['looks'] | null = null, view: number[] | null = null): Promise<Blob> {
  const camera = new Camera(run, order, looks, view);
  try {
    const instants = instantsOf(order);
    if (order.format === 'png') return await still(camera, instants[0]);
    if (order.format === 'gif') return await gifOf(camera, order, instants, progress);
    return await encoded(camera, order, instants, progress);
  } finally {
    camera.end();
  }
}

async function still(camera: Camera, t: number): Promise<Blob> {
  camera.draw(t);
  return new Promise((done, failed) => camera.canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error('the browser made no picture'))), 'image/png'));
}

function packedPixels({ canvas }: Camera): Uint32Array {
  const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
  return Uint32Array.from({ length: data.length / 4 }, (_, i) => (data[4 * i] << 16) | (data[4 * i + 1] << 8) | data[4 * i + 2]);
}

async function gifOf(camera: Camera, order: FilmOrder, instants: number[], progress: Progress): Promise<Blob> {
  // the palette is that of some pictures spread over the film
  const seen: Uint32Array[] = [];
  for (const k of [0, 0.25, 0.5, 0.75, 1]) {
    camera.draw(instants[Math.round(k * (instants.length - 1))]);
    seen.push(packedPixels(camera).filter((_, i) => i % 7 === 0));
  }
  const all = new Uint32Array(seen.reduce((n, part) => n + part.length, 0));
  seen.reduce((at, part) => (all.set(part, at), at + part.length), 0);
  const palette = paletteOf(all);
  const nearest = new Nearest(palette);
  const pictures: Uint8Array[] = [];
  for (const [i, t] of instants.entries()) {
    camera.draw(t);
    pictures.push(Uint8Array.from(packedPixels(camera), (colour) => nearest.of(colour)));
    await progress(i / instants.length);
  }
  return toGif(order.width, order.height, palette, pictures, Math.max(2, Math.round(100 / order.fps)));
}

/** Codecs in the order in which they are liked, for the container that is asked for. */
const codecs: Record<'webm' | 'mp4', string[]> = {
  webm: ['vp09.00.40.08', 'vp8'],
  mp4: ['avc1.640028', 'avc1.42003e', 'av01.0.08M.08', 'vp09.00.40.08'],
};

async function chooseCodec(format: 'webm' | 'mp4', size: { width: number; height: number }, bitrate: number): Promise<string> {
  if (!('VideoEncoder' in window)) throw new Error('this browser makes no films: it has no WebCodecs (files and 127.0.0.1 may use it, other addresses need https)');
  for (const codec of codecs[format]) {
    const { supported } = await VideoEncoder.isConfigSupported({ codec, ...size, bitrate }).catch(() => ({ supported: false }));
    if (supported) return codec;
  }
  throw new Error(`this browser has no codec for ${format}`);
}

async function encoded(camera: Camera, order: FilmOrder, instants: number[], progress: Progress): Promise<Blob> {
  const format = order.format as 'webm' | 'mp4';
  const size = { width: order.width, height: order.height };
  const bitrate = Math.round(0.12 * size.width * size.height * order.fps);
  const codec = await chooseCodec(format, size, bitrate);
  const pictures: Encoded[] = [];
  let config: Uint8Array<ArrayBuffer> | null = null;
  let problem: Error | null = null;
  const encoder = new VideoEncoder({
    output: (chunk, meta) => {
      const data = new Uint8Array(chunk.byteLength);
      chunk.copyTo(data);
      pictures.push({ data, time_us: chunk.timestamp, key: chunk.type === 'key' });
      const description = meta?.decoderConfig?.description;
      if (description) config = new Uint8Array(description instanceof ArrayBuffer ? description.slice(0) : (description as Uint8Array<ArrayBuffer>).slice());
    },
    error: (error) => (problem = error),
  });
  encoder.configure({ codec, ...size, bitrate, framerate: order.fps, latencyMode: 'quality', ...(codec.startsWith('avc1') ? { avc: { format: 'avc' as const } } : {}) });
  const keyEvery = Math.max(1, Math.round(2 * order.fps));
  for (const [i, t] of instants.entries()) {
    camera.draw(t);
    const frame = new VideoFrame(camera.canvas, { timestamp: Math.round((i * 1e6) / order.fps) });
    encoder.encode(frame, { keyFrame: i % keyEvery === 0 });
    frame.close();
    while (encoder.encodeQueueSize > 8 && !problem) await new Promise((go) => setTimeout(go, 4));
    if (problem) throw problem;
    await progress(i / instants.length);
  }
  await encoder.flush();
  encoder.close();
  if (problem) throw problem;
  if (format === 'webm') return toWebm(codec === 'vp8' ? 'V_VP8' : 'V_VP9', order.width, order.height, pictures, (1e6 * instants.length) / order.fps);
  return toMp4(configOf(codec, config), order.width, order.height, pictures, Math.round(1000 * order.fps), 1000);
}

/** What players must know about the codec before the first picture. */
function configOf(codec: string, told: Uint8Array<ArrayBuffer> | null): Codec {
  if (codec.startsWith('avc1')) {
    if (!told) throw new Error('the browser did not say how its pictures are to be read');
    return { name: 'avc1', config: told };
  }
  if (codec.startsWith('av01')) return { name: 'av01', config: told ?? new Uint8Array([0x81, 0x08, 0x0c, 0x00]) };
  // profile 0, level 4.0, 8 bits, 4:2:0, colours as BT.709
  return { name: 'vp09', config: new Uint8Array([0, 40, 0x82, 1, 1, 1, 0, 0]) };
}

/** Asked by `carom export`: makes what the address says and sends it back to the server of this page. */
export async function serveFilm(run: Run, order: FilmOrder): Promise<void> {
  const post = (place: string, body: BodyInit) => fetch(place, { method: 'POST', body });
  let told = performance.now();
  try {
    const blob = await makeFilm(run, order, async (part) => {
      if (performance.now() - told < 2000) return;
      told = performance.now();
      await post('progress', String(part));
    });
    const piece = 4_000_000;
    for (let at = 0; at < blob.size; at += piece) await post('part', blob.slice(at, at + piece));
    await post('end', '');
  } catch (problem) {
    await post('problem', problem instanceof Error ? problem.message : String(problem));
  }
}
