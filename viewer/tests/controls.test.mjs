// Every control of the page, moved as people move it: by mouse, by touch and by keys. What counts is what the stage shows.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ball, open, pageOf, picture, startBrowser } from './support.mjs';

let browser;
before(async () => (browser = await startBrowser()));
after(() => browser?.close());

const time = (page) => page.evaluate(() => window.carom.player.time);

/** Mean height of the blue pixels of the stage above its lower edge, and how many there are: the ball as it is drawn. */
const drawnBall = (page) =>
  page.evaluate(() => {
    const canvas = document.querySelector('.stage canvas');
    const { data, width, height } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    let sum = 0;
    let pixels = 0;
    for (let i = 0; i < data.length; i += 4) {
      if (data[i + 3] > 200 && data[i + 2] > 150 && data[i] < 60) {
        sum += height - Math.floor(i / 4 / width);
        ++pixels;
      }
    }
    return { height: sum / pixels / (window.devicePixelRatio || 1), pixels };
  });

/** Heights of the ball in the closed form. */
function heightAt(t, { fall, v }) {
  return t <= fall ? 1 - 5 * t * t : Math.max(0, (v / 2) * (t - fall) - 5 * (t - fall) ** 2);
}

/** The stage shows the ball where it is at instant `t`: heights on the screen against those of start and impact. */
async function showsInstant(page, t, known) {
  assert.ok(Math.abs((await time(page)) - t) < 0.02, `the clock is at ${await time(page)}, not at ${t}`);
  const { height } = await drawnBall(page);
  const part = (height - known.low) / (known.high - known.low);
  // frames are straight between: a hundredth of the fall; the line of the ball is some pixels wide
  assert.ok(Math.abs(part - heightAt(await time(page), known)) < 0.03, `at ${await time(page)} the ball is drawn at ${part}`);
}

async function openBall(options) {
  const { head, tracks, fall, v } = ball();
  const opened = await open(browser, pageOf(head, tracks), options);
  const high = (await drawnBall(opened.page)).height;
  await opened.page.evaluate((t) => window.carom.player.seek(t), fall);
  const low = (await drawnBall(opened.page)).height;
  await opened.page.evaluate(() => window.carom.player.seek(0));
  assert.ok(high - low > 50, 'the fall is seen');
  return { ...opened, known: { fall, v, high, low }, box: await opened.page.locator('input[type=range]').boundingBox() };
}

for (const [name, options] of [
  ['on a desktop', {}],
  ['on a phone', { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 }],
]) {
  test(`the slider leads the stage: click, drag and keys, ${name}`, async () => {
    const { page, mistakes, known, close } = await openBall(options);
    const slider = page.locator('input[type=range]');
    await slider.scrollIntoViewIfNeeded();
    const box = await slider.boundingBox();
    // the middle of the knob runs from half a knob after the left end to half a knob before the right one
    const across = (part) => box.x + 8 + (box.width - 16) * part;
    const y = box.y + box.height / 2;

    await page.mouse.click(across(0.3), y);
    await showsInstant(page, 0.3, known);

    await page.mouse.move(across(0.3), y);
    await page.mouse.down();
    for (const part of [0.35, 0.5, 0.62, 0.7]) {
      await page.mouse.move(across(part), y);
      await showsInstant(page, part, known);
    }
    await page.mouse.up();
    await showsInstant(page, 0.7, known);

    // it has the focus now: the keys of the page go on working
    const before = await time(page);
    await page.keyboard.press('ArrowLeft');
    assert.ok(Math.abs((await time(page)) - before + 0.01) < 1e-9);
    await page.keyboard.press('Home');
    await showsInstant(page, 0, known);
    await page.keyboard.press('.');
    await showsInstant(page, known.fall, known);
    await page.keyboard.press(' ');
    await page.waitForFunction((t) => window.carom.player.time > t + 0.05, known.fall);

    // while it plays, a press on the slider stops it there
    await page.mouse.click(across(0.2), y);
    assert.equal(await page.evaluate(() => window.carom.player.playing), false);
    await showsInstant(page, 0.2, known);
    assert.equal(await slider.evaluate((s) => Math.abs(Number(s.value) - window.carom.player.time) < 1e-12), true);
    assert.deepEqual(mistakes, []);
    await close();
  });
}

