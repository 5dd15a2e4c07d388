import { Injectable } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { InjectDataSource, InjectRepository } from '@nestjs/typeorm';
import { DataSource, Repository } from 'typeorm';
import { dateTime } from '../../kernel/clock.js';
import { type Listed, type Page, shown } from '../../kernel/lists.js';
import { makerForOwner } from '../../kernel/maker.js';
import { inListedOrder, listKeys, ReadDatabase } from '../../platform/database/index.js';
import { BalanceAlerts, type BalanceThresholds } from './balance-alerts.store.js';
import { type BalanceName, BALANCES, type LedgerKind } from './balances.js';
import type {
  BalanceAnswer,
  ClosingProofAnswer,
  CreditProofAnswer,
  LedgerEntryAnswer,
  LedgerOpeningAnswer,
} from './credits.dto.js';
import { creditErrors } from './credits.errors.js';
import { CreditBalanceEntity } from './tables.js';
import type { UsageSelection } from './usage-selection.js';
import type { UsageRowAnswer } from './usage.dto.js';
import { UsageReader } from './usage.store.js';

/** Returns an account's alert thresholds, in credits. */
export class GetBalanceAlertsQuery extends Query<BalanceThresholds> {
  constructor(readonly accountId: number) {
    super();
  }
}

@QueryHandler(GetBalanceAlertsQuery)
export class GetBalanceAlertsHandler implements IQueryHandler<GetBalanceAlertsQuery> {
  constructor(private readonly alerts: BalanceAlerts) {}

  execute({ accountId }: GetBalanceAlertsQuery): Promise<BalanceThresholds> {
    return this.alerts.of(accountId);
  }
}

/** Returns an account's six balances, in credits, in the order of reference/credits#balances. */
export class GetBalancesQuery extends Query<BalanceAnswer[]> {
  constructor(readonly accountId: number) {
    super();
  }
}

@QueryHandler(GetBalancesQuery)
export class GetBalancesHandler implements IQueryHandler<GetBalancesQuery> {
  constructor(@InjectRepository(CreditBalanceEntity) private readonly balances: Repository<CreditBalanceEntity>) {}

  async execute({ accountId }: GetBalancesQuery): Promise<BalanceAnswer[]> {
    const rows = await this.balances.findBy({ accountId });
    const stored = new Map(rows.map((row) => [row.balance, row.available]));
    return BALANCES.map((balance) => ({ balance, available: stored.get(balance) ?? 0 }));
  }
}

/** Returns balances before the first kept entry, empty while all entries are kept; `balance` null = all six. */
export class GetLedgerOpeningQuery extends Query<LedgerOpeningAnswer[]> {
  constructor(
    readonly accountId: number,
    readonly balance: BalanceName | null,
  ) {
    super();
  }
}

@QueryHandler(GetLedgerOpeningQuery)
export class GetLedgerOpeningHandler implements IQueryHandler<GetLedgerOpeningQuery> {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async execute({ accountId, balance }: GetLedgerOpeningQuery): Promise<LedgerOpeningAnswer[]> {
    const balances = balance === null ? BALANCES : [balance];
    const rows = await this.dataSource.query<LedgerOpeningAnswer[]>(
      `SELECT b.balance, c.closing AS available, DATE_FORMAT(LAST_DAY(c.month), '%Y-%m-%d') AS until FROM credit_balances b
       JOIN credit_closings c ON c.account_id = b.account_id AND c.balance = b.balance AND c.month = (
         SELECT k.month FROM credit_closings k FORCE INDEX (PRIMARY)
         STRAIGHT_JOIN credit_months m ON m.month = k.month AND m.removed = 1
         WHERE k.account_id = b.account_id AND k.balance = b.balance ORDER BY k.account_id DESC, k.balance DESC, k.month DESC LIMIT 1)
       WHERE b.account_id = ? AND b.balance IN (?)`,
      [accountId, balances],
    );
    return balances.flatMap((name) => rows.filter((row) => row.balance === name));
  }
}

/** Lists an account's ledger, newest first; `balance` null = all six. */
export class ListLedgerQuery extends Query<Listed<LedgerEntryAnswer>> {
  constructor(
    readonly accountId: number,
    readonly timeZone: string,
    readonly balance: BalanceName | null,
    readonly page: Page,
  ) {
    super();
  }
}

