import { ApiProperty } from '@nestjs/swagger';
import { dateTime } from '../../../kernel/clock.js';
import { PageOf, LocalTime } from '../../../platform/http/index.js';
import type { SecurityEntryEntity } from '../persistence/security-entry.entity.js';

/** One entry of the security log; `created_at` in the reader's time zone. */
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

/** A page of the log. */
export class SecurityPageAnswer extends PageOf(SecurityEntryAnswer) {}

export const securityEntryAnswer = (
  { id, event, username, ip, times, createdAt }: SecurityEntryEntity,
  timeZone: string,
): SecurityEntryAnswer => ({ id, event, username, ip, times, created_at: dateTime(createdAt, timeZone) });