test('a finger leads the slider and presses the buttons', async () => {
  const { page, mistakes, known, close } = await openBall({ viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 });
  const slider = page.locator('input[type=range]');
  await slider.scrollIntoViewIfNeeded();
  const box = await slider.boundingBox();
  await page.touchscreen.tap(box.x + 8 + (box.width - 16) * 0.6, box.y + box.height / 2);
  await showsInstant(page, 0.6, known);
  await page.getByRole('button', { name: 'Go to the start (Home)' }).tap();
  await showsInstant(page, 0, known);
  await page.getByRole('button', { name: 'Play (space)' }).tap();
  await page.waitForFunction(() => window.carom.player.time > 0.1);
  await page.getByRole('button', { name: 'Pause (space)' }).tap();
  const stopped = await time(page);
  await page.waitForTimeout(100);
  assert.equal(await time(page), stopped);
  assert.deepEqual(mistakes, []);
  await close();
});

test('the slider moves by its own keys too, reached by Tab', async () => {
  const { page, known, close } = await openBall();
  await page.locator('input[type=range]').focus();
  await page.keyboard.press('PageUp');
  assert.ok((await time(page)) > 0.05, 'a tenth of the run');
  await showsInstant(page, await time(page), known);
  await page.keyboard.press('Shift+ArrowRight');
  await showsInstant(page, await time(page), known);
  await page.keyboard.press('End');
  await showsInstant(page, 1, known);
  await close();
});

test('the speed chosen is the speed of the playback, and its list gives the focus back', async () => {
  const { page, close } = await openBall();
  const speeds = page.getByLabel('Speed of the playback');
  await speeds.selectOption('0.25');
  assert.equal(await page.evaluate(() => window.carom.player.speed), 0.25);
  await page.keyboard.press('-');
  assert.equal(await speeds.inputValue(), '0.125');
  await page.keyboard.press('+');
  await page.keyboard.press('+');
  assert.equal(await speeds.inputValue(), '0.5');
  // chosen by pointer: the keys of the page work at once
  await speeds.dispatchEvent('pointerdown');
  await speeds.focus();
  await speeds.selectOption('1');
  await page.keyboard.press('End');
  assert.equal(await time(page), 1);
  await close();
});

test('closer, farther and fit change the size of what is drawn; dragging moves it', async () => {
  const { page, close } = await openBall();
  const at = (await drawnBall(page)).pixels;
  await page.getByRole('button', { name: 'Closer' }).click();
  assert.ok((await drawnBall(page)).pixels > 1.1 * at);
  await page.getByRole('button', { name: 'Farther' }).click();
  await page.getByRole('button', { name: 'Farther' }).click();
  assert.ok((await drawnBall(page)).pixels < at / 1.05);
  const before = (await drawnBall(page)).height;
  const stage = await page.locator('.stage canvas').boundingBox();
  await page.mouse.move(stage.x + 200, stage.y + 200);
  await page.mouse.down();
  await page.mouse.move(stage.x + 200, stage.y + 260, { steps: 4 });
  await page.mouse.up();
  assert.ok(Math.abs((await drawnBall(page)).height - before + 60) < 6);
  await page.getByRole('button', { name: 'Fit the view' }).click();
  assert.equal((await drawnBall(page)).pixels, at);
  await close();
});

test('a ball above the floor is not called an impact while time stands still', async () => {
  const { page, known, close } = await openBall();
  const status = () => page.locator('.numbers table').nth(1).locator('td').first().textContent();
  await page.evaluate((t) => window.carom.player.seek(t), known.fall);
  assert.equal(await status(), 'impact');
  // 10 ms later it is 21 mm above the floor
  await page.evaluate((t) => window.carom.player.seek(t + 0.01), known.fall);
  assert.equal(await status(), 'open');
  await picture(page, 'paused-after-impact');
  await close();
});

test('contacts are picked by their buttons, by keys and on the stage', async () => {
  const { page, known, close } = await openBall();
  const picked = () => page.evaluate(() => window.carom.playback.picked);
  await page.locator('.numbers button').first().click();
  assert.equal(await picked(), 0);
  await page.keyboard.press('Escape');
  assert.equal(await picked(), -1);
  await page.keyboard.press('c');
  assert.equal(await picked(), 0);
  await page.keyboard.press('c');
  assert.equal(await picked(), -1);
  await page.keyboard.press('C');
  assert.equal(await picked(), 0);
  await page.keyboard.press('Escape');
  await page.evaluate((t) => window.carom.player.seek(t), known.fall);
  const stage = await page.locator('.stage canvas').boundingBox();
  // the contact point is one radius below the centre, in the middle of the stage
  await page.mouse.click(stage.x + stage.width / 2, stage.y + stage.height - known.low + 20);
  assert.equal(await picked(), 0);
  await close();
});

