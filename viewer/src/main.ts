import './style.css';

import { certificateSection, ledgerSection, verdictOf } from './certificate';
import { Colours } from './colours';
import { readRun, type Head, type Run } from './data';
import { Events } from './events';
import { followRun } from './follow';
import { PhasePortrait } from './phase';
import { Playback } from './playback';
import { Player } from './player';
import { Plots } from './plots';
import { counted, element, number, section } from './text';
import { Timeline } from './timeline';

/** What tests of the page hold on to. */
declare global {
  interface Window {
    carom?: { ready: boolean; player: Player; playback: Playback; plots: Plots; run: Run };
  }
}

function header(head: Head): HTMLElement {
  const verdict = verdictOf(head.report);
  const steps = head.report ? counted(head.report.certificate.steps, 'step') : 'steps';
  const system = head.solids
    ? counted(head.solids.bodies.length, 'body', 'bodies')
    : `${counted(head.coordinates.length, 'coordinate')}, ${counted(head.contacts.length, 'contact')}`;
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

const keys = [
  ['space', 'play, pause'],
  ['← →', 'one frame back, on; with shift ten'],
  [', .', 'event before, after'],
  ['Home End', 'start, end'],
  ['− +', 'slower, faster'],
  ['z x 0', 'zoom plots in, out, all'],
  ['c C', 'pick the next contact, the one before: its friction cone; Escape picks none'],
];

function keySection(): HTMLElement {
  const rows = keys.map(([key, meaning]) => element('tr', {}, element('th', {}, element('kbd', {}, key)), element('td', {}, meaning)));
  return section('keys', 'Keys', element('table', {}, element('caption', {}, 'On the whole page'), element('tbody', {}, ...rows)));
}

function listenToKeys(run: Run, player: Player, events: Events, plots: Plots, playback: Playback): void {
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
    Escape: () => playback.pick(-1),
  };
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target as HTMLElement;
    // what has the focus keeps its own keys; the slider has none: the page moves its instant by whole frames
    if (target.tagName === 'SELECT') return;
    if (event.key === ' ' && ['BUTTON', 'SUMMARY', 'A'].includes(target.tagName)) return;
    const act = actions[event.key];
    if (!act) return;
    event.preventDefault();
    act(event);
  });
}

async function start(page: HTMLElement): Promise<void> {
  const run = await readRun();
  document.title = run.head.title || 'A run of carom';
  const colours = new Colours(run.head.palette);
  const timeline = new Timeline(run);
  const player = new Player(timeline.start, timeline.end);
  const playback = new Playback(run, timeline, player, colours);
  const events = new Events(run, player);
  const main = element('main');
  page.replaceChildren(header(run.head), main);
  const left = element('div', { class: 'column' }, playback.element, certificateSection(run.head), ledgerSection(run.head));
  const right = element('div', { class: 'column' });
  main.append(left, right);
  const plots = new Plots(run, timeline, player, colours);
  const phase = new PhasePortrait(run, timeline, player, colours);
  right.append(plots.element, phase.element);
  main.append(element('div', { class: 'column both' }, events.element, sceneSection(run.head), keySection()));
  listenToKeys(run, player, events, plots, playback);
  followRun(run.head.follow ?? '', player);
  window.carom = { ready: true, player, playback, plots, run };
}

const page = document.getElementById('page');
if (page) {
  start(page).catch((problem: unknown) => {
    const words = problem instanceof Error ? problem.message : String(problem);
    page.replaceChildren(element('p', { class: 'note', role: 'alert' }, `This page cannot show its run: ${words}.`));
  });
}
