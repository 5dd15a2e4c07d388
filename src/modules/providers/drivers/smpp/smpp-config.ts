import { createHash } from 'node:crypto';
import { z } from 'zod';
import { boundedCache } from '../../../../platform/concurrency/index.js';
import type { SocketGuard } from '../../../../platform/outbound/index.js';
import { type Addressing, describeSender, encodeTlvs, type Tlv } from '../../../../platform/smpp/index.js';
import type { OutboundMessage } from '../../message-driver.js';
import {
  failoverStatuses,
  type MappedStatus,
  type ReceiptTerms,
  receiptTerms,
  statusMap,
  statusWords,
} from '../carrier-answers.js';
import { failureKinds } from '../failure-kinds.js';
import { countryOfSenders } from '../inbound-delivery.js';
import { dltIdSchema, dltTerms, dltValues } from '../dlt.js';
import { fillText, placeholders, type TemplateValues } from '../request-template.js';

const TLV_PLACEHOLDERS = ['to', 'from', 'ref', 'dlt_entity_id', 'dlt_template_id', 'validity_s'] as const;

/** Tags of the text and its parts, which the driver sets itself (SMPP 3.4 §5.3.2: message_payload, sar_*). */
const OWN_TAGS = new Set([0x0424, 0x020c, 0x020e, 0x020f]);
const MOST_TLVS = 20;
const LONGEST_VALUE = 200;
const INTEGERS = { int8: 0xff, int16: 0xffff, int32: 0xffffffff } as const;

const tagNumber = (tag: number | string): number => Number(tag);

const tag = z
  .union([z.number().int(), z.string().regex(/^0x[0-9a-f]{1,4}$/i, 'must be a tag such as "0x1400"')])
  .refine((value) => tagNumber(value) >= 1 && tagNumber(value) <= 0xffff, 'must be a tag from 1 to 0xFFFF')
  .refine((value) => !OWN_TAGS.has(tagNumber(value)), 'is a tag of the text itself');

const known = (names: readonly string[]) => (value: string) =>
  placeholders(value).every((name) => names.includes(name));

/**
 * India's DLT has no agreed tags: 0x1400 and 0x1401 are the most common, as texts without an end byte (php8-smpp#10,
 * python-smpplib#204, ksmppd#134, ksmppd#135), and 0x1402 for the chain: SHA-256 in lower-case hexadecimal of the ids of
 * entity and telemarketers, joined by commas (operators' "PE-TM chain hash logic"). Aggregators get the plain ids.
 */
