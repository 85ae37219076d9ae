// Ten thousand bodies and a thousand frames: what the page of such a run costs. The recording is made from a short run by
// large_recording.py; without h5py that is said aloud and nothing is measured.
//
// Other programs share the machine, so time by the clock says little. What is measured is processor time: of `carom report` as the
// system counts it, of the page as the browser counts it for the threads of its renderer, up to the marks that the page sets. The
// script runs without drawing, since drawing in software costs what no reader pays. Up to the first frame the sum over all threads counts: a
// page cannot be slower than that on a machine that does nothing else. Until all frames are there the workers run side by side: on two cores
// no schedule without idle cores takes longer than half of all work and half of the longest chain (Graham 1966), which is at most that of the
// main thread and of one block. The best of three is taken.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { folder, program, startBrowser, withoutDrawing } from './support.mjs';

const python = ['/usr/bin/python3', 'python3'].find((name) => spawnSync(name, ['-c', 'import h5py, numpy']).status === 0);
const scene = `title = "Ten thousand balls"\nduration_s = 0.008\n[[body]]\nname = "floor"\nshape = "plane"\n[[body]]\nname = "ball"\nshape = "sphere"\nradius_m = 0.04\ncopies = [25, 20, 20]\nposition_m = ["0.1*i", "0.1*j", "0.05 + 0.1*k"]\n[integrator]\ntime_step_s = 4e-3\n[record]\nevery_s = 0.004\n`;
const radius = 0.04;
const oneBlock_ms = 100; // one takes about 50

let browser;
before(async () => (browser = await startBrowser(['--enable-precise-memory-info'])));
after(() => browser?.close());

/** Processor seconds of a command, its children and the system on its behalf. */
function call(name, words) {
  const done = spawnSync('/usr/bin/time', ['-f', '%U %S', name, ...words], { encoding: 'utf8', maxBuffer: 1e8 });
  assert.equal(done.status, 0, done.stderr);
  const [user, system] = done.stderr.trim().split('\n').at(-1).split(' ').map(Number);
  return { processor_s: user + system, printed: done.stdout };
}

/** Opens the page once: processor time of the main thread and of the workers up to each of its marks, ms. */
async function costs(html) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  await withoutDrawing(page);
  const requests = [];
  page.on('request', (request) => requests.push(request.url()));
  await browser.startTracing(page, { categories: ['blink.user_timing', 'toplevel', 'base', 'disabled-by-default-toplevel'] });
  await page.goto(`file://${html}`, { timeout: 180_000 });
  await page.waitForFunction(() => performance.getEntriesByName('carom-complete').length > 0, null, { timeout: 180_000 });
  const { traceEvents } = JSON.parse(String(await browser.stopTracing()));
  const names = new Map(traceEvents.filter(({ name }) => name === 'thread_name').map(({ pid, tid, args }) => [`${pid} ${tid}`, args.name]));
  const upTo = {};
  for (const mark of traceEvents.filter(({ name, tts }) => name.startsWith('carom-') && tts > 0)) {
    // tasks of the workers of this renderer; the main thread has a clock of its own
    const inWorkers = traceEvents
      .filter((event) => event.pid === mark.pid && event.tdur > 0 && event.name === 'ThreadController active' && event.ts < mark.ts && names.get(`${event.pid} ${event.tid}`) === 'DedicatedWorker thread')
      .reduce((sum, { tdur }) => sum + tdur / 1000, 0);
    upTo[mark.name] = { main: mark.tts / 1000, workers: inWorkers };
  }
  return { page, context, upTo, requests: requests.filter((url) => !/^(data|blob):/.test(url)) };
}

/** Script of sixty frames of the playback, everything that a frame of the page does, in processor time: median, ms. */
async function frameCost(page) {
  const client = await page.context().newCDPSession(page);
  await client.send('Performance.enable', { timeDomain: 'threadTicks' });
  const spent = async () => (await client.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'ScriptDuration').value * 1000;
  const frames = [];
  for (let i = 0; i < 60; ++i) {
    const before = await spent();
    // as the player does it, in a frame of the screen: what is evaluated from outside is not counted as script. The stage comes at once, plots with the next frame
    await page.evaluate(
      (part) =>
        new Promise((done) =>
          requestAnimationFrame(() => {
            const { player } = window.carom;
            player.seek(player.end * part);
            requestAnimationFrame(() => requestAnimationFrame(done));
          }),
        ),
      0.3 + 0.001 * i,
    );
    frames.push((await spent()) - before);
  }
  return frames.sort((a, b) => a - b)[30];
}

