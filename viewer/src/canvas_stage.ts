import type { Colours } from './colours';
import type { DrawEntry } from './data';
import { arrowOf, coneOf, normalOf, type Cone, type Percussions } from './percussions';
import { nearest, onZoom, type Bounds, type Picture, type Pose, type Stage } from './picture';
import { perBody, placed } from './solids';
import { number, pageFont } from './text';

/** Draws on a plain canvas: plane pictures always, spatial ones where there is no WebGL. */
export class CanvasStage implements Stage {
  readonly kind = 'canvas';
  readonly element: HTMLCanvasElement;
  private readonly context: CanvasRenderingContext2D;
  private readonly picture: Picture;
  private readonly colours: Colours;
  private readonly percussions: Percussions;
  private picked = -1;
  private pose: Pose | null = null;
  private scale = 1; // pixels per metre
  private centre = [0, 0, 0];
  private shift = [0, 0]; // pixels
  private azimuth = -0.6;
  private elevation = 0.35;
  private following = false;
  private followed = -1; // body; -1: the middle of what moves
  private lastFollowed: number[] | null = null;
  private faint = 1;
  private readonly ratio: number | undefined;

  /** `ratio`: pixels of the picture for each of the page; left out: as the screen has them. */
  constructor(picture: Picture, colours: Colours, percussions: Percussions, ratio?: number) {
    this.ratio = ratio;
    this.picture = picture;
    this.colours = colours;
    this.percussions = percussions;
    this.element = document.createElement('canvas');
    const context = this.element.getContext('2d');
    if (!context) throw new Error('this browser has no canvas');
    this.context = context;
    this.listen();
  }

  place(pose: Pose): void {
    this.pose = pose;
    if (!this.following) return;
    const place = this.followedPlace(pose);
    const last = this.lastFollowed;
    if (place && last) this.centre = this.centre.map((c, i) => c + place[i] - last[i]);
    this.lastFollowed = place;
  }

  resize(): void {
    const ratio = this.ratio ?? (window.devicePixelRatio || 1);
    const { clientWidth, clientHeight } = this.element;
    if (clientWidth === 0) return;
    this.element.width = Math.round(clientWidth * ratio);
    this.element.height = Math.round(clientHeight * ratio);
    this.fit();
  }

  fit(): void {
    this.centre = this.framed().centre;
    this.shift = [0, 0];
    this.scale = this.fittedScale();
    this.draw();
  }

  private fittedScale(): number {
    const extent = this.extent();
    const { clientWidth, clientHeight } = this.element;
    const margin = 0.86;
    // the bar of the scale has its own room below the picture
    const high = Math.max(0.5 * clientHeight, Math.min(margin * clientHeight, clientHeight - 72));
    return Math.min((margin * clientWidth) / extent[0], high / extent[1]);
  }

  zoom(factor: number): void {
    const box = this.element.getBoundingClientRect();
    this.zoomAt(factor, box.left + box.width / 2, box.top + box.height / 2);
  }

  /** What is drawn at this place of the window stays there. */
  private zoomAt(factor: number, clientX: number, clientY: number): void {
    const box = this.element.getBoundingClientRect();
    const from = [clientX - box.left - box.width / 2, clientY - box.top - box.height / 2];
    this.scale *= factor;
    this.shift = this.shift.map((s, i) => from[i] + (s - from[i]) * factor);
    this.draw();
  }

  centreAt(clientX: number, clientY: number): void {
    const box = this.element.getBoundingClientRect();
    const x = clientX - box.left;
    const y = clientY - box.top;
    this.followed = this.nearestBody(x, y);
    this.shift = [this.shift[0] + box.width / 2 - x, this.shift[1] + box.height / 2 - y];
    this.draw();
  }

  follow(on: boolean): void {
    this.following = on;
    this.lastFollowed = on && this.pose ? this.followedPlace(this.pose) : null;
  }

  /** The moving body whose centre is drawn nearest to a place of the canvas; -1: none. */
  private nearestBody(x: number, y: number): number {
    const { solids } = this.picture;
    if (!solids || !this.pose) return -1;
    let best = -1;
    let nearestYet = Infinity;
    solids.head.bodies.forEach((body, b) => {
      if (body.first < 0 || !this.pose) return;
      const at = this.project(...solids.place(b, this.pose.bodies));
      const distance = Math.hypot(at[0] - x, at[1] - y);
      if (distance < nearestYet) [best, nearestYet] = [b, distance];
    });
    return best;
  }

