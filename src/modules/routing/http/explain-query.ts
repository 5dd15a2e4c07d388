import { fieldErrors } from '../../../kernel/field-errors.js';
import { textOrNull } from '../../../kernel/text.js';
import { cleanContact } from '../../../kernel/phone-number.js';
import { OPERATOR_ROUTE_KINDS } from '../../providers/index.js';
import { isCategory } from '../domain/routing-form.js';
import type { ExplainedSend } from '../queries/explain-routing.query.js';

const DIGITS = { min: 1, max: 20 };

/** @throws AppError 400 with the first fault */
export function readExplained(query: Record<string, unknown>): ExplainedSend {
  const username = textOrNull(query['account']);
  if (username === null) throw fieldErrors.required('account');
  const number = textOrNull(query['number']);
  if (number === null) throw fieldErrors.required('number');
  const digits = cleanContact(number, DIGITS.min, DIGITS.max);
  if (digits === null) throw fieldErrors.invalid('number');
  const channel = textOrNull(query['channel']) ?? 'sms';
  const kind = OPERATOR_ROUTE_KINDS.find((word) => word === channel);
  if (!kind) throw fieldErrors.noWord('channel', OPERATOR_ROUTE_KINDS);
  const category = textOrNull(query['category']);
  if (category !== null && !isCategory(category)) throw fieldErrors.invalid('category');
  return { username, number: digits, kind, category, service: textOrNull(query['service']) };
}
