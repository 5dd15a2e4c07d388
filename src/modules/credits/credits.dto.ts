import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { fieldErrors } from '../../kernel/errors.js';
import { AnswerOf, LocalTime, MadeBy, type MakerData, PageOf } from '../../platform/http/index.js';
import type { BalanceThresholds } from './balance-alerts.store.js';
import { type BalanceName, BALANCES, isBalanceName, type LedgerKind } from './balances.js';
import { creditErrors } from './credits.errors.js';

export class BalanceAnswer {
  @ApiProperty({ enum: [...BALANCES], example: 'gsm_credits' })
  balance!: BalanceName;

  @ApiProperty({ example: 500 })
  available!: number;
}

export class AdjustedCreditsAnswer extends AnswerOf(BalanceAnswer) {}

export class BalancesAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ type: [BalanceAnswer] })
  data!: BalanceAnswer[];
}

export class LedgerEntryAnswer {
  @ApiProperty({ example: 12 })
  id!: number;

  @ApiProperty({ enum: [...BALANCES], example: 'gsm_credits' })
  balance!: BalanceName;

  @ApiProperty({ example: -3, description: 'Signed: debits and take-backs are negative' })
  amount!: number;

  @ApiProperty({ example: 497, description: 'The balance after it' })
  available!: number;

  @ApiProperty({ enum: ['grant', 'debit', 'refund', 'take_back'], example: 'debit' })
  kind!: LedgerKind;

  @ApiProperty({ type: String, nullable: true, example: 'GSMCAMP_20261121_A1B2C3' })
  request_id!: string | null;

  @ApiProperty({ type: String, nullable: true, example: null })
  note!: string | null;

  @MadeBy()
  created_by!: MakerData | null;

  @LocalTime()
  created_at!: string;
}

/** A balance before its first kept entry. */
export class LedgerOpeningAnswer {
  @ApiProperty({ enum: [...BALANCES], example: 'gsm_credits' })
  balance!: BalanceName;

  @ApiProperty({ example: 500 })
  available!: number;

  @ApiProperty({ format: 'date', example: '2026-08-31', description: 'The last day of which entries are gone' })
  until!: string;
}

export class LedgerPageAnswer extends PageOf(LedgerEntryAnswer) {
  @ApiProperty({ type: [LedgerOpeningAnswer], description: 'Empty while every entry is kept (RETENTION_DAYS)' })
  opening!: LedgerOpeningAnswer[];
}

export class ClosingProofAnswer {
  @ApiProperty({ example: '2026-10' })
  month!: string;

  @ApiProperty({ example: -120, description: 'Sum of the entries of the month' })
  moved!: number;

  @ApiProperty({ example: 497, description: 'The closing before it, and what moved' })
  closing!: number;

  @ApiProperty({ example: true })
  ok!: boolean;
}

export class UsageProofAnswer {
  @ApiProperty({ example: 120, description: 'Credits, by the counters of usage' })
  charged!: number;

  @ApiProperty({ example: 20, description: 'Credits, by the counters of usage' })
  refunded!: number;

  @ApiProperty({ example: 120, description: 'Sum of the ledger’s debits' })
  ledger_charged!: number;

  @ApiProperty({ example: 20, description: 'Sum of the ledger’s refunds' })
  ledger_refunded!: number;

  @ApiProperty({ example: true })
  ok!: boolean;
}

export class CreditProofAnswer {
  @ApiProperty({ enum: [...BALANCES], example: 'gsm_credits' })
  balance!: BalanceName;

  @ApiProperty({ example: 497 })
  stored!: number;

  @ApiProperty({ example: 497, description: 'Sum of the ledger: the last closing, and the entries since' })
  ledger!: number;

  @ApiProperty({ type: UsageProofAnswer })
  usage!: UsageProofAnswer;

  @ApiProperty({ example: true, description: 'All of it' })
  ok!: boolean;

  @ApiPropertyOptional({ type: [ClosingProofAnswer], description: 'With `closings=true`' })
  closings?: ClosingProofAnswer[];
}

export class CreditProofsAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ type: [CreditProofAnswer] })
  data!: CreditProofAnswer[];
}

/** Parses `balance`; null = all six. @throws AppError 400 for another word */
export function readBalance(query: Record<string, unknown>): BalanceName | null {
  const { balance } = query;
  if (balance === undefined || balance === '') return null;
  if (!isBalanceName(balance)) throw creditErrors.unknownBalance();
  return balance;
}

const MOST_CREDITS = 1_000_000_000_000;

const THRESHOLDS = {
  type: 'object',
  properties: Object.fromEntries(
    BALANCES.map((name) => [name, { type: 'integer' as const, nullable: true, minimum: 1, maximum: MOST_CREDITS }]),
  ),
  example: { gsm_credits: 1_000 },
} as const;

export const BALANCE_ALERTS_BODY = { schema: { ...THRESHOLDS } };

export class BalanceAlertsAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({
    ...THRESHOLDS,
    required: [...BALANCES],
    additionalProperties: false,
    example: Object.fromEntries(BALANCES.map((name) => [name, name === 'gsm_credits' ? 1_000 : null])),
    description: 'null = off',
  })
  data!: BalanceThresholds;
}

export class SavedBalanceAlertsAnswer extends BalanceAlertsAnswer {
  @ApiProperty({ example: 'Balance alerts saved successfully' })
  message!: string;
}

export const BALANCE_ALERT_ERRORS = [
  fieldErrors.noWholeNumber.shown('gsm_credits', 1, MOST_CREDITS).because('something else; likewise the others'),
] as const;

/** Parses alert thresholds in credits. @throws AppError 400 for an invalid amount */
export function readThresholds(body: Record<string, unknown>): BalanceThresholds {
  const entries = BALANCES.map((name): [string, number | null] => {
    const value = body[name] ?? null;
    const isAmount = typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MOST_CREDITS;
    if (value !== null && !isAmount) throw fieldErrors.noWholeNumber(name, 1, MOST_CREDITS);
    return [name, value];
  });
  return Object.fromEntries(entries) as BalanceThresholds;
}
