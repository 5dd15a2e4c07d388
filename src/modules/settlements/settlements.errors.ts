import { conflict, notFound } from '../../kernel/errors.js';

/** Refusals of the endpoints of settlements (reference/settlements#errors). */
export const settlementErrors = {
  none: notFound(
    'settlement_not_found',
    'Settlement not found',
    'a test has none, nor has a campaign that was complete before settlements came',
  ),
  notYet: conflict(
    'settlement_not_issued',
    'Settlement is not issued yet',
    'the campaign is not complete, or its settlement is being made',
  ).with({
    hint: 'It follows the end of the campaign, if the operator has set SETTLEMENT_KEY; the event settlement.issued tells it.',
  }),
  refused: conflict(
    'settlement_refused',
    'Settlement is refused: the campaign does not add up',
    'its recipients, its ledger entries and its sums differ',
  ).with({ hint: 'Tell the operator, whose log names the figures.' }),
  broken: conflict(
    'settlement_broken',
    'Recipients differ from the settlement',
    'stored rows were changed after the settlement was signed',
  ).with({ hint: 'Tell the operator: the signed settlement stands.' }),
  dayOpen: conflict('day_not_sealed', 'Day is not sealed yet', 'it is sealed ten minutes after its end (UTC)'),
  noDay: notFound('day_not_found', 'Day not found', 'no date, or a day that is not sealed'),
  erased: conflict(
    'recipient_erased',
    'Recipient is erased',
    'the key of the person was erased: nothing can be proved',
  ),
};
