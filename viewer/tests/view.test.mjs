// carom view: the page of a run that still goes on, from a server on this machine.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
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

test('a page follows a run that goes on', async () => {
  const place = folder();
  const file = join(place, 'long.toml');
  writeFileSync(file, `${scene(1e6)}[integrator]\ntime_step_s = 1e-4\n`);
  const run = join(place, 'long.h5');
  const simulation = spawn(program, ['run', file, '-o', run, '--quiet', '--no-svg']);
  try {
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const server = spawn(program, ['view', run]);
    const url = String((await once(server.stdout, 'data'))[0]).trim();
    const page = await (await browser.newContext()).newPage();
    await page.goto(url);
    await page.waitForFunction(() => window.carom?.ready);
    assert.match(await page.locator('.badge').textContent(), /unfinished/);
    const end = await page.evaluate(() => {
      window.carom.player.seek(window.carom.player.end);
      return window.carom.player.end;
    });
    // it loads again by itself, shows more, and stays at the end
    await page.waitForFunction((before) => window.carom?.ready && window.carom.player.end > before && window.carom.player.time === window.carom.player.end, end, { timeout: 30000 });
    server.kill('SIGINT');
    await once(server, 'exit');
  } finally {
    simulation.kill('SIGINT');
    await once(simulation, 'exit');
  }
});

test('a page that follows a run keeps what the reader has set: camera, zoom, plots, tools, focus', async () => {
  const place = folder();
  const file = join(place, 'long.toml');
  const falling = (name, x) => `[[body]]\nname = "${name}"\nshape = "box"\nsize_m = [0.2, 0.2, 0.2]\nposition_m = [${x}, 0, 0.1]\nangular_velocity_rad_s = [0, 0, 5]\n`;
  writeFileSync(file, `duration_s = 1e5\n[[material]]\nname = "wood"\nfriction = 0.3\n[[body]]\nname = "floor"\nshape = "plane"\n${falling('a', 0)}${falling('b', 0.5)}[integrator]\ntime_step_s = 1e-3\n[record]\nevery_s = 0.01\n`);
  const run = join(place, 'long.h5');
  const simulation = spawn(program, ['run', file, '-o', run, '--quiet', '--no-svg']);
  const server = { process: null };
  try {
    await new Promise((resolve) => setTimeout(resolve, 2500));
    server.process = spawn(program, ['view', run]);
    const url = String((await once(server.process.stdout, 'data'))[0]).trim();
    const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
    await page.goto(url);
    await page.waitForFunction(() => window.carom?.ready);
    // all in one go: the page must not grow in between
    const kept = () =>
      page.evaluate(() => {
        const { player, playback, plots } = window.carom;
        const { transparent, traces, colourBy, forces, arrowScale, cut, pickedBody, savedViews } = playback.picture.looks;
        return { time: player.time, view: playback.stage.view().map((x) => Number(x.toPrecision(6))), range: plots.shown, bodies: plots.shownBodies, looks: { transparent, traces, colourBy, forces, arrowScale, cut, pickedBody, savedViews }, focused: document.activeElement?.getAttribute('aria-label') };
      });
    await page.evaluate(() => {
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
      window.earlier = window.carom.run;
    });
    const before = await kept();
    assert.equal(before.looks.transparent, true);
    await page.waitForFunction(() => window.carom.run !== window.earlier, null, { timeout: 60_000 });
    assert.deepEqual(await kept(), before);
    assert.ok((await page.evaluate(() => window.carom.player.end)) > 0.1);
  } finally {
    server.process?.kill('SIGINT');
    simulation.kill('SIGINT');
    await Promise.all([once(simulation, 'exit'), server.process ? once(server.process, 'exit') : null]);
  }
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
