import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { UnmatchedStore } from '../../engine/index.js';
import { RouteDirectory } from '../../providers/index.js';
import type { AlarmCheck, Finding } from '../domain/kinds.js';

/** A receipt may come before its message is written. */
const OLDER_THAN_MS = 60_000;
const MOST_COUNTED = 100_000;

/** Many receipts of a route belong to no message. */
@Injectable()
export class ReceiptsUnmatched implements AlarmCheck {
  readonly kind = 'receipts_unmatched';

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly store: UnmatchedStore,
    private readonly routes: RouteDirectory,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'ALARM_UNMATCHED'>,
  ) {}

  async find(): Promise<Finding[]> {
    const { ALARM_UNMATCHED: threshold } = this.environment;
    const found: Finding[] = [];
    for (const [id, receipts] of await this.store.countByRoute(this.dataSource, OLDER_THAN_MS, MOST_COUNTED)) {
      if (receipts < threshold) continue;
      const name = (await this.routes.byId(id))?.name ?? String(id);
      const message = `${receipts} receipts of route ${name} belong to no message`;
      found.push({ subject: name, message, value: receipts, threshold });
    }
    return found;
  }
}
