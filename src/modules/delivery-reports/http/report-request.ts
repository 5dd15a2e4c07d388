import { objectOrEmpty } from '../../../kernel/objects.js';
import { type ReadText, readText } from '../../../kernel/text.js';
import { readPage } from '../../../platform/http/index.js';
import type { RecordSelection } from '../../engine/index.js';
import { reportErrors } from '../delivery-reports.errors.js';

/**
 * Names of the identifier in the order of reference/delivery-reports#identifier; the last one counts in a body only.
 */
const ALIASES = ['request_id', 'requestid', 'provider_message_id', 'providermessageid'] as const;
const BODY_ALIAS = 'providerMessageId';

export type Fields = Record<string, unknown>;

/** A body or query of any type as fields; what is no object has none. */
export const fieldsOf = (value: unknown): Fields => objectOrEmpty(value);

/**
 * The campaign asked for: the first identifier that is not empty (reference/delivery-reports#identifier), each name in
 * the query before the body.
 * @throws AppError invalid `request_id is required`: none, or the first is neither a text nor a number
 */
export function readIdentifier(query: Fields, body: Fields): string {
  const candidates: ReadText[] = ALIASES.flatMap((name) => [readText(query[name]), readText(body[name])]);
  const first = [...candidates, readText(body[BODY_ALIAS])].find((read) => read.kind !== 'empty');
  if (first?.kind !== 'text') throw reportErrors.requestIdRequired();
  return first.value;
}

/**
 * `status`, and `page` with `limit`, of query or body: which records are shown (reference/delivery-reports#selection).
 * Odd values are clamped.
 */
export function readSelection(query: Fields, body: Fields): RecordSelection {
  const given = (name: string): string | undefined => {
    const read = [readText(query[name]), readText(body[name])].find(({ kind }) => kind !== 'empty');
    return read && (read.kind === 'text' ? read.value : '');
  };
  const [status, page, limit] = [given('status'), given('page'), given('limit')];
  return {
    ...(status !== undefined && { status }),
    ...((page !== undefined || limit !== undefined) && { page: readPage({ page, limit }) }),
  };
}
