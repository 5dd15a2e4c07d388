import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';

/** An active endpoint whose every delivery has failed for a while. */
export interface FailingEndpoint {
  id: number;
  accountId: number;
  /** since the first failure after the last success */
  seconds: number;
}

const MOST = 200;

/** Endpoints that fail, over all accounts; those that do not are not read. */
@Injectable()
export class FailingEndpoints {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Longest first, some hundred at the most. @param sinceMs fewer milliseconds do not count */
  async since(sinceMs: number): Promise<FailingEndpoint[]> {
    const rows = await this.dataSource.query<(Omit<FailingEndpoint, 'seconds'> & { seconds: string })[]>(
      `SELECT id, account_id AS accountId, TIMESTAMPDIFF(SECOND, failing_since, UTC_TIMESTAMP(3)) AS seconds
       FROM webhook_endpoints FORCE INDEX (ix_webhook_endpoints_failing)
       WHERE failing_since <= UTC_TIMESTAMP(3) - INTERVAL ? MICROSECOND AND status = 'active'
       ORDER BY failing_since LIMIT ${MOST}`,
      [Math.round(sinceMs * 1000)],
    );
    return rows.map((row) => ({ ...row, seconds: Number(row.seconds) }));
  }
}