interface LedgerRow {
  id: number;
  balance: BalanceName;
  amount: number;
  available: number;
  kind: LedgerKind;
  request_id: string | null;
  note: string | null;
  created_by: string | null;
  created_at: Date;
}

@QueryHandler(ListLedgerQuery)
export class ListLedgerHandler implements IQueryHandler<ListLedgerQuery> {
  constructor(private readonly reads: ReadDatabase) {}

  /** The key begins with account and balance, so a page merges the newest entries of each balance. */
  async execute({ accountId, timeZone, balance, page }: ListLedgerQuery): Promise<Listed<LedgerEntryAnswer>> {
    const balances = balance === null ? BALANCES : [balance];
    const ranges = balances.map((one) => ({ where: 'account_id = ? AND balance = ?', values: [accountId, one] }));
    const list = {
      table: 'credit_ledger',
      index: 'ix_credit_ledger_account',
      key: 'id',
      order: 'DESC',
      ranges,
    } as const;
    const session = await this.reads.session();
    const ids = await listKeys<number>(session, list, page);
    if (ids.items.length === 0) return { ...ids, items: [] };
    const rows = await session.query<LedgerRow[]>(
      'SELECT id, balance, amount, available, kind, request_id, note, created_by, created_at FROM credit_ledger WHERE id IN (?)',
      [ids.items],
    );
    return shown(
      inListedOrder(ids, rows, ({ id }) => id),
      ({ created_at, created_by, ...row }) => ({
        ...row,
        created_by: makerForOwner(created_by),
        created_at: dateTime(created_at, timeZone),
      }),
    );
  }
}

const MOST_USAGE_ROWS = 100_000;

/** Sums charges and refunds by balance and group. */
export class GetUsageQuery extends Query<Listed<UsageRowAnswer>> {
  /** `accountId` null = all accounts; `page` null = everything, up to `MOST_USAGE_ROWS`. */
  constructor(
    readonly accountId: number | null,
    readonly selection: UsageSelection,
    readonly page: Page | null,
  ) {
    super();
  }
}

@QueryHandler(GetUsageQuery)
export class GetUsageHandler implements IQueryHandler<GetUsageQuery> {
  constructor(private readonly reader: UsageReader) {}

  async execute({ accountId, selection, page }: GetUsageQuery): Promise<Listed<UsageRowAnswer>> {
    const whole = { page: 1, limit: MOST_USAGE_ROWS, after: null };
    const listed = await this.reader.list(accountId, selection, page ?? whole);
    if (page === null && listed.next !== null) throw creditErrors.usageRows();
    return listed;
  }
}

/** Compares an account's balances with the last closing plus later entries, and the ledger with usage. */
export class ProveCreditsQuery extends Query<CreditProofAnswer[]> {
  /** `withClosings`: also verify each closing against its predecessor and its kept entries. */
  constructor(
    readonly accountId: number,
    readonly withClosings = false,
  ) {
    super();
  }
}

interface ClosingRow {
  balance: BalanceName;
  month: string;
  entries: number;
  moved: number;
  closing: number;
  after_id: number;
  closed_id: number;
  removed: number;
}

interface ProofRow {
  balance: BalanceName;
  available: number;
  ledger: number;
  ledgerCharged: number;
  ledgerRefunded: number;
  charged: number;
  refunded: number;
}

const NOTHING = { available: 0, ledger: 0, ledgerCharged: 0, ledgerRefunded: 0, charged: 0, refunded: 0 };

function proofOf({
  balance,
  available,
  ledger,
  ledgerCharged,
  ledgerRefunded,
  charged,
  refunded,
}: ProofRow): CreditProofAnswer {
  const isUsed = charged === ledgerCharged && refunded === ledgerRefunded;
  const usage = { charged, refunded, ledger_charged: ledgerCharged, ledger_refunded: ledgerRefunded, ok: isUsed };
  return { balance, stored: available, ledger, usage, ok: available === ledger && isUsed };
}

const SINCE = 'COALESCE((SELECT MAX(m.closed_id) FROM credit_months m), 0)';

