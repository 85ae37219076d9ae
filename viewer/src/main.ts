import './style.css';

import { certificateSection, ledgerSection, verdictOf } from './certificate';
import { Colours } from './colours';
import { Comparison } from './compare';
import { arrived, isSweepingScene, readOthers, readRun, type Head, type Run } from './data';
import { Events } from './events';
import { makeFilm, orderIn, serveFilm, type FilmFormat } from './film';
import { followRun } from './follow';
import { restore, wordsOf } from './links';
import { PhasePortrait } from './phase';
import { backButton, pointIn, pointWords } from './points';
import { Playback } from './playback';
import { Player } from './player';
import { Plots } from './plots';
import { button, counted, element, number, releaseAfterPointer, section } from './text';
import { BranchPage, OrbitPage, orbitsIn, type OrbitsHead } from './orbit_page';
import { StudyPage, studyIn, type StudyHead } from './study_page';
import { Timeline } from './timeline';

/** What tests of the page hold on to. */
declare global {
  interface Window {
    carom?: { ready: boolean; player?: Player; playback?: Playback; plots?: Plots; run?: Run; study?: StudyPage; orbits?: BranchPage | OrbitPage };
  }
}

function header(head: Head): HTMLElement {
  const verdict = verdictOf(head);
  const steps = head.report ? counted(head.report.certificate.steps, 'step') : 'steps';
  const system = head.solids
    ? counted(head.solids.bodies.length, 'body', 'bodies')
    : [counted(head.coordinates.length, isSweepingScene(head.scene) ? 'component' : 'coordinate'), ...(head.contacts.length > 0 ? [counted(head.contacts.length, 'contact')] : [])].join(', ');
  return element(
    'header',
    {},
    element('h1', {}, head.title || 'A run of carom'),
    element(
      'p',
      {},
      element('span', { class: `badge ${verdict.status}` }, verdict.badge),
      ` ${steps} of ${number(head.time_step_s)} s, ${system}, carom ${head.carom_version}`,
    ),
    ...head.notes.map((note) => element('p', { class: 'note', role: 'note' }, note)),
  );
}

/** The lines of [parameters] as the scene has them: name, value, comment. */
export function parametersOf(scene: string): string[][] {
  const rows: string[][] = [];
  let inside = false;
  for (const line of scene.split('\n')) {
    if (/^\s*\[/.test(line)) inside = /^\s*\[parameters\]\s*(#.*)?$/.test(line);
    const parts = inside ? /^\s*([A-Za-z_][\w]*)\s*=\s*("[^"]*"|[^#]*)\s*(?:#\s*(.*))?$/.exec(line) : null;
    if (parts) rows.push([parts[1], parts[2].trim().replace(/^"(.*)"$/, '$1'), parts[3]?.trim() ?? '']);
  }
  return rows;
}

function sceneSection(head: Head): HTMLElement {
  const rows = parametersOf(head.scene);
  const cells = rows.map((row) => element('tr', {}, ...row.map((text, i) => element(i === 0 ? 'th' : 'td', {}, text))));
  return section(
    'scene',
    'Scene',
    rows.length > 0 ? element('table', {}, element('caption', {}, 'Parameters'), element('tbody', {}, ...cells)) : null,
    element('details', {}, element('summary', {}, 'The scene as it was run'), element('pre', {}, head.scene)),
  );
}

const keys: [string, string, ('bodies' | 'contacts')?][] = [
  ['space', 'play, pause'],
  ['← →', 'one frame back or forward; ten with shift'],
  [', .', 'previous, next event'],
  ['Home End', 'start, end'],
  ['− +', 'slower, faster'],
  ['z x 0', 'zoom plots in, out, show all'],
  ['c C', 'pick the next or previous contact: its friction cone; Escape picks none', 'contacts'],
  ['b B', 'pick the next or previous body: all forces on it', 'bodies'],
  ['f', 'fit the view'],
  ['?', 'show this list'],
];

function keySection(head: Head): HTMLElement {
  const there = { bodies: !!head.solids, contacts: !!head.solids || head.contacts.length > 0 };
  const rows = keys.filter(([, , who]) => !who || there[who]).map(([key, meaning]) => element('tr', {}, element('th', {}, element('kbd', {}, key)), element('td', {}, meaning)));
  return section('keys', 'Keys', element('table', {}, element('caption', {}, 'On the whole page'), element('tbody', {}, ...rows)));
}

function listenToKeys({ run, player, events, plots, playback }: Shown, signal: AbortSignal): void {
  const frame = run.head.every_s;
  const actions: Record<string, (event: KeyboardEvent) => void> = {
    ' ': () => player.toggle(),
    ArrowLeft: (event) => player.seek(player.time - frame * (event.shiftKey ? 10 : 1)),
    ArrowRight: (event) => player.seek(player.time + frame * (event.shiftKey ? 10 : 1)),
    Home: () => player.seek(player.start),
    End: () => player.seek(player.end),
    ',': () => events.step(-1),
    '.': () => events.step(1),
    '-': () => (player.speed /= 2),
    '+': () => (player.speed *= 2),
    z: () => plots.zoom(0.5),
    x: () => plots.zoom(2),
    '0': () => plots.show(player.start, player.end),
    c: () => playback.pickNext(1),
    C: () => playback.pickNext(-1),
    Escape: () => (playback.bodies ? playback.bodies.pickNothing() : playback.pick(-1)),
    b: () => playback.bodies?.nextBody(1),
    B: () => playback.bodies?.nextBody(-1),
    f: () => playback.stage?.fit(),
    '?': () => document.getElementById('keys')?.scrollIntoView(),
  };
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target as HTMLElement;
    // what has the focus keeps its own keys; the slider has none: the page moves its instant by whole frames
    if (target.tagName === 'SELECT' || (target instanceof HTMLInputElement && target.type === 'text')) return;
    if (event.key === ' ' && ['BUTTON', 'SUMMARY', 'A'].includes(target.tagName)) return;
    const act = actions[event.key];
    if (!act) return;
    event.preventDefault();
    act(event);
  }, { signal });
}

