import { readId } from '../../../kernel/ids.js';
import { webhookErrors } from '../webhooks.errors.js';

/** The id in a path. @throws AppError not_found for what is none */
export function webhookId(text: string): number {
  const id = readId(text);
  if (id === null) throw webhookErrors.notFound();
  return id;
}
