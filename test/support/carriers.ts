import { DataSource } from 'typeorm';
import { LaneFailover } from '../../src/modules/engine/dispatch/route-down.js';
import type { OutboundMessage, RouteConnections, RouteState, SendOutcome } from '../../src/modules/providers/index.js';
import { LaneMoves } from '../../src/modules/engine/state/lane-moves.js';
import type { Engine } from './engine.js';
import { type LaneWorker, laneWorker, type WorkerParts } from './lane-worker.js';

/** Routes of a chain, by id. */
export const [A, B, C] = [1, 2, 3] as const;

/** Carriers of a test's own, over the routes A, B and C, each with what it was sent. */
export class Carriers {
  readonly sent: { route: number; ref: string }[] = [];
  readonly downMs = new Map<number, number>();
  readonly gone = new Set<number>();
  /** routes that take a message to show whether they are well again */
  readonly onTrial = new Set<number>();
  answer: (route: number, message: OutboundMessage) => SendOutcome = (_, { ref }) => ({
    kind: 'accepted',
    providerMessageIds: [`id-${ref}`],
  });

  stateOf(route: number): RouteState {
    const downMs = this.downMs.get(route) ?? 0;
    return { usable: downMs === 0, downMs, fault: downMs === 0 ? null : 'Carrier is not reachable' };
  }

  connection(route: number): {
    ready: boolean;
    onTrial: boolean;
    fault: string | null;
    send(message: OutboundMessage): Promise<SendOutcome>;
  } {
    const { usable, fault } = this.stateOf(route);
    return {
      ready: usable || this.onTrial.has(route),
      onTrial: this.onTrial.has(route),
      fault,
      send: (message) => {
        this.sent.push({ route, ref: message.ref });
        return Promise.resolve(this.answer(route, message));
      },
    };
  }

  /** How often each recipient was sent to, by route. */
  tally(): Record<number, number> {
    const tally: Record<number, number> = {};
    for (const { route } of this.sent) tally[route] = (tally[route] ?? 0) + 1;
    return tally;
  }

  get doubled(): string[] {
    const refs = this.sent.map(({ ref }) => ref);
    return refs.filter((ref, index) => refs.indexOf(ref) !== index);
  }
}

/** A worker that sends over them, and hands over from one to the other. */
export function carriersWorker(
  engine: Engine,
  own: Carriers,
  { deduplicates = false, ...parts }: Omit<WorkerParts, 'deduplicates'> & { deduplicates?: boolean } = {},
): LaneWorker {
  const connections = {
    stateOf: (route: number) => Promise.resolve(own.stateOf(route)),
    usable: () => Promise.resolve([A, B, C].filter((route) => own.stateOf(route).usable && !own.gone.has(route))),
  } as unknown as RouteConnections;
  return laneWorker(engine, {
    ...parts,
    connection: (route) => own.connection(route),
    routeIsThere: (route) => !own.gone.has(route),
    deduplicates: () => deduplicates,
    failover: new LaneFailover(engine.part(DataSource), connections, engine.part(LaneMoves)),
  });
}