/** A page with its parts. */
type Shown = Begun & { plots: Plots; events: Events; phase: PhasePortrait; end: () => void };

/** What comes first: the stage with its controls, so that many bodies are seen before anything is plotted. */
type Begun = { run: Run; others: Run[]; colours: Colours; timeline: Timeline; player: Player; playback: Playback; main: HTMLElement; right: HTMLElement; verdict: HTMLElement[] };

/** What is said of the run as a whole. */
const verdictOn = (head: Head): HTMLElement[] => [header(head), certificateSection(head), ledgerSection(head)].map((part) => part ?? element('div'));

function begin(page: HTMLElement, run: Run, others: Run[]): Begun {
  document.title = run.head.title || 'A run of carom';
  const colours = new Colours(run.head.palette);
  const timeline = new Timeline(run);
  const player = new Player(timeline.start, timeline.end);
  const playback = new Playback(run, timeline, player, colours, others);
  const verdict = verdictOn(run.head);
  const main = element('main', {}, element('div', { class: 'column' }, playback.element, ...verdict.slice(1)));
  // both columns from the start: the stage has its final width
  const right = element('div', { class: 'column' });
  main.append(right);
  page.replaceChildren(verdict[0], main);
  playback.appear();
  return { run, others, colours, timeline, player, playback, main, right, verdict };
}

/** Plots, events, the scene and the keys. */
function complete(begun: Begun): Shown {
  const { run, others, colours, timeline, player, playback, main, right } = begun;
  const events = new Events(run, player);
  const plots = new Plots(run, timeline, player, colours, playback.picture.contacts);
  const phase = new PhasePortrait(run, timeline, player, colours);
  const compared = others.length > 0 || run.head.tables ? new Comparison(run, others, plots) : null;
  right.append(...(compared ? [compared.element] : []), plots.element, ...(phase.empty ? [] : [phase.element]));
  main.append(element('div', { class: 'column both' }, events.element, sceneSection(run.head), keySection(run.head)));
  playback.onPick(() => {
    const { pickedBody, pickedPair } = playback.picture.looks;
    if (pickedBody >= 0) plots.showBody(pickedBody);
    plots.showPair(pickedPair);
  });
  const ending = new AbortController();
  const { signal } = ending;
  window.addEventListener('beforeprint', () => (colours.shownOn = 'light'), { signal });
  window.addEventListener('afterprint', () => (colours.shownOn = undefined), { signal });
  const shown = { ...begun, plots, events, phase, end: () => endOf(player, playback, ending) };
  listenToKeys(shown, ending.signal);
  playback.element.append(shareTools(shown));
  return shown;
}

