import {
  AmbientLight,
  BufferAttribute,
  BufferGeometry,
  Color,
  DirectionalLight,
  DoubleSide,
  GridHelper,
  InstancedMesh,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  MeshLambertMaterial,
  PerspectiveCamera,
  Plane,
  Raycaster,
  Scene,
  SphereGeometry,
  Vector2,
  Vector3,
  ArrowHelper,
  WebGLRenderer,
  type Intersection,
} from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';

import type { DrawnLink } from './body_links';
import type { Colours } from './colours';
import type { DrawEntry } from './data';
import { EntryMeshes } from './entry_meshes';
import { arrowOf, coneOf, normalOf, type Cone, type Percussions } from './percussions';
import { nearest, onZoom, type Picture, type Pose, type Stage } from './picture';
import { ForceMeshes, MovingLines } from './force_meshes';
import { Labels } from './labels';
import { SolidMeshes } from './solid_meshes';
import { roundBelow } from './text';

type DrawnArrow = { entry: DrawEntry; arrow: ArrowHelper };

const linkKinds = ['joint', 'spring', 'motor'] as const;

/** Draws spatial pictures with WebGL: circles are balls, z points up, dragging orbits. */
export class ThreeStage implements Stage {
  readonly kind = 'webgl';
  readonly element: HTMLElement;
  square = 1;
  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly camera = new PerspectiveCamera(40, 1, 0.01, 1000);
  private readonly controls: OrbitControls;
  private readonly picture: Picture;
  private readonly colours: Colours;
  private readonly percussions: Percussions;
  private readonly drawn: EntryMeshes;
  private readonly drawnOthers: EntryMeshes[];
  private readonly arrows: DrawnArrow[];
  private readonly normals: LineSegments<BufferGeometry, LineBasicMaterial>;
  private readonly cone: DrawnCone = makeCone();
  private readonly labels: Labels;
  private readonly solids: SolidMeshes | null;
  private ghost: SolidMeshes | null = null;
  private readonly others: SolidMeshes[] = [];
  private readonly forces: ForceMeshes;
  private readonly trails: MovingLines;
  private readonly linkLines: Record<DrawnLink['kind'], MovingLines>;
  private readonly linkEnds: InstancedMesh;
  private readonly measured: MovingLines;
  private painted = ''; // by what the bodies are coloured now
  private picked = -1;
  private pose: Pose | null = null;
  private readonly ray = new Raycaster();
  private following = false;
  private followed = -1; // body; -1: the middle of what moves
  private lastFollowed: number[] | null = null;
  private fitted = false; // the stage has its size
  private aimed = false; // the reader said from where
  private readonly from = new Vector3(0.65, -1.3, 0.6); // where a fitted picture is seen from

