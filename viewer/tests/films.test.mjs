// Films and pictures by `carom export`, looked at by programs that others wrote.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { folder, open, program, root, seek, startBrowser } from './support.mjs';

const place = folder();
const run = join(place, 'run.h5');
before(() => {
  const done = spawnSync(program, ['run', join(root, 'scenes', 'stack.toml'), '-o', run, '--no-svg', '--quiet', '--set', 'duration_s=0.5'], { encoding: 'utf8' });
  assert.equal(done.status, 0, done.stderr);
});

function film(format, ...options) {
  const file = join(place, `film.${format}`);
  const done = spawnSync(program, ['export', run, '--to', format, '-o', file, '--size', '320x240', ...options], { encoding: 'utf8' });
  assert.equal(done.status, 0, done.stderr);
  assert.equal(existsSync(`${file}.part`), false);
  return file;
}

const probe = spawnSync('ffprobe', ['-version']).status === 0;

/** Size, number of pictures and length, as ffmpeg reads them. */
function read(file) {
  const done = spawnSync('ffprobe', ['-v', 'error', '-count_frames', '-select_streams', 'v:0', '-show_entries', 'stream=width,height,nb_read_frames:format=duration', '-of', 'json', file], { encoding: 'utf8' });
  assert.equal(done.status, 0, done.stderr);
  assert.equal(done.stderr, '');
  const { streams, format } = JSON.parse(done.stdout);
  return { width: streams[0].width, height: streams[0].height, pictures: Number(streams[0].nb_read_frames), duration: Number(format.duration) };
}

for (const format of ['webm', 'mp4', 'gif']) {
  test(`a ${format} has the pictures that it should have`, { skip: !probe && 'there is no ffprobe to read it' }, () => {
    // half a second of the run at half its speed: a second of film and the picture at its end
    const seen = read(film(format, '--speed', '0.5', '--fps', '20'));
    assert.deepEqual([seen.width, seen.height, seen.pictures], [320, 240, 21]);
    assert.ok(Math.abs(seen.duration - 1.05) < 0.06, `${seen.duration} s`);
  });
}

test('a png is of the instant, the size and the view that were asked for, and always the same', () => {
  const bytes = (...options) => readFileSync(film('png', ...options));
  const end = bytes();
  assert.deepEqual([end.readUInt32BE(16), end.readUInt32BE(20)], [320, 240]);
  assert.deepEqual(bytes(), end, 'the same again');
  assert.notDeepEqual(bytes('--camera', 'top'), end);
  assert.notDeepEqual(bytes('--dark'), end);
  assert.ok(statSync(join(place, 'film.png')).size > 3000);
});

test('pictures of a film are the same each time', { skip: !probe && 'there is no ffmpeg to read it' }, () => {
  const pictures = () => {
    const done = spawnSync('ffmpeg', ['-v', 'error', '-i', film('gif', '--fps', '10'), '-f', 'framemd5', '-'], { encoding: 'utf8' });
    assert.equal(done.status, 0, done.stderr);
    return done.stdout.split('\n').filter((line) => line && !line.startsWith('#'));
  };
  const first = pictures();
  assert.equal(first.length, 6);
  assert.deepEqual(pictures(), first);
});

test('the ground of a gif is as white as that of the page', { skip: !probe && 'there is no ffmpeg to read it' }, () => {
  const { stdout } = spawnSync('ffmpeg', ['-v', 'error', '-i', film('gif', '--fps', '2'), '-frames:v', '1', '-vf', 'crop=4:4:2:2', '-pix_fmt', 'rgb24', '-f', 'rawvideo', '-']);
  assert.deepEqual([...new Set(stdout)], [255]);
});

let browser;
after(() => browser?.close());

test('the button of the page saves the picture and films of the stage as the reader has set it', async () => {
  browser = await startBrowser();
  const html = join(place, 'run.html');
  assert.equal(spawnSync(program, ['report', run, '-o', html]).status, 0);
  const { page, mistakes, close } = await open(browser, html);
  await seek(page, 0.2);
  const begins = { png: '89504e47', webm: '1a45dfa3', gif: '474946383961' };
  for (const [format, bytes] of Object.entries(begins)) {
    await page.getByLabel('Kind of film').selectOption(format);
    const coming = page.waitForEvent('download', { timeout: 120_000 });
    await page.getByRole('button', { name: /Save a picture of this instant/ }).click();
    const download = await coming;
    assert.equal(download.suggestedFilename(), `run.${format}`);
    const file = join(place, `saved.${format}`);
    await download.saveAs(file);
    assert.ok(readFileSync(file).toString('hex').startsWith(bytes), format);
    if (probe && format !== 'png') assert.equal(read(file).pictures, 16, format); // half a second, thirty a second, and the last one
    assert.match(await page.locator('output', { hasText: 'Made' }).textContent(), new RegExp(`Made ${format}`));
  }
  assert.equal(await page.evaluate(() => document.querySelectorAll('.film').length), 0, 'what drew the film is gone');
  assert.deepEqual(mistakes, []);
  await close();
});

test('what cannot be is refused with a hint', () => {
  for (const [options, words] of [
    [['--size', 'large'], /--size large/],
    [['--size', '321x240'], /even numbers/],
    [['--at', '7'], /does not contain this instant/],
    [['--camera', 'sideways'], /not a view/],
    [['--from', '0.4', '--until', '0.1'], /before it begins/],
    [['-o', '-'], /go to a file/],
  ]) {
    const done = spawnSync(program, ['export', run, '--to', 'png', ...options], { encoding: 'utf8' });
    assert.equal(done.status, 2, options.join(' '));
    assert.match(done.stderr, words);
  }
  const alone = spawnSync(program, ['export', run, '--to', 'webm', '-o', join(place, 'no.webm')], { encoding: 'utf8', env: { PATH: '' } });
  assert.equal(alone.status, 2);
  assert.match(alone.stderr, /no Chromium/);
});
