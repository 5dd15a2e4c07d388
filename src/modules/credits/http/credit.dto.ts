import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { AnswerOf, PageOf, LocalTime, MadeBy, type MakerData } from '../../../platform/http/index.js';
import { BALANCES, type BalanceName, type LedgerKind } from '../domain/balances.js';

/** One balance. */
export class BalanceAnswer {
  @ApiProperty({ enum: [...BALANCES], example: 'gsm_credits' })
  balance!: BalanceName;

  @ApiProperty({ example: 500 })
  available!: number;
}

/** Answer of a grant or take-back: the balance after it. */
export class AdjustedCreditsAnswer extends AnswerOf(BalanceAnswer) {}

/** The six balances. */
export class BalancesAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ type: [BalanceAnswer] })
  data!: BalanceAnswer[];
}

/** One ledger entry. */
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

/** What a balance stood at before the first entry that is kept. */
export class LedgerOpeningAnswer {
  @ApiProperty({ enum: [...BALANCES], example: 'gsm_credits' })
  balance!: BalanceName;

  @ApiProperty({ example: 500 })
  available!: number;

  @ApiProperty({ format: 'date', example: '2026-08-31', description: 'The last day of which entries are gone' })
  until!: string;
}

/** A page of the ledger. */
export class LedgerPageAnswer extends PageOf(LedgerEntryAnswer) {
  @ApiProperty({ type: [LedgerOpeningAnswer], description: 'Empty while every entry is kept (RETENTION_DAYS)' })
  opening!: LedgerOpeningAnswer[];
}

/** Proof of a closing. */
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

/** Whether usage is the ledger's. */
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

/** Proof of one balance. */
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

/** Proof of the six balances. */
export class CreditProofsAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ type: [CreditProofAnswer] })
  data!: CreditProofAnswer[];
}