@QueryHandler(ProveCreditsQuery)
export class ProveCreditsHandler implements IQueryHandler<ProveCreditsQuery> {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** One statement, so that a concurrent debit cannot look like a fault. CAST, because SUM returns DECIMAL. */
  async execute({ accountId, withClosings }: ProveCreditsQuery): Promise<CreditProofAnswer[]> {
    const rows = await this.dataSource.query<ProofRow[]>(
      `SELECT b.balance AS balance, b.available,
         CAST(COALESCE((SELECT c.closing FROM credit_closings c WHERE c.account_id = b.account_id
             AND c.balance = b.balance ORDER BY c.account_id DESC, c.balance DESC, c.month DESC LIMIT 1), 0) + COALESCE(l.moved, 0) AS SIGNED) AS ledger,
         CAST(COALESCE(c.charged, 0) + COALESCE(l.charged, 0) AS SIGNED) AS ledgerCharged,
         CAST(COALESCE(c.refunded, 0) + COALESCE(l.refunded, 0) AS SIGNED) AS ledgerRefunded,
         CAST(COALESCE(u.charged, 0) AS SIGNED) AS charged, CAST(COALESCE(u.refunded, 0) AS SIGNED) AS refunded
       FROM credit_balances b
       LEFT JOIN (SELECT balance, SUM(amount) AS moved, SUM(IF(kind = 'debit', -amount, 0)) AS charged,
           SUM(IF(kind = 'refund', amount, 0)) AS refunded FROM credit_ledger FORCE INDEX (ix_credit_ledger_account)
         WHERE account_id = ? AND balance IN (?) AND id > ${SINCE} GROUP BY balance) l ON l.balance = b.balance
       LEFT JOIN (SELECT balance, SUM(charged) AS charged, SUM(refunded) AS refunded FROM credit_closings
         WHERE account_id = ? GROUP BY balance) c ON c.balance = b.balance
       LEFT JOIN (SELECT balance, SUM(charged_credits) AS charged, SUM(refunded_credits) AS refunded FROM usage_counters
         WHERE account_id = ? GROUP BY balance) u ON u.balance = b.balance
       WHERE b.account_id = ?`,
      [accountId, BALANCES, accountId, accountId, accountId],
    );
    const found = new Map(rows.map((row) => [row.balance, row]));
    const closings = withClosings ? await this.closings(accountId) : null;
    return BALANCES.map((balance) => {
      const proof = proofOf(found.get(balance) ?? { ...NOTHING, balance });
      if (!closings) return proof;
      const own = closings.get(balance) ?? [];
      return Object.assign(proof, { ok: proof.ok && own.every(({ ok }) => ok), closings: own });
    });
  }

  private async closings(accountId: number): Promise<Map<BalanceName, ClosingProofAnswer[]>> {
    const rows = await this.dataSource.query<ClosingRow[]>(
      `SELECT c.balance, DATE_FORMAT(c.month, '%Y-%m') AS month, c.entries, c.moved, c.closing,
         m.after_id, m.closed_id, m.removed
       FROM credit_closings c JOIN credit_months m ON m.month = c.month
       WHERE c.account_id = ? ORDER BY c.balance, c.month`,
      [accountId],
    );
    const proved = new Map<BalanceName, ClosingProofAnswer[]>();
    for (const row of rows) {
      const own = proved.get(row.balance) ?? [];
      const follows = (own.at(-1)?.closing ?? 0) + row.moved === row.closing;
      const ok = follows && (row.removed === 1 || (await this.isOfItsEntries(accountId, row)));
      proved.set(row.balance, [...own, { month: row.month, moved: row.moved, closing: row.closing, ok }]);
    }
    return proved;
  }

  private async isOfItsEntries(accountId: number, row: ClosingRow): Promise<boolean> {
    const [sum] = await this.dataSource.query<{ entries: number; moved: number }[]>(
      `SELECT CAST(COUNT(*) AS SIGNED) AS entries, CAST(COALESCE(SUM(amount), 0) AS SIGNED) AS moved FROM credit_ledger
       WHERE account_id = ? AND balance = ? AND id > ? AND id <= ?`,
      [accountId, row.balance, row.after_id, row.closed_id],
    );
    return sum?.entries === row.entries && sum.moved === row.moved;
  }
}

/** Newest ledger entries whose accounts are checked. */
const ENTRIES = 2_000;

/** Verifies balances of accounts with recent movements. */
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

  async faultsOf(accountId: number): Promise<CreditProofAnswer[]> {
    return (await this.proofs.execute(new ProveCreditsQuery(accountId))).filter(({ ok }) => !ok);
  }
}