  private followedPlace(pose: Pose): number[] | null {
    return this.picture.followedPlace(pose, this.followed);
  }

  paint(): void {}

  grow(): void {}

  dispose(): void {}

  /** The same instant of other runs, faintly. */
  private drawOthers(pose: Pose): void {
    for (const other of this.picture.others) {
      const theirs = other.at(pose.time, 0);
      this.context.globalAlpha = 0.45;
      for (const face of this.faces(theirs.bodies, true, other)) this.outline(face.corners);
      this.context.globalAlpha = 1;
      this.faint = 0.35;
      for (const entry of other.entries) if (entry.kind !== 'trace') this.drawEntry(entry, theirs);
      this.faint = 1;
    }
  }

  /** The body whose face is drawn at a place of the window: in space the nearest of them. */
  bodyAt(clientX: number, clientY: number): number {
    const box = this.element.getBoundingClientRect();
    const [x, y] = [clientX - box.left, clientY - box.top];
    let best = -1;
    let near = Infinity;
    for (const { corners, depth, body, glass } of this.faces()) {
      if (glass || !isInside(corners, x, y)) continue;
      if (depth <= near) [best, near] = [body, depth];
    }
    return best;
  }

  pointAt(clientX: number, clientY: number): number[] | null {
    if (this.picture.spatial) return null;
    const box = this.element.getBoundingClientRect();
    const right = (clientX - box.left - box.width / 2 - this.shift[0]) / this.scale;
    const up = (box.height / 2 + this.shift[1] - (clientY - box.top)) / this.scale;
    return [this.centre[0] + right, this.centre[1] + up, 0];
  }

  get pixelsPerMetre(): number {
    return this.scale;
  }

  view(): number[] {
    // the shift is told in metres, so that it means the same on a stage of another size
    return [...this.centre, this.scale / this.fittedScale(), ...this.shift.map((s) => s / this.scale), this.azimuth, this.elevation];
  }

  look(view: number[]): void {
    if (view.length < 8 || !view.every(Number.isFinite)) return;
    this.centre = view.slice(0, 3);
    this.scale = view[3] * this.fittedScale();
    this.shift = view.slice(4, 6).map((s) => s * this.scale);
    [this.azimuth, this.elevation] = view.slice(6);
    this.draw();
  }

  lookFrom(azimuth: number, elevation: number): void {
    this.azimuth = (-azimuth * Math.PI) / 180;
    this.elevation = (elevation * Math.PI) / 180;
    this.fit();
  }

  turn(azimuth: number, elevation: number): void {
    this.azimuth += azimuth;
    this.elevation = Math.min(1.57, Math.max(-1.57, this.elevation + elevation));
    this.draw();
  }

