import { BodyPanel } from './body_panel';
import { CanvasStage } from './canvas_stage';
import type { Colours } from './colours';
import type { Run } from './data';
import { coneOf, Percussions, type Cone } from './percussions';
import { onPress, Picture, type Stage } from './picture';
import type { Player } from './player';
import { Statuses, statusWords } from './statuses';
import { button, element, headings, number, releaseAfterPointer, section, withUnit } from './text';
import { ThreeStage } from './three_stage';
import { Timeline } from './timeline';
import { ViewTools } from './view_tools';

/** How near to the point of a contact of bodies a press must be to mean it, in pixels: bodies are all around. */
const contactReach = 9;

/** An impact takes no time; on the screen it is seen for this long, in seconds of the viewer. */
const glowOnScreen_s = 0.25;

/** Rows of the tables of coordinates and of contacts. */
const mostRows = 40;

/** The moving picture with its controls, and the same in numbers below it. */
export class Playback {
  readonly element: HTMLElement;
  readonly picture: Picture;
  readonly stage: Stage | null;
  private readonly run: Run;
  private readonly timeline: Timeline;
  private readonly player: Player;
  private readonly statuses: Statuses;
  readonly percussions: Percussions;
  private readonly pickedText = element('p', { class: 'picked', 'aria-live': 'polite' });
  private picked_ = -1;
  private readonly holder = element('div', { class: 'stage', tabindex: '0', role: 'img' });
  private readonly slider: HTMLInputElement;
  private readonly clock = element('output', { class: 'clock' });
  private readonly playButton: HTMLButtonElement;
  private readonly speeds = element('select', { 'aria-label': 'Speed of the playback' });
  private readonly values: { text: (t: number) => string; cell: HTMLElement }[] = [];
  private readonly statusCells: HTMLElement[] = [];
  private readonly pickButtons: HTMLButtonElement[] = [];
  readonly bodies: BodyPanel | null;
  private tools: ViewTools | null;
  private readonly pickWatchers: (() => void)[] = [];
  private state: { q: Float64Array[]; u: Float64Array[] | null } = { q: [], u: null }; // of the coordinates in the table
  private readonly legendHolder = element('div');
  private readonly colours: Colours;
  private drawnSize = ''; // of the stage when it was drawn last

  /** `others`: runs that are drawn faintly beside this one. */
  constructor(run: Run, timeline: Timeline, player: Player, colours: Colours, others: Run[] = []) {
    this.run = run;
    this.timeline = timeline;
    this.player = player;
    this.colours = colours;
    this.statuses = new Statuses(run);
    this.percussions = new Percussions(run, this.statuses);
    this.picture = new Picture(run, timeline);
    for (const other of others) this.picture.compareWith(new Picture(other, new Timeline(other)));
    this.stage = !this.picture.empty ? this.makeStage(colours) : null;
    this.bodies = this.picture.solids ? new BodyPanel(run, this.picture, () => this.tellPick()) : null;
    this.tools = this.makeTools();
    this.playButton = button('▶', 'Play (space)', () => player.toggle());
    this.playButton.classList.add('play');
    this.slider = this.makeSlider();
    this.makeSpeeds();

    const parts: (Node | null)[] = [];
    if (this.stage) {
      this.holder.append(this.stage.element);
      onPress(this.stage.element, (event) => this.pickAt(event));
      this.stage.element.addEventListener('dblclick', (event) => this.stage?.centreAt(event.clientX, event.clientY));
      this.showLegend();
      parts.push(this.holder, this.controls(), this.legendHolder, this.tools?.key ?? null, this.tools?.element ?? null);
    } else {
      parts.push(howToDraw(), this.controls());
    }
    parts.push(run.head.contacts.length > 0 ? this.pickedText : null, this.bodies?.element ?? this.numbers());
    this.element = section('playback', 'Playback', ...parts);
    player.watch(() => this.show());
    this.watchMotion();
    colours.onChange(() => this.repaint(colours));
    new ResizeObserver(() => this.appear()).observe(this.holder);
  }

  private makeTools(): ViewTools | null {
    return this.stage ? new ViewTools(this.picture, this.stage, this.colours, () => this.show()) : null;
  }

  /** Contacts of bodies have come after the first picture. */
  contactsCame(): void {
    this.picture.contactsCame();
    const fresh = this.makeTools();
    if (fresh && this.tools) {
      this.tools.key.replaceWith(fresh.key);
      this.tools.element.replaceWith(fresh.element);
    }
    this.tools = fresh;
    this.show();
  }

