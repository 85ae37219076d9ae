import type { Run } from './data';
import type { Player } from './player';
import { button, count, element, number, releaseAfterPointer, section } from './text';
import { lastNotAfter } from './timeline';

const pageLength = 20;
const kindWords: Record<string, string> = {
  impact: 'impact',
  contact_made: 'contact made',
  contact_lost: 'contact lost',
  stick: 'sticks',
  slip: 'slips',
  accumulation: 'impacts accumulate',
  engage: 'engages',
  lock: 'locks',
  release: 'is released',
};

/** A set pushes the point with its boundary. */
const sweptWords: Record<string, string> = { contact_made: 'begins to push', contact_lost: 'stops pushing' };

/** Where slip in space goes, in its tangent plane; in the plane the sign of the velocity says it. */
function direction(kind: string, angle: number): string {
  const inPlane = angle === 0 || angle === Math.PI;
  return kind === 'slip' && !inPlane ? ` towards ${((angle * 180) / Math.PI).toFixed(1)}°` : '';
}

/** The events of a run as a table; each leads the playback to its instant. */
export class Events {
  readonly element: HTMLElement;
  private time: Float64Array;
  private readonly body = element('tbody');
  private readonly position = element('span', { 'aria-live': 'polite' });
  private readonly filter = element('select', { 'aria-label': 'Whose events' });
  private readonly run: Run;
  private names: string[];
  private readonly content = element('div');
  private readonly player: Player;
  private readonly earlier = button('‹', 'Earlier events', () => this.page(-1));
  private readonly later = button('›', 'Later events', () => this.page(1));
  private rows: number[] = [];
  private first = 0;

  constructor(run: Run, player: Player) {
    this.run = run;
    this.player = player;
    this.time = run.track('events.time_s');
    this.names = run.head.event_names ?? run.head.contacts; // older pages have events of contacts only
    this.filter.addEventListener('change', () => this.select());
    releaseAfterPointer(this.filter);
    this.element = section('events', 'Events', this.content);
    this.build();
    this.select();
  }

  /** The run has grown. The page of the table that is shown stays. */
  grow(): void {
    const [first, wanted, had] = [this.first, this.filter.value, this.time.length];
    this.time = this.run.track('events.time_s');
    this.names = this.run.head.event_names ?? this.run.head.contacts;
    if (this.time.length === had) return;
    this.build();
    this.filter.value = wanted;
    this.select();
    this.first = first;
    this.fill();
  }

  private get ofConstraints(): boolean {
    return !this.run.head.solids && this.names.length > this.run.head.contacts.length;
  }

  /** Numbers of an event; a sweep has no masses. */
  private get columns(): [string, string][] {
    if (this.run.isSweeping) return [];
    return [
      ['percussion_Ns', 'percussion, N\u00a0s'],
      ['velocity_before_m_s', 'velocity before, m/s'],
      ['velocity_after_m_s', 'after, m/s'],
      ['energy_J', 'energy, J'],
    ];
  }

  private build(): void {
    const { run, names } = this;
    this.filter.replaceChildren(new Option(run.isSweeping ? 'all sets' : this.ofConstraints ? 'contacts and constraints' : 'all contacts', '-1'));
    names.slice(0, 2000).forEach((name, c) => this.filter.append(new Option(name, String(c))));
    const title = this.element.querySelector('h2');
    if (title) title.textContent = `Events (${count(this.time.length)})`;
    const dropped = run.head.solids && run.head.solids.bodies.length > 1000;
    const none = element('p', {}, dropped ? 'Events of so many bodies are recorded only with record.events = true.' : 'There were no impacts and no changes of contact.');
    if (this.time.length === 0) return this.content.replaceChildren(none);
    if (this.body.parentElement === null) this.content.replaceChildren(element('div', { class: 'tools' }, this.earlier, this.later, this.filter, this.position), element('div', { class: 'wide' }, this.table()));
  }

  private table(): HTMLElement {
    const who = this.run.isSweeping ? 'set' : this.ofConstraints ? 'contact or constraint' : 'contact';
    const headings = ['time, s', 'what', who, ...this.columns.map(([, heading]) => heading)];
    return element(
      'table',
      { class: 'events' },
      element('caption', {}, 'Click a time to go there'),
      element('thead', {}, element('tr', {}, ...headings.map((text) => element('th', { scope: 'col' }, text)))),
      this.body,
    );
  }

  /** Goes to the next event after the instant shown, or the one before it. */
  step(direction: 1 | -1): void {
    const { time, player } = this;
    if (time.length === 0) return;
    const tolerance = 1e-9 * (player.end - player.start);
    let i = lastNotAfter(time, player.time + (direction > 0 ? tolerance : -tolerance));
    if (direction > 0) {
      i = time[i] > player.time + tolerance ? i : i + 1;
    }
    if (i < time.length) player.seek(time[i]);
  }

  private select(): void {
    const wanted = Number(this.filter.value);
    const contact = this.run.track('events.contact');
    this.rows = [];
    for (let i = 0; i < this.time.length; ++i) if (wanted < 0 || contact[i] === wanted) this.rows.push(i);
    this.first = 0;
    this.fill();
  }

  private page(direction: number): void {
    const next = this.first + direction * pageLength;
    if (next < 0 || next >= this.rows.length) return;
    this.first = next;
    this.fill();
  }

  private fill(): void {
    const { run } = this;
    const last = Math.min(this.rows.length, this.first + pageLength);
    const column = (name: string) => run.track(`events.${name}`);
    const cells = this.rows.slice(this.first, last).map((i) => {
      const kind = run.head.event_kinds[column('kind')[i]] ?? '';
      return element(
        'tr',
        { class: kind },
        element('td', {}, button(number(this.time[i], 6), 'Show this instant', () => this.player.seek(this.time[i]))),
        element('td', {}, ((run.isSweeping ? sweptWords[kind] : undefined) ?? kindWords[kind] ?? kind) + direction(kind, column('slip_rad')[i])),
        element('td', {}, this.names[column('contact')[i]] ?? ''),
        ...this.columns.map(([name]) => element('td', {}, number(column(name)[i]))),
      );
    });
    this.body.replaceChildren(...cells);
    this.earlier.disabled = this.first === 0;
    this.later.disabled = last === this.rows.length;
    this.position.textContent = this.rows.length > 0 ? `${count(this.first + 1)} to ${count(last)} of ${count(this.rows.length)}` : 'none';
  }
}
