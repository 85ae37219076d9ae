import {
  AmbientLight,
  BufferAttribute,
  BufferGeometry,
  Color,
  DirectionalLight,
  DynamicDrawUsage,
  GridHelper,
  InstancedMesh,
  Line,
  LineBasicMaterial,
  Matrix4,
  MeshLambertMaterial,
  PerspectiveCamera,
  Scene,
  SphereGeometry,
  Vector3,
  ArrowHelper,
  WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';

import type { Colours } from './colours';
import type { DrawEntry } from './data';
import { arrowOf, type Picture, type Pose, type Stage } from './picture';
import type { Statuses } from './statuses';

type DrawnLine = {
  entry: DrawEntry;
  line: Line<BufferGeometry, LineBasicMaterial>;
  positions: BufferAttribute;
  tail: number; // of a trace: the place that holds the point of now instead of its own row; -1: none
};
type DrawnArrow = { entry: DrawEntry; arrow: ArrowHelper };

/** Draws spatial pictures with WebGL: circles are balls, z points up, dragging orbits. */
export class ThreeStage implements Stage {
  readonly kind = 'webgl';
  readonly element: HTMLElement;
  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly camera = new PerspectiveCamera(40, 1, 0.01, 1000);
  private readonly controls: OrbitControls;
  private readonly picture: Picture;
  private readonly colours: Colours;
  private readonly statuses: Statuses;
  private readonly ballEntries: DrawEntry[];
  private readonly balls: InstancedMesh;
  private readonly lines: DrawnLine[];
  private readonly arrows: DrawnArrow[];

  /** Throws where the browser has no WebGL. */
  constructor(picture: Picture, colours: Colours, statuses: Statuses) {
    this.picture = picture;
    this.colours = colours;
    this.statuses = statuses;
    this.renderer = new WebGLRenderer({ antialias: true, alpha: true });
    this.element = this.renderer.domElement;
    this.scene.add(new AmbientLight(0xffffff, 1.6));
    const sun = new DirectionalLight(0xffffff, 2.2);
    sun.position.set(1, -2, 3);
    this.scene.add(sun, this.floor());

    this.ballEntries = picture.entries.filter((e) => e.kind === 'circle' || e.kind === 'point');
    const detail = this.ballEntries.length > 500 ? [12, 8] : [32, 20];
    this.balls = new InstancedMesh(
      new SphereGeometry(1, detail[0], detail[1]),
      new MeshLambertMaterial(),
      this.ballEntries.length,
    );
    this.balls.instanceMatrix.setUsage(DynamicDrawUsage);
    this.balls.frustumCulled = false;
    this.scene.add(this.balls);
    this.lines = picture.entries.filter((e) => !this.ballEntries.includes(e)).map((e) => this.makeLine(e));
    this.arrows = picture.entries
      .filter((e) => e.contact >= 0 && e.normal >= 0)
      .map((entry) => ({ entry, arrow: new ArrowHelper(new Vector3(0, 0, 1), new Vector3(), 1) }));
    for (const { arrow } of this.arrows) this.scene.add(arrow);
    this.paint();

    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, this.element);
    this.controls.enableZoom = false; // the wheel belongs to the page
    this.controls.addEventListener('change', () => this.draw());
    this.fit();
  }

  /** Colours that do not change with time; again when the page turns dark. */
  paint(): void {
    const colour = new Color();
    this.ballEntries.forEach((entry, i) => this.balls.setColorAt(i, colour.set(this.colours.named(entry.colour))));
    for (const { entry, line } of this.lines) line.material.color.set(this.colours.named(entry.colour));
    for (const { arrow } of this.arrows) arrow.setColor(this.colours.status('impact'));
    if (this.balls.instanceColor) this.balls.instanceColor.needsUpdate = true;
  }

  place(pose: Pose): void {
    this.placeBalls(pose);
    for (const drawn of this.lines) this.placeLine(drawn, pose);
    for (const drawn of this.arrows) this.placeArrow(drawn, pose);
  }

  draw(): void {
    this.renderer.render(this.scene, this.camera);
  }

  resize(): void {
    const parent = this.element.parentElement;
    if (!parent || parent.clientWidth === 0) return;
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio || 1));
    this.renderer.setSize(parent.clientWidth, parent.clientHeight, false);
    this.camera.aspect = parent.clientWidth / parent.clientHeight;
    this.camera.updateProjectionMatrix();
    this.draw();
  }

  fit(): void {
    const { low, high } = this.picture;
    const centre = new Vector3(...low.map((x, i) => (x + high[i]) / 2));
    const reach = Math.hypot(...high.map((h, i) => h - low[i])) || 1;
    this.controls.target.copy(centre);
    this.camera.position.copy(centre).add(new Vector3(0.65, -1.3, 0.6).multiplyScalar(reach * 0.8));
    this.camera.near = reach / 1000;
    this.camera.far = reach * 100;
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.draw();
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
    const { low, high } = this.picture;
    const size = 1.4 * Math.max(high[0] - low[0], high[1] - low[1], 0.3 * (high[2] - low[2]), 1e-9);
    const grid = new GridHelper(size, 10, 0x888888, 0x888888);
    grid.material.opacity = 0.35;
    grid.material.transparent = true;
    grid.rotation.x = Math.PI / 2;
    grid.position.set((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, low[2]);
    return grid;
  }

  private makeLine(entry: DrawEntry): DrawnLine {
    const rows = this.picture.rows.length / Math.max(1, this.picture.width);
    const count = entry.kind === 'trace' ? rows + 1 : entry.points + (entry.closed ? 1 : 0);
    const positions = new BufferAttribute(new Float32Array(3 * count), 3);
    if (entry.kind === 'trace') {
      for (let i = 0; i < rows; ++i) this.put(positions, i, entry, this.picture.rows, i * this.picture.width, 0);
    }
    const geometry = new BufferGeometry().setAttribute('position', positions);
    const line = new Line(geometry, new LineBasicMaterial());
    line.frustumCulled = false;
    this.scene.add(line);
    return { entry, line, positions, tail: -1 };
  }

  private put(to: BufferAttribute, i: number, entry: DrawEntry, from: Float32Array, base: number, p: number): void {
    const at = base + entry.first + p * entry.dimension;
    to.setXYZ(i, from[at], from[at + 1], entry.dimension === 3 ? from[at + 2] : 0);
  }

  private placeBalls(pose: Pose): void {
    const { values } = pose;
    const matrix = new Matrix4();
    const colour = new Color();
    const dot = 0.012 * this.picture.size; // points have no size of their own
    for (let i = 0; i < this.ballEntries.length; ++i) {
      const entry = this.ballEntries[i];
      const at = entry.first;
      const radius = entry.kind === 'circle' && entry.radius >= 0 ? Math.abs(values[entry.radius]) : dot;
      matrix.makeScale(radius, radius, radius);
      matrix.setPosition(values[at], values[at + 1], entry.dimension === 3 ? values[at + 2] : 0);
      this.balls.setMatrixAt(i, matrix);
      if (entry.contact < 0) continue;
      const status = this.statuses.status(entry.contact, pose.time, pose.glow_s);
      this.balls.setColorAt(i, colour.set(this.colours.status(status)));
      if (this.balls.instanceColor) this.balls.instanceColor.needsUpdate = true;
    }
    this.balls.instanceMatrix.needsUpdate = true;
  }

  private placeLine(drawn: DrawnLine, pose: Pose): void {
    const { entry, line, positions } = drawn;
    if (entry.kind === 'trace') {
      this.placeTrace(drawn, pose);
    } else {
      for (let p = 0; p < entry.points; ++p) this.put(positions, p, entry, pose.values, 0, p);
      if (entry.closed) this.put(positions, entry.points, entry, pose.values, 0, 0);
    }
    line.geometry.attributes.position.needsUpdate = true;
  }

  /** The rows up to now are there already; the place after them shows where the point is. */
  private placeTrace(drawn: DrawnLine, pose: Pose): void {
    const { entry, line, positions, tail } = drawn;
    const { rows, width } = this.picture;
    if (tail >= 0 && (tail + 1) * width <= rows.length) this.put(positions, tail, entry, rows, tail * width, 0);
    drawn.tail = pose.row + 1;
    this.put(positions, drawn.tail, entry, pose.values, 0, 0);
    line.geometry.setDrawRange(0, drawn.tail + 1);
  }

  private placeArrow({ entry, arrow }: DrawnArrow, pose: Pose): void {
    const direction = arrowOf(entry, pose, this.statuses, this.picture.size);
    arrow.visible = direction !== null;
    if (!direction) return;
    const length = Math.hypot(...direction);
    const at = entry.first;
    arrow.position.set(pose.values[at], pose.values[at + 1], entry.dimension === 3 ? pose.values[at + 2] : 0);
    arrow.setDirection(new Vector3(...direction).normalize());
    arrow.setLength(length, 0.3 * length, 0.15 * length);
  }
}
