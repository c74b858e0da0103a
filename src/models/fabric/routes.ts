/** A graph of switches and end points: nodes by number, and the cables between them. */
export interface FabricGraph {
  /** How many nodes there are. */
  readonly nodes: number;
  /** Whether a node forwards; end points do not. */
  forwards(node: number): boolean;
  /** The two ends of each cable. */
  readonly cables: readonly (readonly [number, number])[];
}

/** For a switch, the cables that lead one hop nearer to an end point. */
export type NextHops = ReadonlyMap<number, readonly number[]>;

/**
 * The next hops of all switches towards end points: every cable on a shortest path. End points on one switch have the
 * same ways to it, which are worked out once.
 */
export class Routes {
  private readonly graph: FabricGraph;
  /** By node, the cables at it. */
  private readonly cablesOf: number[][];
  private readonly towards = new Map<number, NextHops>();

  constructor(graph: FabricGraph) {
    this.graph = graph;
    this.cablesOf = Array.from({ length: graph.nodes }, () => []);
    graph.cables.forEach(([a, b], cable) => {
      this.cablesOf[a].push(cable);
      this.cablesOf[b].push(cable);
    });
  }

  /** The cables at each switch that lead nearer to a switch; nothing for switches that have no way to it. */
  toSwitch(target: number): NextHops {
    let hops = this.towards.get(target);
    if (hops === undefined) {
      hops = this.search(target);
      this.towards.set(target, hops);
    }
    return hops;
  }

  private search(target: number): NextHops {
    const { graph, cablesOf } = this;
    const distance = new Int32Array(graph.nodes).fill(-1);
    const hops = new Map<number, number[]>();
    const queue = [target];
    distance[target] = 0;
    for (let head = 0; head < queue.length; head++) {
      const node = queue[head];
      for (const cable of cablesOf[node]) {
        const [a, b] = graph.cables[cable];
        const next = a === node ? b : a;
        if (!graph.forwards(next)) continue;
        if (distance[next] < 0) {
          distance[next] = distance[node] + 1;
          hops.set(next, []);
          queue.push(next);
        }
        if (distance[next] === distance[node] + 1) hops.get(next)!.push(cable);
      }
    }
    return hops;
  }
}
