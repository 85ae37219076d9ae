import type { Player } from './player';

/** How often a page of `carom view` asks whether the run has gone on. */
const every_ms = 1500;
const place = 'carom-follow';

type Kept = { time: number; atEnd: boolean; playing: boolean; speed: number; scroll: number };

/** Where the reader was before the page was loaded again; at the end means: stay at the end. */
function restore(player: Player): void {
  const kept = sessionStorage.getItem(place);
  if (!kept) return;
  sessionStorage.removeItem(place);
  const { time, atEnd, playing, speed, scroll } = JSON.parse(kept) as Kept;
  player.speed = speed;
  player.seek(atEnd ? player.end : time);
  if (playing && !atEnd) player.play();
  window.scrollTo(0, scroll);
}

function keep(player: Player): void {
  const { time, playing, speed } = player;
  const kept: Kept = { time, atEnd: time >= player.end, playing, speed, scroll: window.scrollY };
  sessionStorage.setItem(place, JSON.stringify(kept));
}

/** While the run goes on, loads the page again whenever the recording has grown. */
export function followRun(version: string, player: Player): void {
  if (!location.protocol.startsWith('http')) return;
  restore(player);
  if (!version) return;
  const ask = async (): Promise<void> => {
    try {
      const answer = await fetch('version');
      if (answer.ok && (await answer.text()) !== version) {
        keep(player);
        location.reload();
        return;
      }
    } catch {
      // the server has ended: the page stays as it is
      return;
    }
    setTimeout(ask, every_ms);
  };
  setTimeout(ask, every_ms);
}
