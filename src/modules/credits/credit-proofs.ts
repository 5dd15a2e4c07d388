import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { CreditProofAnswer } from './http/credit.dto.js';
import { ProveCreditsHandler, ProveCreditsQuery } from './queries/prove-credits.query.js';

/** Entries of the ledger, the newest, whose accounts moved lately. */
const ENTRIES = 2_000;

/** Proves balances of accounts that moved lately. */
@Injectable()
export class CreditProofs {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly proofs: ProveCreditsHandler,
  ) {}

  async movedLately(): Promise<number[]> {
    const rows = await this.dataSource.query<{ id: number }[]>(
      `SELECT DISTINCT account_id AS id FROM (SELECT account_id FROM credit_ledger ORDER BY id DESC LIMIT ${ENTRIES}) latest`,
    );
    return rows.map(({ id }) => id);
  }

  /** The balances of an account that are not what its ledger says. */
  async faultsOf(accountId: number): Promise<CreditProofAnswer[]> {
    return (await this.proofs.execute(new ProveCreditsQuery(accountId))).filter(({ ok }) => !ok);
  }
}
