import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

const MOST = 1_000;

/** The accounts of staff of the house: those that look after all of it. */
@Injectable()
export class StaffAccounts {
  async ids(tx: EntityManager): Promise<number[]> {
    const rows = await tx.query<{ id: number }[]>(
      `SELECT id FROM accounts FORCE INDEX (ix_accounts_user_type)
       WHERE user_type IN ('super', 'admin') AND is_active = 1 ORDER BY id LIMIT ${MOST}`,
    );
    return rows.map(({ id }) => id);
  }
}
