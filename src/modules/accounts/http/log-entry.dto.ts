import { ApiProperty } from '@nestjs/swagger';
import { dateTime } from '../../../kernel/clock.js';
import { PageOf, LocalTime } from '../../../platform/http/index.js';
import type { AuditEntryEntity } from '../persistence/audit-entry.entity.js';
import type { SecurityEntryEntity } from '../persistence/security-entry.entity.js';

export const LOG_KINDS = ['change', 'login'] as const;

/** What the own log may be narrowed to. */
export type LogKind = (typeof LOG_KINDS)[number];

/** One line of an account's own log; `created_at` in its time zone. */
export class LogEntryData {
  @ApiProperty({ example: 'change-3', description: 'Unique in the log' })
  id!: string;

  @ApiProperty({ enum: [...LOG_KINDS], example: 'change' })
  kind!: LogKind;

  @ApiProperty({ example: 'webhook.create', description: '`login` and `login_failed` of logins' })
  action!: string;

  @ApiProperty({ example: 'jane.doe', description: 'The account, or the person under it' })
  username!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'sk_Zb1cQ9xT',
    description: 'How the API key begins that made the change; null: none did',
  })
  api_key!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'jane.doe', description: 'What was changed; null of logins' })
  subject!: string | null;

  @ApiProperty({ type: 'object', additionalProperties: true, example: { id: 3 }, description: '{} of logins' })
  details!: Record<string, unknown>;

  @ApiProperty({ type: String, nullable: true, example: null, description: 'Of logins: from where' })
  ip!: string | null;

  @ApiProperty({ type: 'integer', example: 1, description: 'Equal logins of a moment are one entry' })
  times!: number;

  @LocalTime()
  created_at!: string;
}

/** A page of the log. */
export class LogPageAnswer extends PageOf(LogEntryData) {}

export const changeEntry = (row: AuditEntryEntity, zone: string): LogEntryData => ({
  id: `change-${row.id}`,
  kind: 'change',
  action: row.action,
  username: row.assignedUser ?? row.actor,
  api_key: row.apiKey,
  subject: row.subject,
  details: JSON.parse(row.details) as Record<string, unknown>,
  ip: null,
  times: 1,
  created_at: dateTime(row.createdAt, zone),
});

export const loginEntry = (row: SecurityEntryEntity, zone: string): LogEntryData => ({
  id: `login-${row.id}`,
  kind: 'login',
  action: row.event,
  username: row.username,
  api_key: null,
  subject: null,
  details: {},
  ip: row.ip,
  times: row.times,
  created_at: dateTime(row.createdAt, zone),
});
