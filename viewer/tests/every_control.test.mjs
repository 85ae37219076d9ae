// Every control that the pages have, found on the page itself and moved by mouse, by touch and by keys, at both sizes, light and dark.
// A control that changes nothing that a reader could see fails; so does one that is new and that nobody could reach.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { cratesAndBob, twoDiscs } from './scene_texts.mjs';
import { ball, open, pageOf, pageOfScene, sizes, startBrowser } from './support.mjs';

/** More events than a table shows at once, and two contacts. */
function coordinates() {
  const { head, tracks } = ball();
  const many = Array.from({ length: 45 }, (_, i) => 0.02 * i);
  const replaced = tracks.map((track) => (track.name.startsWith('events.') ? { ...track, values: many.map((t, i) => (track.name === 'events.time_s' ? t : track.name === 'events.contact' ? i % 2 : 0)) } : track));
  return pageOf({ ...head, contacts: ['floor', 'wall'] }, [...replaced, { name: 'gap_m.1', values: tracks[1].values }]);
}

let browser;
let pages;
before(async () => {
  browser = await startBrowser();
  pages = { coordinates: coordinates(), bodies: pageOfScene(cratesAndBob), plane: pageOfScene(twoDiscs) };
});
after(() => browser?.close());

/** What a reader can see of the state of the page: numbers of the stage, words, lists, what is open. */
const seen = (page) =>
  page.evaluate(() => {
    const { player, playback, plots } = window.carom;
    const text = (selector) => [...document.querySelectorAll(selector)].map((node) => node.textContent).join('|');
    const labels = [...document.querySelectorAll('canvas.phase, .stage')].map((node) => node.getAttribute('aria-label'));
    return JSON.stringify({
      time: player.time,
      playing: player.playing,
      speed: player.speed,
      view: playback.stage?.view().map((x) => x.toPrecision(6)),
      looks: playback.picture.looks,
      picked: playback.picked,
      range: plots.shown,
      plotted: plots.shownBodies,
      open: [...document.querySelectorAll('details')].map(({ open }) => open),
      pressed: [...document.querySelectorAll('[aria-pressed]')].map((node) => node.getAttribute('aria-pressed')),
      events: text('#events tbody') + text('#events [aria-live]'),
      words: text('.picked, output, .measured'),
      charts: text('#plots figcaption'),
      legend: [...document.querySelectorAll('.u-series')].map((node) => node.className).join(),
      hash: location.hash,
      disabled: [...document.querySelectorAll('button')].map(({ disabled }) => disabled),
      labels,
      values: [...document.querySelectorAll('select')].map(({ value }) => value),
      scroll: window.scrollY,
    });
  });

/** Presses a control as people do; lists and sliders have ways of their own. */
async function use(page, control, kind, by) {
  if (kind === 'select') {
    const next = await control.evaluate((select) => [...select.options].find((option) => option.value !== select.value && option.value !== '')?.value);
    if (next === undefined) return false; // one entry: there is nothing to choose
    if (by !== 'keys') {
      // the list itself is drawn by the system; a choice made in it arrives like this
      await control.dispatchEvent('pointerdown');
      await control.selectOption(next);
      return true;
    }
    await control.focus();
    const index = await control.evaluate((select) => select.selectedIndex);
    await page.keyboard.press('ArrowDown');
    if ((await control.evaluate((select) => select.selectedIndex)) === index) await page.keyboard.press('ArrowUp');
    await control.evaluate((select) => select.blur());
    return true;
  }
  if (kind === 'range') {
    const box = await control.boundingBox();
    const part = (await control.evaluate((s) => (Number(s.value) - Number(s.min)) / (Number(s.max) - Number(s.min)))) > 0.5 ? 0.25 : 0.75;
    const [x, y] = [box.x + 8 + (box.width - 16) * part, box.y + box.height / 2];
    if (by === 'mouse') await page.mouse.click(x, y);
    else if (by === 'touch') await page.touchscreen.tap(x, y);
    else {
      await control.focus();
      await page.keyboard.press('PageDown');
      await page.keyboard.press('PageUp');
      await page.keyboard.press('PageUp');
    }
    return true;
  }
  if (by === 'mouse') await control.click();
  else if (by === 'touch') await control.tap();
  else {
    await control.focus();
    await page.keyboard.press('Enter');
  }
  return true;
}

