import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';

/** What waits for endpoints of all accounts. */
export interface Backlog {
  /** 10,000 at the most */
  deliveries: number;
  /** of the endpoint that has been due for longest; 0 = none is */
  oldestSeconds: number;
  /** 1,000 at the most */
  failing: number;
}

/** How far webhooks are behind, at a cost that does not grow with it. */
@Injectable()
export class WebhookBacklog {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async read(): Promise<Backlog> {
    const [row] = await this.dataSource.query<Record<keyof Backlog, string | null>[]>(
      `SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM webhook_deliveries LIMIT 10000) d) AS deliveries,
         (SELECT TIMESTAMPDIFF(SECOND, MIN(next_due_at), UTC_TIMESTAMP(3)) FROM webhook_endpoints
          WHERE status = 'active' AND next_due_at <= UTC_TIMESTAMP(3)) AS oldestSeconds,
         (SELECT COUNT(*) FROM (SELECT 1 FROM webhook_endpoints FORCE INDEX (ix_webhook_endpoints_failing)
          WHERE failing_since IS NOT NULL AND status = 'active' LIMIT 1000) f) AS failing LIMIT 1`,
    );
    return {
      deliveries: Number(row?.deliveries ?? 0),
      oldestSeconds: Number(row?.oldestSeconds ?? 0),
      failing: Number(row?.failing ?? 0),
    };
  }
}
