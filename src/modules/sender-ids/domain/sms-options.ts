import { readText } from '../../../kernel/text.js';
import { readDltId } from './sender-id.js';

/** What a send of SMS may say beside its text, as a client wrote it; every value may be of any type. */
export interface RawSmsOptions {
  sender_id?: unknown;
  dlt_template_id?: unknown;
  validity_s?: unknown;
}

/** The same, read (reference/sender-ids#sends); null = not said. */
export interface SmsOptions {
  /** as it was given: whether it is one of the account's is judged at acceptance */
  senderId: string | null;
  dltTemplateId: string | null;
  validitySeconds: number | null;
}

export type SmsOptionFault = 'dltTemplateId' | 'validity';

/** Less is over before a carrier has tried; no carrier tries for longer than three days. */
export const VALIDITY_SECONDS = { from: 60, to: 259_200 };

export function readSmsOptions(raw: RawSmsOptions): { options: SmsOptions } | { fault: SmsOptionFault } {
  const sender = readText(raw.sender_id);
  const dltTemplateId = readDltId(raw.dlt_template_id);
  if (dltTemplateId === undefined) return { fault: 'dltTemplateId' };
  const validitySeconds = readValidity(raw.validity_s);
  if (validitySeconds === undefined) return { fault: 'validity' };
  // What is no text is no sender id either, and is refused as one that is not approved.
  const senderId = sender.kind === 'empty' ? null : sender.kind === 'text' ? sender.value : '';
  return { options: { senderId, dltTemplateId, validitySeconds } };
}

const WHOLE = /^[0-9]+$/;

function readValidity(value: unknown): number | null | undefined {
  const read = readText(value);
  if (read.kind === 'empty') return null;
  const seconds = read.kind === 'text' && WHOLE.test(read.value.trim()) ? Number(read.value) : NaN;
  const { from, to } = VALIDITY_SECONDS;
  return seconds >= from && seconds <= to ? seconds : undefined;
}

/** How a campaign of SMS keeps what it says beside its text. */
interface SmsExtras {
  dlt?: { entity_id?: string; template_id?: string };
  validity_s?: number;
}

/** What goes into the content of a campaign. */
export function extrasOf(options: SmsOptions, dltEntityId: string | null): SmsExtras {
  const { dltTemplateId, validitySeconds } = options;
  const dlt = {
    ...(dltEntityId !== null && { entity_id: dltEntityId }),
    ...(dltTemplateId !== null && { template_id: dltTemplateId }),
  };
  return {
    ...(Object.keys(dlt).length > 0 && { dlt }),
    ...(validitySeconds !== null && { validity_s: validitySeconds }),
  };
}

/** What leaves with each message of a campaign, by its content. */
export function sentExtras(content: Readonly<Record<string, unknown>>): {
  dlt?: { entityId?: string; templateId?: string };
  validitySeconds?: number;
} {
  const { dlt, validity_s: validitySeconds } = content as SmsExtras;
  return {
    ...(dlt && {
      dlt: {
        ...(dlt.entity_id !== undefined && { entityId: dlt.entity_id }),
        ...(dlt.template_id !== undefined && { templateId: dlt.template_id }),
      },
    }),
    ...(validitySeconds !== undefined && { validitySeconds }),
  };
}