/** Brings the page where the control has something to do. */
async function prepare(page, name) {
  await page.evaluate((label) => {
    const { player, playback } = window.carom;
    document.querySelectorAll('details').forEach((node) => (node.open = true));
    const cut = document.querySelector('select[aria-label="Cut"]');
    if (/Position of the cut/.test(label) && cut.value === '') {
      cut.value = '2';
      cut.dispatchEvent(new Event('change'));
    }
    player.pause();
    player.seek(player.start + 0.45 * (player.end - player.start));
    // a view that is gone to must differ from the one that is there
    const saved = /^(?:View (\d): )?Go to saved view (\d)/.exec(label);
    if (saved) {
      playback.picture.looks.savedViews[Number(saved[2]) - 1] = playback.stage.view();
      playback.stage.zoom(1.3);
    }
    if (/Fit the view/.test(label)) playback.stage.zoom(1.3);
    if (/Show the whole run|Zoom out/.test(label)) window.carom.plots.zoom(0.5);
    if (/Pick nothing/.test(label)) playback.bodies.pickBody(1);
    const events = { earlier: document.querySelector('[aria-label="Earlier events"]'), later: document.querySelector('[aria-label="Later events"]') };
    if (/Earlier events/.test(label) && events.earlier?.disabled) events.later?.click();
    if (/Later events/.test(label) && events.later?.disabled) events.earlier?.click();
    if (/Save this view/.test(label)) playback.picture.looks.savedViews = [];
  }, name);
}

/** All controls of the page that can be reached now: what they are called and what they are. */
const controls = (page) =>
  page.evaluate(() => {
    const found = [];
    for (const node of document.querySelectorAll('button, select, input, summary')) {
      if (node.closest('[hidden]') || node.getClientRects().length === 0 || node.disabled) continue;
      const kind = node.tagName === 'INPUT' ? node.type : node.tagName.toLowerCase();
      const name = node.getAttribute('aria-label') ?? node.textContent;
      node.dataset.control = String(found.length);
      found.push({ name, kind });
    }
    return found;
  });

/** What would leave the page or make a file, and what other tests look at. */
const elsewhere = /^Save: Save a picture|^Save a picture/;

for (const [size, options] of sizes) {
  for (const colorScheme of ['light', 'dark']) {
    for (const by of options.hasTouch ? ['touch', 'keys'] : ['mouse', 'keys']) {
      test(`every control changes what is seen, ${size}, ${colorScheme}, by ${by}`, async () => {
        for (const [name, file] of Object.entries(pages)) {
          const { page, mistakes, close } = await open(browser, file, { ...options, colorScheme, permissions: [] });
          await page.evaluate(() => document.querySelectorAll('details').forEach((node) => (node.open = true)));
          // the slider of the cut comes with a cut
          if (name === 'bodies') await page.getByLabel('Cut', { exact: true }).selectOption('2');
          // on the first page of events there are no earlier ones
          if (name === 'coordinates') await page.getByRole('button', { name: 'Later events' }).click();
          const all = await controls(page);
          const wide = await page.evaluate(() => document.documentElement.scrollWidth);
          assert.ok(wide <= (options.viewport?.width ?? 1280), `${name}: the page is ${wide} px wide`);
          assert.ok(all.length > (name === 'coordinates' ? 20 : 25), `${name}: ${all.length} controls`);
          const reached = new Set();
          for (const [i, control] of all.entries()) {
            if (elsewhere.test(control.name) || reached.has(control.name)) continue;
            reached.add(control.name); // of many rows of a table the first
            await prepare(page, control.name);
            const node = page.locator(`[data-control="${i}"]`);
            if ((await node.count()) === 0) continue; // a row that another control took away
            await node.scrollIntoViewIfNeeded();
            const before = await seen(page);
            if (!(await use(page, node, control.kind, by))) continue;
            await page.waitForFunction((was) => was !== null, before);
            const after = await seen(page);
            assert.notEqual(after, before, `${name}: "${control.name}" (${control.kind}) changed nothing by ${by}`);
            if (/Measure/.test(control.name)) await node.click(); // or the next press is measured
          }
          assert.deepEqual(mistakes, []);
          await close();
        }
      });
    }
  }
}