function endOf(player: Player, playback: Playback, ending: AbortController): void {
  ending.abort();
  player.pause();
  playback.stage?.dispose();
}

/** A link to what is shown now, and films of it. */
function shareTools({ run, player, playback, plots }: Shown): HTMLElement {
  const told = element('output', { class: 'hint' });
  const link = button('Link', 'Put this instant and this view into the address, and copy it', () => {
    history.replaceState(null, '', `#${pointWords()}${wordsOf(player, playback, plots)}`);
    const done = () => (told.textContent = 'The address now describes this view; it was copied.');
    navigator.clipboard?.writeText(location.href).then(done, () => (told.textContent = 'The address now describes this view: copy it.'));
  });
  if (!playback.stage) return element('div', { class: 'tools', role: 'group', 'aria-label': 'Share' }, link, told);
  const format = element('select', { 'aria-label': 'Kind of film' });
  for (const [value, text] of [['png', 'picture, PNG'], ['webm', 'film, WebM'], ['mp4', 'film, MP4'], ['gif', 'film, GIF']]) format.append(new Option(text, value));
  releaseAfterPointer(format);
  const save = button('Save', 'Save a picture of this instant, or a film of the run as shown', () => {
    save.disabled = true;
    void saveFilm(run, player, playback, format.value as FilmFormat, told).finally(() => (save.disabled = false));
  });
  return element('div', { class: 'tools', role: 'group', 'aria-label': 'Share' }, link, format, save, told);
}

