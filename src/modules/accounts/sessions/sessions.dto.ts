import { ApiProperty, ApiQuery } from '@nestjs/swagger';
import { dateTime, now } from '../../../kernel/clock.js';
import { fieldErrors } from '../../../kernel/errors.js';
import { LocalTime, PageOf } from '../../../platform/http/index.js';
import type { Account } from '../domain/account.js';
import { idleMsOf } from './sessions.store.js';
import type { LoginSessionEntity } from './tables.js';

export const SESSION_STATES = ['active', 'ended', 'expired', 'idle'] as const;

type SessionState = (typeof SESSION_STATES)[number];

export class SessionData {
  @ApiProperty({ type: 'integer', example: 373662154973185 })
  id!: number;

  @ApiProperty({ enum: SESSION_STATES, example: 'active', description: 'idle: of staff, 12 hours without a request' })
  state!: SessionState;

  @ApiProperty({ example: true, description: 'The session of this request' })
  is_current!: boolean;

  @ApiProperty({ example: 'Firefox 131 on Linux' })
  device!: string;

  @ApiProperty({ example: '203.0.113.7', description: 'Where the login came from' })
  address!: string;

  @LocalTime()
  created_at!: string;

  @LocalTime({ description: 'Accurate to a minute' })
  last_used_at!: string;

  @LocalTime({ description: 'End of the token' })
  expires_at!: string;

  @LocalTime({ nullable: true, example: null })
  ended_at!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description:
      'logout; ended: by the login itself; staff; password: a new one; closed, removed: the account or the person; role: a lower one',
  })
  reason!: string | null;
}

export class SessionPageAnswer extends PageOf(SessionData) {}

export class AccountSessionData extends SessionData {
  @ApiProperty({ type: 'integer', nullable: true, example: null, description: 'The person; null: the account itself' })
  user_id!: number | null;

  @ApiProperty({ type: String, nullable: true, example: 'jane.doe', description: 'null: a person who was removed' })
  username!: string | null;
}

export class AccountSessionPageAnswer extends PageOf(AccountSessionData) {}

export const SESSION_STATE_ERRORS = [fieldErrors.noWord.shown('state', ['active']).because('another word')] as const;

export const SessionStateQuery = (): MethodDecorator =>
  ApiQuery({ name: 'state', required: false, enum: ['active'], description: 'Only sessions that go on' });

/** Reads `state` of a list. @throws AppError 400 for another word than `active` */
export function readActive(value: unknown): boolean {
  if (value !== undefined && value !== '' && value !== 'active') throw fieldErrors.noWord('state', ['active']);
  return value === 'active';
}

function stateOf(row: LoginSessionEntity, owner: Pick<Account, 'userType'>): SessionState {
  const at = now().getTime();
  const idleMs = idleMsOf(owner);
  if (row.endedAt !== null) return 'ended';
  if (row.expiresAt.getTime() <= at) return 'expired';
  return idleMs !== null && row.lastUsedAt.getTime() + idleMs <= at ? 'idle' : 'active';
}

/** @param owner the account of the session @param current id of the session that asks */
export const sessionData = (
  row: LoginSessionEntity,
  owner: Pick<Account, 'userType' | 'timeZone'>,
  current: number | null,
): SessionData => ({
  id: row.id,
  state: stateOf(row, owner),
  is_current: row.id === current,
  device: row.device,
  address: row.address,
  created_at: dateTime(row.createdAt, owner.timeZone),
  last_used_at: dateTime(row.lastUsedAt, owner.timeZone),
  expires_at: dateTime(row.expiresAt, owner.timeZone),
  ended_at: row.endedAt && dateTime(row.endedAt, owner.timeZone),
  reason: row.reason,
});