  /** Throws where the browser has no WebGL. `ratio`: pixels of the picture for each of the page; left out: as the screen has them. */
  constructor(picture: Picture, colours: Colours, percussions: Percussions, private readonly ratio?: number) {
    this.picture = picture;
    this.colours = colours;
    this.percussions = percussions;
    this.renderer = new WebGLRenderer({ antialias: true, alpha: true });
    this.element = this.renderer.domElement;
    this.scene.add(new AmbientLight(0xffffff, 1.6));
    const sun = new DirectionalLight(0xffffff, 2.2);
    sun.position.set(1, -2, 3);
    this.scene.add(sun, this.floor());

    this.drawn = new EntryMeshes(this.scene, picture, percussions);
    this.drawnOthers = picture.others.map((other) => new EntryMeshes(this.scene, other, null));
    this.arrows = picture.entries
      .filter((e) => e.contact >= 0 && e.normal >= 0)
      .map((entry) => ({ entry, arrow: new ArrowHelper(new Vector3(0, 0, 1), new Vector3(), 1) }));
    for (const { arrow } of this.arrows) this.scene.add(arrow);
    this.normals = makeNormals(this.arrows.length);
    this.labels = new Labels(this.scene, picture.entries);
    this.scene.add(this.cone.side, this.cone.edges, this.normals);
    this.solids = picture.solids ? new SolidMeshes(picture.solids, this.scene) : null;
    this.forces = new ForceMeshes(this.scene, picture.moving.size);
    this.trails = new MovingLines(this.scene, true);
    const lines = () => new MovingLines(this.scene, true);
    this.measured = lines();
    this.linkLines = { joint: lines(), spring: lines(), motor: lines() };
    const ends = picture.solids ? picture.drawnLinks(picture.solids.row(0)).reduce((n, { points }) => n + points.length, 0) : 0;
    this.linkEnds = new InstancedMesh(new SphereGeometry(1, 12, 8), new MeshLambertMaterial({ depthTest: false, transparent: true }), Math.max(1, ends));
    this.linkEnds.frustumCulled = false;
    this.linkEnds.renderOrder = 1;
    this.linkEnds.count = 0;
    this.scene.add(this.linkEnds);
    this.paint();

    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, this.element);
    this.controls.enableZoom = false; // by `onZoom`, as on the plain canvas
    onZoom(this.element, (factor) => this.zoom(factor));
    this.controls.addEventListener('change', () => this.draw());
    this.fit();
  }

  /** Colours that do not change with time; again when the page turns dark. */
  paint(): void {
    for (const drawn of [this.drawn, ...this.drawnOthers]) drawn.paint(this.colours);
    this.painted = '';
    this.trails.lines.material.color.set(this.colours.text);
    this.measured.lines.material.color.set(this.colours.force('sum'));
    for (const kind of linkKinds) this.linkLines[kind].lines.material.color.set(this.colours.link(kind));
    this.labels.paint(this.colours);
    this.labels.resize(this.element.clientHeight, this.camera);
  }

  place(pose: Pose): void {
    this.drawn.place(pose, this.colours);
    this.drawnOthers.forEach((drawn, i) => drawn.place(this.picture.others[i].at(pose.time, 0), this.colours));
    this.pose = pose;
    this.cone.side.visible = this.cone.edges.visible = false;
    for (const drawn of this.arrows) this.placeArrow(drawn, pose);
    this.placeNormals(pose);
    this.labels.place((entry) => placeOf(entry, pose));
    if (this.solids) this.placeBodies(this.solids, pose);
    this.placeMeasured();
    if (this.following) this.keepInView(pose);
  }

  /** Crosses where the reader has measured, joined by lines. */
  private placeMeasured(): void {
    const points = this.picture.looks.measured;
    const reach = 0.012 * this.picture.moving.size;
    const lines: number[] = [];
    points.forEach((point, i) => {
      if (i > 0) lines.push(...points[i - 1], ...point);
      for (const axis of [0, 1, 2]) for (const side of [-1, 1]) lines.push(...point.map((x, k) => x + (k === axis ? side * reach : 0)));
    });
    this.measured.place(lines);
  }

  private placeBodies(solids: SolidMeshes, pose: Pose): void {
    const { looks, forces, bodyColours } = this.picture;
    solids.place(pose.bodies);
    solids.transparent = looks.transparent;
    const still = looks.colourBy === 'own' || looks.colourBy === 'material';
    const wanted = `${looks.colourBy} ${looks.pickedBody}`;
    if (!still || wanted !== this.painted) solids.paint(this.colours, bodyColours?.at(looks.colourBy, pose, this.colours) ?? null, looks.pickedBody);
    this.painted = wanted;
    if (forces) {
      this.forces.placeArrows(forces.arrows(pose, looks), this.colours);
      this.forces.placeLinks(forces.links(pose, looks), (link) => forces.thickness(link, looks), this.colours);
      this.placeCones(forces.cones(pose.time, looks, false));
    }
    this.placeGhost();
    this.placeOthers(pose);
    this.placeTrails(pose);
    this.placeLinks(pose);
    this.cut();
  }

  /** Where the bodies were at the start. */
  private placeGhost(): void {
    const { looks, solids } = this.picture;
    if (looks.ghost && !this.ghost && solids) {
      this.ghost = new SolidMeshes(solids, this.scene, true);
      this.ghost.place(solids.row(0));
      this.ghost.paint(this.colours);
    }
    if (this.ghost) this.ghost.visible = looks.ghost;
  }

  /** The same instant of other runs, faintly. */
  private placeOthers(pose: Pose): void {
    this.picture.others.forEach((other, i) => {
      if (!other.solids) return;
      if (!this.others[i]) {
        this.others[i] = new SolidMeshes(other.solids, this.scene, true);
        this.others[i].paint(this.colours);
      }
      this.others[i].place(other.at(pose.time, 0).bodies);
    });
  }

  private placeTrails(pose: Pose): void {
    const points: number[] = [];
    for (const body of this.picture.trailed) {
      const way = this.picture.trail(body, pose.row);
      for (let i = 1; i < way.length; ++i) points.push(...way[i - 1], ...way[i]);
    }
    this.trails.place(points);
  }

  /** Pins and balls as small balls, strings and rods as lines between their ends, axes as lines, springs as coils, motors as arrows. */
  private placeLinks(pose: Pose): void {
    const size = this.picture.moving.size;
    const lines: Record<DrawnLink['kind'], number[]> = { joint: [], spring: [], motor: [] };
    const matrix = new Matrix4();
    const colour = new Color();
    let n = 0;
    for (const { kind, lines: pieces, points } of this.picture.drawnLinks(pose.bodies)) {
      for (const [a, b] of pieces) lines[kind].push(...a, ...b);
      const radius = (kind === 'joint' ? 0.007 : 0.005) * size;
      colour.set(this.colours.link(kind));
      for (const end of points) {
        this.linkEnds.setColorAt(n, colour);
        this.linkEnds.setMatrixAt(n++, matrix.makeScale(radius, radius, radius).setPosition(end[0], end[1], end[2]));
      }
    }
    this.linkEnds.count = n;
    this.linkEnds.instanceMatrix.needsUpdate = true;
    if (this.linkEnds.instanceColor) this.linkEnds.instanceColor.needsUpdate = true;
    for (const kind of linkKinds) this.linkLines[kind].place(lines[kind]);
  }

  /** Only what is below the cut is drawn. */
  private cut(): void {
    const { looks, all } = this.picture;
    const planes: Plane[] = [];
    if (looks.cut) {
      const { axis, part } = looks.cut;
      const limit = all.low[axis] + part * (all.high[axis] - all.low[axis]);
      planes.push(new Plane(new Vector3(...[0, 1, 2].map((k) => (k === axis ? -1 : 0))), limit));
    }
    this.renderer.clippingPlanes = planes;
  }

  grow(): void {
    this.drawn.grow();
  }

  dispose(): void {
    this.controls.dispose();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
  }

  pick(contact: number): void {
    this.picked = contact;
  }

  project(x: number, y: number, z: number): [number, number] {
    const seen = new Vector3(x, y, z).project(this.camera);
    const { clientWidth, clientHeight } = this.element;
    return [((seen.x + 1) / 2) * clientWidth, ((1 - seen.y) / 2) * clientHeight];
  }

  bodyAt(clientX: number, clientY: number): number {
    const hit = this.hitAt(clientX, clientY);
    return hit ? (this.solids?.bodyOf(hit) ?? -1) : -1;
  }

  pointAt(clientX: number, clientY: number): number[] | null {
    return this.hitAt(clientX, clientY)?.point.toArray() ?? null;
  }

  get pixelsPerMetre(): number {
    const distance = this.camera.position.distanceTo(this.controls.target);
    return this.element.clientHeight / (2 * distance * Math.tan((this.camera.fov * Math.PI) / 360));
  }

  view(): number[] {
    return [...this.controls.target.toArray(), ...this.camera.position.toArray()];
  }

  look(view: number[]): void {
    if (view.length < 6 || !view.every(Number.isFinite)) return;
    this.controls.target.fromArray(view);
    this.camera.position.fromArray(view, 3);
    this.aimed = true;
    this.controls.update();
    this.draw();
  }

  lookFrom(azimuth: number, elevation: number): void {
    const [a, e] = [azimuth, elevation].map((x) => (x * Math.PI) / 180);
    this.from.set(Math.sin(a) * Math.cos(e), -Math.cos(a) * Math.cos(e), Math.sin(e));
    this.fit();
  }

  /** What is drawn at a place of the window, planes that one sees through left out. */
  private hitAt(clientX: number, clientY: number): Intersection | undefined {
    const seen = this.element.getBoundingClientRect();
    const pointer = new Vector2(((clientX - seen.left) / seen.width) * 2 - 1, 1 - ((clientY - seen.top) / seen.height) * 2);
    this.ray.setFromCamera(pointer, this.camera);
    const { looks, all } = this.picture;
    const limit = looks.cut ? all.low[looks.cut.axis] + looks.cut.part * (all.high[looks.cut.axis] - all.low[looks.cut.axis]) : Infinity;
    const axis = looks.cut?.axis ?? 0;
    const meshes = [this.drawn.balls, ...(this.solids?.solidMeshes ?? [])];
    for (const mesh of meshes) mesh.computeBoundingSphere(); // rays ask for it, and it moves with the bodies
    return this.ray.intersectObjects(meshes, false).find(({ point }) => point.toArray()[axis] <= limit);
  }

  contactAt(clientX: number, clientY: number): number {
    const { pose } = this;
    if (!pose) return -1;
    const box = this.element.getBoundingClientRect();
    const places = this.picture.entries
      .filter((entry) => entry.contact >= 0)
      .map((entry) => {
        const seen = new Vector3(...placeOf(entry, pose)).project(this.camera);
        return { contact: entry.contact, x: ((seen.x + 1) / 2) * box.width, y: ((1 - seen.y) / 2) * box.height };
      });
    return nearest(places, clientX - box.left, clientY - box.top);
  }

  draw(): void {
    // before the stage has its size nobody sees it, and many bodies are not drawn for nothing
    if (this.fitted) this.renderer.render(this.scene, this.camera);
  }

  resize(): void {
    const parent = this.element.parentElement;
    if (!parent || parent.clientWidth === 0) return;
    this.renderer.setPixelRatio(this.ratio ?? Math.min(2, window.devicePixelRatio || 1));
    this.renderer.setSize(parent.clientWidth, parent.clientHeight, false);
    this.camera.aspect = parent.clientWidth / parent.clientHeight;
    this.camera.updateProjectionMatrix();
    this.labels.resize(parent.clientHeight, this.camera);
    // how much fits is known once the stage has its size; later the view is the reader's
    if (!this.fitted && !this.aimed) this.fit();
    this.fitted = true;
  }

  /** As near as all corners of what moves allow, seen from the side, a little from above. */
  fit(): void {
    const box = this.picture.moving;
    const centre = new Vector3(...box.centre);
    const away = this.from.clone().normalize();
    const right = new Vector3().crossVectors(this.camera.up, away).normalize();
    const up = new Vector3().crossVectors(away, right);
    const high = Math.tan((this.camera.fov * Math.PI) / 360) / 1.08;
    let distance = 1.2 * box.size * 0.02;
    for (const corner of box.corners) {
      const from = new Vector3(...corner).sub(centre);
      const across = Math.max(Math.abs(from.dot(right)) / this.camera.aspect, Math.abs(from.dot(up)));
      distance = Math.max(distance, from.dot(away) + across / high);
    }
    this.controls.target.copy(centre);
    this.camera.position.copy(centre).add(away.multiplyScalar(distance));
    this.camera.near = distance / 1000;
    this.camera.far = 20 * (distance + this.picture.size);
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.draw();
  }

  centreAt(clientX: number, clientY: number): void {
    const hit = this.hitAt(clientX, clientY);
    if (!hit) return;
    this.followed = this.solids?.bodyOf(hit) ?? -1;
    this.shift(hit.point.clone().sub(this.controls.target));
    this.draw();
  }

  follow(on: boolean): void {
    this.following = on;
    this.lastFollowed = on && this.pose ? this.picture.followedPlace(this.pose, this.followed) : null;
  }

  /** Moves the eye and what it looks at. */
  private shift(way: Vector3): void {
    this.controls.target.add(way);
    this.camera.position.add(way);
    this.controls.update();
  }

  private keepInView(pose: Pose): void {
    const place = this.picture.followedPlace(pose, this.followed);
    const last = this.lastFollowed;
    if (place && last) this.shift(new Vector3(...place).sub(new Vector3(...last)));
    this.lastFollowed = place;
  }

  zoom(factor: number): void {
    const arm = this.camera.position.clone().sub(this.controls.target);
    this.camera.position.copy(this.controls.target).add(arm.multiplyScalar(1 / factor));
    this.controls.update();
    this.draw();
  }

  turn(azimuth: number, elevation: number): void {
    const arm = this.camera.position.clone().sub(this.controls.target);
    arm.applyAxisAngle(new Vector3(0, 0, 1), -azimuth);
    const side = new Vector3().crossVectors(arm, this.camera.up).normalize();
    const tilted = arm.clone().applyAxisAngle(side, elevation);
    const upright = Math.abs(tilted.z) < 0.995 * tilted.length();
    this.camera.position.copy(this.controls.target).add(upright ? tilted : arm);
    this.controls.update();
    this.draw();
  }

  private floor(): GridHelper {
    const { low, high } = this.picture.all;
    const size = 1.4 * Math.max(high[0] - low[0], high[1] - low[1], 0.3 * (high[2] - low[2]), 1e-9);
    this.square = roundBelow(size / 8);
    const squares = Math.ceil(size / this.square / 2) * 2;
    const grid = new GridHelper(squares * this.square, squares, 0x888888, 0x888888);
    grid.material.opacity = 0.35;
    grid.material.transparent = true;
    grid.rotation.x = Math.PI / 2;
    // its lines lie at whole multiples of their distance
    const [x, y] = [0, 1].map((axis) => Math.round((low[axis] + high[axis]) / 2 / this.square) * this.square);
    grid.position.set(x, y, low[2]);
    return grid;
  }

  private placeArrow({ entry, arrow }: DrawnArrow, pose: Pose): void {
    const cone = entry.contact === this.picked ? coneOf(entry, pose, this.percussions, this.picture.size) : null;
    if (cone) this.placeCones([cone]);
    const direction = cone ? cone.percussion : arrowOf(entry, pose, this.percussions, this.picture.size);
    arrow.visible = direction !== null;
    if (!direction) return;
    const length = Math.hypot(...direction);
    arrow.position.set(...placeOf(entry, pose));
    arrow.setDirection(new Vector3(...direction).normalize());
    arrow.setLength(length, Math.min(0.3 * length, 0.05 * this.picture.size), Math.min(0.15 * length, 0.03 * this.picture.size));
    arrow.setColor(this.colours.status(this.percussions.status(entry.contact, pose)));
  }

  private placeNormals(pose: Pose): void {
    const { position, color } = this.normals.geometry.attributes;
    const colour = new Color();
    this.arrows.forEach(({ entry }, i) => {
      const [x, y, z] = placeOf(entry, pose);
      const way = normalOf(entry, pose, this.picture.size) ?? [0, 0, 0];
      position.setXYZ(2 * i, x, y, z);
      position.setXYZ(2 * i + 1, x + way[0], y + way[1], z + way[2]);
      colour.set(this.colours.status(this.percussions.status(entry.contact, pose)));
      for (const end of [0, 1]) color.setXYZ(2 * i + end, colour.r, colour.g, colour.b);
    });
    position.needsUpdate = color.needsUpdate = true;
  }

  /** Triangles from the apex to neighbours on the rim, and the edges that the eye needs; with the percussion as a line. */
  private placeCones(cones: Cone[]): void {
    const { side, edges } = this.cone;
    const sides: number[] = [];
    const lines: number[] = [];
    for (const { apex, rim, percussion } of cones) {
      const plane = rim.length === 2;
      rim.forEach((x, i) => {
        const next = rim[(i + 1) % rim.length];
        if (!plane || i === 0) sides.push(...apex, ...x, ...next);
        if (!plane) lines.push(...x, ...next);
        if (plane || i % Math.ceil(rim.length / 8) === 0) lines.push(...apex, ...x);
      });
      if (percussion && cones.length > 0) lines.push(...apex, ...apex.map((x, i) => x + percussion[i]));
    }
    for (const [shape, numbers] of [[side, sides], [edges, lines]] as const) {
      shape.visible = numbers.length > 0;
      if (numbers.length === 0) continue;
      shape.geometry.dispose();
      shape.geometry = new BufferGeometry().setAttribute('position', new BufferAttribute(new Float32Array(numbers), 3));
      shape.material.color.set(this.colours.status(cones[0].status));
    }
  }
}