const dltSchema = z.object({
  entity_tag: tag.default('0x1400'),
  template_tag: tag.default('0x1401'),
  type: z.enum(['text', 'cstring']).default('text'),
  ...dltTerms,
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

const tlvsSchema = z.array(tlvSchema).max(MOST_TLVS).default([]);

type DltConfig = z.infer<typeof dltSchema>;
type TlvConfig = z.infer<typeof tlvSchema>;

function faultOf(type: TlvConfig['type'], value: string | number): string | null {
  const text = String(value);
  if (!known(TLV_PLACEHOLDERS)(text)) return `names a placeholder that is none of ${TLV_PLACEHOLDERS.join(', ')}`;
  const isFilled = placeholders(text).length > 0;
  if (type === 'octets') return /^(?:[0-9a-f]{2})*$/i.test(text) ? null : 'must be hexadecimal';
  if (type === 'cstring' || type === 'text') return /^[\x20-\x7e]*$/.test(text) ? null : 'must be ASCII text';
  return isFilled || readInteger(type, text) !== null ? null : `must be a whole number from 0 to ${INTEGERS[type]}`;
}

function readInteger(type: keyof typeof INTEGERS, text: string): number | null {
  return /^[0-9]{1,10}$/.test(text) && Number(text) <= INTEGERS[type] ? Number(text) : null;
}

const tagsOf = (dlt: DltConfig | undefined, tlvs: readonly TlvConfig[]): number[] =>
  [
    ...(dlt ? [dlt.entity_tag, dlt.template_tag, ...(dlt.chain ? [dlt.chain.tag] : [])] : []),
    ...tlvs.map((tlv) => tlv.tag),
  ].map(tagNumber);

interface TlvOptions {
  dlt: DltConfig | null;
  tlvs: readonly TlvConfig[];
  sourceAddr: string;
}

const KEPT = 1_000;
/** With one of these per-message values caching is useless. */
const OF_ONE = ['to', 'ref'];

/** Writes the optional parameters of messages; omits a parameter that names a missing value. */
export class TlvWriter {
  private readonly isEmpty: boolean;
  private readonly isShared: boolean;
  private readonly kept = boundedCache<string, Buffer>(KEPT);

  constructor(private readonly options: TlvOptions) {
    const { dlt, tlvs } = options;
    this.isEmpty = dlt === null && tlvs.length === 0;
    this.isShared = !tlvs.some(({ value }) => placeholders(value).some((name) => OF_ONE.includes(name)));
  }

  of(message: OutboundMessage): Buffer | undefined {
    if (this.isEmpty) return undefined;
    const { dlt, sender = '', validitySeconds = '' } = message;
    if (!this.isShared) return this.made(message);
    const key = `${dlt?.entityId ?? ''} ${dlt?.templateId ?? ''} ${validitySeconds} ${sender}`;
    const known = this.kept.get(key);
    if (known) return known;
    const bytes = this.made(message);
    this.kept.set(key, bytes);
    return bytes;
  }

  private made(message: OutboundMessage): Buffer {
    const { dlt, tlvs, sourceAddr } = this.options;
    const values: TemplateValues = {
      to: message.to,
      from: message.sender ?? (sourceAddr === '' ? null : sourceAddr),
      ref: message.ref,
      ...dltValues(dlt, message),
      validity_s: message.validitySeconds ?? null,
    };
    return encodeTlvs([...(dlt ? dltTlvs(dlt, values) : []), ...tlvs.flatMap((tlv) => freeTlv(tlv, values))]);
  }
}

function dltTlvs(dlt: DltConfig, values: TemplateValues): Tlv[] {
  const { type, chain } = dlt;
  const written: TlvConfig[] = [
    { tag: dlt.entity_tag, type, value: '{{dlt_entity_id}}' },
    { tag: dlt.template_tag, type, value: '{{dlt_template_id}}' },
  ];
  if (chain) {
    const ids = chain.ids.map((id) => (id === '{{dlt_entity_id}}' ? (values['dlt_entity_id'] ?? null) : id));
    const joined = ids.includes(null) ? null : ids.join(',');
    const hashed = (text: string): string =>
      chain.hash === 'sha256' ? createHash('sha256').update(text).digest('hex') : text;
    if (joined !== null) written.push({ tag: chain.tag, type, value: hashed(joined) });
  }
  return written.flatMap((tlv) => freeTlv(tlv, values));
}

function freeTlv({ tag, type, value }: TlvConfig, values: TemplateValues): Tlv[] {
  if (placeholders(value).some((name) => values[name] == null)) return [];
  const filled = valueOf(
    type,
    fillText(String(value), values, (text) => text),
  );
  return filled ? [{ tag: tagNumber(tag), value: filled }] : [];
}

function valueOf(type: TlvConfig['type'], text: string): Buffer | null {
  if (type === 'text') return Buffer.from(text, 'latin1');
  if (type === 'cstring') return Buffer.from(`${text}\0`, 'latin1');
  if (type === 'octets') return Buffer.from(text, 'hex');
  const number = readInteger(type, text);
  if (number === null) return null;
  const bytes = Buffer.alloc({ int8: 1, int16: 2, int32: 4 }[type]);
  bytes.writeUIntBE(number, 0, bytes.length);
  return bytes;
}

const ascii = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[\x20-\x7e]*$/, 'must be ASCII text');
const oneByte = z.number().int().min(0).max(255);

/** `config` of driver `smpp`, as the operator writes it (reference/providers#smpp). */
export const smppConfigSchema = z
  .object({
    host: z.string().min(1).max(253),
    port: z.number().int().min(1).max(65535),
    system_id: ascii(15).min(1),
    password: ascii(64).default(''),
    system_type: ascii(12).default(''),
    tls: z.boolean().default(false),
    tls_ca: z.string().max(100_000).optional(),
    tls_verify: z.boolean().default(true),
    window: z.number().int().min(1).max(10_000).default(100),
    source_addr: ascii(20).default(''),
    ton: oneByte.optional(),
    npi: oneByte.optional(),
    dest_ton: oneByte.default(1),
    dest_npi: oneByte.default(1),
    submit_timeout_ms: z.number().int().min(100).max(15_000).default(10_000),
    enquire_link_ms: z.number().int().min(100).max(600_000).default(30_000),
    dlt: dltSchema.optional(),
    tlvs: tlvsSchema,
    failover_codes: failoverStatuses,
    failure_kinds: failureKinds,
    status_map: statusMap.optional(),
    country: countryOfSenders,
    ...receiptTerms,
  })
  .superRefine(({ dlt, tlvs }, context) => {
    const tags = tagsOf(dlt, tlvs);
    if (new Set(tags).size < tags.length)
      context.addIssue({ code: 'custom', path: ['tlvs'], message: 'a tag is used twice' });
  });

export type SmppRouteConfig = z.infer<typeof smppConfigSchema>;

export interface SmppConfig extends Addressing, TlvOptions {
  host: string;
  port: number;
  systemId: string;
  password: string;
  systemType: string;
  tls: boolean;
  tlsCa: string | null;
  tlsVerify: boolean;
  window: number;
  submitTimeoutMs: number;
  enquireLinkMs: number;
  failoverCodes: readonly number[];
  statusWords: ReadonlyMap<string, MappedStatus>;
  receiptTerms: ReceiptTerms;
  /** null = every address is allowed */
  guard: SocketGuard | null;
}

/** @param guard checks the carrier's address; null = it is trusted */
export function sessionConfig(config: SmppRouteConfig, guard: SocketGuard | null): SmppConfig {
  const source = describeSender(config.source_addr);
  return {
    host: config.host,
    port: config.port,
    systemId: config.system_id,
    password: config.password,
    systemType: config.system_type,
    tls: config.tls,
    tlsCa: config.tls_ca ?? null,
    tlsVerify: config.tls_verify,
    window: config.window,
    sourceAddr: config.source_addr,
    sourceTon: config.ton ?? source.ton,
    sourceNpi: config.npi ?? source.npi,
    destTon: config.dest_ton,
    destNpi: config.dest_npi,
    submitTimeoutMs: config.submit_timeout_ms,
    enquireLinkMs: config.enquire_link_ms,
    failoverCodes: config.failover_codes.map(Number),
    statusWords: statusWords({}, config.status_map),
    receiptTerms: config,
    dlt: config.dlt ?? null,
    tlvs: config.tlvs,
    guard,
  };
}