for (const [size, options] of sizes) {
  test(`the stage is turned, moved, zoomed and centred, ${size}`, async () => {
    for (const file of [pages.bodies, pages.plane, pages.coordinates]) {
      const { page, mistakes, close } = await open(browser, file, options);
      await page.locator('.stage').scrollIntoViewIfNeeded();
      const box = await page.locator('.stage canvas').boundingBox();
      const [x, y] = [box.x + 0.5 * box.width, box.y + 0.5 * box.height];
      const view = () => page.evaluate(() => window.carom.playback.stage.view().map((v) => v.toPrecision(6)).join());
      const changes = async (what, act) => {
        const before = await view();
        await act();
        await page.waitForTimeout(40);
        assert.notEqual(await view(), before, what);
      };
      if (options.hasTouch) {
        const touch = await page.context().newCDPSession(page);
        const fingers = (type, points) => touch.send('Input.dispatchTouchEvent', { type, touchPoints: points.map(([px, py], id) => ({ x: px, y: py, id })) });
        await changes('one finger', async () => {
          await fingers('touchStart', [[x, y]]);
          for (const d of [10, 30, 60]) await fingers('touchMove', [[x + d, y + d / 3]]);
          await fingers('touchEnd', []);
        });
        await changes('two fingers', async () => {
          await fingers('touchStart', [[x - 30, y], [x + 30, y]]);
          for (const d of [40, 60, 80]) await fingers('touchMove', [[x - d, y], [x + d, y]]);
          await fingers('touchEnd', []);
        });
      } else {
        await changes('drag', async () => {
          await page.mouse.move(x, y);
          await page.mouse.down();
          await page.mouse.move(x + 70, y + 30, { steps: 4 });
          await page.mouse.up();
        });
        await changes('wheel', () => page.mouse.wheel(0, -240));
        await changes('the key f', () => page.keyboard.press('f'));
      }
      assert.deepEqual(mistakes, []);
      await close();
    }
  });
}

test('keys of the page that have no button: frames, events, speed, help', async () => {
  const { page, close } = await open(browser, pages.coordinates);
  const time = () => page.evaluate(() => window.carom.player.time);
  await page.keyboard.press('ArrowRight');
  assert.ok(Math.abs((await time()) - 0.01) < 1e-9);
  await page.keyboard.press('Shift+ArrowRight');
  assert.ok(Math.abs((await time()) - 0.11) < 1e-9);
  await page.keyboard.press(',');
  assert.ok(Math.abs((await time()) - 0.1) < 1e-9);
  await page.keyboard.press('.');
  assert.ok(Math.abs((await time()) - 0.12) < 1e-9);
  await page.keyboard.press('+');
  assert.equal(await page.evaluate(() => window.carom.player.speed), 2);
  await page.keyboard.press('?');
  await page.waitForFunction(() => document.getElementById('keys').getBoundingClientRect().top < window.innerHeight);
  await close();
});

test('with reduced motion nothing moves by itself and nothing is animated; the page still plays when it is told to', async () => {
  const { page, close } = await open(browser, pages.bodies, { reducedMotion: 'reduce' });
  const time = () => page.evaluate(() => window.carom.player.time);
  const before = await time();
  await page.waitForTimeout(200);
  assert.equal(await time(), before);
  const animated = await page.evaluate(() => document.getAnimations().length);
  assert.equal(animated, 0);
  assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).scrollBehavior), 'auto');
  await page.keyboard.press(' ');
  await page.waitForFunction((t) => window.carom.player.time > t, before);
  await close();
});
