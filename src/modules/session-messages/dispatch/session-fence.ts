import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction, type WriteResult } from '../../../platform/database/index.js';
import { RecipientStatus } from '../../engine/index.js';

const MESSAGES_A_STEP = 1_000;
/** As for campaigns: the clock of the former life may have been ahead. */
const CLOCK_MARGIN_MINUTES = 10;

/** Scheduled session messages of a copy of the database that is taken into use (docs/decisions/0042). */
@Injectable()
export class SessionFence {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Those whose moment has come may have left since. @returns how many: receipts settle them, or the deadline does */
  async raise(): Promise<number> {
    for (let count = 0; ;) {
      const { affectedRows } = await inTransaction(this.dataSource, (tx) =>
        tx.query<WriteResult>(
          `UPDATE session_messages SET status = ${RecipientStatus.Unknown}, sent_at = UTC_TIMESTAMP(3), due_at = NULL, claim = NULL,
             updated_at = UTC_TIMESTAMP(3)
           WHERE status = ${RecipientStatus.Pending} AND due_at <= UTC_TIMESTAMP(3) + INTERVAL ${CLOCK_MARGIN_MINUTES} MINUTE
           ORDER BY due_at LIMIT ${MESSAGES_A_STEP}`,
        ),
      );
      count += affectedRows;
      if (affectedRows < MESSAGES_A_STEP) return count;
    }
  }
}
