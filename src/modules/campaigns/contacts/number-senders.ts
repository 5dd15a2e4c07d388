import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { now } from '../../../kernel/clock.js';
import { personKey, spellingsOf } from '../../../kernel/phone-numbers.js';
import { CAMPAIGN_STATES, SENDERS_KEPT_DAYS } from '../../engine/index.js';
import { RouteDirectory, RouteLogins } from '../../providers/index.js';
import {
  costOf,
  grouped,
  idBehind,
  lowestId,
  newestFirst,
  RECIPIENTS_A_READ,
  type ScannedCampaign,
} from '../campaign-scan.js';

/** The last send to a number over the routes of a login. */
export interface LastSend {
  accountId: number;
  /** null = sent by a version that did not record it */
  campaignId: number | null;
  seq: number | null;
}

/** An account that sent to a number on a day (UTC). */
export interface NumberSender {
  accountId: number;
  day: Date;
}

interface RouteCampaign extends ScannedCampaign {
  account_id: number;
}

const OF_STATE = `(SELECT id, account_id, total_rows FROM campaigns FORCE INDEX (ix_campaigns_route_state)
  WHERE route_id = ? AND state = ? AND id >= ? AND id < ? ORDER BY id DESC LIMIT ?)`;
/** Limit per search: a few seconds of database time. */
const MOST_RECIPIENTS = 5_000_000;

/** The last sender to a number over a shared route gets its answers. All routes of the login count, since any may answer. */
@Injectable()
export class NumberSenders {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly routes: RouteDirectory,
    private readonly logins: RouteLogins,
  ) {}

  /** The last account that sent to each number within `SENDERS_KEPT_DAYS`. @param routeId that received the answers */
  async lastTo(routeId: number, numbers: readonly string[]): Promise<Map<string, number>> {
    const senders = await this.recordedFor(routeId, numbers);
    const open = new Set(numbers.filter((number) => !senders.has(number)));
    if (open.size > 0) await this.search((await this.logins.sharing())(routeId), open, senders);
    return senders;
  }

  async recordedFor(routeId: number, numbers: readonly string[]): Promise<Map<string, number>> {
    const sends = await this.lastSends(routeId, numbers);
    return new Map([...sends].flatMap(([number, of]) => withSender(number, of.at(-1)?.accountId)));
  }

  /** The recorded sends to each person within `SENDERS_KEPT_DAYS`, one a route and day, the last one at the end. */
  async lastSends(routeId: number, numbers: readonly string[]): Promise<Map<string, LastSend[]>> {
    if (numbers.length === 0) return new Map();
    const rows: (LastSend & { number: string })[] = await this.dataSource.query(
      `SELECT number, account_id AS accountId, campaign_id AS campaignId, seq FROM route_senders
       WHERE route_id IN (?) AND number IN (?) AND sent_on >= UTC_DATE() - INTERVAL ${SENDERS_KEPT_DAYS} DAY
       ORDER BY sent_on, route_id = ?`,
      [(await this.logins.sharing())(routeId), numbers.flatMap(spellingsOf), routeId],
    );
    const ofPerson = new Map<string, LastSend[]>();
    for (const { number, ...send } of rows)
      ofPerson.set(personKey(number), [...(ofPerson.get(personKey(number)) ?? []), send]);
    const found = numbers.map((number): [string, LastSend[]] => [number, ofPerson.get(personKey(number)) ?? []]);
    return new Map(found.filter(([, sends]) => sends.length > 0));
  }

  /** Accounts that sent to a number, in any of these spellings, over answerable routes, newest day first. */
  async sendersTo(numbers: readonly string[], limit: number): Promise<NumberSender[]> {
    const routes = (await this.routes.list()).map(({ id }) => id);
    if (routes.length === 0) return [];
    const rows: { account_id: number; day: string }[] = await this.dataSource.query(
      `SELECT account_id, DATE_FORMAT(sent_on, '%Y-%m-%d') AS day FROM route_senders
       WHERE route_id IN (?) AND number IN (?) AND sent_on >= UTC_DATE() - INTERVAL ${SENDERS_KEPT_DAYS} DAY
       GROUP BY account_id, sent_on ORDER BY sent_on DESC LIMIT ?`,
      [routes, numbers, limit],
    );
    return rows.map(({ account_id: accountId, day }) => ({ accountId, day: new Date(`${day}T00:00:00Z`) }));
  }

  /** Searches campaigns accepted before sends were recorded, up to a limit; needless after `SENDERS_KEPT_DAYS`. */
  private async search(routeIds: readonly number[], open: Set<string>, senders: Map<string, number>): Promise<void> {
    const [recording] = await this.dataSource.query<{ days: number }[]>(
      "SELECT DATEDIFF(UTC_DATE(), sent_on) AS days FROM route_senders WHERE route_id = 0 AND number = '' LIMIT 1",
    );
    if (!recording) return;
    let left = MOST_RECIPIENTS;
    for await (const group of grouped(
      this.campaigns(routeIds, daysAgo(Number(recording.days) - 1)),
      RECIPIENTS_A_READ,
    )) {
      if (open.size === 0 || left <= 0) break;
      const rows: { number: string; campaign_id: number }[] = await this.dataSource.query(
        `SELECT receiver AS number, MAX(campaign_id) AS campaign_id FROM campaign_recipients
         WHERE campaign_id IN (?) AND receiver IN (?) AND attempts > 0 GROUP BY receiver`,
        [group.map(({ id }) => id), [...open].flatMap(spellingsOf)],
      );
      const owners = new Map(group.map((campaign) => [campaign.id, campaign.account_id]));
      const latest = new Map<string, number>();
      for (const { number, campaign_id: id } of rows) {
        const person = personKey(number);
        latest.set(person, Math.max(latest.get(person) ?? 0, Number(id)));
      }
      for (const number of [...open]) {
        const id = latest.get(personKey(number));
        if (id === undefined) continue;
        for (const [to, owner] of withSender(number, owners.get(id))) senders.set(to, owner);
        open.delete(number);
      }
      for (const campaign of group) left -= costOf(campaign);
    }
  }

  /** Campaigns of the routes up to a time, newest first; an index range per route and state. */
  private campaigns(routeIds: readonly number[], until: Date): AsyncGenerator<RouteCampaign, void, undefined> {
    const oldest = lowestId(daysAgo(SENDERS_KEPT_DAYS));
    const ranges = routeIds.flatMap((routeId) => CAMPAIGN_STATES.map((state) => [routeId, state] as const));
    return newestFirst(idBehind(until), (before, limit) =>
      this.dataSource.query<RouteCampaign[]>(
        `SELECT c.id, c.account_id, c.total_rows FROM (${ranges.map(() => OF_STATE).join(' UNION ALL ')}) c
         ORDER BY c.id DESC LIMIT ?`,
        [...ranges.flatMap((range) => [...range, oldest, before, limit]), limit],
      ),
    );
  }
}

const withSender = (number: string, accountId: number | undefined): [string, number][] =>
  accountId === undefined ? [] : [[number, accountId]];

const daysAgo = (days: number): Date => new Date(now().getTime() - days * 86_400_000);
