import { ApiProperty } from '@nestjs/swagger';
import { fieldErrors } from '../../../kernel/field-errors.js';
import { BALANCES } from '../domain/balances.js';
import type { BalanceThresholds } from '../persistence/balance-alerts.js';

/** Highest threshold. */
const MOST_CREDITS = 1_000_000_000_000;

const THRESHOLDS = {
  type: 'object',
  properties: Object.fromEntries(
    BALANCES.map((name) => [name, { type: 'integer' as const, nullable: true, minimum: 1, maximum: MOST_CREDITS }]),
  ),
  example: { gsm_credits: 1_000 },
} as const;

/** Body of PUT /account/balance-alerts, for Swagger; what is missing is off. */
export const BALANCE_ALERTS_BODY = { schema: { ...THRESHOLDS } };

/** Below which balances an account is told. */
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

/** Answer of a change. */
export class SavedBalanceAlertsAnswer extends BalanceAlertsAnswer {
  @ApiProperty({ example: 'Balance alerts saved successfully' })
  message!: string;
}

/** What the body may be refused with. */
export const BALANCE_ALERT_ERRORS = [
  fieldErrors.noWholeNumber.shown('gsm_credits', 1, MOST_CREDITS).because('something else; likewise the others'),
] as const;

/** @throws AppError 400 for a threshold that is no amount */
export function readThresholds(body: Record<string, unknown>): BalanceThresholds {
  const entries = BALANCES.map((name): [string, number | null] => {
    const value = body[name] ?? null;
    const isAmount = typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MOST_CREDITS;
    if (value !== null && !isAmount) throw fieldErrors.noWholeNumber(name, 1, MOST_CREDITS);
    return [name, value];
  });
  return Object.fromEntries(entries) as BalanceThresholds;
}