type DrawnCone = { side: Mesh<BufferGeometry, MeshBasicMaterial>; edges: LineSegments<BufferGeometry, LineBasicMaterial> };

function makeCone(): DrawnCone {
  // seen through bodies: a cone of the force on a body lies inside it
  const glass = new MeshBasicMaterial({ transparent: true, opacity: 0.22, side: DoubleSide, depthWrite: false, depthTest: false });
  const drawn = { side: new Mesh(new BufferGeometry(), glass), edges: new LineSegments(new BufferGeometry(), new LineBasicMaterial({ transparent: true, opacity: 0.6, depthTest: false })) };
  drawn.side.frustumCulled = drawn.edges.frustumCulled = false;
  drawn.side.renderOrder = drawn.edges.renderOrder = 1;
  drawn.side.visible = drawn.edges.visible = false;
  return drawn;
}

function makeNormals(count: number): LineSegments<BufferGeometry, LineBasicMaterial> {
  const geometry = new BufferGeometry();
  for (const name of ['position', 'color']) geometry.setAttribute(name, new BufferAttribute(new Float32Array(6 * count), 3));
  const lines = new LineSegments(geometry, new LineBasicMaterial({ vertexColors: true }));
  lines.frustumCulled = false;
  return lines;
}

function placeOf(entry: DrawEntry, { values }: Pose): [number, number, number] {
  const at = entry.first;
  return [values[at], values[at + 1], entry.dimension === 3 ? values[at + 2] : 0];
}
