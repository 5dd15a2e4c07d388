import { Injectable } from '@nestjs/common';
import { Sealer } from '../../../platform/security/index.js';
import {
  DriverRegistry,
  type Route,
  type RouteConnection,
  RouteConnections,
  RouteDirectory,
} from '../../providers/index.js';
import { acceptanceErrors } from '../accept/acceptance.errors.js';
import { type Channel, type Content, openedContent } from '../channel.js';
import { Channels } from '../channels.js';
import type { LaneSnapshot } from '../lanes.js';
import { type ChannelRoute, Governor, inRecipients } from './capacity.js';
import { type FailingRoute, LaneFailover } from './route-down.js';

/** The route connection a batch is sent through. */
export interface Carrier {
  route: Route;
  channel: Channel;
  connection: RouteConnection;
  deduplicated: boolean;
  /** the content as the driver gets it, with its secrets */
  opened: (content: Content) => Content;
}

export const NO_ROUTE = {
  kind: 'rejected',
  code: null,
  text: acceptanceErrors.noRoute.text,
  submitted: false,
} as const;

/** What lanes of one route may do now. */
export type Choice =
  | { kind: 'send'; carrier: Carrier; size: number }
  | { kind: 'wait'; backoffMs: number }
  /** some lanes have another route now */
  | { kind: 'moved' }
  | { kind: 'down'; fault: string }
  /** neither the route nor another of these lanes' chains exists */
  | { kind: 'gone'; lanes: LaneSnapshot[] };

/** Chooses the carrier of a batch: the route's connection within its capacity, or fallback routes while it is down. */
@Injectable()
export class CarrierChoice {
  constructor(
    private readonly channels: Channels,
    private readonly routes: RouteDirectory,
    private readonly drivers: DriverRegistry,
    private readonly connections: RouteConnections,
    private readonly failover: LaneFailover,
    private readonly governor: Governor,
    private readonly sealer: Sealer,
  ) {}

  channelOf({ channel }: Pick<LaneSnapshot, 'channel'>): Channel {
    return this.channels.get(channel);
  }

  /** Whether the carrier of the route drops a repeated message, so that a lost batch may be sent again. */
  async deduplicates(routeId: number): Promise<boolean> {
    const route = await this.routes.byId(routeId);
    return route !== null && this.isDeduplicated(route);
  }

  /** Fallback routes that may take over now. Lanes of a deleted route are handled when they are due. */
  async targets({ channel, routeId: id }: Pick<ChannelRoute, 'channel' | 'routeId'>): Promise<number[]> {
    const isGone = (await this.routes.byId(id)) === null && !(await this.routes.exists(id));
    return this.failover.targets({ id, kind: this.channels.get(channel).routes, isGone });
  }

  /** @param lanes at least one; all of one channel and route */
  async of(lanes: readonly [LaneSnapshot, ...LaneSnapshot[]]): Promise<Choice> {
    const [first] = lanes;
    const channel = this.channels.get(first.channel);
    const found = await this.routes.byId(first.routeId);
    const isGone = !found && !(await this.routes.exists(first.routeId));
    const connection = found && (await this.connections.get(found.id));
    if (!found || !connection?.ready || connection.onTrial) {
      const route = { id: first.routeId, kind: channel.routes, isGone };
      const other = await this.withoutRoute(lanes, route, connection);
      if (other) return other;
    }
    if (!found || !connection) throw new Error(`route ${first.routeId} cannot be used`);
    const paced = inRecipients(found, channel, first.content);
    const size = this.governor.size(paced, connection, first);
    const items = (found.messagesPerSecond ?? 1) / (paced.messagesPerSecond ?? 1);
    const slots = Math.ceil(items * Math.min(size, waitingIn(lanes)));
    const backoffMs = await this.governor.wait(found, connection, slots);
    if (backoffMs > 0) return { kind: 'wait', backoffMs };
    const deduplicated = this.isDeduplicated(found);
    const opened = (content: Content): Content => openedContent(this.sealer, content);
    return { kind: 'send', carrier: { route: found, channel, connection, deduplicated, opened }, size };
  }

  /** Moves lanes of a route that is down, or on trial, to fallback routes; null = the route takes a trial message. */
  private async withoutRoute(
    lanes: readonly LaneSnapshot[],
    route: FailingRoute,
    connection: RouteConnection | null,
  ): Promise<Choice | null> {
    const targets = await this.failover.targets(route);
    const takesTrial = connection?.ready ?? false;
    if (takesTrial && (targets.length === 0 || this.failover.isTrialDue(route.id))) return null;
    const fault = route.isGone ? NO_ROUTE.text : (connection?.fault ?? 'Route cannot be used');
    const left = await this.failover.relieve(lanes, route, targets, fault);
    if (left.length < lanes.length) return { kind: 'moved' };
    if (takesTrial) return null;
    const lost = route.isGone ? await this.withoutAnyRoute(lanes) : [];
    return lost.length > 0 ? { kind: 'gone', lanes: lost } : { kind: 'down', fault };
  }

  /** Lanes of a deleted route whose chain has no other existing route. */
  private async withoutAnyRoute(lanes: readonly LaneSnapshot[]): Promise<LaneSnapshot[]> {
    const othersOf = await this.failover.othersOf(lanes);
    const ids = [...new Set(lanes.flatMap(othersOf))];
    const found = await Promise.all(ids.map((id) => this.routes.byId(id)));
    const there = new Set(ids.filter((_, index) => found[index]));
    return lanes.filter((lane) => !othersOf(lane).some((id) => there.has(id)));
  }

  private isDeduplicated({ driver, config }: Route): boolean {
    return this.drivers.get(driver).deduplicates(config);
  }
}

const waitingIn = (lanes: readonly LaneSnapshot[]): number =>
  lanes.reduce((sum, { retriesDue, nextSeq, endSeq }) => sum + (retriesDue ? 1 : endSeq - nextSeq), 0);