test('plots zoom by buttons, keys and dragging, and show all again', async () => {
  const { page, close } = await openBall();
  const range = () => page.evaluate(() => [...window.carom.plots.range]);
  await page.getByRole('button', { name: /^Zoom in/ }).click();
  assert.ok((await range())[1] <= 0.5 + 1e-9);
  await page.getByRole('button', { name: /^Zoom out/ }).click();
  assert.deepEqual(await range(), [0, 1]);
  const plot = page.locator('#plot-coordinates-1 .u-over');
  await plot.scrollIntoViewIfNeeded();
  const box = await plot.boundingBox();
  await page.mouse.move(box.x + 0.25 * box.width, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.75 * box.width, box.y + 60, { steps: 4 });
  await page.mouse.up();
  const [from, to] = await range();
  assert.ok(Math.abs(from - 0.25) < 0.02 && Math.abs(to - 0.75) < 0.02, `${from} to ${to}`);
  await page.keyboard.press('0');
  assert.deepEqual(await range(), [0, 1]);
  await close();
});

test('events are filtered and turned over, phase portraits choose what they draw', async () => {
  const { head, tracks } = ball();
  const many = Array.from({ length: 45 }, (_, i) => 0.02 * i);
  const replaced = tracks.map((track) => (track.name.startsWith('events.') ? { ...track, values: many.map((t, i) => (track.name === 'events.time_s' ? t : track.name === 'events.contact' ? i % 2 : 0)) } : track));
  const { page, mistakes, close } = await open(browser, pageOf({ ...head, contacts: ['floor', 'wall'] }, [...replaced, { name: 'gap_m.1', values: tracks[1].values }]));
  const first = () => page.locator('#events tbody button').first().textContent();
  assert.equal(await page.locator('#events tbody tr').count(), 20);
  await page.getByRole('button', { name: 'Later events' }).click();
  assert.equal(await first(), '0.4');
  await page.getByRole('button', { name: 'Earlier events' }).click();
  assert.equal(await first(), '0');
  await page.getByLabel('Whose events').selectOption('1');
  assert.match(await page.locator('#events').textContent(), /of 22/);
  await page.locator('#phase summary').click();
  await page.getByLabel('across').selectOption('1');
  assert.match(await page.locator('canvas.phase').getAttribute('aria-label'), /against z'/);
  assert.deepEqual(mistakes, []);
  await close();
});

/** A small ball far from a long plank that stays where it is: what moves fills little of everything. */
function ballInSpace() {
  const frames = [0, 1, 2];
  const tracks = [{ name: 'time_s', values: frames }, { name: 'q.0', values: frames }];
  const columns = [[0, 0.5, 1], [0, 0, 0], [0.1, 0.1, 0.1], [0.1, 0.1, 0.1], ...[-20, 0, 0, 20, 0, 0].map((x) => [x, x, x])];
  columns.forEach((values, k) => tracks.push({ name: `draw.${k}`, values }));
  const entry = { label: '', contact: -1, closed: false, dimension: 3, normal: -1 };
  const draw = [
    { ...entry, kind: 'circle', colour: 'blue', points: 1, first: 0, radius: 3 },
    { ...entry, kind: 'segment', colour: 'vermilion', points: 2, first: 4, radius: -1 },
  ];
  return pageOf({ draw, coordinates: [{ name: 'x', unit: 'm' }], every_s: 1, duration_s: 2 }, tracks);
}

/** Where the ball is on the stage, from -1 to 1 in both directions, and half its diameter. */
const seenBall = (page) =>
  page.evaluate(() => {
    const { playback, player } = window.carom;
    const { camera } = playback.stage;
    const at = playback.picture.at(player.time, 0).values;
    camera.updateMatrixWorld();
    const see = (x, y, z) => camera.position.clone().set(x, y, z).project(camera);
    const centre = see(at[0], at[1], at[2]);
    return { x: centre.x, y: centre.y, radius: Math.abs(see(at[0], at[1], at[2] + at[3]).y - centre.y) };
  });

test('a spatial picture frames what moves over the whole run, by wheel and fingers closer, by double click in the middle', async () => {
  const { page, mistakes, close } = await open(browser, ballInSpace(), { hasTouch: true });
  // the ball travels five diameters: it is seen larger than a tenth of the stage, and stays on it
  const start = await seenBall(page);
  assert.ok(start.radius > 0.1 && Math.abs(start.x) < 1 && Math.abs(start.y) < 1, JSON.stringify(start));
  await page.keyboard.press('End');
  const end = await seenBall(page);
  assert.ok(Math.abs(end.x) < 1 && Math.abs(end.y) < 1 && Math.abs(end.x - start.x) > 0.5, JSON.stringify(end));

  const stage = await page.locator('.stage canvas').boundingBox();
  await page.mouse.move(stage.x + stage.width / 2, stage.y + stage.height / 2);
  await page.mouse.wheel(0, -300);
  await page.waitForTimeout(50);
  assert.ok((await seenBall(page)).radius > 1.2 * end.radius);
  await page.getByRole('button', { name: 'Fit the view' }).click();
  assert.ok(Math.abs((await seenBall(page)).radius - end.radius) < 0.05 * end.radius);

  await page.mouse.dblclick(stage.x + (stage.width * (end.x + 1)) / 2, stage.y + (stage.height * (1 - end.y)) / 2);
  const centred = await seenBall(page);
  assert.ok(Math.abs(centred.x) < 0.1 && Math.abs(centred.y) < 0.15, JSON.stringify(centred));

  await page.getByRole('button', { name: /^Keep what moves in view/ }).click();
  await page.keyboard.press('Home');
  const followed = await seenBall(page);
  assert.ok(Math.abs(followed.x - centred.x) < 0.02, JSON.stringify(followed));
  await page.getByRole('button', { name: 'Turn left' }).click();
  assert.notEqual((await seenBall(page)).x, followed.x);
  assert.deepEqual(mistakes, []);
  await close();
});

test('two fingers zoom a plane picture around the place between them', async () => {
  const { page, close } = await openBall({ viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true });
  const before = (await drawnBall(page)).pixels;
  await page.locator('.stage canvas').evaluate((canvas) => {
    const box = canvas.getBoundingClientRect();
    const finger = (kind, pointerId, x, isPrimary) =>
      canvas.dispatchEvent(new PointerEvent(kind, { pointerId, isPrimary, pointerType: 'touch', clientX: box.left + x, clientY: box.top + 50, bubbles: true }));
    finger('pointerdown', 1, 100, true);
    finger('pointerdown', 2, 140, false);
    finger('pointermove', 2, 180, false);
    finger('pointerup', 2, 180, false);
    finger('pointerup', 1, 100, true);
  });
  assert.ok((await drawnBall(page)).pixels > 1.5 * before);
  await close();
});

test('numbers are written with powers of ten, and never broken', async () => {
  const { head, tracks } = ball();
  const tiny = tracks.map((track) => (track.name === 'q.0' ? { ...track, values: track.values.map((z) => 4.838e-16 * z) } : track));
  const { page, close } = await open(browser, pageOf(head, tiny));
  const cell = page.locator('.numbers td').first();
  assert.equal((await cell.textContent()).replaceAll('\u2060', ''), '4.838·10⁻¹⁶\u00a0m');
  const lines = await cell.evaluate((td) => td.getClientRects().length && Math.round(td.clientHeight / parseFloat(getComputedStyle(td).lineHeight)));
  assert.equal(lines, 1);
  await close();
});

test('between two frames the table says where the ball is, not where it was', async () => {
  const { page, known, close } = await openBall();
  await page.evaluate(() => window.carom.player.seek(0.305));
  const [z, u] = (await page.locator('.numbers td').allTextContents()).slice(0, 2).map((text) => parseFloat(text.replace('−', '-')));
  // frames of 0.01 s, straight between: g dt^2 / 8
  assert.ok(Math.abs(z - heightAt(0.305, known)) < 2e-4, String(z));
  assert.ok(Math.abs(u + 3.05) < 2e-3, String(u));
  await close();
});

/** Contrast of two colours as WCAG defines it. */
function contrast(a, b) {
  const luminance = (hex) => {
    const [r, g, b] = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}

test('open and sticking contacts differ in lightness, and every line stands out from its ground, light and dark', async () => {
  const palette = {
    colours: ['blue #0072B2', 'vermilion #D55E00', 'green #009E73', 'pink #CC79A7', 'orange #E69F00', 'sky #56B4E9', 'black #000000', 'yellow #F0E442'].map((text) => ({ name: text.split(' ')[0], value: text.split(' ')[1] })),
    lines: 8,
    status: { open: '#56B4E9', closed: '#009E73', impact: '#D55E00', stick: '#0072B2', slip: '#E69F00' },
  };
  for (const colorScheme of ['light', 'dark']) {
    const { head, tracks } = ball();
    const { page, close } = await open(browser, pageOf({ ...head, palette }, tracks), { colorScheme });
    const seen = await page.evaluate(() => {
      const { colours } = window.carom.plots;
      return { ground: colours.ground, open: colours.status('open'), stick: colours.status('stick'), lines: Array.from({ length: 8 }, (_, i) => colours.line(i)) };
    });
    assert.ok(contrast(seen.open, seen.stick) > 2, `${colorScheme}: ${contrast(seen.open, seen.stick)}`);
    for (const line of seen.lines) assert.ok(contrast(line, seen.ground) > 2, `${colorScheme} ${line}: ${contrast(line, seen.ground)}`);
    await close();
  }
});
