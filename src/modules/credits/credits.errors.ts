import { invalid, atMost, fieldErrors } from '../../kernel/errors.js';
import { MOST_DAYS } from './usage-selection.js';
import { BALANCES } from './balances.js';

export const creditErrors = {
  insufficient: invalid(
    'insufficient_credits',
    (available: number, required: number) => `Insufficient credits. Available: ${available}, Required: ${required}`,
    'balance lower than the total',
  )
    .with({
      hint: 'Nothing was charged, and nothing leaves. `GET /v6/api/account/credits` shows what there is, a quote what a send takes; the operator or your reseller grants more.',
    })
    .shown('X', 'Y'),
  /** the wording of the voice API */
  insufficientForCalls: invalid(
    'insufficient_credits',
    (required: number, available: number) => `Insufficient credits. Required: ${required}, Available: ${available}`,
    'not enough voice_credits; no call is made. Less than one credit a contact is refused before the audio is made',
  )
    .with({
      hint: 'Nothing was charged, and nothing leaves. `GET /v6/api/account/credits` shows what there is, a quote what a send takes; the operator or your reseller grants more.',
    })
    .shown('X', 'Y'),
  usageOrder: invalid('usage_order', 'from must not be after to', 'it is').with({
    field: 'from',
    hint: 'Swap the two days.',
  }),
  usageDays: invalid('usage_days', atMost(MOST_DAYS, 'days'), 'more from `from` to `to`, both counted in').with({
    field: 'from',
    hint: 'Ask for fewer days at once.',
  }),
  usageEntries: invalid(
    'usage_entries',
    'Too many ledger entries: choose a shorter range',
    'by campaign, more than 200,000 in these days',
  ).with({ field: 'from', hint: 'Ask for fewer days, or for another group.' }),
  usageRows: invalid('usage_rows', 'Too many rows: choose a shorter range', 'as CSV, more than 100,000').with({
    field: 'from',
    hint: 'Ask for fewer days, or for JSON page by page.',
  }),
  unknownBalance: invalid('unknown_balance', fieldErrors.noWord.shown('balance', BALANCES).text, 'another word'),
};
