import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { Counter } from 'prom-client';
import { DataSource, type EntityManager } from 'typeorm';
import { jsonRows } from '../../../platform/database/index.js';
import { Metrics } from '../../../platform/observability/index.js';
import { RelayNotifier } from '../../../platform/queues/index.js';
import { RouteDirectory } from '../../providers/index.js';
import { type DueRecipient, MAX_TRIES } from '../attempts.js';
import {
  chainsOfLanes,
  firstIndexOf,
  groupOf,
  heldFence,
  inLaneOrder,
  isRefusedLane,
  laneKey,
  type LaneKey,
  lanesBefore,
  type LaneSnapshot,
  refusedLaneOf,
  type RouteChain,
} from '../lanes.js';
import { referenceOf } from '../recipient.js';
import { NEW_FENCE, RETRIABLE } from '../state/retries.js';
import { OF_KEY } from '../state/lane-endings.js';
import type { BatchResult } from './recipient-change.js';

/** Counter of moved lanes and refused recipients. */
export const failoverCounter = (metrics: Metrics): Counter<'channel'> =>
  metrics.counter('switchboard_failovers_total', 'Lanes and refused recipients handed to another route', ['channel']);

const REASON_LENGTH = 255;

export interface HandedOn {
  recipient: DueRecipient;
  /** created if it does not exist */
  toLane: number;
  routeId: number;
  reason: string;
}

/** The next route after a carrier's refusal; null = the refusal is final. */
export type Successors = (lane: LaneSnapshot) => { index: number; routeId: number } | null;

export interface Sorted {
  handed: readonly HandedOn[];
  others: readonly BatchResult[];
}

