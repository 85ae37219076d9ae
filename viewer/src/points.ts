import { button, element } from './text';

/** Points of a study or of branches open their runs, which are data of the page too: `#run=12` in the address shows one. */

/** The point whose run the address asks for; null: none. */
export function pointIn(hash: string): number | null {
  const asked = new URLSearchParams(hash.replace(/^#/, '')).get('run');
  return asked !== null && /^\d+$/.test(asked) && hasRun(Number(asked)) ? Number(asked) : null;
}

/** What an address begins with that leads to a view of the run shown now. */
export function pointWords(): string {
  const point = pointIn(location.hash);
  return point === null ? '' : `run=${point}&`;
}

export function hasRun(point: number): boolean {
  return document.getElementById(`carom-head-run-${point}`) !== null;
}

/** Opens the run of a point; null: the page does not have it. */
export function openButton(point: number): HTMLElement | null {
  if (!hasRun(point)) return null;
  return element('p', {}, button('Open this run', 'Open this run: its motion, plots and certificate (Enter)', () => openPoint(point)));
}

export function openPoint(point: number): void {
  if (hasRun(point)) location.hash = `run=${point}`;
}

export function backButton(): HTMLElement {
  return element('p', { class: 'tools' }, button('Back to all results', 'Back to all results', () => (location.hash = '')));
}
