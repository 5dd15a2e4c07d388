import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { jsonRows } from '../../../platform/database/index.js';
import { RouteDirectory } from '../../providers/index.js';
import { type DueRecipient, MAX_TRIES } from '../attempts.js';
import {
  chainsOfLanes,
  firstIndexOf,
  groupOf,
  heldFence,
  isRefusedLane,
  laneKey,
  type LaneKey,
  lanesBefore,
  type LaneSnapshot,
  refusedLaneOf,
} from '../lanes.js';
import { referenceOf } from '../recipient.js';
import { LaneMoves, nextInChain, type RecipientHandover } from '../state/lane-moves.js';
import type { BatchResult } from './recipient-change.js';

/** The next route after a carrier's refusal; null = the refusal is final. */
export type Successors = (lane: LaneSnapshot) => { index: number; routeId: number } | null;

export interface Sorted {
  handed: readonly RecipientHandover[];
  others: readonly BatchResult[];
}

/** Moves recipients refused with one of `failover_codes` to the next route of their chain, as retries (docs/decisions/0034). */
@Injectable()
export class RefusedSends {
  private readonly logger = new Logger(RefusedSends.name);

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly routes: RouteDirectory,
    private readonly moves: LaneMoves,
  ) {}

  /** Call before the transaction; reads chains only if something was refused. */
  async successors(results: readonly BatchResult[]): Promise<Successors | null> {
    const lanes = [...new Set(results.filter(isForAnother).map(({ recipient }) => recipient.lane))];
    if (lanes.length === 0) return null;
    const chainOf = await chainsOfLanes(this.dataSource, lanes);
    const ids = [...new Set(lanes.flatMap((lane) => chainOf(lane) ?? []))];
    const found = await Promise.all(ids.map((id) => this.routes.byId(id)));
    const there = new Set(ids.filter((_, index) => found[index]));
    return (lane) => {
      const chain = chainOf(lane);
      const index = nextInChain(chain, lane, 'refused', (id) => there.has(id));
      return index === null ? null : { index, routeId: Number(chain?.[index]) };
    };
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
    const handed: RecipientHandover[] = [];
    const others: BatchResult[] = [];
    for (const result of results) {
      const { recipient, outcome } = result;
      if (isLost(result) && earlier.has(referenceOf({ ...recipient.lane, seq: recipient.seq }))) continue;
      const next = isForAnother(result) && !isLost(result) ? successors(recipient.lane) : null;
      if (!next || !('text' in outcome)) others.push(result);
      else {
        const { routeId, index } = next;
        const toLane = refusedLaneOf(groupOf(recipient.lane.lane), index);
        const { lane: from, seq, attempt } = recipient;
        handed.push({ ...from, from: from.routeId, to: routeId, reason: reasonOf(outcome), seq, attempt, toLane });
      }
    }
    return { handed, others };
  }

  handOn(tx: EntityManager, handed: readonly RecipientHandover[]): Promise<void> {
    return this.moves.moveRecipients(tx, handed);
  }

  /** Call after the commit. */
  publish(handed: readonly RecipientHandover[]): void {
    this.moves.publish(handed, 'refused');
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
