import type { Playback } from './playback';
import type { Player } from './player';
import type { Plots } from './plots';
import { presets } from './picture';

/** What an address can say about a view: #t=1.25&camera=...&pick=...&bodies=ball,pin_3&plots=0.2,0.7&with=ghost,traces&cut=x,0.5&scale=2 */
export function wordsOf(player: Player, playback: Playback, plots: Plots): string {
  const words = new URLSearchParams();
  const short = (x: number) => String(Number(x.toPrecision(7)));
  words.set('t', short(player.time));
  if (playback.stage) words.set('camera', playback.stage.view().map(short).join(','));
  const picked = pickedName(playback);
  if (picked) words.set('pick', picked);
  const { forces, colourBy } = playback.picture.looks;
  if (playback.picture.solids) words.set('show', `${forces},${colourBy}`);
  for (const [name, value] of Object.entries(playback.lookWords)) words.set(name, value);
  const names = playback.picture.solids?.head.names ?? [];
  if (plots.shownBodies.length > 0) words.set('bodies', plots.shownBodies.map((body) => names[body]).join(','));
  const [from, to] = plots.shown;
  if (from > player.start || to < player.end) words.set('plots', `${short(from)},${short(to)}`);
  return words.toString().replaceAll('%2C', ',').replaceAll('%7E', '~');
}

/** A body, or two bodies that touch with ~ between them, or a contact of the scene. */
function pickedName(playback: Playback): string {
  const { looks, solids } = playback.picture;
  const names = solids?.head.names ?? [];
  if (looks.pickedPair) return looks.pickedPair.map((body) => names[body]).join('~');
  if (looks.pickedBody >= 0) return names[looks.pickedBody] ?? '';
  return playback.picked >= 0 ? playback.contactNames[playback.picked] : '';
}

/** Shows what an address says; what it does not say, or says wrongly, stays as it is. */
export function restore(text: string, player: Player, playback: Playback, plots: Plots): void {
  const words = new URLSearchParams(text.replace(/^#/, ''));
  const numbers = (name: string) => (words.get(name) ?? '').split(',').map(Number);
  const camera = words.get('camera') ?? '';
  if (presets[camera]) playback.stage?.lookFrom(...presets[camera]);
  else if (camera) playback.stage?.look(numbers('camera'));
  const [forces, colourBy] = (words.get('show') ?? '').split(',');
  playback.setLooks(forces, colourBy);
  playback.switchOn(words);
  pickByName(words.get('pick') ?? '', playback);
  const names = playback.picture.solids?.head.names ?? [];
  const plotted = (words.get('bodies') ?? '').split(',').map((name) => names.indexOf(name)).filter((body) => body >= 0);
  if (plotted.length > 0) plots.showBodies(plotted);
  if (words.has('plots')) {
    const [from, to] = numbers('plots');
    if (from < to) plots.show(from, to);
  }
  const t = Number(words.get('t'));
  if (words.has('t') && Number.isFinite(t)) player.seek(t);
}

function pickByName(name: string, playback: Playback): void {
  if (!name) return;
  const names = playback.picture.solids?.head.names ?? [];
  const bodies = name.split('~').map((part) => names.indexOf(part));
  if (!playback.bodies) playback.pick(playback.contactNames.indexOf(name));
  else if (bodies.length === 2 && bodies.every((body) => body >= 0)) playback.bodies.pickPair([bodies[0], bodies[1]]);
  else if (bodies.length === 1) playback.bodies.pickBody(bodies[0]);
}