  private watchMotion(): void {
    const { run, timeline, player } = this;
    run.motion?.onBlock((from, to) => {
      // drawn again only where the reader waits for it
      const row = timeline.row(player.time);
      if (row >= from - 1 && row <= to && !player.playing) this.show();
    });
  }

  /** The run has grown, and its timeline with it: the same stage shows more. The player is told afterwards. */
  grow(): void {
    const { run } = this;
    Object.assign(this.statuses, new Statuses(run));
    Object.assign(this.percussions, new Percussions(run, this.statuses));
    this.picture.grow();
    this.stage?.grow();
    this.state = this.states();
    this.slider.max = String(this.timeline.end);
    if (this.stage) this.showLegend();
  }

  private showLegend(): void {
    const legend = this.legend(this.colours);
    this.legendHolder.replaceChildren(...(legend ? [legend] : []));
  }

  /** Draws what has got a size, or another one: as soon as it is on the page. */
  appear(): void {
    const size = `${this.holder.clientWidth} ${this.holder.clientHeight}`;
    if (size === this.drawnSize) return;
    this.stage?.resize();
    this.show();
    if (!this.drawnSize) performance.mark('carom-first-frame');
    this.drawnSize = size;
  }

  /** How long an impact is shown, in seconds of the run: while time stands still, at its instant only. */
  private get glow_s(): number {
    const { player } = this;
    return player.playing ? glowOnScreen_s * player.speed : 1e-9 * (player.end - player.start);
  }

  get contactNames(): string[] {
    return this.run.head.contacts;
  }

  /** As the lists below the stage have them; words that they do not have are passed over. */
  setLooks(forces: string | undefined, colourBy: string | undefined): void {
    this.tools?.choose(forces, colourBy);
  }

  /** What an address says about the look of bodies. */
  get lookWords(): Record<string, string> {
    return this.tools?.words ?? {};
  }

  switchOn(words: URLSearchParams): void {
    this.tools?.switchOn(words);
  }

  get picked(): number {
    return this.picked_;
  }

  /** Shows the friction cone of a contact; -1: of none. */
  pick(contact: number): void {
    this.picked_ = contact >= 0 && contact < this.run.head.contacts.length ? contact : -1;
    this.stage?.pick(this.picked_);
    this.pickButtons.forEach((button, c) => button.setAttribute('aria-pressed', String(c === this.picked_)));
    this.show();
  }

  /** The next contact, or the one before; after the last one none. */
  pickNext(direction: 1 | -1): void {
    if (this.bodies) return this.bodies.nextPair(this.player.time, direction);
    const places = this.run.head.contacts.length + 1;
    this.pick(((this.picked_ + 1 + direction + places) % places) - 1);
  }

  /** The cone of a contact as it is drawn at an instant; null where no drawing has its normal. */
  coneAt(contact: number, t: number): Cone | null {
    const entry = this.picture.entries.find((e) => e.contact === contact && e.normal >= 0);
    return entry ? coneOf(entry, this.picture.at(t, this.glow_s), this.percussions, this.picture.size) : null;
  }

  /** Called whenever a body or a contact of bodies was picked, or let go. */
  onPick(act: () => void): void {
    this.pickWatchers.push(act);
  }

  private tellPick(): void {
    this.show();
    for (const act of this.pickWatchers) act();
  }

  /** A contact where the press is on one, else the body that is there. */
  private pickBodyAt(panel: BodyPanel, { clientX, clientY }: PointerEvent): void {
    const { stage, picture, player } = this;
    if (!stage) return;
    const box = stage.element.getBoundingClientRect();
    let found: [number, number] | null = null;
    let reach = contactReach;
    picture.contacts.visit(player.time, (point, _, first, second) => {
      const [x, y] = stage.project(point[0], point[1], point[2]);
      const distance = Math.hypot(x - (clientX - box.left), y - (clientY - box.top));
      if (distance < reach) [found, reach] = [[first, second], distance];
    });
    if (found && picture.looks.forces !== 'none') return panel.pickPair(found);
    const body = stage.bodyAt(clientX, clientY);
    panel.pickBody(body === picture.looks.pickedBody ? -1 : body);
  }

  private pickAt(event: PointerEvent): void {
    if (this.tools?.press(event.clientX, event.clientY)) return;
    if (this.bodies) return this.pickBodyAt(this.bodies, event);
    const contact = this.stage?.contactAt(event.clientX, event.clientY) ?? -1;
    this.pick(contact === this.picked_ ? -1 : contact);
  }