/** A film of the stage as the reader has set it, in real time but for its speed. */
async function saveFilm(run: Run, player: Player, playback: Playback, format: FilmFormat, told: HTMLElement): Promise<void> {
  const { picture, stage } = playback;
  const order = { format, width: 1280, height: 720, at: player.time, from: player.start, until: player.end, speed: player.speed, fps: 30, camera: '', dark: false };
  try {
    const blob = await makeFilm(run, order, async (part) => {
      told.textContent = `${Math.round(100 * part)} % of the film`;
      await new Promise((go) => setTimeout(go));
    }, picture.looks, stage?.view() ?? null);
    const address = URL.createObjectURL(blob);
    element('a', { href: address, download: `${(run.head.name || 'run').replace(/\.[^.]*$/, '')}.${format}` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
    told.textContent = `Made ${format}, ${number(blob.size / 1e6, 3)} MB.`;
  } catch (problem) {
    told.textContent = `No film: ${problem instanceof Error ? problem.message : String(problem)}.`;
  }
}

async function start(page: HTMLElement): Promise<void> {
  // a run is shown while the rest of it still comes; results need the whole page
  await arrived(document, '#carom-head');
  const study = studyIn();
  if (study) return showStudy(page, study);
  const orbits = orbitsIn();
  if (orbits) return showOrbits(page, orbits);
  const run = await readRun();
  const words = new URLSearchParams(location.hash.replace(/^#/, ''));
  const time = run.track('time_s');
  const order = orderIn(words, time[0] ?? 0, time[time.length - 1] ?? 0);
  if (order && location.protocol.startsWith('http')) {
    return serveFilm(await run.whole(), order);
  }
  if (!run.motion || run.head.others) await arrived(document, null);
  const begun = begin(page, run, await readOthers());
  // many bodies are drawn once before the rest of the page is made
  if (run.motion) await painted();
  if (await run.readLate()) begun.playback.contactsCame();
  const shown = complete(begun);
  for (const { motion } of begun.others) motion?.unpackRest();
  tell(shown);
  void (run.motion?.finished() ?? Promise.resolve()).then(() => performance.mark('carom-complete'));
  restore(location.hash, shown.player, shown.playback, shown.plots);
  window.addEventListener('hashchange', () => restore(location.hash, shown.player, shown.playback, shown.plots));
  followRun(run.head.follow ?? '', async (answer) => {
    const longer = await (await readRun('', answer, run)).whole();
    await run.motion?.finished();
    goOn(shown, longer);
    return run.head.follow ?? '';
  });
}

/** A page of results, and the runs that its points open. The address says which is shown: the browser goes back. */
function showResults(page: HTMLElement, title: string, words: string, note: string | undefined, results: { element: HTMLElement; draw(): void }, first: string): void {
  const top = element('header', {}, element('h1', {}, title), element('p', {}, words), ...(note ? [element('p', { class: 'note', role: 'note' }, note)] : []));
  let open: Shown | null = null;
  let point: number | null | undefined; // whose run is shown; null: of none, the results are
  const show = async (): Promise<void> => {
    const asked = pointIn(location.hash);
    if (asked === point) return open ? restore(location.hash, open.player, open.playback, open.plots) : undefined;
    open?.end();
    open = null;
    point = asked;
    if (asked === null) {
      document.title = title;
      page.replaceChildren(top, results.element);
      skipTo(first, 'Skip to the results');
      results.draw();
      return;
    }
    const run = await (await readRun(`-run-${asked}`)).whole();
    open = complete(begin(page, run, []));
    page.querySelector('header')?.prepend(backButton());
    skipTo('playback', 'Skip to the playback');
    restore(location.hash, open.player, open.playback, open.plots);
    window.carom = { ...window.carom, ...partsOf(open), ready: true };
    window.scrollTo(0, 0);
  };
  window.addEventListener('hashchange', () => void show());
  void show();
}

function showStudy(page: HTMLElement, head: StudyHead): void {
  const study = new StudyPage(head);
  window.carom = { ready: true, study };
  const words = `${counted(head.columns[0]?.numbers?.length ?? head.columns[0]?.texts?.length ?? 0, 'row')}, carom ${head.carom_version}`;
  showResults(page, head.title || 'A study of carom', words, head.note, study, 'diagram');
}

/** Where the first link of the page leads. The address stays: it says what is shown. */
function skipTo(id: string, words: string): void {
  const link = document.querySelector<HTMLAnchorElement>('.skip');
  if (!link) return;
  link.setAttribute('href', `#${id}`);
  link.textContent = words;
  link.onclick = (event) => {
    event.preventDefault();
    const target = document.getElementById(id);
    target?.setAttribute('tabindex', '-1');
    target?.focus();
    target?.scrollIntoView();
  };
}

function showOrbits(page: HTMLElement, head: OrbitsHead): void {
  const orbits = head.format === 'carom-branch' ? new BranchPage(head) : new OrbitPage(head);
  window.carom = { ready: true, orbits };
  showResults(page, head.title || 'Orbits of carom', `carom ${head.carom_version}`, head.note, orbits, head.format === 'carom-branch' ? 'diagram' : 'orbit');
}

/** The same page with a longer run: everything stays as the reader has set it; at the end means: stay at the end. */
function goOn({ run, timeline, player, playback, plots, events, phase, verdict }: Shown, longer: Run): void {
  run.grow(longer);
  timeline.grow(run);
  playback.grow();
  player.grow(timeline.end);
  plots.grow();
  events.grow();
  phase.grow();
  verdictOn(run.head).forEach((fresh, i) => {
    if (fresh.isEqualNode(verdict[i])) return;
    verdict[i].replaceWith(fresh);
    verdict[i] = fresh;
  });
}

/** Resolves when the browser has drawn what is on the page now; a page in the background does not wait. */
function painted(): Promise<void> {
  return new Promise((done) => {
    requestAnimationFrame(() => setTimeout(done));
    setTimeout(done, 500);
  });
}

/** What tests hold on to. */
const partsOf = ({ run, player, playback, plots }: Shown) => ({ player, playback, plots, run });

function tell(shown: Shown): void {
  window.carom = { ready: true, ...partsOf(shown) };
  performance.mark('carom-ready');
}

function refuse(problem: unknown): void {
  const words = problem instanceof Error ? problem.message : String(problem);
  document.getElementById('page')?.replaceChildren(element('p', { class: 'note', role: 'alert' }, `This page cannot show its run: ${words}.`));
}

void arrived(document, '#page')
  .then((page) => start(page as HTMLElement))
  .catch(refuse);
