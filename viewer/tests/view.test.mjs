// carom view: the page of a run that still goes on, from a server on this machine.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { folder, program, startBrowser } from './support.mjs';

let browser;
before(async () => (browser = await startBrowser()));
after(() => browser?.close());

const scene = (duration) => `duration_s = ${duration}\n[[coordinate]]\nname = "z"\nstart = 1\n[lagrangian]\nkinetic = "z'^2/2"\npotential = "9.81*z"\n[[contact]]\nname = "floor"\ngap = "z"\n[[draw]]\nkind = "point"\nat = [0, "z"]\n[record]\nevery_s = 0.01\n`;

/** A recording of a run of this scene. */
function recording(place, name, duration) {
  const file = join(place, `${name}.toml`);
  writeFileSync(file, scene(duration));
  const run = join(place, `${name}.h5`);
  const done = spawnSync(program, ['run', file, '-o', run, '--quiet', '--no-svg']);
  assert.equal(done.status, 0, String(done.stderr));
  return run;
}

function get(url, host) {
  return new Promise((resolve, reject) => {
    request(url, { headers: host ? { Host: host } : {} }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    }).on('error', reject).end();
  });
}

test('the server answers its own address only, and Ctrl-C ends it', async () => {
  const place = folder();
  const server = spawn(program, ['view', recording(place, 'run', 0.5)]);
  const [line] = await once(server.stdout, 'data');
  const url = String(line).trim();
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/$/);
  assert.equal(await get(url), 200);
  assert.equal(await get(`${url}secret`), 404);
  assert.equal(await get(url, 'evil.example'), 403);

  const page = await (await browser.newContext()).newPage();
  await page.goto(url);
  await page.waitForFunction(() => window.carom?.ready);
  assert.equal(await page.evaluate(() => window.carom.player.end), 0.5);
  server.kill('SIGINT');
  const [code] = await once(server, 'exit');
  assert.equal(code, 0);
});

/** Starts a run and a server of its page; both end with the test. */
async function follow(text, act) {
  const place = folder();
  const file = join(place, 'long.toml');
  writeFileSync(file, text);
  const run = join(place, 'long.h5');
  const simulation = spawn(program, ['run', file, '-o', run, '--quiet', '--no-svg']);
  const stop = async (child) => {
    if (!child || child.exitCode !== null) return;
    child.kill('SIGINT');
    await once(child, 'exit');
  };
  let server = null;
  try {
    for (let i = 0; i < 300 && !existsSync(run); ++i) await new Promise((done) => setTimeout(done, 100));
    await new Promise((done) => setTimeout(done, 1500));
    server = spawn(program, ['view', run]);
    const url = String((await once(server.stdout, 'data'))[0]).trim();
    const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
    const answers = [];
    // what is still on its way when the page is closed has no body any more
    const bytes = async (answer) => (answer.status() === 200 ? (await answer.body().catch(() => '')).length : 0);
    page.on('response', async (answer) => answers.push({ url: answer.url(), status: answer.status(), bytes: await bytes(answer) }));
    const mistakes = [];
    page.on('pageerror', (problem) => mistakes.push(String(problem)));
    await page.goto(url);
    await page.waitForFunction(() => window.carom?.ready);
    await act({ page, url, answers, endRun: () => stop(simulation) });
    assert.deepEqual(mistakes, []);
  } finally {
    await stop(server);
    await stop(simulation);
  }
}

const grown = (page, end) => page.waitForFunction((before) => window.carom.player.end > before, end, { timeout: 120_000 });

/** All numbers of a page, and what its tables say. */
const content = (page) =>
  page.evaluate(() => {
    const { run, player, plots } = window.carom;
    const tracks = Object.fromEntries([...run.tracks].map(([name, values]) => [name, [...values].join()]));
    return { tracks, end: player.end, range: plots.shown, events: document.querySelector('#events').textContent, notes: run.head.notes, panels: [...document.querySelectorAll('#plots figcaption')].map((node) => node.textContent).sort(), numbers: [...document.querySelectorAll('#plots figure')].map((node) => `${node.id} ${node.querySelector('details table').textContent}`).sort() };
  });

const bouncing = (every) => scene(1e6).replace('gap = "z"', 'gap = "z"\nlaw = { kind = "unilateral", restitution = 0.9 }').replace('kind = "point"', 'kind = "trace"').replace('every_s = 0.01', `every_s = ${every}`);

/** Ends the run and opens its page anew: what it shows, and what the page that followed the run shows. */
async function grownAndWhole(page, url, endRun) {
  await endRun();
  const fresh = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
  await fresh.goto(url);
  await fresh.waitForFunction(() => window.carom?.ready);
  const whole = await content(fresh);
  await page.waitForFunction((t) => window.carom.player.end === t, whole.end, { timeout: 60_000 });
  return { grown: await content(page), whole };
}

/** Pages above 4 MB say so and are rounded. */
const isRounded = (note) => note.startsWith('Numbers on this page are rounded');

