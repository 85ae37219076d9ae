import { parts, type BodyContact } from './body_contacts';
import type { Run } from './data';
import { momentAbout } from './free_body';
import type { Picture } from './picture';
import { statusWords } from './statuses';
import { button, element, NameChoice, number, releaseAfterPointer, table, withUnit } from './text';

/** Lists of more contacts than these help nobody: they are picked on the stage. */
const listed = 500;

/** How often numbers change while the run plays. */
const rewrite_ms = 150;

/** What was picked: a body with all forces on it, or two bodies that touch. */
export class BodyPanel {
  readonly element: HTMLElement;
  private readonly run: Run;
  private readonly picture: Picture;
  private readonly names: string[];
  private readonly bodies: NameChoice;
  private readonly pairs = element('select', { 'aria-label': 'Picked contact' });
  private readonly words = element('p', { class: 'picked', 'aria-live': 'polite' });
  private readonly details = element('div', { class: 'wide' });
  private readonly changed: () => void;
  private shownPairs = '';
  private lastText = '';
  private written_ms = -Infinity;

  /** `changed`: something else was picked here. */
  constructor(run: Run, picture: Picture, changed: () => void) {
    this.run = run;
    this.picture = picture;
    this.names = run.head.solids?.names ?? [];
    this.changed = changed;
    const names = (run.head.solids?.bodies ?? []).map((_, b): [number, string] => [b, this.names[b] ?? `body ${b + 1}`]);
    this.bodies = new NameChoice('Picked body', names, (body) => this.pickBody(body), 'no body');
    this.pairs.addEventListener('change', () => {
      const [a, b] = this.pairs.value.split('-').map(Number);
      this.pickPair(this.pairs.value ? [a, b] : null);
    });
    releaseAfterPointer(this.pairs);
    this.element = element(
      'div',
      { class: 'bodies' },
      element('div', { class: 'tools', role: 'group', 'aria-label': 'Pick' }, element('label', {}, 'Body ', this.bodies.element), element('label', {}, 'Contact ', this.pairs), button('None', 'Pick nothing (Escape)', () => this.pickNothing())),
      this.words,
      this.details,
    );
  }

  pickBody(body: number): void {
    const { looks } = this.picture;
    looks.pickedBody = body >= 0 && body < (this.run.head.solids?.bodies.length ?? 0) ? body : -1;
    looks.pickedPair = null;
    this.changed();
  }

  pickPair(pair: [number, number] | null): void {
    const { looks } = this.picture;
    looks.pickedPair = pair;
    looks.pickedBody = -1;
    this.changed();
  }

  pickNothing(): void {
    this.picture.looks.pickedPair = null;
    this.pickBody(-1);
  }

  /** The next body that moves, or the one before; after the last one none. */
  nextBody(direction: 1 | -1): void {
    const movers = (this.run.head.solids?.bodies ?? []).flatMap(({ first }, b) => (first >= 0 ? [b] : []));
    const places = movers.length + 1;
    const at = movers.indexOf(this.picture.looks.pickedBody) + 1;
    this.pickBody([-1, ...movers][(at + direction + places) % places]);
  }

  /** The next contact of this instant, or the one before. */
  nextPair(t: number, direction: 1 | -1): void {
    const pairs = this.pairsAt(t);
    const { pickedPair } = this.picture.looks;
    const at = pairs.findIndex(([a, b]) => pickedPair?.[0] === a && pickedPair[1] === b) + 1;
    this.pickPair([null, ...pairs][(at + direction + pairs.length + 1) % (pairs.length + 1)]);
  }

  /** Bodies that touch at an instant, in the order of the recording. */
  private pairsAt(t: number): [number, number][] {
    const { contacts } = this.picture;
    const seen = new Map<string, [number, number]>();
    const [from, to] = contacts.rowsOf(contacts.frame(t));
    for (let k = from; k < to; ++k) seen.set(contacts.pairOf(k).join('-'), contacts.pairOf(k));
    return [...seen.values()];
  }

  show(t: number, playing: boolean): void {
    const { looks } = this.picture;
    // while it plays, numbers that nobody can read are not written sixty times a second
    const now = performance.now();
    if (playing && now - this.written_ms < rewrite_ms) return;
    this.written_ms = now;
    if (!playing) this.listPairs(t);
    this.bodies.show(looks.pickedBody);
    if (!playing) this.pairs.value = looks.pickedPair?.join('-') ?? '';
    const text = looks.pickedPair ? this.pairWords(looks.pickedPair, t) : looks.pickedBody >= 0 ? this.bodyWords(looks.pickedBody, t) : this.hint();
    if (text === this.lastText && playing) return;
    this.lastText = text;
    this.words.textContent = text;
    this.words.classList.toggle('idle', !looks.pickedPair && looks.pickedBody < 0);
    const rows = looks.pickedPair ? this.pairTable(looks.pickedPair, t) : looks.pickedBody >= 0 ? this.bodyTable(looks.pickedBody, t) : null;
    this.details.replaceChildren(...(rows ? [rows] : []));
  }

  private hint(): string {
    return 'Click a body or a contact in the picture, or press b or c: a body shows all forces on it, a contact its friction cone.';
  }

