import type { Tlv } from '../../../platform/smpp/index.js';
import type { FaultSettings } from '../carrier/faults.js';

/** What operators answer in receipts (their list of "DLT platform error codes"). */
const CODES = {
  entityUnknown: 600,
  entityInvalid: 604,
  hashMissing: 614,
  hashUnknown: 615,
  templateUnknown: 630,
  templateInvalid: 636,
} as const;

const DIGITS = /^[0-9]{1,30}$/;

/**
 * Looks a message up in the carrier's registry.
 * @returns the code of a refusal; null = it may go
 */
export function dltRefusal(registry: FaultSettings['dlt'], tlvs: readonly Tlv[]): number | null {
  if (!registry) return null;
  const textOf = (tag: number): string | null => {
    const found = tlvs.find((tlv) => tlv.tag === tag);
    return found ? found.value.toString('latin1').replace(/\0$/, '') : null;
  };
  const [entity, template] = [textOf(registry.entityTag), textOf(registry.templateTag)];
  if (entity === null || !DIGITS.test(entity)) return CODES.entityInvalid;
  if (!registry.entities.includes(entity)) return CODES.entityUnknown;
  if (registry.hashes) {
    const hash = textOf(registry.chainTag);
    if (hash === null) return CODES.hashMissing;
    if (!registry.hashes.includes(hash)) return CODES.hashUnknown;
  }
  if (template === null || !DIGITS.test(template)) return CODES.templateInvalid;
  return registry.templates.includes(template) ? null : CODES.templateUnknown;
}
