import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { now } from '../../../kernel/clock.js';
import { isTooLargeJson } from '../../../kernel/text.js';
import type { Account } from '../domain/account.js';
import { AuditEntryEntity } from './audit-entry.entity.js';

/** What the audit log keeps of one change. */
export interface AuditRecord {
  /** null = the service itself (seeding) */
  actor: Pick<Account, 'id' | 'username' | 'assignedUser' | 'apiKey'> | null;
  /** `<thing>.<verb>`: `account.create`, `credits.grant`, `route.put`; at most 64 characters */
  action: string;
  /** what was changed: a username, a route's name, a request id */
  subject: string;
  /** the account that it concerns, whose own log shows it too; absent = the actor's own */
  accountId?: number;
  /** what changed, as JSON values; never a password, a token or a secret */
  details: Record<string, unknown>;
}

/** What staff wrote in full, beside its figures, so that it is known later; the figures alone where it is over 64 KB. */
export const withContent = (
  figures: Record<string, unknown>,
  content: Record<string, unknown>,
): Record<string, unknown> => (isTooLargeJson(content) ? figures : { ...figures, ...content });

/** Writes the audit log in the transaction of the change itself, so that neither stands without the other. */
@Injectable()
export class AuditLog {
  record(tx: EntityManager, record: AuditRecord): Promise<void> {
    return this.recordAll(tx, [record]);
  }

  /** Of many changes at once, in their order. */
  async recordAll(tx: EntityManager, records: readonly AuditRecord[]): Promise<void> {
    if (records.length === 0) return;
    const createdAt = now();
    const rows = records.map(({ actor, action, subject, accountId, details }) => ({
      actorId: actor?.id ?? null,
      accountId: accountId === undefined || accountId === actor?.id ? null : accountId,
      actor: actor?.username ?? 'system',
      assignedUser: actor?.assignedUser?.username ?? null,
      apiKey: actor?.apiKey?.prefix ?? null,
      action,
      subject: subject.slice(0, 128),
      details: JSON.stringify(details),
      createdAt,
    }));
    await tx.insert(AuditEntryEntity, rows);
  }
}
