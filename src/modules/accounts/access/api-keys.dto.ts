import { ApiProperty, OmitType } from '@nestjs/swagger';
import { dateTime } from '../../../kernel/clock.js';
import { makerForOwner } from '../../../kernel/maker.js';
import {
  LocalTime,
  MadeBy,
  type MakerData,
  OptionalText,
  OptionalTexts,
  PageOf,
} from '../../../platform/http/index.js';
import { CURRENT_PASSWORD } from '../authentication/credentials.js';
import type { ApiKeyEntity } from '../tables.js';

const LONGEST_NAME = 100;

export class CreateApiKeyRequest {
  @OptionalText('name', { example: 'Shop backend', maxLength: LONGEST_NAME })
  name?: string | null;

  @OptionalTexts('allowed_ips', {
    example: ['203.0.113.7', '2001:db8::/32'],
    description: 'IPv4 and IPv6 addresses and CIDR ranges (100 at most) the key may be used from. None: anywhere.',
  })
  allowed_ips?: string[] | null;

  @OptionalText('current_password', CURRENT_PASSWORD)
  current_password?: string | null;
}

export class CreatedApiKeyAnswerData {
  @ApiProperty({ example: 3 })
  id!: number;

  @ApiProperty({ example: 'sk_Zb1c…', description: 'The key. Shown this once: keep it.' })
  key!: string;

  @ApiProperty({ type: String, nullable: true, example: 'Shop backend' })
  name!: string | null;

  @ApiProperty({ example: 'sk_Zb1cQ9xT', description: 'How the key begins' })
  prefix!: string;

  @ApiProperty({ type: [String], example: ['203.0.113.7', '2001:db8::/32'] })
  allowed_ips!: string[];

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

export const apiKeyData = (row: ApiKeyEntity, zone: string): ApiKeyAnswerData => ({
  id: row.id,
  name: row.name,
  prefix: row.prefix,
  allowed_ips: JSON.parse(row.allowedIps) as string[],
  last_used_at: row.lastUsedAt && dateTime(row.lastUsedAt, zone),
  created_by: makerForOwner(row.createdBy),
  created_at: dateTime(row.createdAt, zone),
});