/** Moves recipients refused with one of `failover_codes` to the next route of their chain, as retries (docs/decisions/0034). */
@Injectable()
export class RefusedSends {
  private readonly logger = new Logger(RefusedSends.name);
  private readonly counter;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly routes: RouteDirectory,
    private readonly relay: RelayNotifier,
    metrics: Metrics,
  ) {
    this.counter = failoverCounter(metrics);
  }

  /** Call before the transaction; reads chains only if something was refused. */
  async successors(results: readonly BatchResult[]): Promise<Successors | null> {
    const lanes = [...new Set(results.filter(isForAnother).map(({ recipient }) => recipient.lane))];
    if (lanes.length === 0) return null;
    const chainOf = await chainsOfLanes(this.dataSource, lanes);
    const ids = [...new Set(lanes.flatMap((lane) => chainOf(lane) ?? []))];
    const found = await Promise.all(ids.map((id) => this.routes.byId(id)));
    const there = new Set(ids.filter((_, index) => found[index]));
    return (lane) => successorOf(chainOf(lane), lane, there);
  }

  /** Holds back recipients that the route refused before their lane moved back; if unreadable, nothing is sent now. */
  async holdBack(
    recipients: readonly DueRecipient[],
  ): Promise<{ leaving: readonly DueRecipient[]; held: BatchResult[] }> {
    const handed = recipients.filter(({ lane }) => isRefusedLane(lane.lane));
    if (handed.length === 0) return { leaving: recipients, held: [] };
    try {
      const chainOf = await chainsOfLanes(this.dataSource, [...new Set(handed.map(({ lane }) => lane))]);
      const moved = handed.filter(({ lane }) => chainOf(lane)?.[firstIndexOf(lane.lane)] !== lane.routeId);
      const reasons = await this.refusals(moved);
      if (reasons.size === 0) return { leaving: recipients, held: [] };
      return {
        leaving: recipients.filter((recipient) => !reasons.has(recipient)),
        held: [...reasons].map(([recipient, reason]) => ({ recipient, outcome: { kind: 'refused', ...said(reason) } })),
      };
    } catch (error) {
      this.logger.warn({ err: error }, 'earlier refusals not read, the batch waits');
      const outcome = { kind: 'unsent', afterMs: 0, text: 'Earlier refusals unread' } as const;
      return { leaving: [], held: recipients.map((recipient) => ({ recipient, outcome })) };
    }
  }

  /** Earlier refusal reasons. */
  private async refusals(recipients: readonly DueRecipient[]): Promise<ReadonlyMap<DueRecipient, string>> {
    if (recipients.length === 0) return new Map();
    const rows = recipients.flatMap(({ lane: from, seq }, index) =>
      lanesBefore(from.lane).map((lane) => [index, from.campaignId, lane, seq, from.routeId]),
    );
    const found = await this.dataSource.query<{ ordinal: number; reason: string }[]>(
      `SELECT STRAIGHT_JOIN j.ordinal, c.reason FROM JSON_TABLE(?, '$[*]' COLUMNS (ordinal INT PATH '$[0]', campaign_id BIGINT PATH '$[1]',
         lane INT PATH '$[2]', seq INT PATH '$[3]', route_id BIGINT PATH '$[4]')) j
       JOIN route_changes c FORCE INDEX (PRIMARY) ON c.campaign_id = j.campaign_id AND c.lane = j.lane AND c.seq = j.seq
       WHERE c.from_route = j.route_id AND c.campaign_id IN (?)`,
      [jsonRows(rows), [...new Set(recipients.map(({ lane }) => lane.campaignId))]],
    );
    return new Map(
      found.flatMap(({ ordinal, reason }) => {
        const recipient = recipients[Number(ordinal)];
        return recipient ? [[recipient, reason] as const] : [];
      }),
    );
  }

  /** A worker that lost its lane moves nothing; skips refusals moved by an earlier commit of the same results. */
  async sort(tx: EntityManager, results: readonly BatchResult[], successors: Successors | null): Promise<Sorted> {
    if (!successors) return { handed: [], others: results };
    const held = await this.held(tx, results);
    const isLost = (result: BatchResult): boolean => isForAnother(result) && !held.has(heldKey(result.recipient.lane));
    const earlier = await this.handedBefore(tx, results.filter(isLost));
    const handed: HandedOn[] = [];
    const others: BatchResult[] = [];
    for (const result of results) {
      const { recipient, outcome } = result;
      if (isLost(result) && earlier.has(referenceOf({ ...recipient.lane, seq: recipient.seq }))) continue;
      const next = isForAnother(result) && !isLost(result) ? successors(recipient.lane) : null;
      if (!next || !('text' in outcome)) others.push(result);
      else {
        const { routeId, index } = next;
        const toLane = refusedLaneOf(groupOf(recipient.lane.lane), index);
        handed.push({ recipient, toLane, routeId, reason: reasonOf(outcome).slice(0, REASON_LENGTH) });
      }
    }
    return { handed, others };
  }

  /**
   * Moves recipients to lanes of other routes, due at once, while the claim is held. Idempotent, since results may be written
   * again after a lost answer.
   */
  async handOn(tx: EntityManager, handed: readonly HandedOn[]): Promise<void> {
    if (handed.length === 0) return;
    const lanes = new Map(handed.map((each) => [laneKey({ ...each.recipient.lane, lane: each.toLane }), each]));
    await tx.query(
      `INSERT INTO campaign_lanes (campaign_id, lane, channel, route_id, account_id, single, next_seq, intent_seq, end_seq,
         fence, wake_at, settle_at)
       SELECT STRAIGHT_JOIN c.id, j.lane, c.channel, j.route_id, c.account_id, c.total_rows = 1,
         c.total_rows + 1, c.total_rows + 1, c.total_rows + 1, ${NEW_FENCE}, UTC_TIMESTAMP(3), l.settle_at
       FROM JSON_TABLE(?, '$[*]' COLUMNS (campaign_id BIGINT PATH '$[0]', lane INT PATH '$[1]', route_id INT PATH '$[2]',
         from_lane INT PATH '$[3]')) j
       JOIN campaigns c ON c.id = j.campaign_id
       JOIN campaign_lanes l FORCE INDEX (PRIMARY) ON l.campaign_id = j.campaign_id AND l.lane = j.from_lane
       ON DUPLICATE KEY UPDATE wake_at = LEAST(COALESCE(campaign_lanes.wake_at, VALUES(wake_at)), VALUES(wake_at))`,
      [
        jsonRows(
          [...lanes.values()]
            .map(({ recipient: { lane: from }, toLane, routeId }) => ({
              ...from,
              lane: toLane,
              routeId,
              from: from.lane,
            }))
            .sort(inLaneOrder)
            .map(({ campaignId, lane, routeId, from }) => [campaignId, lane, routeId, from]),
        ),
      ],
    );
    const rows = jsonRows(
      handed.map(({ recipient: { lane: from, seq, attempt }, toLane, routeId, reason }) => [
        ...[from.campaignId, seq, from.lane, heldFence(from), attempt + 1],
        ...[toLane, from.routeId, routeId, reason],
      ]),
    );
    await tx.query(
      `UPDATE ${HANDED} STRAIGHT_JOIN campaign_lanes l FORCE INDEX (PRIMARY) ON ${OF_KEY}
       STRAIGHT_JOIN recipient_retries t FORCE INDEX (PRIMARY) ON t.campaign_id = j.campaign_id AND t.seq = j.seq AND t.lane = j.lane
       SET t.lane = j.to_lane, t.due_at = UTC_TIMESTAMP(3), t.attempt = j.attempt, t.intent_fence = NULL`,
      [rows],
    );
    await tx.query(
      `INSERT IGNORE INTO recipient_retries (campaign_id, seq, lane, due_at, attempt, intent_fence)
       SELECT STRAIGHT_JOIN j.campaign_id, j.seq, j.to_lane, UTC_TIMESTAMP(3), j.attempt, NULL
       FROM ${HANDED} JOIN campaign_lanes l ON ${OF_KEY}
       JOIN campaign_recipients r ON r.campaign_id = j.campaign_id AND r.seq = j.seq AND r.status IN (?)
       WHERE r.campaign_id IN (?)`,
      [rows, RETRIABLE, [...new Set(handed.map(({ recipient }) => recipient.lane.campaignId))]],
    );
    await tx.query(
      `INSERT IGNORE INTO route_changes (campaign_id, lane, seq, fence, to_lane, from_seq, at, from_route, to_route, reason)
       SELECT STRAIGHT_JOIN j.campaign_id, j.lane, j.seq, j.fence, j.to_lane, j.seq, UTC_TIMESTAMP(3), j.from_route, j.to_route, j.reason
       FROM ${HANDED} JOIN campaign_lanes l ON ${OF_KEY}`,
      [rows],
    );
  }

  /** Call after the commit: logs the moves and notifies the relay. */
  publish(handed: readonly HandedOn[]): void {
    const byCarrier = new Map<string, HandedOn[]>();
    for (const each of handed) {
      const { channel, routeId } = each.recipient.lane;
      const key = `${channel} ${routeId}`;
      const own = byCarrier.get(key);
      if (own) own.push(each);
      else byCarrier.set(key, [each]);
    }
    for (const own of byCarrier.values()) this.publishRoute(own);
  }

  private publishRoute(handed: readonly HandedOn[]): void {
    const [first] = handed;
    if (!first) return;
    const { channel, routeId: from } = first.recipient.lane;
    this.counter.inc({ channel }, handed.length);
    for (const to of new Set(handed.map(({ routeId }) => routeId))) {
      const those = handed.filter(({ routeId }) => routeId === to);
      const reason = those[0]?.reason;
      this.logger.log({ from, to, recipients: those.length, reason }, 'refused, handed to another route');
      for (const single of new Set(those.map(({ recipient }) => recipient.lane.single))) {
        this.relay.notify([{ channel, routeId: to, single }]);
      }
    }
  }

  private async handedBefore(tx: EntityManager, results: readonly BatchResult[]): Promise<ReadonlySet<string>> {
    if (results.length === 0) return new Set();
    const rows = await tx.query<{ campaignId: number; seq: number }[]>(
      `SELECT STRAIGHT_JOIN c.campaign_id AS campaignId, c.seq FROM JSON_TABLE(?, '$[*]' COLUMNS (
         campaign_id BIGINT PATH '$[0]', lane INT PATH '$[1]', seq INT PATH '$[2]', fence BIGINT PATH '$[3]')) j
       JOIN route_changes c FORCE INDEX (PRIMARY) ON c.campaign_id = j.campaign_id AND c.lane = j.lane AND c.seq = j.seq
         AND c.fence = j.fence WHERE c.campaign_id IN (?)`,
      [
        jsonRows(results.map(({ recipient: { lane, seq } }) => [lane.campaignId, lane.lane, seq, heldFence(lane)])),
        [...new Set(results.map(({ recipient }) => recipient.lane.campaignId))],
      ],
    );
    return new Set(rows.map(referenceOf));
  }

  /** By lane and fence: one flush may contain a lane twice, of the worker that lost it and of the next one. */
  private async held(tx: EntityManager, results: readonly BatchResult[]): Promise<ReadonlySet<string>> {
    const lanes = [...new Set(results.filter(isForAnother).map(({ recipient }) => recipient.lane))];
    const rows = await tx.query<(LaneKey & { fence: number })[]>(
      `SELECT STRAIGHT_JOIN l.campaign_id AS campaignId, l.lane, l.fence FROM JSON_TABLE(?, '$[*]' COLUMNS (
         campaign_id BIGINT PATH '$[0]', lane INT PATH '$[1]', fence BIGINT PATH '$[2]')) j
       JOIN campaign_lanes l ON l.campaign_id = j.campaign_id AND l.lane = j.lane AND l.fence = j.fence`,
      [jsonRows(lanes.map((lane) => [lane.campaignId, lane.lane, heldFence(lane)]))],
    );
    return new Set(rows.map((row) => `${laneKey(row)} ${row.fence}`));
  }
}