  private listPairs(t: number): void {
    const pairs = this.pairsAt(t).slice(0, listed);
    const { pickedPair } = this.picture.looks;
    // the picked pair stays in the list when it does not touch
    if (pickedPair && !pairs.some(([a, b]) => a === pickedPair[0] && b === pickedPair[1])) pairs.unshift(pickedPair);
    const key = pairs.join(' ');
    if (key === this.shownPairs && this.pairs.options.length > 0) return;
    this.shownPairs = key;
    this.pairs.replaceChildren(new Option(pairs.length > 0 ? 'no contact' : 'none at this instant', ''), ...pairs.map(([a, b]) => new Option(`${this.names[a]} – ${this.names[b]}`, `${a}-${b}`)));
  }

  private bodyWords(body: number, t: number): string {
    const mass = this.run.head.mechanics?.mass_kg[body] ?? 0;
    const material = this.run.head.mechanics?.materials[body];
    const about = [mass > 0 ? `mass ${withUnit(mass, 'kg')}` : 'prescribed or fixed', material ? `material ${material}` : ''].filter((text) => text);
    const diagram = this.picture.free?.at(body, t);
    const name = `${this.names[body]}: ${about.join(', ')}.`;
    if (!diagram) return `${name} ${mass > 0 ? this.why(t) : ''}`.trim();
    const left = Math.hypot(...diagram.sum.map((f, i) => f - diagram.massTimesAcceleration[i]));
    return `${name} The forces sum to m a, ${withUnit(Math.hypot(...diagram.massTimesAcceleration), 'N')}, within ${withUnit(left, 'N')}.`;
  }

  private why(t: number): string {
    return this.picture.contacts.stepOf(this.picture.contacts.frame(t)) > 0 ? 'The recording does not contain the forces on it.' : 'No step has been taken yet.';
  }

  /** The free-body diagram in numbers. */
  private bodyTable(body: number, t: number): HTMLElement | null {
    const diagram = this.picture.free?.at(body, t);
    if (!diagram) return null;
    const axes = this.picture.spatial ? [0, 1, 2] : [0, 1];
    const vector = (v: number[]) => axes.map((k) => number(v[k]));
    const turns = this.picture.spatial ? [0, 1, 2] : [2];
    const moments = (v: number[]) => turns.map((k) => number(v[k]));
    const rows = diagram.forces.map((one) => {
      const { name, kind, force, contact } = one;
      const what = kind === 'contact' && contact ? statusWords[contact.status] : kind === 'contact' ? '' : kind;
      return [contact ? this.pickButton(contact, name) : name, what, ...vector(force), ...moments(momentAbout(diagram.centre, one))];
    });
    const headings = ['from', '', ...axes.map((k) => `${'xyz'[k]}, N`), ...turns.map((k) => (turns.length === 1 ? 'moment, N\u00a0m' : `M${'xyz'[k]}, N\u00a0m`))];
    const sums: (string | Node)[][] = [[element('strong', {}, 'sum'), '', ...vector(diagram.sum), ...moments(diagram.moment)]];
    const change = diagram.spinRate ? moments(diagram.spinRate) : turns.map(() => '');
    sums.push([element('strong', {}, diagram.spinRate ? 'm a, dL/dt' : 'm a'), 'from the change of velocity', ...vector(diagram.massTimesAcceleration), ...change]);
    const caption = `Free-body diagram of ${this.names[body]}: means over the step that contains the frame; moments about the centre of mass`;
    return element('div', {}, table(caption, headings, [...rows, ...sums]));
  }

  private pickButton({ first, second }: BodyContact, name: string): HTMLElement {
    return button(name, `Pick the contact with ${name}`, () => this.pickPair([first, second]));
  }

  private pairWords([first, second]: [number, number], t: number): string {
    const points = this.picture.contacts.of(first, t, second);
    const name = `${this.names[first]} and ${this.names[second]}`;
    if (points.length === 0) return `${name} are not in active contact now.`;
    const status = [...new Set(points.map((point) => statusWords[point.status]))].join(', ');
    const n = points.reduce((sum, point) => sum + parts(point).n, 0);
    return `${name}: ${status}, ${points.length === 1 ? 'one point' : `${points.length} points`}, normal force ${withUnit(n, 'N')}.`;
  }

  private pairTable([first, second]: [number, number], t: number): HTMLElement | null {
    const points = this.picture.contacts.of(first, t, second);
    if (points.length === 0) return null;
    const step = this.picture.contacts.stepOf(this.picture.contacts.frame(t));
    const rows = points.map((point, i) => {
      const { n, t: tangential } = parts(point);
      const bound = point.mu === null ? NaN : point.mu * n;
      return [
        String(i + 1),
        statusWords[point.status],
        number(point.gap),
        number(n),
        number(tangential),
        number(n * step),
        point.mu === null ? '–' : number(point.mu),
        bound > 0 ? `${number((100 * tangential) / bound, 3)} %` : '–',
        number(point.sliding),
        number(point.residual, 2),
      ];
    });
    const headings = ['point', 'status', 'gap, m', 'normal, N', 'friction, N', 'percussion, N s', 'μ', 'of the friction limit', 'sliding, m/s', 'residual'];
    return table(`Contact of ${this.names[first]} and ${this.names[second]}`, headings, rows);
  }
}