  /** One frame: place everything, then draw. */
  show(): void {
    const { player, stage } = this;
    if (stage) {
      stage.place(this.picture.at(player.time, this.glow_s));
      stage.draw();
    }
    this.slider.value = String(player.time);
    this.slider.setAttribute('aria-valuetext', `${number(player.time)} seconds`);
    this.clock.textContent = `t = ${number(player.time, 5)} s`;
    this.playButton.textContent = player.playing ? '❚❚' : '▶';
    const does = player.playing ? 'Pause (space)' : 'Play (space)';
    this.playButton.title = does;
    this.playButton.setAttribute('aria-label', does);
    if (this.speeds.value !== String(player.speed)) this.speeds.value = String(player.speed);
    this.tools?.showKey(player.time);
    this.bodies?.show(player.time, player.playing);
    this.tellNumbers();
  }

  private makeStage(colours: Colours): Stage {
    if (this.picture.spatial) {
      try {
        return new ThreeStage(this.picture, colours, this.percussions);
      } catch {
        // no WebGL: the plain canvas draws the same in perspective of its own
      }
    }
    return new CanvasStage(this.picture, colours, this.percussions);
  }

  private repaint(colours: Colours): void {
    this.stage?.paint();
    for (const swatch of this.element.querySelectorAll<HTMLElement>('[data-status]')) {
      swatch.style.background = colours.status(swatch.dataset.status ?? '');
    }
    this.show();
  }

  private makeSlider(): HTMLInputElement {
    const { start, end } = this.player;
    const slider = element('input', { type: 'range', min: String(start), max: String(end), step: 'any', 'aria-label': 'Instant of the run' });
    slider.addEventListener('input', () => this.player.halt(Number(slider.value)));
    return slider;
  }

  private makeSpeeds(): void {
    for (let power = -10; power <= 6; ++power) {
      const speed = 2 ** power;
      this.speeds.append(new Option(speed < 1 ? `1/${1 / speed} speed` : speed === 1 ? 'real time' : `${speed} times`, String(speed)));
    }
    this.speeds.addEventListener('change', () => (this.player.speed = Number(this.speeds.value)));
    releaseAfterPointer(this.speeds);
  }

  private controls(): HTMLElement {
    const { player } = this;
    return element(
      'div',
      { class: 'controls', role: 'group', 'aria-label': 'Playback' },
      this.playButton,
      button('Start', 'Go to the start (Home)', () => player.seek(player.start)),
      this.slider,
      this.clock,
      this.speeds,
    );
  }

  /** What the colours of contact points mean; only where some are drawn. */
  private legend(colours: Colours): HTMLElement | null {
    if (!this.picture.entries.some((entry) => entry.contact >= 0)) return null;
    const items = [...this.statuses.seen].map((status) => {
      const swatch = element('span', { class: 'swatch', 'data-status': status, 'aria-hidden': 'true' });
      swatch.style.background = colours.status(status);
      return element('span', { class: 'key' }, swatch, statusWords[status]);
    });
    const longest = [
      this.statuses.largest > 0 ? `of impacts ${withUnit(this.statuses.largest, 'N s')}` : '',
      this.percussions.largest > 1e-12 * this.statuses.largest ? `between frames ${withUnit(this.percussions.largest, 'N s')}` : '',
    ].filter((text) => text);
    const arrows = longest.length > 0 ? ` Thin lines are normals, arrows percussions; largest ${longest.join(', ')}.` : '';
    return element('p', { class: 'legend' }, 'Contacts: ', ...items, arrows);
  }

  /** Coordinates and velocities over time, as far as the table has them. */
  private states(): { q: Float64Array[]; u: Float64Array[] | null } {
    const { run, timeline } = this;
    if (this.bodies) return { q: [], u: null };
    const n = Math.min(run.head.coordinates.length, mostRows);
    const struck = run.columns('jumps.q', n);
    const before = run.columns('jumps.u_minus', n);
    const after = run.columns('jumps.u_plus', n);
    return {
      q: run.columns('q', n).map((values, i) => timeline.merged(values, struck[i], struck[i])),
      u: run.has('u.0') ? run.columns('u', n).map((values, i) => timeline.merged(values, before[i], after[i])) : null,
    };
  }

