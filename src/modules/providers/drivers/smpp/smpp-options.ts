import { z } from 'zod';
import { dltIdSchema } from '../dlt.js';
import { placeholders } from '../template.js';

/** What stands in the values of optional parameters, as `{{name}}`. */
export const TLV_PLACEHOLDERS = ['to', 'from', 'ref', 'dlt_entity_id', 'dlt_template_id', 'validity_s'] as const;

/**
 * Tags that carry the text or its parts: a second copy beside ours would contradict it (SMPP 3.4 §5.3.2: message_payload,
 * sar_msg_ref_num, sar_total_segments, sar_segment_seqnum).
 */
const OWN_TAGS = new Set([0x0424, 0x020c, 0x020e, 0x020f]);
const MOST_TLVS = 20;
const LONGEST_VALUE = 200;
const INTEGERS = { int8: 0xff, int16: 0xffff, int32: 0xffffffff } as const;

/** A tag as operators write it: 5120, or "0x1400". */
export const tagNumber = (tag: number | string): number => Number(tag);

const tag = z
  .union([z.number().int(), z.string().regex(/^0x[0-9a-f]{1,4}$/i, 'must be a tag such as "0x1400"')])
  .refine((value) => tagNumber(value) >= 1 && tagNumber(value) <= 0xffff, 'must be a tag from 1 to 0xFFFF')
  .refine((value) => !OWN_TAGS.has(tagNumber(value)), 'is a tag of the text itself');

const known = (names: readonly string[]) => (value: string) =>
  placeholders(value).every((name) => names.includes(name));

/**
 * India's DLT. Operators and their resellers agree on no tags: 0x1400 and 0x1401 are what most say (php8-smpp#10,
 * python-smpplib#204, ksmppd#134), as texts without an end byte (the PDU of ksmppd#135), and 0x1402 for the chain. The chain
 * is SHA-256, in lower-case hexadecimal, of the ids of entity and telemarketers, joined by commas (operators' "PE-TM chain
 * hash logic"); to an aggregator the ids go as they are.
 */
export const dltSchema = z.object({
  entity_tag: tag.default('0x1400'),
  template_tag: tag.default('0x1401'),
  type: z.enum(['text', 'cstring']).default('text'),
  /** of messages whose sender id has none */
  entity_id: dltIdSchema.optional(),
  required: z.boolean().default(false),
  chain: z
    .object({
      tag: tag.default('0x1402'),
      ids: z
        .array(z.union([dltIdSchema, z.literal('{{dlt_entity_id}}')], 'must be 1 to 30 digits or {{dlt_entity_id}}'))
        .min(1)
        .max(MOST_TLVS),
      hash: z.enum(['sha256', 'none']).default('sha256'),
    })
    .optional(),
});

const tlvSchema = z
  .object({
    tag,
    type: z.enum(['cstring', 'text', 'octets', 'int8', 'int16', 'int32']),
    value: z.union([z.string().max(LONGEST_VALUE), z.number().int()]),
  })
  .superRefine(({ type, value }, context) => {
    const fault = faultOf(type, value);
    if (fault) context.addIssue({ code: 'custom', path: ['value'], message: fault });
  });

export const tlvsSchema = z.array(tlvSchema).max(MOST_TLVS).default([]);

export type DltConfig = z.infer<typeof dltSchema>;
export type TlvConfig = z.infer<typeof tlvSchema>;

function faultOf(type: TlvConfig['type'], value: string | number): string | null {
  const text = String(value);
  if (!known(TLV_PLACEHOLDERS)(text)) return `names a placeholder that is none of ${TLV_PLACEHOLDERS.join(', ')}`;
  const isFilled = placeholders(text).length > 0;
  if (type === 'octets') return /^(?:[0-9a-f]{2})*$/i.test(text) ? null : 'must be hexadecimal';
  if (type === 'cstring' || type === 'text') return /^[\x20-\x7e]*$/.test(text) ? null : 'must be ASCII text';
  return isFilled || readInteger(type, text) !== null ? null : `must be a whole number from 0 to ${INTEGERS[type]}`;
}

/** @returns null for what does not fit */
export function readInteger(type: keyof typeof INTEGERS, text: string): number | null {
  return /^[0-9]{1,10}$/.test(text) && Number(text) <= INTEGERS[type] ? Number(text) : null;
}

/** The tags of a route, in the order in which they leave. */
export const tagsOf = (dlt: DltConfig | undefined, tlvs: readonly TlvConfig[]): number[] =>
  [
    ...(dlt ? [dlt.entity_tag, dlt.template_tag, ...(dlt.chain ? [dlt.chain.tag] : [])] : []),
    ...tlvs.map((tlv) => tlv.tag),
  ].map(tagNumber);
