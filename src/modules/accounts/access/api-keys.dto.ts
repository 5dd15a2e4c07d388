import { ApiProperty, OmitType } from '@nestjs/swagger';
import { dateTime } from '../../../kernel/clock.js';
import { makerForOwner } from '../../../kernel/maker.js';
import {
  LocalTime,
  MadeBy,
  type MakerData,
  OptionalCount,
  OptionalText,
  OptionalTexts,
  PageOf,
} from '../../../platform/http/index.js';
import { CURRENT_PASSWORD } from '../authentication/credentials.js';
import { type Scope, SCOPES } from '../domain/rights.js';
import { KEY_MODES, type KeyMode } from '../domain/tokens.js';
import type { ApiKeyEntity } from '../tables.js';
import { scopesOf } from './api-keys.store.js';

const LONGEST_NAME = 100;
export const MOST_PER_DAY = 1_000_000;

export class CreateApiKeyRequest {
  @OptionalText('name', { example: 'Shop backend', maxLength: LONGEST_NAME })
  name?: string | null;

  @OptionalText('mode', {
    example: 'live',
    description: '`live`, or `test`: what the key sends never leaves and costs nothing. Absent: live.',
  })
  mode?: string | null;

  @OptionalTexts('scopes', {
    example: ['send:sms', 'read'],
    description: `What the key may do: ${SCOPES.join(', ')}. Absent: everything that a key can do.`,
  })
  scopes?: string[] | null;

  @OptionalTexts('allowed_ips', {
    example: ['203.0.113.7', '2001:db8::/32'],
    description: 'IPv4 and IPv6 addresses and CIDR ranges (100 at most) the key may be used from. None: anywhere.',
  })
  allowed_ips?: string[] | null;

  @OptionalCount('max_per_day', MOST_PER_DAY, {
    example: 10_000,
    description: 'Requests in 24 hours, from the first of them. Absent: no limit of its own.',
  })
  max_per_day?: number | null;

  @OptionalText('expires_at', {
    pattern: String.raw`^\d{4}(-\d{2}-\d{2}$|.*[ T]\d{2})`,
    example: '2099-12-31',
    description:
      'When the key ends: YYYY-MM-DD (with that day), YYYY-MM-DD HH:MM:SS in the account’s time zone, or ISO 8601. Absent: never.',
  })
  expires_at?: string | null;

  @OptionalText('current_password', CURRENT_PASSWORD)
  current_password?: string | null;
}

export class CreatedApiKeyAnswerData {
  @ApiProperty({ example: 3 })
  id!: number;

  @ApiProperty({ example: 'swb_live_Zb1c…', description: 'The key. Shown this once: keep it.' })
  key!: string;

  @ApiProperty({ type: String, nullable: true, example: 'Shop backend' })
  name!: string | null;

  @ApiProperty({ example: 'swb_live_Zb1cQ9x', description: 'How the key begins' })
  prefix!: string;

  @ApiProperty({
    enum: [...KEY_MODES],
    example: 'live',
    description: '`test`: what it sends never leaves and costs nothing',
  })
  mode!: KeyMode;

  @ApiProperty({
    enum: [...SCOPES],
    isArray: true,
    nullable: true,
    example: ['send:sms', 'read'],
    description: 'null: everything that a key can do',
  })
  scopes!: Scope[] | null;

  @ApiProperty({ type: [String], example: ['203.0.113.7', '2001:db8::/32'] })
  allowed_ips!: string[];

  @ApiProperty({ type: 'integer', nullable: true, example: 10_000, description: 'Requests in 24 hours' })
  max_per_day!: number | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: 0,
    description: 'Requests in the 24 hours that max_per_day counts; null: without a limit they are not counted',
  })
  requests_today!: number | null;

  @LocalTime({ nullable: true, description: 'null: never' })
  expires_at!: string | null;

  @LocalTime({ nullable: true, description: 'Accurate to a minute' })
  last_used_at!: string | null;

  @MadeBy()
  created_by!: MakerData | null;

  @LocalTime()
  created_at!: string;
}

export class ApiKeyAnswerData extends OmitType(CreatedApiKeyAnswerData, ['key'] as const) {}

export class CreatedApiKeyAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ example: 'API key created successfully' })
  message!: string;

  @ApiProperty({ type: CreatedApiKeyAnswerData })
  data!: CreatedApiKeyAnswerData;
}

export class ApiKeyPageAnswer extends PageOf(ApiKeyAnswerData) {}

/** @param uses requests of limited keys, by id */
export const apiKeyData = (
  row: ApiKeyEntity,
  zone: string,
  uses: ReadonlyMap<number, number> = new Map(),
): ApiKeyAnswerData => ({
  id: row.id,
  name: row.name,
  prefix: row.prefix,
  mode: row.isTest === 1 ? 'test' : 'live',
  scopes: scopesOf(row),
  allowed_ips: JSON.parse(row.allowedIps) as string[],
  max_per_day: row.maxPerDay,
  requests_today: row.maxPerDay === null ? null : (uses.get(row.id) ?? 0),
  expires_at: row.expiresAt && dateTime(row.expiresAt, zone),
  last_used_at: row.lastUsedAt && dateTime(row.lastUsedAt, zone),
  created_by: makerForOwner(row.createdBy),
  created_at: dateTime(row.createdAt, zone),
});