// one frame in a thousand steps: whole pages stay below 4 MB, where numbers are not rounded
test('a page that follows a run gets and appends what is new; in the end it is the page of the whole run', async () => {
  await follow(`${bouncing(0.1)}[integrator]\ntime_step_s = 1e-4\n`, async ({ page, url, answers, endRun }) => {
    assert.match(await page.locator('.badge').textContent(), /unfinished/);
    let end = await page.evaluate(() => {
      const { player, playback } = window.carom;
      player.seek(player.end);
      window.parts = [playback.stage.element, document.querySelector('.uplot'), document.querySelector('#events table')];
      return player.end;
    });
    for (let i = 0; i < 2; ++i) {
      await grown(page, end);
      end = await page.evaluate(() => window.carom.player.end);
    }
    // it stays at the end, and nothing was made anew
    assert.equal(await page.evaluate(() => window.carom.player.time), end);
    assert.ok(await page.evaluate(() => window.parts.every((part) => part.isConnected)));
    const pages = await grownAndWhole(page, url, endRun);
    assert.ok(!pages.whole.notes.some(isRounded), 'the run got too long to compare all digits');
    assert.deepEqual(pages.grown, pages.whole);
    // parts only, and smaller than the page
    const [first, ...later] = answers;
    assert.ok(later.length >= 2 && later.every(({ url: asked }) => asked.includes('/more?')), JSON.stringify(answers));
    for (const { bytes } of later) assert.ok(bytes < first.bytes / 4, JSON.stringify(answers));
  });
});

test('past 4 MB a whole page is rounded and says so; the page that grew keeps its digits', async () => {
  await follow(`${bouncing(0.001)}[integrator]\ntime_step_s = 1e-3\n`, async ({ page, url, endRun }) => {
    await page.waitForFunction(() => [...window.carom.run.tracks.values()].reduce((sum, { length }) => sum + 4 * length, 0) > 6e6, null, { timeout: 120_000 });
    const { grown: long, whole } = await grownAndWhole(page, url, endRun);
    assert.ok(whole.notes.some(isRounded));
    assert.deepEqual(Object.keys(long.tracks).sort(), Object.keys(whole.tracks).sort());
    for (const [name, text] of Object.entries(whole.tracks)) {
      const [rounded, exact] = [text, long.tracks[name]].map((numbers) => (numbers === '' ? [] : numbers.split(',').map(Number)));
      assert.equal(exact.length, rounded.length, name);
      const [low, high] = exact.reduce(([a, b], x) => [Math.min(a, x), Math.max(b, x)], [Infinity, -Infinity]);
      // half a step of u16 on each side (the page may have been that large when it was opened), and the rounding of f32
      const allowed = (1 / 65534) * (high - low) + 2 ** -22 * Math.max(Math.abs(low), Math.abs(high));
      const off = exact.reduce((worst, x, i) => Math.max(worst, Math.abs(x - rounded[i])), 0);
      assert.ok(!(off > allowed), `${name}: ${off} of ${allowed}`);
    }
    assert.equal(long.events, whole.events);
    assert.deepEqual(long.panels, whole.panels);
  });
});

test('a page that follows a run keeps what the reader has set: camera, zoom, plots, tools, focus', async () => {
  const falling = (name, x) => `[[body]]\nname = "${name}"\nshape = "box"\nsize_m = [0.2, 0.2, 0.2]\nposition_m = [${x}, 0, 0.1]\nangular_velocity_rad_s = [0, 0, 5]\n`;
  const text = `duration_s = 1e5\n[[material]]\nname = "wood"\nfriction = 0.3\n[[body]]\nname = "floor"\nshape = "plane"\n${falling('a', 0)}${falling('b', 0.5)}[integrator]\ntime_step_s = 1e-3\n[record]\nevery_s = 0.01\n`;
  await follow(text, async ({ page }) => {
    // all in one go: the page must not grow in between
    const kept = () =>
      page.evaluate(() => {
        const { player, playback, plots } = window.carom;
        const { transparent, traces, colourBy, forces, arrowScale, cut, pickedBody, savedViews } = playback.picture.looks;
        return { time: player.time, view: playback.stage.view().map((x) => Number(x.toPrecision(6))), range: plots.shown, bodies: plots.shownBodies, looks: { transparent, traces, colourBy, forces, arrowScale, cut, pickedBody, savedViews }, focused: document.activeElement?.getAttribute('aria-label') };
      });
    const end = await page.evaluate(() => {
      const { player, playback, plots } = window.carom;
      const press = (name) => [...document.querySelectorAll('button')].find((node) => node.getAttribute('aria-label')?.includes(name)).click();
      const choose = (label, value) => {
        const select = document.querySelector(`select[aria-label="${label}"]`);
        select.value = value;
        select.dispatchEvent(new Event('change'));
      };
      player.seek(0.05);
      plots.show(0.02, 0.08);
      plots.showBodies([1, 2]);
      playback.stage.turn(0.4, 0.2);
      playback.stage.zoom(1.5);
      press('Save this view as 1');
      press('Make bodies transparent');
      press('paths of the bodies');
      press('Longer arrows');
      choose('Colour by', 'speed');
      choose('Cut', '0');
      playback.bodies.pickBody(2);
      document.querySelector('select[aria-label="Colour by"]').focus();
      window.stageBefore = playback.stage.element;
      return player.end;
    });
    const before = await kept();
    assert.equal(before.looks.transparent, true);
    await grown(page, end);
    assert.deepEqual(await kept(), before);
    assert.ok(await page.evaluate(() => window.stageBefore.isConnected));
  });
});

test('carom export --to png takes a picture of the page', () => {
  const place = folder();
  const file = join(place, 'run.png');
  const done = spawnSync(program, ['export', recording(place, 'run', 0.5), '--to', 'png', '-o', file], { encoding: 'utf8' });
  assert.equal(done.status, 0, done.stderr);
  const bytes = readFileSync(file);
  // the signature of PNG, then width and height
  assert.deepEqual([...bytes.subarray(1, 4)], [...Buffer.from('PNG')]);
  assert.ok(bytes.readUInt32BE(16) >= 1000 && bytes.readUInt32BE(20) >= 700);
  assert.ok(bytes.length > 20_000);
});
