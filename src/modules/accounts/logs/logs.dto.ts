import { ApiProperty } from '@nestjs/swagger';
import { dateTime } from '../../../kernel/clock.js';
import { makerForOwner } from '../../../kernel/maker.js';
import { isObject } from '../../../kernel/json-values.js';
import { maskUrl } from '../../../kernel/urls.js';
import { LocalTime, MadeBy, type MakerData, PageOf } from '../../../platform/http/index.js';
import type { AuditEntryEntity, SecurityEntryEntity } from '../tables.js';

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

/** Version 0.3.0 logged route URLs with their secrets. */
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

export const LOG_KINDS = ['change', 'login', 'send'] as const;

export type LogKind = (typeof LOG_KINDS)[number];

export class LogEntryData {
  @ApiProperty({ example: 'change-3', description: 'Unique in the log' })
  id!: string;

  @ApiProperty({ enum: [...LOG_KINDS], example: 'change' })
  kind!: LogKind;

  @ApiProperty({
    example: 'webhook.create',
    description: '`login`, `login_failed`; `campaign.create`, `session_message.send`',
  })
  action!: string;

  @ApiProperty({ example: 'jane.doe', description: 'The account, or the person under it; `staff` of changes by staff' })
  username!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'swb_live_Zb1cQ9x',
    description: 'How the API key begins that made the change; null: none did, or a send',
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

  @MadeBy()
  created_by!: MakerData | null;

  @LocalTime()
  created_at!: string;
}

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
  created_by: makerOfEntry(row),
  created_at: dateTime(row.createdAt, zone),
});

const makerOfEntry = ({ actorId, actor, assignedUser, apiKey }: AuditEntryEntity): MakerData => {
  if (assignedUser !== null) return { kind: 'person', id: null, name: assignedUser };
  return apiKey === null ? { kind: 'account', id: actorId, name: actor } : { kind: 'key', id: null, name: apiKey };
};

/** Shows staff changes without the staff member's name; of the details only field names. */
export const staffEntry = (row: AuditEntryEntity, zone: string): LogEntryData =>
  Object.assign(changeEntry(row, zone), {
    username: 'staff',
    api_key: null,
    details: { fields: Object.keys(JSON.parse(row.details) as Record<string, unknown>) },
    created_by: { kind: 'staff' as const, id: null, name: null },
  });

export interface LogReader {
  username: string;
  timeZone: string;
}

export interface SentThing {
  /** unique in the log, such as `campaign-12` */
  id: string;
  action: string;
  subject: string;
  details: Record<string, unknown>;
  createdBy: string | null;
  createdAt: Date;
}

export const sendEntry = (sent: SentThing, { username, timeZone }: LogReader): LogEntryData => {
  const maker = makerForOwner(sent.createdBy);
  const person = maker?.kind === 'person' ? maker.name : null;
  return {
    id: sent.id,
    kind: 'send',
    action: sent.action,
    username: maker?.kind === 'staff' ? 'staff' : (person ?? username),
    api_key: null,
    subject: sent.subject,
    details: sent.details,
    ip: null,
    times: 1,
    created_by: maker,
    created_at: dateTime(sent.createdAt, timeZone),
  };
};

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
  created_by: null,
  created_at: dateTime(row.createdAt, zone),
});

export class SecurityEntryAnswer {
  @ApiProperty({ example: 3 })
  id!: number;

  @ApiProperty({ enum: ['login', 'login_failed'], example: 'login_failed' })
  event!: string;

  @ApiProperty({ example: 'jane.doe', description: 'Of the account or its user; an unknown name as given' })
  username!: string;

  @ApiProperty({ example: '203.0.113.7' })
  ip!: string;

  @ApiProperty({ example: 1, description: 'So many equal ones at that moment' })
  times!: number;

  @LocalTime({ zone: 'asker' })
  created_at!: string;
}

export class SecurityPageAnswer extends PageOf(SecurityEntryAnswer) {}

export const securityEntryAnswer = (
  { id, event, username, ip, times, createdAt }: SecurityEntryEntity,
  timeZone: string,
): SecurityEntryAnswer => ({ id, event, username, ip, times, created_at: dateTime(createdAt, timeZone) });
