import { ROW_BYTES } from '../../quotas/index.js';
import type { KeptRecipient } from '../domain/recipient.js';

/** Bytes that a recipient of an upload or a list counts (reference/accounts#quotas). */
export const recipientBytes = ({ number, variables }: KeptRecipient): number =>
  ROW_BYTES + number.length + variablesBytes(variables);

/** Bytes of kept variables. */
export const variablesBytes = (variables: string | null): number =>
  variables === null ? 0 : Buffer.byteLength(variables);
