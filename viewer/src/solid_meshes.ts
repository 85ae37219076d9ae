import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DoubleSide,
  DynamicDrawUsage,
  InstancedMesh,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  MeshLambertMaterial,
  Quaternion,
  Vector3,
  type Intersection,
  type Scene,
} from 'three';

import type { Colours } from './colours';
import { perBody, type ContactForces, type SolidEntry, type Solids, type SurfaceEntry } from './solids';

/** Faces as triangles: with the vertices of the surface where it is smooth, else each face with its own. */
function geometryOf(surface: SurfaceEntry): BufferGeometry {
  const corners = surface.faces.flatMap((face) => face.slice(2).flatMap((_, k) => [face[0], face[k + 1], face[k + 2]]));
  const geometry = new BufferGeometry();
  const own = surface.smooth ? surface.vertices : corners.map((v) => surface.vertices[v]);
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(own.flat()), 3));
  if (surface.smooth) geometry.setIndex(corners);
  geometry.computeVertexNormals();
  return geometry;
}

type Drawn = { mesh: InstancedMesh; solids: SolidEntry[]; local: Matrix4[] };

/** Bodies as shaded solids: one instanced mesh per surface, however many bodies have it. */
export class SolidMeshes {
  private readonly drawn: Drawn[];

  constructor(solids: Solids, scene: Scene) {
    this.drawn = solids.head.surfaces.map((surface, s) => {
      const entries = solids.head.solids.filter((solid) => solid.surface === s);
      // a surface of one face is a plane: what is behind it must be seen
      const glass = surface.faces.length === 1;
      const material = new MeshLambertMaterial(glass ? { transparent: true, opacity: 0.18, side: DoubleSide, depthWrite: false } : {});
      const mesh = new InstancedMesh(geometryOf(surface), material, entries.length);
      mesh.instanceMatrix.setUsage(DynamicDrawUsage);
      mesh.frustumCulled = false;
      scene.add(mesh);
      const local = entries.map((solid) => {
        const [w, x, y, z] = solid.rotation;
        return new Matrix4().compose(new Vector3(...solid.position), new Quaternion(x, y, z, w), new Vector3(...solid.scale));
      });
      return { mesh, solids: entries, local };
    });
  }

  get meshes(): InstancedMesh[] {
    return this.drawn.map(({ mesh }) => mesh);
  }

  /** The body that a ray has met. */
  bodyOf({ object, instanceId }: Intersection): number {
    return this.drawn.find(({ mesh }) => mesh === object)?.solids[instanceId ?? -1]?.body ?? -1;
  }

  paint(colours: Colours): void {
    const colour = new Color();
    for (const { mesh, solids } of this.drawn) {
      solids.forEach((solid, i) => mesh.setColorAt(i, colour.set(colours.named(solid.colour))));
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }

  place(bodies: Float32Array): void {
    const matrix = new Matrix4();
    const place = new Vector3();
    const turn = new Quaternion();
    const one = new Vector3(1, 1, 1);
    for (const { mesh, solids, local } of this.drawn) {
      solids.forEach((solid, i) => {
        const at = perBody * solid.body;
        place.set(bodies[at], bodies[at + 1], bodies[at + 2]);
        turn.set(bodies[at + 3], bodies[at + 4], bodies[at + 5], bodies[at + 6]);
        mesh.setMatrixAt(i, matrix.compose(place, turn, one).multiply(local[i]));
      });
      mesh.instanceMatrix.needsUpdate = true;
    }
  }
}

/** Contact forces as lines with a head, drawn over the bodies. */
export class ForceLines {
  readonly lines: LineSegments<BufferGeometry, LineBasicMaterial>;
  private readonly forces: ContactForces;
  private readonly longest: number;

  constructor(forces: ContactForces, longest: number, scene: Scene) {
    this.forces = forces;
    this.longest = longest;
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(new Float32Array(18 * Math.max(1, forces.most)), 3).setUsage(DynamicDrawUsage));
    this.lines = new LineSegments(geometry, new LineBasicMaterial({ depthTest: false, transparent: true }));
    this.lines.frustumCulled = false;
    this.lines.renderOrder = 1;
    scene.add(this.lines);
  }

  place(t: number): void {
    const position = this.lines.geometry.attributes.position as BufferAttribute;
    let n = 0;
    const way = new Vector3();
    const side = new Vector3();
    this.forces.at(t, (point, force) => {
      way.set(...(this.forces.arrow(force, this.longest) as [number, number, number]));
      const end = new Vector3(...point).add(way);
      // the head: two short lines across the way
      side.set(-way.y, way.x, 0);
      if (side.lengthSq() < 1e-12 * way.lengthSq()) side.set(way.z, 0, 0);
      side.setLength(0.1 * way.length());
      position.setXYZ(n++, point[0], point[1], point[2]);
      position.setXYZ(n++, end.x, end.y, end.z);
      for (const sign of [1, -1]) {
        position.setXYZ(n++, end.x, end.y, end.z);
        position.setXYZ(n++, end.x - 0.25 * way.x + sign * side.x, end.y - 0.25 * way.y + sign * side.y, end.z - 0.25 * way.z + sign * side.z);
      }
    });
    this.lines.geometry.setDrawRange(0, n);
    position.needsUpdate = true;
  }
}
