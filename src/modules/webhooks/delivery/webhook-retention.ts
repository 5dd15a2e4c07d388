import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { now } from '../../../kernel/clock.js';
import { again, type WriteResult, isFree } from '../../../platform/database/index.js';
import { LeaderGate, SharedTask } from '../../../platform/periodic/index.js';
import { safeError } from '../../../platform/observability/index.js';
import { EndpointMoments } from '../endpoints.store.js';
import { firstEventIdAt } from '../events.js';
import { KEPT_DAYS } from '../webhook.js';

const BATCH = 5_000;

/** Deletes deliveries that will never be sent, in bounded steps; events and tries expire with their days (`tables.ts`). */
@Injectable()
export class WebhookRetention {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Deletes deliveries of older events to disabled endpoints. */
  async prune(before: Date): Promise<void> {
    const first = firstEventIdAt(before);
    for (let after = 0; ;) {
      const disabled: { id: number }[] = await this.dataSource.query(
        `SELECT id FROM webhook_endpoints WHERE status = 'disabled' AND id > ? ORDER BY id LIMIT ${BATCH}`,
        [after],
      );
      for (const { id } of disabled) {
        await this.inSteps('DELETE FROM webhook_deliveries WHERE endpoint_id = ? AND event_id < ?', [id, first]);
        after = id;
      }
      if (disabled.length < BATCH) return;
    }
  }

  /** Deletes removed endpoints with their rows, delayed: a transaction that read one as active may still commit. */
  async clear(): Promise<void> {
    const removed: { id: number }[] = await this.dataSource.query(
      `SELECT id FROM webhook_endpoints WHERE status = 'removed' AND updated_at <= UTC_TIMESTAMP(3) - INTERVAL 10 MINUTE
         AND ${isFree()} LIMIT ${BATCH}`,
    );
    for (const { id } of removed) {
      await this.inSteps('DELETE FROM webhook_deliveries WHERE endpoint_id = ?', [id]);
      await this.inSteps('DELETE FROM webhook_attempts WHERE endpoint_id = ?', [id]);
      await this.inSteps('DELETE FROM webhook_counters WHERE endpoint_id = ?', [id]);
      await this.dataSource.query(again(`DELETE FROM webhook_endpoints WHERE id = ? AND status = 'removed'`), [id]);
    }
  }

  private async inSteps(statement: string, parameters: readonly unknown[]): Promise<void> {
    for (;;) {
      const result: WriteResult = await this.dataSource.query(again(`${statement} LIMIT ${BATCH}`), [...parameters]);
      if (result.affectedRows < BATCH) return;
    }
  }
}

const SWEEP_EVERY_MS = 60_000;
const DAY_MS = 86_400_000;

/** Each minute deletes 30-day-old deliveries to disabled endpoints and removed endpoints, and repairs missed due times. */
@Injectable()
export class WebhookSweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(WebhookSweeper.name);
  private readonly task: SharedTask;

  constructor(
    gate: LeaderGate,
    private readonly moments: EndpointMoments,
    private readonly retention: WebhookRetention,
  ) {
    this.task = new SharedTask(gate, {
      name: 'webhook-sweep',
      everyMs: SWEEP_EVERY_MS,
      work: () => this.sweep(),
      onFault: (error) => this.logger.warn({ err: safeError(error) }, 'sweep failed, trying again'),
    });
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }

  private async sweep(): Promise<void> {
    await this.moments.repair();
    await this.retention.clear();
    await this.retention.prune(new Date(now().getTime() - KEPT_DAYS * DAY_MS));
  }
}
