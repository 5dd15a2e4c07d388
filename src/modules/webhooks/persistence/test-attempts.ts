import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { newId } from '../../../kernel/ids.js';
import { again } from '../../../platform/database/index.js';
import type { Attempt } from './delivery-results.js';

/** The log of test events: a try, and no event that could be sent again. */
@Injectable()
export class TestAttempts {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async log(endpointId: number, eventId: string, type: string, attempt: Attempt): Promise<void> {
    await this.dataSource.query(
      again(`INSERT IGNORE INTO webhook_attempts (endpoint_id, id, event_id, type, attempt, status_code, error, answer,
         duration_ms, created_at, next_attempt_at) VALUES (?, ?, ?, ?, 1, ?, ?, ?, ?, ?, NULL)`),
      [
        endpointId,
        newId(),
        eventId,
        type,
        attempt.statusCode,
        attempt.error,
        attempt.answer,
        attempt.durationMs,
        attempt.startedAt,
      ],
    );
  }
}
