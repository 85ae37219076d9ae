import { BufferAttribute, BufferGeometry, Color, ConeGeometry, CylinderGeometry, DynamicDrawUsage, InstancedMesh, LineBasicMaterial, LineSegments, Matrix4, MeshBasicMaterial, Quaternion, Vector3, type Scene } from 'three';

import type { Colours } from './colours';
import type { Arrow, Link } from './force_view';

const up = new Vector3(0, 1, 0);

/** Rods and cones at places of the world, as many as are asked for. */
class Pieces {
  private mesh: InstancedMesh;
  private readonly scene: Scene;
  private n = 0;

  constructor(geometry: BufferGeometry, scene: Scene) {
    this.scene = scene;
    this.mesh = this.make(geometry, 64);
  }

  private make(geometry: BufferGeometry, room: number): InstancedMesh {
    const mesh = new InstancedMesh(geometry, new MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.9 }), room);
    mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    mesh.frustumCulled = false;
    mesh.renderOrder = 2;
    mesh.count = 0;
    this.scene.add(mesh);
    return mesh;
  }

  begin(count: number): void {
    this.n = 0;
    if (count <= this.mesh.instanceMatrix.count) return;
    this.scene.remove(this.mesh);
    const { geometry } = this.mesh;
    this.mesh.dispose();
    this.mesh = this.make(geometry, 2 * count);
  }

  put(matrix: Matrix4, colour: Color): void {
    this.mesh.setMatrixAt(this.n, matrix);
    this.mesh.setColorAt(this.n++, colour);
  }

  end(): void {
    this.mesh.count = this.n;
    this.mesh.instanceMatrix.needsUpdate = true;
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }
}

/** Arrows and chains of forces, over the bodies. */
export class ForceMeshes {
  private readonly shafts: Pieces;
  private readonly heads: Pieces;
  private readonly links: Pieces;
  private readonly size: number;

  constructor(scene: Scene, size: number) {
    this.size = size;
    const rod = () => new CylinderGeometry(1, 1, 1, 8).translate(0, 0.5, 0);
    this.shafts = new Pieces(rod(), scene);
    this.heads = new Pieces(new ConeGeometry(1, 1, 12).translate(0, 0.5, 0), scene);
    this.links = new Pieces(rod(), scene);
  }

  placeArrows(arrows: Arrow[], colours: Colours): void {
    this.shafts.begin(arrows.length);
    this.heads.begin(arrows.length);
    const matrix = new Matrix4();
    const turn = new Quaternion();
    const colour = new Color();
    const from = new Vector3();
    const way = new Vector3();
    const scale = new Vector3();
    const many = arrows.length > 400 ? 0.5 : 1;
    for (const arrow of arrows) {
      way.set(arrow.way[0], arrow.way[1], arrow.way[2]);
      const length = way.length();
      if (!(length > 1e-9 * this.size)) continue;
      turn.setFromUnitVectors(up, way.clone().divideScalar(length));
      from.set(arrow.from[0], arrow.from[1], arrow.from[2]);
      const thick = many * Math.min(0.004 * this.size, (arrow.headless ? 0.3 : 0.12) * length);
      const head = arrow.headless ? 0 : Math.min(0.35 * length, 7 * thick);
      colour.set(colours.force(arrow.kind));
      this.shafts.put(matrix.compose(from, turn, scale.set(thick, length - head, thick)), colour);
      if (arrow.headless) continue;
      from.addScaledVector(way, (length - head) / length);
      this.heads.put(matrix.compose(from, turn, scale.set(2.6 * thick, head, 2.6 * thick)), colour);
    }
    this.shafts.end();
    this.heads.end();
  }

  placeLinks(links: Link[], thickness: (link: Link) => number, colours: Colours): void {
    this.links.begin(links.length);
    const matrix = new Matrix4();
    const turn = new Quaternion();
    const colour = new Color(colours.force('contact'));
    const from = new Vector3();
    const way = new Vector3();
    const scale = new Vector3();
    for (const link of links) {
      from.set(link.from[0], link.from[1], link.from[2]);
      way.set(link.to[0], link.to[1], link.to[2]).sub(from);
      const length = way.length();
      if (!(length > 0)) continue;
      turn.setFromUnitVectors(up, way.divideScalar(length));
      const thick = thickness(link);
      this.links.put(matrix.compose(from, turn, scale.set(thick, length, thick)), colour);
    }
    this.links.end();
  }
}

/** Lines of the world that change with time: pieces between pairs of points. */
export class MovingLines {
  readonly lines: LineSegments<BufferGeometry, LineBasicMaterial>;

  constructor(scene: Scene, overBodies: boolean) {
    this.lines = new LineSegments(new BufferGeometry(), new LineBasicMaterial(overBodies ? { depthTest: false, transparent: true } : {}));
    this.lines.frustumCulled = false;
    if (overBodies) this.lines.renderOrder = 1;
    scene.add(this.lines);
  }

  place(points: number[]): void {
    this.lines.visible = points.length > 0;
    const known = this.lines.geometry.attributes.position as BufferAttribute | undefined;
    if (!known || known.array.length < points.length) {
      this.lines.geometry.dispose();
      this.lines.geometry = new BufferGeometry().setAttribute('position', new BufferAttribute(new Float32Array(2 * points.length + 6), 3).setUsage(DynamicDrawUsage));
    }
    const position = this.lines.geometry.attributes.position as BufferAttribute;
    position.array.set(points);
    position.needsUpdate = true;
    this.lines.geometry.setDrawRange(0, points.length / 3);
  }
}
