import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { newId } from '../../kernel/ids.js';
import { type Listed, type Page, shown } from '../../kernel/lists.js';
import { personKey } from '../../kernel/phone-numbers.js';
import {
  again,
  inListedOrder,
  listKeys,
  ReadDatabase,
  type ReadSource,
  type WriteResult,
} from '../../platform/database/index.js';
import { callingCodeOf } from '../numbers/index.js';
import { type Account, isTesting } from '../accounts/index.js';
import { RecipientStatus } from '../engine/index.js';
import type { NewCode, SentCode, VerificationRequest, Wanted } from './verification-request.js';
import {
  MOST_TRIES,
  SAME_S,
  type SentChannel,
  verificationErrors,
  type VerificationStatus,
} from './verifications.errors.js';

export interface Verification {
  id: number;
  accountId: number;
  to: string;
  channels: readonly SentChannel[];
  /** index of the present channel */
  position: number;
  /** `expired` from its end on, before a process has recorded it */
  status: VerificationStatus;
  wanted: Wanted;
  /** null = it is over */
  codeHash: string | null;
  codeSealed: string | null;
  tries: number;
  /** messages accepted */
  sends: number;
  credits: number;
  /** of the last message; null = none is accepted yet */
  campaignId: number | null;
  createdBy: string;
  createdAt: Date;
  expiresAt: Date;
  nextAt: Date | null;
}

interface Row extends Omit<Verification, 'channels' | 'wanted'> {
  channels: string;
  wanted: string;
}

const COLUMNS = `v.id, v.account_id AS accountId, v.receiver AS \`to\`, v.channels, v.position,
  IF(v.status = 'pending' AND v.expires_at <= UTC_TIMESTAMP(3), 'expired', v.status) AS status, v.wanted,
  v.code_hash AS codeHash, v.code_sealed AS codeSealed, v.tries, v.sends, v.credits, v.campaign_id AS campaignId,
  v.created_by AS createdBy, v.created_at AS createdAt, v.expires_at AS expiresAt, v.next_at AS nextAt`;

const read = ({ channels, wanted, ...row }: Row): Verification => ({
  ...row,
  channels: channels.split(',') as SentChannel[],
  wanted: JSON.parse(wanted) as Wanted,
});

export interface CheckedCode {
  id: number;
  status: Extract<VerificationStatus, 'approved' | 'pending' | 'expired' | 'too_many'>;
  attemptsLeft: number;
}

export interface NewVerification {
  accountId: number;
  request: VerificationRequest;
  createdBy: string;
  /** of its id */
  codeOf: (id: number) => NewCode;
}

/** Of a number that already has a verification. */
export interface OpenVerification {
  verification: Verification;
  isRecent: boolean;
  leftSeconds: number;
}

const OPEN = "status = 'pending' AND expires_at > UTC_TIMESTAMP(3)";
const OVER = 'code_hash = NULL, code_sealed = NULL, next_at = NULL, updated_at = UTC_TIMESTAMP(3)';
/** Time for the next channel, if nothing is delivered or entered. */
const NEXT_AFTER_S = 60;
/** Between two looks at the status of a message. */
const CHECK_EVERY_S = 3;
const AT_ONCE = 200;

const FAILED = [RecipientStatus.Failed, RecipientStatus.Cancelled, RecipientStatus.NoAnswer, RecipientStatus.Busy];
const DONE = [RecipientStatus.Delivered, RecipientStatus.Read, RecipientStatus.Answered];

/** Of a person: an account has one open verification, and one open test. */
const openKey = (to: string, isTest: boolean): string =>
  to.includes('@')
    ? `mail:${createHash('sha256').update(to).digest('base64url')}`
    : `${isTest ? 'test:' : ''}${personKey(to)}`;

