import { BALANCES, type BalanceName } from '../../credits/index.js';
import { OptionalText, RequiredAmount, RequiredWord } from '../../../platform/http/index.js';

/** Most credits of one grant. */
export const MOST_AT_ONCE = 1_000_000_000;

/** Body of POST /accounts/:username/credits (reference/admin#credits). */
export class AdjustCreditsRequest {
  @RequiredWord('balance', BALANCES, 'gsm_credits')
  balance!: BalanceName;

  /** negative takes back */
  @RequiredAmount('amount', MOST_AT_ONCE, 500)
  amount!: number;

  @OptionalText('note', { example: 'Invoice 4711', description: 'At most 255 characters; stands in the ledger' })
  note?: string | null;
}
