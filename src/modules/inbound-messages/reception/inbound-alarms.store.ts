import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { now } from '../../../kernel/clock.js';
import { firstIdAt } from '../../../kernel/ids.js';
import { OPERATOR, ReplyState } from './inbound-message.js';

export interface RouteCount {
  routeId: number;
  count: number;
}

const DAY_MS = 86_400_000;
const AUTOMATIC_MS = 10 * 60_000;
const MOST_COUNTED = 10_000;

const since = (ms: number): number => firstIdAt(new Date(now().getTime() - ms));

/** What alarms ask about inbound texts. */
@Injectable()
export class InboundAlarms {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Texts of the last day in the operator's inbox, by route. */
  unowned(): Promise<RouteCount[]> {
    return this.byRoute(
      'FORCE INDEX (ix_inbound_messages_account) WHERE account_id = ? AND id >= ? AND owner_due IS NULL',
      [OPERATOR, since(DAY_MS)],
    );
  }

  /** Texts of the last ten minutes that look automatic, by route. */
  automatic(): Promise<RouteCount[]> {
    return this.byRoute('FORCE INDEX (ix_inbound_messages_replied) WHERE reply_state = ? AND id >= ?', [
      ReplyState.Automatic,
      since(AUTOMATIC_MS),
    ]);
  }

  private async byRoute(where: string, values: unknown[]): Promise<RouteCount[]> {
    const rows: { routeId: number; count: string }[] = await this.dataSource.query(
      `SELECT routeId, COUNT(*) AS count FROM (
         SELECT route_id AS routeId FROM inbound_messages ${where} ORDER BY id DESC LIMIT ${MOST_COUNTED}) m
       GROUP BY routeId`,
      values,
    );
    return rows.map(({ routeId, count }) => ({ routeId, count: Number(count) }));
  }
}
