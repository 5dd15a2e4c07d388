import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { readMaker } from '../../kernel/maker.js';
import { AnswerOf, MadeBy, type MakerData, PageOf } from '../../platform/http/index.js';
import { GUARD_KINDS, GUARD_PERIODS, type GuardTerms } from '../accounts/index.js';
import { MOST_LIMIT, PRESETS } from './guard-changes.js';
import type { Freeze } from './freezes.store.js';

const LIMIT = { type: 'integer', nullable: true, minimum: 0, maximum: MOST_LIMIT } as const;
const TEXTS = { type: 'array' as const, items: { type: 'string' as const } };
const COUNTRIES = { ...TEXTS, nullable: true, example: ['IN'], description: 'ISO 3166; null: every country' };
const LIMITS = {
  type: 'object' as const,
  additionalProperties: false,
  properties: Object.fromEntries(
    GUARD_KINDS.map((kind) => [
      kind,
      { type: 'object' as const, properties: Object.fromEntries(GUARD_PERIODS.map((period) => [period, LIMIT])) },
    ]),
  ),
  example: { sms: { per_second: null, per_minute: 100, per_day: 500 } },
  description: 'Recipients accepted in a second, a minute, a day; null: no limit',
};
const ALL_LIMITS = Object.fromEntries(GUARD_KINDS.map((kind) => [kind, LIMITS.example.sms]));
const PREFIXES = { ...TEXTS, example: ['4479'], description: 'Digits of further destinations' };
const SPECIAL = {
  ...TEXTS,
  example: ['8816'],
  description: 'Digits of premium-rate, shared-cost, personal and satellite numbers, which nothing else allows',
};

/** Terms as they are stored and shown (reference/guard#terms). */
export class GuardTermsData {
  @ApiProperty(COUNTRIES)
  countries!: string[] | null;

  @ApiProperty(PREFIXES)
  prefixes!: string[];

  @ApiProperty(SPECIAL)
  special_prefixes!: string[];

  @ApiProperty({ ...LIMITS, required: [...GUARD_KINDS], example: ALL_LIMITS })
  limits!: GuardTerms['limits'];

  @ApiProperty({ ...LIMIT, example: 1_000 })
  credits_per_day!: number | null;

  @ApiProperty({ ...LIMIT, example: 250 })
  new_prefixes_per_day!: number | null;

  @ApiProperty({ ...LIMIT, example: 5 })
  calls_at_once!: number | null;

  @ApiProperty({ ...LIMIT, example: 20, description: 'Credits of one recipient' })
  max_price!: number | null;

  @ApiProperty({ ...LIMIT, example: 20 })
  burst_numbers!: number | null;

  @ApiProperty({ ...LIMIT, example: 10 })
  sequential_numbers!: number | null;

  @ApiProperty({ ...LIMIT, example: 10 })
  conversion_percent!: number | null;
}

export class ChangeGuardBody {
  @ApiPropertyOptional({ enum: [...PRESETS], description: 'open: no terms; strict: those of new accounts' })
  preset?: (typeof PRESETS)[number];

  @ApiPropertyOptional(COUNTRIES)
  countries?: string[] | null;

  @ApiPropertyOptional(PREFIXES)
  prefixes?: string[];

  @ApiPropertyOptional(SPECIAL)
  special_prefixes?: string[];

  @ApiPropertyOptional(LIMITS)
  limits?: Partial<GuardTerms['limits']>;

  @ApiPropertyOptional({ ...LIMIT, example: 1_000 })
  credits_per_day?: number | null;

  @ApiPropertyOptional({ ...LIMIT, example: 250 })
  new_prefixes_per_day?: number | null;

  @ApiPropertyOptional({ ...LIMIT, example: 5 })
  calls_at_once?: number | null;

  @ApiPropertyOptional({ ...LIMIT, example: 20 })
  max_price?: number | null;

  @ApiPropertyOptional({ ...LIMIT, example: 20 })
  burst_numbers?: number | null;

  @ApiPropertyOptional({ ...LIMIT, maximum: 1_000, example: 10 })
  sequential_numbers?: number | null;

  @ApiPropertyOptional({ ...LIMIT, maximum: 100, example: 10 })
  conversion_percent?: number | null;
}

export class GuardBoundData {
  @ApiProperty({ example: 'sms.per_day', description: 'The limit, as its field is named in the terms' })
  name!: string;

  @ApiProperty({ type: 'integer', example: 500 })
  limit!: number;

  @ApiProperty({ type: 'integer', example: 120, description: 'In the second, minute or day that has begun' })
  used!: number;

  @ApiProperty({ type: 'integer', example: 380 })
  left!: number;
}

const MOMENT = { type: String, format: 'date-time', example: '2026-11-21T10:30:00.000Z' } as const;
const REASONS = ['burst', 'sequence', 'conversion'] as const;

export class OwnFreezeData {
  @ApiProperty({ example: '91981234', description: 'Numbers without their last four digits' })
  prefix!: string;

  @ApiProperty({ enum: [...REASONS], example: 'sequence' })
  reason!: (typeof REASONS)[number];

  @ApiProperty(MOMENT)
  frozen_at!: string;

  @ApiProperty(MOMENT)
  until!: string;
}

export class GuardData {
  @ApiProperty({ type: GuardTermsData, nullable: true, description: 'null: nothing is checked' })
  terms!: GuardTermsData | null;

  @ApiProperty({ type: Boolean, example: false, description: 'Terms of a reseller above the account bound it too' })
  bounded_by_reseller!: boolean;

  @ApiProperty({ type: [GuardBoundData] })
  bounds!: GuardBoundData[];

  @ApiProperty({ type: [OwnFreezeData], description: 'Active freezes, newest first, at most a hundred' })
  frozen!: OwnFreezeData[];
}

export class GuardAnswer extends AnswerOf(GuardData) {}

export class ChangedGuardAnswer extends AnswerOf(GuardData) {
  @ApiProperty({ example: 'Guard updated successfully' })
  message!: string;
}

export class FreezeData extends OwnFreezeData {
  @ApiProperty({ type: 'integer', example: 373826482176001 })
  id!: number;

  @ApiProperty({ example: 'demo' })
  username!: string;

  @ApiProperty({ type: 'object', additionalProperties: { type: 'integer' }, example: { numbers: 11 } })
  evidence!: Record<string, number>;

  @ApiProperty({ type: 'integer', example: 1, description: 'How often sends broke the rule, refused ones among them' })
  times!: number;

  @ApiProperty({ ...MOMENT, nullable: true })
  released_at!: string | null;

  @MadeBy()
  released_by!: MakerData | null;
}

export class FreezePageAnswer extends PageOf(FreezeData) {}

export class ReleasedFreezeAnswer extends AnswerOf(FreezeData) {
  @ApiProperty({ example: 'Freeze released successfully' })
  message!: string;
}

const factsOf = ({ prefix, reason, frozenAt, until }: Freeze) => ({
  prefix,
  reason,
  frozen_at: frozenAt.toISOString(),
  until: until.toISOString(),
});

export const ownFreezeData = (freeze: Freeze): OwnFreezeData => factsOf(freeze);

export const freezeData = (freeze: Freeze, username: string): FreezeData => ({
  ...factsOf(freeze),
  id: freeze.id,
  username,
  evidence: freeze.evidence,
  times: freeze.times,
  released_at: freeze.releasedAt?.toISOString() ?? null,
  released_by: readMaker(freeze.releasedBy),
});
