import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DoubleSide,
  DynamicDrawUsage,
  FrontSide,
  IcosahedronGeometry,
  InstancedMesh,
  Matrix4,
  MeshLambertMaterial,
  Quaternion,
  Sphere,
  Vector3,
  type Intersection,
  type Scene,
} from 'three';

import type { Colours } from './colours';
import { perBody, type SolidEntry, type Solids, type SurfaceEntry } from './solids';

/** Balls in such numbers are small on the screen: fewer faces will do. */
const manyBodies = 3000;

/** All vertices are as far from the centre. */
function isBall({ vertices, smooth }: SurfaceEntry): boolean {
  const radius = Math.hypot(...(vertices[0] ?? []));
  return smooth && vertices.length > 20 && vertices.every((v) => Math.abs(Math.hypot(...v) - radius) < 1e-6 * radius);
}

/** A ball of few faces instead of one of many. */
function coarse(surface: SurfaceEntry, count: number): SurfaceEntry {
  if (count <= manyBodies || !isBall(surface)) return surface;
  const radius = Math.hypot(...surface.vertices[0]);
  const ball = new IcosahedronGeometry(radius, count > 4 * manyBodies ? 0 : 1);
  const { position } = ball.attributes;
  const vertices = Array.from({ length: position.count }, (_, i) => [position.getX(i), position.getY(i), position.getZ(i)]);
  return { vertices, faces: Array.from({ length: position.count / 3 }, (_, t) => [3 * t, 3 * t + 1, 3 * t + 2]), smooth: true };
}

/** Of more bodies than this the order in which they are drawn is not looked for. */
const many = 1000;

/** A face of so many corners is a disc: triangles of it meet in its middle, so that sectors of it can be shaded. */
const discCorners = 12;

function withCentres(surface: SurfaceEntry): SurfaceEntry {
  const vertices = [...surface.vertices];
  const faces = surface.faces.flatMap((face) => {
    if (face.length < discCorners) return [face];
    const centre = [0, 1, 2].map((axis) => face.reduce((sum, v) => sum + surface.vertices[v][axis], 0) / face.length);
    vertices.push(centre);
    return face.map((v, k) => [vertices.length - 1, v, face[(k + 1) % face.length]]);
  });
  return { vertices, faces, smooth: surface.smooth };
}

/**
 * Faces as triangles, shaded across their edges where the surface is smooth. Round things look the same whichever way they are
 * turned: every second octant of theirs is darker, so that their turning is seen.
 */
function geometryOf(given: SurfaceEntry): BufferGeometry {
  const surface = withCentres(given);
  const isRound = given.smooth || given.faces.some((face) => face.length >= discCorners);
  const corners = surface.faces.flatMap((face) => face.slice(2).flatMap((_, k) => [face[0], face[k + 1], face[k + 2]]));
  const smooth = new BufferGeometry();
  smooth.setAttribute('position', new BufferAttribute(new Float32Array(surface.vertices.flat()), 3));
  smooth.setIndex(corners);
  smooth.computeVertexNormals();
  const geometry = smooth.toNonIndexed();
  if (!surface.smooth) geometry.computeVertexNormals();
  else if (isBall(surface)) pointOutwards(geometry);
  if (!surface.smooth && isRound) roundOff(geometry, corners);
  const shades = new Float32Array(3 * corners.length).fill(1);
  if (isRound) {
    for (let t = 0; t < corners.length; t += 3) {
      const middle = [0, 1, 2].map((axis) => [0, 1, 2].reduce((sum, k) => sum + surface.vertices[corners[t + k]][axis], 0));
      if (middle[0] * middle[1] * middle[2] < 0 || (middle[2] === 0 && middle[0] * middle[1] < 0)) shades.fill(0.62, 3 * t, 3 * t + 9);
    }
  }
  geometry.setAttribute('color', new BufferAttribute(shades, 3));
  return geometry;
}

/** Across edges flatter than this a round surface is shaded as if it had none: the sides of cylinders and cones, not their rims. */
const creaseCosine = Math.cos((35 * Math.PI) / 180);

/** Every corner gets the mean normal of the triangles at its vertex that look nearly the same way. */
function roundOff(geometry: BufferGeometry, corners: number[]): void {
  const { normal } = geometry.attributes;
  const flat = Array.from({ length: corners.length }, (_, i) => new Vector3().fromBufferAttribute(normal, i));
  const atVertex = new Map<number, number[]>();
  corners.forEach((v, i) => (atVertex.get(v)?.push(i) ?? atVertex.set(v, [i])));
  corners.forEach((v, i) => {
    const mean = new Vector3();
    for (const k of atVertex.get(v)!) if (flat[k].dot(flat[i]) > creaseCosine) mean.add(flat[k]);
    normal.setXYZ(i, ...mean.normalize().toArray());
  });
}