  draw(): void {
    const { context, element, pose } = this;
    const ratio = this.ratio ?? (window.devicePixelRatio || 1);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, element.clientWidth, element.clientHeight);
    if (!pose) return;
    context.lineJoin = context.lineCap = 'round';
    this.drawScale();
    this.drawOthers(pose);
    this.drawSolids(pose);
    for (const entry of this.picture.entries) if (entry.kind === 'trace') this.drawTrace(entry, pose);
    for (const entry of this.picture.entries) if (entry.kind !== 'trace') this.drawEntry(entry, pose);
    for (const entry of this.picture.entries) {
      this.drawNormal(entry, pose);
      if (entry.contact >= 0 && entry.contact === this.picked) this.drawCone(entry, pose);
      else this.drawArrow(entry, pose);
    }
    this.drawTrails(pose);
    this.drawLinks(pose);
    this.drawForces(pose);
    this.drawMeasured();
  }

  /** Crosses where the reader has measured, joined by lines. */
  private drawMeasured(): void {
    const { context } = this;
    const points = this.picture.looks.measured.map(([x, y, z]) => this.project(x, y, z));
    context.strokeStyle = this.colours.force('sum');
    context.lineWidth = 1.5;
    context.beginPath();
    points.forEach(([x, y], i) => {
      if (i > 0) context.moveTo(...points[i - 1]);
      if (i > 0) context.lineTo(x, y);
      for (const [dx, dy] of [[5, 5], [5, -5]]) {
        context.moveTo(x - dx, y - dy);
        context.lineTo(x + dx, y + dy);
      }
    });
    context.stroke();
  }

  /** Bodies: in the plane their outlines, in space their faces from the farthest to the nearest. */
  private drawSolids(pose: Pose): void {
    const { solids, looks, bodyColours } = this.picture;
    if (!solids) return;
    if (looks.ghost) {
      this.context.globalAlpha = 0.25;
      for (const face of this.faces(solids.row(0), true)) this.outline(face.corners);
      this.context.globalAlpha = 1;
    }
    const by = bodyColours?.at(looks.colourBy, pose, this.colours) ?? null;
    for (const face of this.faces()) {
      const colour = by?.[face.body] ?? this.colours.named(face.colour);
      this.drawFace({ ...face, colour, picked: face.body === looks.pickedBody }, solids.head.flat);
    }
  }

  /** The faces of bodies that look here, the farthest first. */
  private faces(bodies = this.pose?.bodies, movingOnly = false, picture = this.picture): Face[] {
    const { solids, looks, all } = picture;
    const faces: Face[] = [];
    if (!solids || !bodies) return faces;
    const { flat } = solids.head;
    const limit = looks.cut ? all.low[looks.cut.axis] + looks.cut.part * (all.high[looks.cut.axis] - all.low[looks.cut.axis]) : Infinity;
    for (const solid of solids.head.solids) {
      if (movingOnly && solids.head.bodies[solid.body].first < 0) continue;
      if (looks.cut && bodies[perBody * solid.body + looks.cut.axis] > limit) continue;
      const surface = solids.head.surfaces[solid.surface];
      const world = surface.vertices.map((v) => placed(v, solid, bodies));
      const screen = world.map((v) => this.project(v[0], v[1], v[2]));
      const glass = surface.faces.length === 1;
      for (const face of surface.faces) {
        const corners = face.map((v) => screen[v]);
        const area = corners.reduce((sum, [x, y], k) => sum + x * corners[(k + 1) % corners.length][1] - y * corners[(k + 1) % corners.length][0], 0);
        // y points down on the screen: faces that look here go round clockwise
        if (!glass && area >= 0) continue;
        const depth = face.reduce((sum, v) => sum + this.depth(world[v]), 0) / face.length;
        const [a, b, c] = [world[face[0]], world[face[1]], world[face[face.length - 1]]];
        faces.push({ corners, depth: flat ? 0 : depth, light: flat ? 1 : lightOn(a, b, c), colour: solid.colour, glass: glass && !flat, body: solid.body });
      }
    }
    if (!flat) faces.sort((a, b) => b.depth - a.depth);
    return faces;
  }

  private outline(corners: [number, number][]): void {
    const { context } = this;
    context.strokeStyle = this.colours.text;
    context.lineWidth = 1;
    context.beginPath();
    for (const corner of corners) context.lineTo(...corner);
    context.closePath();
    context.stroke();
  }

  private drawFace({ corners, light, colour, glass, picked }: Face & { picked: boolean }, flat: boolean): void {
    const { context } = this;
    const seeThrough = this.picture.looks.transparent ? 0.4 : 1;
    context.beginPath();
    for (const corner of corners) context.lineTo(...corner);
    context.closePath();
    context.fillStyle = context.strokeStyle = colour;
    context.lineWidth = picked ? 4 : flat ? 2 : 0.5;
    context.globalAlpha = seeThrough * (flat ? (picked ? 0.75 : 0.45) : glass ? 0.12 : 1);
    context.fill();
    if (!glass && !flat) {
      // shade by black over the colour
      context.fillStyle = '#000000';
      context.globalAlpha = 0.55 * (1 - light);
      context.fill();
    }
    context.globalAlpha = flat ? 1 : 0.35;
    context.stroke();
    context.globalAlpha = 1;
    if (flat && corners.length > 12) this.drawSpoke(corners);
  }

  /** A radius of a disc, so that its turning shows. */
  private drawSpoke(corners: [number, number][]): void {
    const { context } = this;
    const centre = [0, 1].map((k) => corners.reduce((sum, c) => sum + c[k], 0) / corners.length);
    context.beginPath();
    context.moveTo(centre[0], centre[1]);
    context.lineTo(...corners[0]);
    context.stroke();
  }

  private depth([x, y, z]: number[]): number {
    const back = Math.sin(this.azimuth) * (x - this.centre[0]) + Math.cos(this.azimuth) * (y - this.centre[1]);
    return Math.cos(this.elevation) * back - Math.sin(this.elevation) * (z - this.centre[2]);
  }

  /** Contact forces of bodies, the diagram of a picked body, the cones of a picked contact. */
  private drawForces(pose: Pose): void {
    const { forces, looks, spatial } = this.picture;
    if (!forces) return;
    const { context } = this;
    for (const link of forces.links(pose, looks)) {
      context.strokeStyle = this.colours.force('contact');
      context.lineWidth = Math.max(0.5, 2 * forces.thickness(link, looks) * this.scale);
      context.beginPath();
      context.moveTo(...this.project(link.from[0], link.from[1], link.from[2]));
      context.lineTo(...this.project(link.to[0], link.to[1], link.to[2]));
      context.stroke();
    }
    for (const arrow of forces.arrows(pose, looks)) this.arrow(arrow.from, arrow.way, this.colours.force(arrow.kind), arrow.kind === 'contact' && looks.pickedBody < 0 ? 1.5 : 2.5, arrow.headless);
    for (const cone of forces.cones(pose.time, looks, !spatial)) this.coneShape(cone);
  }

  /** Pins as rings, strings and rods as lines, slides along their axis, springs as zigzags, motors as arrows. */
  private drawLinks(pose: Pose): void {
    const { context } = this;
    context.fillStyle = this.colours.ground;
    for (const { kind, lines, points } of this.picture.drawnLinks(pose.bodies)) {
      context.strokeStyle = this.colours.link(kind);
      context.lineWidth = kind === 'joint' ? 2 : 1.6;
      context.beginPath();
      for (const [a, b] of lines) {
        context.moveTo(...this.project(a[0], a[1], a[2]));
        context.lineTo(...this.project(b[0], b[1], b[2]));
      }
      context.stroke();
      for (const end of points) {
        context.beginPath();
        context.arc(...this.project(end[0], end[1], end[2]), kind === 'joint' ? 4 : 2.5, 0, 2 * Math.PI);
        context.fill();
        context.stroke();
      }
    }
  }

  private drawTrails(pose: Pose): void {
    const { context } = this;
    for (const body of this.picture.trailed) {
      context.strokeStyle = this.colours.text;
      context.globalAlpha = 0.6;
      context.lineWidth = 1.2;
      context.beginPath();
      for (const [x, y, z] of this.picture.trail(body, pose.row)) context.lineTo(...this.project(x, y, z));
      context.stroke();
      context.globalAlpha = 1;
    }
  }

  pick(contact: number): void {
    this.picked = contact;
  }

  contactAt(clientX: number, clientY: number): number {
    const { pose } = this;
    if (!pose) return -1;
    const box = this.element.getBoundingClientRect();
    const places = this.picture.entries
      .filter((entry) => entry.contact >= 0)
      .map((entry) => {
        const [x, y] = this.point(entry, pose.values);
        return { contact: entry.contact, x, y };
      });
    return nearest(places, clientX - box.left, clientY - box.top);
  }

  /** What a fitted picture shows: in the plane everything, in space what moves. */
  private framed(): Bounds {
    return this.picture.spatial ? this.picture.moving : this.picture.all;
  }

  /** Width and height of what is framed, as seen from here. */
  private extent(): [number, number] {
    const { low, high } = this.framed();
    const size = high.map((h, i) => h - low[i]);
    if (this.picture.spatial) {
      const reach = Math.max(1e-9, Math.hypot(...size));
      return [reach, reach];
    }
    // a picture without height, such as balls on a line, still gets room
    const least = Math.max(1e-9, 0.2 * Math.max(size[0], size[1]));
    return [Math.max(least, size[0]), Math.max(least, size[1])];
  }

  project(x: number, y: number, z: number): [number, number] {
    let right = x - this.centre[0];
    let up = y - this.centre[1];
    if (this.picture.spatial) {
      const deep = Math.sin(this.azimuth) * right + Math.cos(this.azimuth) * up;
      right = Math.cos(this.azimuth) * right - Math.sin(this.azimuth) * up;
      up = Math.cos(this.elevation) * (z - this.centre[2]) + Math.sin(this.elevation) * deep;
    }
    return [
      this.element.clientWidth / 2 + this.shift[0] + this.scale * right,
      this.element.clientHeight / 2 + this.shift[1] - this.scale * up,
    ];
  }

  private point(entry: DrawEntry, values: Float32Array, p = 0, base = 0): [number, number] {
    const at = base + entry.first + p * entry.dimension;
    return this.project(values[at], values[at + 1], entry.dimension === 3 ? values[at + 2] : 0);
  }

  private colourOf(entry: DrawEntry, pose: Pose): string {
    // what contacts of other runs do is not told
    if (entry.contact < 0 || this.faint < 1) return this.colours.named(entry.colour);
    return this.colours.status(this.percussions.status(entry.contact, pose));
  }

  private drawEntry(entry: DrawEntry, pose: Pose): void {
    const { context } = this;
    const colour = this.colourOf(entry, pose);
    context.strokeStyle = context.fillStyle = colour;
    context.lineWidth = 2.5;
    context.globalAlpha = this.faint;
    const first = this.point(entry, pose.values);
    context.beginPath();
    if (entry.kind === 'point') {
      context.arc(first[0], first[1], entry.contact < 0 ? 5 : 6, 0, 2 * Math.PI);
      context.fill();
    } else if (entry.kind === 'circle') {
      const radius = entry.radius < 0 ? 5 : Math.abs(pose.values[entry.radius]) * this.scale;
      context.arc(first[0], first[1], Math.min(1e5, radius), 0, 2 * Math.PI);
      this.fillSoftly();
      context.stroke();
    } else {
      context.moveTo(...first);
      for (let p = 1; p < entry.points; ++p) context.lineTo(...this.point(entry, pose.values, p));
      if (entry.closed) {
        context.closePath();
        this.fillSoftly();
      }
      context.stroke();
    }
    context.globalAlpha = 1;
    if (this.faint === 1) this.drawLabel(entry, this.labelPlace(entry, first, pose), pose);
  }

  /** Of a segment its middle, where it is seen: at its ends there are other things with names of their own. */
  private labelPlace(entry: DrawEntry, first: [number, number], pose: Pose): [number, number] {
    if (entry.kind !== 'segment' || entry.points !== 2) return first;
    const second = this.point(entry, pose.values, 1);
    const middle: [number, number] = [(first[0] + second[0]) / 2, (first[1] + second[1]) / 2];
    const { clientWidth, clientHeight } = this.element;
    return middle[0] > 0 && middle[1] > 0 && middle[0] < clientWidth && middle[1] < clientHeight ? middle : first;
  }

  private fillSoftly(): void {
    this.context.globalAlpha = 0.22 * this.faint;
    this.context.fill();
    this.context.globalAlpha = this.faint;
  }

  private drawLabel(entry: DrawEntry, at: [number, number], pose: Pose): void {
    if (!entry.label) return;
    const { context } = this;
    context.font = pageFont(13);
    context.fillStyle = this.colours.text;
    if (entry.kind === 'circle' && entry.radius >= 0) {
      const wide = context.measureText(entry.label).width;
      const radius = Math.abs(pose.values[entry.radius]) * this.scale;
      context.textBaseline = 'middle';
      context.fillText(entry.label, wide < 1.8 * radius ? at[0] - wide / 2 : at[0] + radius + 5, at[1]);
    } else {
      // names at the right edge stay in the picture
      const right = this.element.clientWidth - 4 - context.measureText(entry.label).width;
      context.textBaseline = 'bottom';
      context.fillText(entry.label, at[0] < this.element.clientWidth ? Math.min(at[0] + 8, right) : at[0] + 8, at[1] - 4);
    }
  }

  private drawTrace(entry: DrawEntry, pose: Pose): void {
    const { context, picture } = this;
    context.strokeStyle = this.colours.named(entry.colour);
    context.lineWidth = 1.4;
    context.globalAlpha = 0.75;
    context.beginPath();
    // no more points than there are pixels to tell them apart
    const stride = Math.max(1, Math.floor(pose.row / 20000));
    for (let i = 0; i <= pose.row; i += stride) context.lineTo(...this.point(entry, picture.rows, 0, i * picture.width));
    context.lineTo(...this.point(entry, pose.values));
    context.stroke();
    context.globalAlpha = 1;
  }

  private drawNormal(entry: DrawEntry, pose: Pose): void {
    const normal = normalOf(entry, pose, this.picture.size);
    if (!normal) return;
    const { context } = this;
    const at = entry.first;
    const z = entry.dimension === 3 ? pose.values[at + 2] : 0;
    context.strokeStyle = this.colourOf(entry, pose);
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(...this.project(pose.values[at], pose.values[at + 1], z));
    context.lineTo(...this.project(pose.values[at] + normal[0], pose.values[at + 1] + normal[1], z + normal[2]));
    context.stroke();
  }

  private drawArrow(entry: DrawEntry, pose: Pose): void {
    const arrow = arrowOf(entry, pose, this.percussions, this.picture.size);
    const at = entry.first;
    if (arrow) this.arrow([pose.values[at], pose.values[at + 1], entry.dimension === 3 ? pose.values[at + 2] : 0], arrow, this.colourOf(entry, pose));
  }

  private arrow(apex: number[], way: number[], colour: string, width = 3, headless = false): void {
    const { context } = this;
    const from = this.project(apex[0], apex[1], apex[2]);
    const to = this.project(apex[0] + way[0], apex[1] + way[1], apex[2] + way[2]);
    const angle = Math.atan2(to[1] - from[1], to[0] - from[0]);
    context.strokeStyle = context.fillStyle = colour;
    context.lineWidth = width;
    context.beginPath();
    context.moveTo(...from);
    context.lineTo(...to);
    context.stroke();
    if (headless) return;
    context.beginPath();
    for (const turn of [0, 2.6, -2.6]) {
      const reach = turn === 0 ? 0 : 1 + 3 * width;
      context.lineTo(to[0] + reach * Math.cos(angle + turn), to[1] + reach * Math.sin(angle + turn));
    }
    context.fill();
  }

  /** A sector in the plane; in space the rim and some lines from the apex to it. */
  private drawCone(entry: DrawEntry, pose: Pose): void {
    const cone = coneOf(entry, pose, this.percussions, this.picture.size);
    if (cone) this.coneShape(cone);
  }

  private coneShape(cone: Cone): void {
    const { context } = this;
    const colour = this.colours.status(cone.status);
    const apex = this.project(...cone.apex);
    const rim = cone.rim.map((x) => this.project(...x));
    const plane = rim.length === 2;
    context.strokeStyle = context.fillStyle = colour;
    context.lineWidth = 1.5;
    context.beginPath();
    if (plane) context.moveTo(...apex);
    for (const x of rim) context.lineTo(...x);
    context.closePath();
    this.fillSoftly();
    if (!plane) context.stroke();
    context.beginPath();
    rim.forEach((x, i) => {
      if (!plane && i % Math.ceil(rim.length / 16) !== 0) return;
      context.moveTo(...apex);
      context.lineTo(...x);
    });
    context.stroke();
    if (cone.percussion) this.arrow(cone.apex, cone.percussion, colour);
  }

  /** A bar of a round length, so that sizes can be read. */
  private drawScale(): void {
    const { context, element } = this;
    const wanted = 90 / this.scale;
    const power = 10 ** Math.floor(Math.log10(wanted));
    const length = power * ([5, 2, 1].find((k) => k * power <= wanted) ?? 1);
    const right = element.clientWidth - 14;
    const y = element.clientHeight - 14;
    context.strokeStyle = context.fillStyle = this.colours.text;
    context.globalAlpha = 0.7;
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(right - length * this.scale, y);
    context.lineTo(right, y);
    context.stroke();
    context.font = pageFont(12);
    context.textBaseline = 'bottom';
    const text = `${number(length)} ${this.picture.unit}`;
    context.fillText(text, right - context.measureText(text).width, y - 3);
    context.globalAlpha = 1;
  }

  /** Dragging moves a plane picture and turns a spatial one; the wheel and two fingers zoom. */
  private listen(): void {
    const { element } = this;
    element.style.touchAction = 'pan-y';
    element.addEventListener('pointermove', (event) => {
      if (!(event.buttons & 1) || !event.isPrimary) return;
      if (this.picture.spatial) {
        this.turn(event.movementX * 0.01, event.movementY * 0.01);
      } else {
        this.shift = [this.shift[0] + event.movementX, this.shift[1] + event.movementY];
        this.draw();
      }
    });
    onZoom(element, (factor, x, y) => this.zoomAt(factor, x, y));
  }
}

type Face = { corners: [number, number][]; depth: number; light: number; colour: string; glass: boolean; body: number };

/** A ray to the right crosses the outline of a polygon an odd number of times. */
function isInside(corners: [number, number][], x: number, y: number): boolean {
  let inside = false;
  corners.forEach(([x1, y1], k) => {
    const [x2, y2] = corners[(k + 1) % corners.length];
    if (y1 > y !== y2 > y && x < x1 + ((y - y1) / (y2 - y1)) * (x2 - x1)) inside = !inside;
  });
  return inside;
}

/** How much light a face gets from the upper left, 0 to 1. */
function lightOn(a: number[], b: number[], c: number[]): number {
  const u = b.map((x, i) => x - a[i]);
  const v = c.map((x, i) => x - a[i]);
  const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
  const length = Math.hypot(...n) || 1;
  return Math.max(0, 0.35 + 0.65 * ((0.3 * n[0] - 0.5 * n[1] + 0.8 * n[2]) / length));
}