  /** The state at the instant shown, for those who read instead of look. */
  private numbers(): HTMLElement {
    const { coordinates, contacts } = this.run.head;
    const row = (name: string, texts: ((t: number) => string)[]) => {
      const cells = texts.map((text) => {
        const cell = element('td');
        this.values.push({ text, cell });
        return cell;
      });
      return element('tr', {}, element('th', { scope: 'row' }, name), ...cells);
    };
    this.state = this.states();
    const rows = coordinates
      .slice(0, mostRows)
      .map(({ name, unit }, i) =>
        row(name, [
          (t) => withUnit(this.timeline.at(this.state.q[i], t), unit),
          (t) => (this.state.u ? withUnit(this.timeline.at(this.state.u[i], t), `${unit || '1'}/s`) : '–'),
        ]),
      );
    const statusRows = contacts.slice(0, mostRows).map((name, c) => {
      const cell = element('td');
      this.statusCells.push(cell);
      const pick = button(name, `Pick the contact ${name}: its percussion and friction cone (c)`, () => this.pick(c === this.picked_ ? -1 : c));
      pick.setAttribute('aria-pressed', 'false');
      this.pickButtons.push(pick);
      return element('tr', {}, element('th', { scope: 'row' }, pick), cell);
    });
    return element(
      'div',
      { class: 'numbers' },
      element('table', {}, element('caption', {}, 'State at this instant'), headings('', 'value', this.run.isSweeping ? 'rate of change' : 'velocity'), element('tbody', {}, ...rows)),
      statusRows.length > 0
        ? element('table', {}, element('caption', {}, 'Contacts'), headings('', 'status'), element('tbody', {}, ...statusRows))
        : null,
    );
  }

  /** The picked contact in words and numbers: what its cone shows. */
  private pickedWords(): string {
    const c = this.picked_;
    const rubs = (this.run.head.friction ?? []).length > 0;
    if (c < 0) return `Click a contact, or press c, to see its percussion${rubs ? ' and its friction cone' : ''}.`;
    const { player, percussions } = this;
    const cone = percussions.cone(c);
    const percussion = percussions.at(c, player.time, this.glow_s);
    const name = `${this.run.head.contacts[c]} ${statusWords[this.statuses.status(c, player.time, this.glow_s)]}`;
    const mu = percussions.coefficient(c, player.time);
    const law = !cone ? 'no friction' : cone.outline.length === 0 ? 'rough: friction is unbounded' : `friction cone with μ = ${number(mu)}`;
    if (!percussion) return `${name}: no percussion now; ${law}.`;
    const tangential = Math.hypot(percussion.t1, percussion.t2);
    const when = percussion.impact ? 'of this impact' : 'since the previous frame';
    const used = percussions.used(c, player.time, percussion);
    const part = used === null ? '' : `, ${number(100 * used, 3)} % of the friction limit`;
    const sizes = cone ? `P_N = ${withUnit(percussion.n, 'N s')}, |P_T| = ${withUnit(tangential, 'N s')}${part}` : `P_N = ${withUnit(percussion.n, 'N s')}`;
    return `${name}: ${sizes} ${when}; ${law}.`;
  }

  /** For those who cannot look at bodies. */
  private bodySentence(): string[] {
    const { solids, contacts } = this.picture;
    if (!solids) return [];
    const [from, to] = contacts.rowsOf(contacts.frame(this.player.time));
    return [`${solids.head.bodies.length} bodies`, `${to - from} active contact points`];
  }

  private tellNumbers(): void {
    const { player } = this;
    for (const { text, cell } of this.values) cell.textContent = text(player.time);
    const statuses = this.statusCells.map((cell, c) => {
      const word = statusWords[this.statuses.status(c, player.time, this.glow_s)];
      cell.textContent = word;
      return `${this.run.head.contacts[c]} ${word}`;
    });
    const picked = this.pickedWords();
    if (this.pickedText.textContent !== picked) this.pickedText.textContent = picked;
    this.pickedText.classList.toggle('idle', this.picked_ < 0);
    if (player.playing || !this.stage) return;
    const coordinates = this.bodies ? [] : this.run.head.coordinates;
    const state = coordinates.slice(0, 8).map(({ name }, i) => `${name} ${this.values[2 * i].cell.textContent}`);
    this.holder.setAttribute('aria-label', `Picture of the run at ${number(player.time)} s: ${[...state, ...statuses.slice(0, 8), ...this.bodySentence()].join(', ')}`);
  }
}

function howToDraw(): HTMLElement {
  const example = `[[draw]]\nkind = "circle"\nat = [0, "z"]\nradius_m = 0.05\ncolour = "blue"\n\n[[draw]]\nkind = "segment"\npoints = [[-1, 0], [1, 0]]`;
  return element(
    'div',
    { class: 'empty' },
    element('p', {}, 'The scene has no [[draw]] entries, so there is no moving picture. Add some, with formulas of the coordinates, and run it again; for a ball at height z above a floor:'),
    element('pre', {}, example),
  );
}
