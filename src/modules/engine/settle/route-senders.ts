import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { jsonRows } from '../../../platform/database/index.js';
import { DriverRegistry, RouteDirectory } from '../../providers/index.js';

interface RouteSend {
  lane: { routeId: number; accountId: number; campaignId: number };
  seq: number;
  number: string;
}

/** Records which account sent to a number last over a shared route: it gets the answers. */
@Injectable()
export class RouteSenders {
  constructor(
    private readonly routes: RouteDirectory,
    private readonly drivers: DriverRegistry,
  ) {}

  /** Whether handsets can answer over the route. Call before the transaction. */
  async receivesTexts(routeId: number): Promise<boolean> {
    const route = await this.routes.byId(routeId);
    return route !== null && (this.drivers.find(route.driver)?.bringsTexts ?? false);
  }

  /** Records sends in key order, to prevent deadlocks. The last sender to a number wins. */
  async record(tx: EntityManager, sends: readonly RouteSend[]): Promise<void> {
    if (sends.length === 0) return;
    const last = new Map<
      string,
      [routeId: number, number: string, accountId: number, campaignId: number, seq: number]
    >();
    for (const { lane, number, seq } of sends) {
      last.set(`${lane.routeId} ${number}`, [lane.routeId, number, lane.accountId, lane.campaignId, seq]);
    }
    const rows = [...last.values()].sort((a, b) => a[0] - b[0] || (a[1] < b[1] ? -1 : 1));
    await tx.query(
      `INSERT INTO route_senders (route_id, number, account_id, campaign_id, seq, sent_on)
       SELECT j.route_id, j.number, j.account_id, j.campaign_id, j.seq, UTC_DATE() FROM JSON_TABLE(?, '$[*]' COLUMNS (
         route_id INT UNSIGNED PATH '$[0]', number VARCHAR(32) CHARACTER SET ascii PATH '$[1]', account_id INT PATH '$[2]',
         campaign_id BIGINT PATH '$[3]', seq INT UNSIGNED PATH '$[4]')) j
       ON DUPLICATE KEY UPDATE account_id = VALUES(account_id), campaign_id = VALUES(campaign_id), seq = VALUES(seq)`,
      [jsonRows(rows)],
    );
  }
}