/** The normals of a ball are its radii, however few faces it has. */
function pointOutwards(geometry: BufferGeometry): void {
  const { position, normal } = geometry.attributes;
  for (let i = 0; i < position.count; ++i) {
    const length = Math.hypot(position.getX(i), position.getY(i), position.getZ(i));
    normal.setXYZ(i, position.getX(i) / length, position.getY(i) / length, position.getZ(i) / length);
  }
}

type Drawn = { mesh: InstancedMesh; solids: SolidEntry[]; local: Matrix4[]; glass: boolean };

/** Bodies as shaded solids: one instanced mesh per surface, however many bodies have it. */
export class SolidMeshes {
  private readonly drawn: Drawn[];

  /** `ghost`: those that move, hardly to be seen, for where they were. */
  constructor(solids: Solids, scene: Scene, ghost = false) {
    const bySurface = solids.head.surfaces.map((): SolidEntry[] => []);
    for (const solid of solids.head.solids) if (!ghost || solids.head.bodies[solid.body].first >= 0) bySurface[solid.surface].push(solid);
    this.drawn = solids.head.surfaces.map((surface, s) => {
      const entries = bySurface[s];
      // a surface of one face is a plane: what is behind it must be seen
      const glass = surface.faces.length === 1;
      const material = new MeshLambertMaterial(glass || ghost ? { transparent: true, opacity: 0.18, side: glass ? DoubleSide : FrontSide, depthWrite: false } : { vertexColors: true });
      const mesh = new InstancedMesh(geometryOf(coarse(surface, entries.length)), material, entries.length);
      mesh.instanceMatrix.setUsage(DynamicDrawUsage);
      mesh.frustumCulled = false;
      // to sort what is drawn, the renderer would look at every one of them; opaque things need no order, and rays find their own sphere
      if (entries.length > many && !glass && !ghost) mesh.boundingSphere = new Sphere();
      scene.add(mesh);
      const local = entries.map((solid) => {
        const [w, x, y, z] = solid.rotation;
        return new Matrix4().compose(new Vector3(...solid.position), new Quaternion(x, y, z, w), new Vector3(...solid.scale));
      });
      return { mesh, solids: entries, local, glass };
    });
  }

  set visible(on: boolean) {
    for (const { mesh } of this.drawn) mesh.visible = on;
  }

  /** Bodies through which others are seen. */
  set transparent(on: boolean) {
    for (const { mesh, glass } of this.drawn) {
      const material = mesh.material as MeshLambertMaterial;
      if (glass || material.transparent === on) continue;
      Object.assign(material, { transparent: on, opacity: on ? 0.35 : 1, depthWrite: !on, needsUpdate: true });
    }
  }

  /** Those that one does not see through. */
  get solidMeshes(): InstancedMesh[] {
    return this.drawn.filter(({ glass }) => !glass).map(({ mesh }) => mesh);
  }

  /** The body that a ray has met. */
  bodyOf({ object, instanceId }: Intersection): number {
    return this.drawn.find(({ mesh }) => mesh === object)?.solids[instanceId ?? -1]?.body ?? -1;
  }

  /** `by`: a colour for every body instead of its own; the picked one is brighter. */
  paint(colours: Colours, by: (string | null)[] | null = null, picked = -1): void {
    const known = new Map<string, Color>();
    const colourOf = (text: string): Color => {
      let found = known.get(text);
      if (!found) {
        found = new Color(text);
        // on black no shade is seen
        if (found.r + found.g + found.b < 0.05) found.setScalar(0.07);
        known.set(text, found);
      }
      return found;
    };
    const marked = new Color(colours.dark ? '#ffffff' : '#ffd400');
    for (const { mesh, solids } of this.drawn) {
      solids.forEach((solid, i) => {
        const colour = colourOf(by?.[solid.body] ?? colours.named(solid.colour));
        mesh.setColorAt(i, solid.body === picked ? colour.clone().lerp(marked, 0.6) : colour);
      });
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }

  place(bodies: Float32Array): void {
    const matrix = new Matrix4();
    const place = new Vector3();
    const turn = new Quaternion();
    const one = new Vector3(1, 1, 1);
    for (const { mesh, solids, local } of this.drawn) {
      const { array } = mesh.instanceMatrix;
      for (let i = 0; i < solids.length; ++i) {
        const at = perBody * solids[i].body;
        place.set(bodies[at], bodies[at + 1], bodies[at + 2]);
        turn.set(bodies[at + 3], bodies[at + 4], bodies[at + 5], bodies[at + 6]);
        matrix.compose(place, turn, one).multiply(local[i]).toArray(array, 16 * i);
      }
      mesh.instanceMatrix.needsUpdate = true;
    }
  }
}