const HANDED = `JSON_TABLE(?, '$[*]' COLUMNS (campaign_id BIGINT PATH '$[0]', seq INT PATH '$[1]', lane INT PATH '$[2]',
  fence BIGINT PATH '$[3]', attempt INT PATH '$[4]', to_lane INT PATH '$[5]', from_route INT PATH '$[6]',
  to_route INT PATH '$[7]', reason VARCHAR(255) CHARACTER SET utf8mb4 PATH '$[8]')) j`;

const heldKey = (lane: LaneSnapshot): string => `${laneKey(lane)} ${heldFence(lane)}`;

const reasonOf = (outcome: BatchResult['outcome'] & { text: string }): string =>
  'code' in outcome && outcome.code !== null ? `${outcome.code}: ${outcome.text}` : outcome.text;

function said(reason: string): { code: number | null; text: string } {
  const [, code, text] = /^(-?\d{1,10}): (.*)$/s.exec(reason) ?? [];
  return text === undefined ? { code: null, text: reason } : { code: Number(code), text };
}

/** A recipient with a possible copy at the carrier is not sent elsewhere. */
const isForAnother = ({ recipient, outcome }: BatchResult): boolean =>
  'elsewhere' in outcome && !recipient.inDoubt && recipient.attempt < MAX_TRIES;

/** The next existing route behind the refusing one and behind the lane's index. */
function successorOf(
  chain: RouteChain | null,
  { routeId, lane }: LaneSnapshot,
  there: ReadonlySet<number>,
): { index: number; routeId: number } | null {
  const at = chain?.indexOf(routeId) ?? -1;
  if (!chain || at < 0) return null;
  const behind = Math.max(at, firstIndexOf(lane));
  const index = chain.findIndex((route, next) => next > behind && there.has(route));
  return index < 0 ? null : { index, routeId: Number(chain[index]) };
}
