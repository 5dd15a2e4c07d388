import { ApiProperty } from '@nestjs/swagger';
import { dateTime } from '../../../kernel/clock.js';
import { isObject } from '../../../kernel/objects.js';
import { maskUrl } from '../../../kernel/url-secrets.js';
import { PageOf, LocalTime } from '../../../platform/http/index.js';
import type { AuditEntryEntity } from '../persistence/audit-entry.entity.js';

/** One entry of the audit log; `created_at` in the reader's time zone. */
export class AuditEntryAnswer {
  @ApiProperty({ example: 3 })
  id!: number;

  @ApiProperty({ example: 'admin', description: '`system` for the service itself' })
  actor!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'The assigned user who acted for the actor',
  })
  assigned_user!: string | null;

  @ApiProperty({ example: 'credits.grant' })
  action!: string;

  @ApiProperty({ example: 'jane.doe' })
  subject!: string;

  @ApiProperty({ type: 'object', additionalProperties: true, example: { balance: 'gsm_credits', amount: 500 } })
  details!: Record<string, unknown>;

  @LocalTime({ zone: 'asker' })
  created_at!: string;
}

/** A page of the log. */
export class AuditPageAnswer extends PageOf(AuditEntryAnswer) {}

export const auditEntryAnswer = (row: AuditEntryEntity, timeZone: string): AuditEntryAnswer => ({
  id: row.id,
  actor: row.actor,
  assigned_user: row.assignedUser,
  action: row.action,
  subject: row.subject,
  details: withoutUrlSecrets(JSON.parse(row.details) as Record<string, unknown>),
  created_at: dateTime(row.createdAt, timeZone),
});

/** Entries that version 0.3.0 wrote hold the URLs of routes as they were written. */
const withoutUrlSecrets = (details: Record<string, unknown>): Record<string, unknown> =>
  isObject(details['config'])
    ? {
        ...details,
        config: Object.fromEntries(
          Object.entries(details['config']).map(([field, value]) => [
            field,
            typeof value === 'string' ? maskUrl(value) : value,
          ]),
        ),
      }
    : details;
