import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { now } from '../../../kernel/clock.js';
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
  /** what changed, as JSON values; never a password, a token or a secret */
  details: Record<string, unknown>;
}

/** Writes the audit log in the transaction of the change itself, so that neither stands without the other. */
@Injectable()
export class AuditLog {
  async record(tx: EntityManager, record: AuditRecord): Promise<void> {
    await tx.insert(AuditEntryEntity, {
      actorId: record.actor?.id ?? null,
      actor: record.actor?.username ?? 'system',
      assignedUser: record.actor?.assignedUser?.username ?? null,
      apiKey: record.actor?.apiKey?.prefix ?? null,
      action: record.action,
      subject: record.subject.slice(0, 128),
      details: JSON.stringify(record.details),
      createdAt: now(),
    });
  }
}