/** Memory of the renderer of a page that belongs to it alone, MB. */
async function memory(page) {
  const client = await browser.newBrowserCDPSession();
  const { processInfo } = await client.send('SystemInfo.getProcessInfo');
  const marked = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id);
  const sizes = marked.flatMap((id) => {
    try {
      const rollup = readFileSync(`/proc/${id}/smaps_rollup`, 'utf8');
      return [['Private_Clean', 'Private_Dirty'].reduce((sum, name) => sum + Number(new RegExp(`${name}:\\s+(\\d+)`).exec(rollup)[1]) / 1000, 0)];
    } catch {
      return [];
    }
  });
  const heap = await page.evaluate(() => performance.memory.usedJSHeapSize / 1e6);
  return { heap, renderer: Math.max(0, ...sizes) };
}

test('10^4 bodies x 10^3 frames', { skip: !python && 'there is no python3 with h5py and numpy to make the recording' }, async (context) => {
  const place = folder();
  const [file, short, long, html] = ['scene.toml', 'short.h5', 'long.h5', 'page.html'].map((name) => join(place, name));
  writeFileSync(file, scene);
  call(program, ['run', file, '-o', short, '--quiet', '--no-svg']);
  const known = JSON.parse(call(python, [join(import.meta.dirname, 'large_recording.py'), short, long, '1000', '2000']).printed);
  const report_s = Math.min(...[0, 1].map(() => call(program, ['report', long, '-o', html]).processor_s));
  const page_MB = statSync(html).size / 1e6;

  let best = null;
  for (let k = 0; k < 3; ++k) {
    const { page, context: opened, upTo, requests } = await costs(html);
    const total = (mark) => upTo[mark].main + upTo[mark].workers;
    const { main, workers } = upTo['carom-complete'];
    const complete_ms = (main + workers) / 2 + (main + oneBlock_ms) / 2;
    if (!best || complete_ms < best.complete_ms) best = { first_ms: total('carom-first-frame'), ready_ms: total('carom-ready'), complete_ms, all_ms: main + workers, main_ms: main };
    assert.ok(upTo['carom-complete'].workers > 100, 'the workers have worked, and the browser has counted it');
    assert.equal(requests.length, 1, 'a page asks for nothing but itself');
    if (k < 2) {
      await opened.close();
      continue;
    }
    best.frame_ms = await frameCost(page);
    best.memory = await memory(page);
    // positions against those of the recording
    best.off_m = await page.evaluate((list) => {
      const { solids } = window.carom.playback.picture;
      return Math.max(...list.map(([body, frame, ...at]) => Math.hypot(...solids.place(body + 1, solids.row(frame)).map((x, i) => x - at[i]))));
    }, known);
    const notes = await page.locator('header .note').allTextContents();
    best.thinned = notes.some((text) => /shows one in/.test(text));
    assert.ok(notes.some((text) => /1\/1000/.test(text)), 'the page says how exact positions are');
    await opened.close();
  }
  const { first_ms, ready_ms, complete_ms, all_ms, main_ms, frame_ms, memory: used, off_m, thinned } = best;
  context.diagnostic(`processor time: report ${report_s.toFixed(1)} s; page up to the first frame ${first_ms.toFixed(0)} ms, ready ${ready_ms.toFixed(0)} ms, all frames unpacked ${all_ms.toFixed(0)} ms (${main_ms.toFixed(0)} of it in the main thread; on two cores within ${complete_ms.toFixed(0)} ms), script of a frame ${frame_ms.toFixed(1)} ms`);
  context.diagnostic(`page ${page_MB.toFixed(0)} MB; heap ${used.heap.toFixed(0)} MB, renderer ${used.renderer.toFixed(0)} MB; positions off by ${(off_m / radius).toExponential(1)} of a radius`);
  assert.ok(page_MB < 150, `${page_MB} MB`);
  assert.ok(!thinned, 'no frame is left out');
  assert.ok(report_s < 10, `report: ${report_s} s`);
  assert.ok(first_ms < 1000, `first frame: ${first_ms} ms`);
  assert.ok(complete_ms < 3000, `open: ${complete_ms} ms`);
  assert.ok(frame_ms > 1, `frame: ${frame_ms} ms: ten thousand bodies take longer, something was not counted`);
  assert.ok(frame_ms < 8, `frame: ${frame_ms} ms`);
  assert.ok(used.heap < 500 && used.renderer < 500, JSON.stringify(used));
  assert.ok(off_m < 1e-3 * radius, `${off_m} m`);
});
