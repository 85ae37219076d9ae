import { BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, IcosahedronGeometry, InstancedMesh, Line, LineBasicMaterial, Matrix4, MeshLambertMaterial, SphereGeometry, type Scene } from 'three';

import type { Colours } from './colours';
import type { DrawEntry } from './data';
import type { Percussions } from './percussions';
import type { Picture, Pose } from './picture';

type DrawnLine = {
  entry: DrawEntry;
  line: Line<BufferGeometry, LineBasicMaterial>;
  positions: BufferAttribute;
  tail: number; // of a trace: the place that holds the point of now instead of its own row; -1: none
};

const isBall = ({ kind }: DrawEntry) => kind === 'circle' || kind === 'point';

/** What a scene draws, in space: points and circles as balls, the rest as lines. */
export class EntryMeshes {
  readonly balls: InstancedMesh;
  private readonly ballEntries: DrawEntry[];
  private readonly lines: DrawnLine[];

  /** `percussions`: contact points have the colour of their status; null: of another run, drawn faintly and without traces. */
  constructor(scene: Scene, private readonly picture: Picture, private readonly percussions: Percussions | null) {
    const entries = percussions ? picture.entries : picture.entries.filter(({ kind }) => kind !== 'trace');
    const look = percussions ? {} : { transparent: true, opacity: 0.35 };
    this.ballEntries = entries.filter(isBall);
    const detail = this.ballEntries.length > 500 ? [12, 8] : [32, 20];
    this.balls = new InstancedMesh(
      this.ballEntries.length > 3000 ? new IcosahedronGeometry(1, 1) : new SphereGeometry(1, detail[0], detail[1]),
      new MeshLambertMaterial(look),
      this.ballEntries.length,
    );
    this.balls.instanceMatrix.setUsage(DynamicDrawUsage);
    this.balls.frustumCulled = false;
    this.lines = entries.filter((entry) => !isBall(entry)).map((entry) => this.makeLine(entry, look));
    scene.add(this.balls, ...this.lines.map(({ line }) => line));
  }

  /** Colours that do not change with time. */
  paint(colours: Colours): void {
    const colour = new Color();
    this.ballEntries.forEach((entry, i) => this.balls.setColorAt(i, colour.set(colours.named(entry.colour))));
    for (const { entry, line } of this.lines) line.material.color.set(colours.named(entry.colour));
    if (this.balls.instanceColor) this.balls.instanceColor.needsUpdate = true;
  }

  place(pose: Pose, colours: Colours): void {
    this.placeBalls(pose, colours);
    for (const drawn of this.lines) this.placeLine(drawn, pose);
  }

  /** The picture has more rows now. */
  grow(): void {
    for (const drawn of this.lines) {
      if (drawn.entry.kind !== 'trace') continue;
      drawn.line.geometry.dispose();
      drawn.positions = this.tracePositions(drawn.entry);
      drawn.line.geometry = new BufferGeometry().setAttribute('position', drawn.positions);
      drawn.tail = -1;
    }
  }

  private makeLine(entry: DrawEntry, look: { transparent?: boolean; opacity?: number }): DrawnLine {
    const positions = entry.kind === 'trace' ? this.tracePositions(entry) : new BufferAttribute(new Float32Array(3 * (entry.points + (entry.closed ? 1 : 0))), 3);
    const line = new Line(new BufferGeometry().setAttribute('position', positions), new LineBasicMaterial(look));
    line.frustumCulled = false;
    return { entry, line, positions, tail: -1 };
  }

  /** One place per row, and one for the point of now. */
  private tracePositions(entry: DrawEntry): BufferAttribute {
    const rows = this.picture.rows.length / Math.max(1, this.picture.width);
    const positions = new BufferAttribute(new Float32Array(3 * (rows + 1)), 3);
    for (let i = 0; i < rows; ++i) put(positions, i, entry, this.picture.rows, i * this.picture.width, 0);
    return positions;
  }

  private placeBalls(pose: Pose, colours: Colours): void {
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
      if (entry.contact < 0 || !this.percussions) continue;
      this.balls.setColorAt(i, colour.set(colours.status(this.percussions.status(entry.contact, pose))));
      if (this.balls.instanceColor) this.balls.instanceColor.needsUpdate = true;
    }
    this.balls.instanceMatrix.needsUpdate = true;
  }

  private placeLine(drawn: DrawnLine, pose: Pose): void {
    const { entry, line, positions } = drawn;
    if (entry.kind === 'trace') {
      this.placeTrace(drawn, pose);
    } else {
      for (let p = 0; p < entry.points; ++p) put(positions, p, entry, pose.values, 0, p);
      if (entry.closed) put(positions, entry.points, entry, pose.values, 0, 0);
    }
    line.geometry.attributes.position.needsUpdate = true;
  }

  /** The rows up to now are there already; the place after them shows where the point is. */
  private placeTrace(drawn: DrawnLine, pose: Pose): void {
    const { entry, line, positions, tail } = drawn;
    const { rows, width } = this.picture;
    if (tail >= 0 && (tail + 1) * width <= rows.length) put(positions, tail, entry, rows, tail * width, 0);
    drawn.tail = pose.row + 1;
    put(positions, drawn.tail, entry, pose.values, 0, 0);
    line.geometry.setDrawRange(0, drawn.tail + 1);
  }
}

function put(to: BufferAttribute, i: number, entry: DrawEntry, from: Float32Array, base: number, p: number): void {
  const at = base + entry.first + p * entry.dimension;
  to.setXYZ(i, from[at], from[at + 1], entry.dimension === 3 ? from[at + 2] : 0);
}