/** SQL of verifications. All times are of the database's clock. */
@Injectable()
export class VerificationStore {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(ReadDatabase) private readonly reads: ReadSource,
  ) {}

  async find(accountId: number, id: number): Promise<Verification | null> {
    const found = await this.byId(id);
    return found?.accountId === accountId ? found : null;
  }

  /** Of any account: the caller decides whose it may be. */
  async byId(id: number): Promise<Verification | null> {
    const rows: Row[] = await this.dataSource.query(`SELECT ${COLUMNS} FROM verifications v WHERE id = ?`, [id]);
    return rows[0] ? read(rows[0]) : null;
  }

  /** One of the account. @throws AppError not_found, also for a live one that a test key asks for */
  async of(account: Account, id: number): Promise<Verification> {
    const found = await this.find(account.id, id);
    if (!found || (isTesting(account) && !found.wanted.isTest)) throw verificationErrors.notFound();
    return found;
  }

  /** What holds the number back from a new verification. */
  async openOf(accountId: number, to: string, isTest: boolean): Promise<OpenVerification | null> {
    const rows: (Row & { isRecent: number; leftMs: string })[] = await this.dataSource.query(
      `SELECT ${COLUMNS}, v.created_at > UTC_TIMESTAMP(3) - INTERVAL ${SAME_S} SECOND AS isRecent,
         TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(3), v.expires_at) DIV 1000 AS leftMs
       FROM verifications v WHERE account_id = ? AND open_key = ? LIMIT 1`,
      [accountId, openKey(to, isTest)],
    );
    const [row] = rows;
    if (!row) return null;
    const { isRecent, leftMs, ...verification } = row;
    const leftSeconds = Math.ceil(Number(leftMs) / 1_000);
    return { verification: read(verification), isRecent: Number(isRecent) === 1, leftSeconds };
  }

  /**
   * Stores a verification unless its number has another one. @param before the one that it replaces: its tries count on
   * @returns its id; null = another one is there
   */
  async create(
    tx: EntityManager,
    { accountId, request, createdBy, codeOf }: NewVerification,
    before: Verification | null,
  ): Promise<number | null> {
    let tries = 0;
    if (before) {
      const { affectedRows } = await tx.query<WriteResult>(
        `UPDATE verifications SET open_key = NULL, ${OVER}, look_at = NULL,
           status = IF(status <> 'pending', status, IF(expires_at > UTC_TIMESTAMP(3), 'cancelled', 'expired'))
         WHERE id = ? AND open_key IS NOT NULL AND (status <> 'too_many' OR expires_at <= UTC_TIMESTAMP(3))`,
        [before.id],
      );
      if (affectedRows === 0) return null;
      const [row] = await tx.query<{ tries: number }[]>(
        'SELECT IF(expires_at > UTC_TIMESTAMP(3), tries, 0) AS tries FROM verifications WHERE id = ?',
        [before.id],
      );
      tries = Number(row?.tries ?? 0);
    }
    const { to, channels, warnings: _, ...asked } = request;
    const id = newId();
    const { hash, sealed, ...shown } = codeOf(id);
    const wanted: Wanted = { ...asked, ...shown };
    const { affectedRows } = await tx.query<WriteResult>(
      `INSERT IGNORE INTO verifications (id, account_id, is_test, receiver, open_key, channels, position, status, wanted,
         code_hash, code_sealed, tries, sends, credits, created_by, created_at, updated_at, expires_at, next_at, look_at)
       VALUES (?, ?, ?, ?, ?, ?, 0, 'pending', ?, ?, ?, ?, 0, 0, ?, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3),
         UTC_TIMESTAMP(3) + INTERVAL ? SECOND, NULL, UTC_TIMESTAMP(3) + INTERVAL ${NEXT_AFTER_S} SECOND)`,
      [
        ...[id, accountId, Number(wanted.isTest), to, openKey(to, wanted.isTest), channels.join()],
        ...[JSON.stringify(wanted), hash, sealed, tries, createdBy, wanted.ttlSeconds],
      ],
    );
    return affectedRows === 1 ? id : null;
  }

  /** Removes a verification whose first message was refused; one with wrong codes of an earlier one keeps them. */
  async discard(id: number): Promise<void> {
    await this.dataSource.query(
      again(
        `UPDATE verifications SET status = 'cancelled', ${OVER}, look_at = expires_at WHERE id = ? AND sends = 0 AND tries > 0`,
      ),
      [id],
    );
    await this.dataSource.query(again('DELETE FROM verifications WHERE id = ? AND sends = 0 AND tries = 0'), [id]);
  }

  /** Takes the next channel, in one process. @returns whether it is taken */
  async advance(id: number, from: number): Promise<boolean> {
    const { affectedRows } = await this.dataSource.query<WriteResult>(
      `UPDATE verifications SET position = position + 1, updated_at = UTC_TIMESTAMP(3),
         next_at = UTC_TIMESTAMP(3) + INTERVAL ${NEXT_AFTER_S} SECOND,
         look_at = LEAST(expires_at, UTC_TIMESTAMP(3) + INTERVAL ${NEXT_AFTER_S} SECOND)
       WHERE id = ? AND position = ? AND ${OPEN}`,
      [id, from],
    );
    return affectedRows === 1;
  }

  /** Gives a channel back whose message was refused. */
  async goBack(id: number, to: number): Promise<void> {
    await this.dataSource.query(
      again('UPDATE verifications SET position = ?, updated_at = UTC_TIMESTAMP(3) WHERE id = ? AND position = ?'),
      [to, id, to + 1],
    );
  }

  /** Notes an accepted message, and counts the first one. */
  async sent(tx: EntityManager, verification: Verification, message: SentCode): Promise<void> {
    const { id, position, channels, sends } = verification;
    const hasNext = position + 1 < channels.length;
    await tx.query(
      `UPDATE verifications SET sends = sends + 1, credits = credits + ?, campaign_id = ?, updated_at = UTC_TIMESTAMP(3),
         next_at = IF(? AND UTC_TIMESTAMP(3) + INTERVAL ${NEXT_AFTER_S} SECOND < expires_at,
           UTC_TIMESTAMP(3) + INTERVAL ${NEXT_AFTER_S} SECOND, NULL),
         look_at = IF(?, LEAST(expires_at, UTC_TIMESTAMP(3) + INTERVAL ${CHECK_EVERY_S} SECOND), expires_at)
       WHERE id = ? AND status = 'pending'`,
      [message.credits, message.campaignId, hasNext, hasNext, id],
    );
    if (sends === 0) await this.count(tx, verification, 'started');
  }

  /** @returns whether this call has approved it: at most one does */
  async approve(tx: EntityManager, verification: Verification): Promise<boolean> {
    const { affectedRows } = await tx.query<WriteResult>(
      `UPDATE verifications SET status = 'approved', open_key = NULL, ${OVER}, look_at = NULL
       WHERE id = ? AND code_hash = ? AND ${OPEN} AND tries < ${MOST_TRIES}`,
      [verification.id, verification.codeHash],
    );
    if (affectedRows === 0) return false;
    await this.count(tx, verification, 'approved');
    return true;
  }

  /** Counts a wrong code; the last one ends it, and holds its number until it would have expired. */
  async miss(tx: EntityManager, id: number): Promise<{ counted: boolean; isLast: boolean }> {
    const isLast = `tries + 1 >= ${MOST_TRIES}`;
    const { affectedRows } = await tx.query<WriteResult>(
      `UPDATE verifications SET status = IF(${isLast}, 'too_many', status), code_hash = IF(${isLast}, NULL, code_hash),
         code_sealed = IF(${isLast}, NULL, code_sealed), next_at = IF(${isLast}, NULL, next_at),
         look_at = IF(${isLast}, expires_at, look_at), tries = tries + 1, updated_at = UTC_TIMESTAMP(3)
       WHERE id = ? AND ${OPEN} AND tries < ${MOST_TRIES}`,
      [id],
    );
    if (affectedRows === 0) return { counted: false, isLast: false };
    const [row] = await tx.query<{ tries: number }[]>('SELECT tries FROM verifications WHERE id = ?', [id]);
    return { counted: true, isLast: Number(row?.tries) >= MOST_TRIES };
  }

  /** Ends a pending one; its tries still count for the number until it would have expired. @returns whether it was pending */
  async cancel(tx: EntityManager, id: number): Promise<boolean> {
    const { affectedRows } = await tx.query<WriteResult>(
      `UPDATE verifications SET status = 'cancelled', ${OVER}, look_at = expires_at WHERE id = ? AND ${OPEN}`,
      [id],
    );
    return affectedRows === 1;
  }

  /** Notes that it has expired, and frees its number. @returns whether it was pending until now */
  async expire(tx: EntityManager, id: number): Promise<boolean> {
    const { affectedRows } = await tx.query<WriteResult>(
      `UPDATE verifications SET status = 'expired', open_key = NULL, ${OVER}, look_at = NULL
       WHERE id = ? AND status = 'pending' AND expires_at <= UTC_TIMESTAMP(3)`,
      [id],
    );
    if (affectedRows === 1) return true;
    await tx.query(
      `UPDATE verifications SET open_key = NULL, look_at = NULL WHERE id = ? AND status <> 'pending'
         AND expires_at <= UTC_TIMESTAMP(3)`,
      [id],
    );
    return false;
  }

  /** Verifications that expire, wait for their next channel, or have a message without an outcome. */
  async due(): Promise<{ verification: Verification; isNext: boolean }[]> {
    const rows: (Row & { isNext: number | null })[] = await this.dataSource.query(
      `SELECT ${COLUMNS}, COALESCE(v.next_at <= UTC_TIMESTAMP(3), v.sends = 0) OR r.status IN (?) AS isNext
       FROM verifications v LEFT JOIN campaign_recipients r ON r.campaign_id = v.campaign_id AND r.seq = 1
       WHERE v.look_at <= UTC_TIMESTAMP(3) ORDER BY v.look_at LIMIT ${AT_ONCE}`,
      [FAILED],
    );
    return rows.map(({ isNext, ...row }) => ({ verification: read(row), isNext: Number(isNext) === 1 }));
  }

  /** When to look at them again: not before their next channel once their message is delivered. */
  async lookLater(ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    await this.dataSource.query(
      again(`UPDATE verifications v LEFT JOIN campaign_recipients r ON r.campaign_id = v.campaign_id AND r.seq = 1
         SET v.look_at = LEAST(v.expires_at, IF(r.status IN (?), COALESCE(v.next_at, v.expires_at),
           UTC_TIMESTAMP(3) + INTERVAL ${CHECK_EVERY_S} SECOND))
       WHERE v.id IN (?) AND v.look_at <= UTC_TIMESTAMP(3)`),
      [DONE, ids],
    );
  }

  /** Newest first. */
  async part(accountId: number, isTest: boolean, page: Page): Promise<Listed<Verification>> {
    const ranges = [{ where: 'account_id = ? AND is_test = ?', values: [accountId, Number(isTest)] }];
    const index = 'ix_verifications_account';
    const list = { table: 'verifications', index, key: 'id', order: 'DESC', ranges } as const;
    const ids = await listKeys<number>(this.reads, list, page);
    const rows: Row[] =
      ids.items.length === 0
        ? []
        : await this.reads.query(`SELECT ${COLUMNS} FROM verifications v WHERE v.id IN (?)`, [ids.items]);
    return shown(
      inListedOrder(ids, rows, ({ id }) => id),
      read,
    );
  }

  /** By day and calling code, newest first. @param from and to days, YYYY-MM-DD */
  conversion(accountId: number, from: string, to: string): Promise<DayCount[]> {
    return this.reads.query(
      `SELECT DATE_FORMAT(day, '%Y-%m-%d') AS day, calling_code AS callingCode, started, approved
       FROM verification_days FORCE INDEX (ix_verification_days_account)
       WHERE account_id = ? AND day >= ? AND day <= ? AND calling_code NOT IN ('${ALL_CODES}', '${TESTS}')
       ORDER BY day DESC, calling_code LIMIT ${MOST_DAY_COUNTS}`,
      [accountId, from, to],
    );
  }

  /** Counts a message, or a test, of the account on this day (UTC), if there were fewer than `most`. @returns whether there were */
  async countDay(accountId: number, isTest: boolean, most: number): Promise<boolean> {
    const codes = isTest ? TESTS : ALL_CODES;
    const row = `day = UTC_DATE() AND account_id = ? AND calling_code = '${codes}'`;
    const count = async (): Promise<boolean> => {
      const { affectedRows } = await this.dataSource.query<WriteResult>(
        `UPDATE verification_days SET started = started + 1 WHERE ${row} AND started < ?`,
        [accountId, most],
      );
      return affectedRows === 1;
    };
    if (await count()) return true;
    const { affectedRows } = await this.dataSource.query<WriteResult>(
      `INSERT IGNORE INTO verification_days (day, account_id, calling_code, started, approved)
       VALUES (UTC_DATE(), ?, '${codes}', 1, 0)`,
      [accountId],
    );
    return affectedRows === 1 || count();
  }

  /** Whether the key or person that started it may still act. */
  async isMakerThere(accountId: number, maker: { kind: string; id: number | null } | null): Promise<boolean> {
    if (maker?.kind !== 'key' && maker?.kind !== 'person') return true;
    const rows: unknown[] = await this.dataSource.query(
      maker.kind === 'key'
        ? 'SELECT 1 FROM api_keys WHERE id = ? AND account_id = ? AND (expires_at IS NULL OR expires_at > UTC_TIMESTAMP(3)) LIMIT 1'
        : 'SELECT 1 FROM assigned_users WHERE id = ? AND account_id = ? AND is_active = 1 LIMIT 1',
      [maker.id, accountId],
    );
    return rows.length > 0;
  }

  private async count(
    tx: EntityManager,
    { accountId, to, createdAt, wanted }: Verification,
    what: 'started' | 'approved',
  ): Promise<void> {
    if (wanted.isTest || to.includes('@')) return;
    await tx.query(
      `INSERT INTO verification_days (day, account_id, calling_code, started, approved) VALUES (?, ?, ?, ?, ?)
       ON DUPLICATE KEY UPDATE ${what} = ${what} + 1`,
      [
        ...[createdAt.toISOString().slice(0, 10), accountId, callingCodeOf(to)],
        ...(what === 'started' ? [1, 0] : [0, 1]),
      ],
    );
  }
}

export interface DayCount {
  day: string;
  callingCode: string;
  started: number;
  approved: number;
}

export const MOST_DAY_COUNTS = 1_000;
/** In place of a calling code: all messages of the account, which VERIFICATIONS_PER_DAY bounds. */
const ALL_CODES = 'all';
/** Likewise its tests. */
const TESTS = 'tst';
