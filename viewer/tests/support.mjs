// Pages for tests: made by carom from scenes, or put together here from numbers that are known.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { chromium } from 'playwright-core';

const here = import.meta.dirname;
export const root = join(here, '..', '..');
export const template = readFileSync(join(here, '..', 'dist', 'report.html'), 'utf8');
export const pictures = join(here, 'pictures');

export const program = process.env.CAROM_PROGRAM ?? join(root, 'build', 'bin', 'carom');
const browserPath = process.env.CAROM_CHROMIUM ?? '/usr/bin/chromium';

/** A folder that is gone when the process ends. */
export function folder() {
  const path = mkdtempSync(join(tmpdir(), 'carom-page-'));
  folders.push(path);
  return path;
}
const folders = [];
process.on('exit', () => folders.forEach((path) => rmSync(path, { recursive: true, force: true })));

/** Runs a scene (a file, or text) and returns the file of its page. */
export function pageOfScene(scene, options = []) {
  if (!existsSync(program)) throw new Error(`there is no ${program}: build carom, or name it in CAROM_PROGRAM`);
  const place = folder();
  const file = scene.includes('\n') ? join(place, 'scene.toml') : scene;
  if (file !== scene) writeFileSync(file, scene);
  const run = join(place, 'run.h5');
  const page = join(place, 'run.html');
  for (const call of [['run', file, '-o', run, '--no-svg', '--quiet', ...options], ['report', run, '-o', page]]) {
    const done = spawnSync(program, call, { encoding: 'utf8' });
    // 1: the run is not certified, which is no reason not to look at it
    if (done.status !== 0 && done.status !== 1) throw new Error(`carom ${call.join(' ')}: ${done.stderr}`);
  }
  return page;
}

const head = {
  format: 'carom-page', version: 1, title: 'test', carom_version: '0', scene: '', start_s: 0, duration_s: 1,
  time_step_s: 0.001, every_s: 0.01, coordinates: [], contacts: [], probes: [], energies: [],
  event_kinds: ['impact', 'contact_made', 'contact_lost'], draw: [], report: null, notes: [], tracks: [],
  palette: { colours: [{ name: 'blue', value: '#0072B2' }, { name: 'vermilion', value: '#D55E00' }], lines: 2, status: { open: '#56B4E9', closed: '#009E73', impact: '#D55E00' } },
};

/** A page with this head and these tracks, each { name, values } or { name, bytes, as, rows, min, max }. */
export function pageOf(some, tracks) {
  const parts = tracks.map(({ values, bytes }) => Buffer.from(bytes ?? new Uint8Array(Float64Array.from(values).buffer)));
  const heads = tracks.map(({ name, values, as = 'f64', rows, min = 0, max = 0 }) => ({ name, as, rows: rows ?? values.length, min, max }));
  const json = JSON.stringify({ ...head, ...some, tracks: heads }).replaceAll('<', '\\u003c');
  const packed = deflateSync(Buffer.concat(parts)).toString('base64');
  const data = `<script type="application/json" id="carom-head">${json}</script><script type="text/plain" id="carom-tracks">${packed}</script>`;
  const file = join(folder(), 'page.html');
  writeFileSync(file, template.replace('<!--CAROM-DATA-->', () => data));
  return file;
}

export async function startBrowser(more = []) {
  return chromium.launch({
    executablePath: browserPath,
    headless: true,
    args: [
      '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
      ...more,
    ],
  });
}

/** What the script costs is measured without what drawing in software costs. */
export function withoutDrawing(page) {
  return page.addInitScript(() => {
    for (const name of ['drawElements', 'drawArrays', 'drawElementsInstanced', 'drawArraysInstanced']) WebGL2RenderingContext.prototype[name] = () => {};
  });
}

/** Opens a page and waits until it shows its run. Mistakes and requests are collected. */
export async function open(browser, file, { withoutDrawing: bare = false, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  if (bare) await withoutDrawing(page);
  const mistakes = [];
  const requests = [];
  page.on('pageerror', (problem) => mistakes.push(String(problem)));
  page.on('console', (message) => message.type() === 'error' && mistakes.push(message.text()));
  page.on('request', (request) => requests.push(request.url()));
  page.on('dialog', (dialog) => {
    mistakes.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(`file://${file}`);
  await page.waitForFunction(() => window.carom?.ready || document.querySelector('[role=alert]'));
  return { page, mistakes, requests, close: () => context.close() };
}

export const seek = (page, t) => page.evaluate((x) => window.carom.player.seek(x), t);
export const looks = (page) => page.evaluate(() => ({ ...window.carom.playback.picture.looks }));

/** Where a point of the world is in the window. */
export const inWindow = (page, point) =>
  page.evaluate((p) => {
    const { stage } = window.carom.playback;
    const box = stage.element.getBoundingClientRect();
    const [x, y] = stage.project(...p);
    return [box.left + x, box.top + y];
  }, point);

/** How large the pages are that tests look at. */
export const sizes = [
  ['on a desktop', {}],
  ['on a phone', { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 }],
];

/** Keeps a picture for people to look at. */
export async function picture(page, name, options = {}) {
  mkdirSync(pictures, { recursive: true });
  return page.screenshot({ path: join(pictures, `${name}.png`), ...options });
}

/** A ball in free fall from 1 m on a floor that returns half of the velocity: everything in closed form. */
export function ball() {
  const g = 10;
  const fall = Math.sqrt(2 / g);
  const v = g * fall;
  const frames = Array.from({ length: 101 }, (_, i) => i * 0.01);
  const z = frames.map((t) => (t <= fall ? 1 - (g / 2) * t * t : Math.max(0, (v / 2) * (t - fall) - (g / 2) * (t - fall) ** 2)));
  const u = frames.map((t) => (t <= fall ? -g * t : v / 2 - g * (t - fall)));
  const at = (name, values) => ({ name, values });
  return {
    fall, v,
    head: {
      coordinates: [{ name: 'z', unit: 'm' }],
      contacts: ['floor'],
      draw: [
        { kind: 'circle', label: 'ball', colour: 'blue', contact: -1, closed: false, dimension: 2, points: 1, first: 0, radius: 2, normal: -1 },
        { kind: 'point', label: '', colour: 'blue', contact: 0, closed: false, dimension: 2, points: 1, first: 3, radius: -1, normal: 5 },
        { kind: 'segment', label: 'floor', colour: 'vermilion', contact: -1, closed: false, dimension: 2, points: 2, first: 7, radius: -1, normal: -1 },
      ],
    },
    tracks: [
      at('time_s', frames), at('q.0', z), at('u.0', u), at('gap_m.0', z), at('residual', frames.map(() => 1e-12)),
      ...[frames.map(() => 0), z, frames.map(() => 0.1), frames.map(() => 0), z.map((x) => x - 0.1), frames.map(() => 0), frames.map(() => 1), ...[-1, 0, 1, 0].map((x) => frames.map(() => x))].map((values, i) => at(`draw.${i}`, values)),
      at('jumps.time_s', [fall]), at('jumps.q.0', [0]), at('jumps.u_minus.0', [-v]), at('jumps.u_plus.0', [v / 2]),
      ...[0, 0, 0.1, 0, -0.1, 0, 1, -1, 0, 1, 0].map((x, i) => at(`jumps.draw.${i}`, [x])),
      at('events.time_s', [fall]), at('events.kind', [0]), at('events.contact', [0]), at('events.percussion_Ns', [1.5 * v]),
      at('events.velocity_before_m_s', [-v]), at('events.velocity_after_m_s', [v / 2]), at('events.energy_J', [(v * v) / 8 - (v * v) / 2]),
    ],
  };
}
