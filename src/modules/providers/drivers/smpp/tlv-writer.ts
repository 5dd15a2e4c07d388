import { createHash } from 'node:crypto';
import { boundedCache } from '../../../../platform/caches/index.js';
import { encodeTlvs, type Tlv } from '../../../../platform/smpp/index.js';
import type { OutboundMessage } from '../../ports/message-driver.js';
import { fillText, placeholders, type TemplateValues } from '../template.js';
import { type DltConfig, readInteger, tagNumber, type TlvConfig } from './smpp-options.js';

/** What of a route's configuration becomes optional parameters. */
export interface TlvOptions {
  dlt: DltConfig | null;
  tlvs: readonly TlvConfig[];
  /** of messages that have no sender of their own */
  sourceAddr: string;
}

/** Messages of a campaign have the same ones. */
const KEPT = 1_000;
/** Values that differ from message to message: with one of them nothing is worth keeping. */
const OF_ONE = ['to', 'ref'];

/** Makes the optional parameters of a route's messages. A parameter that names a value which a message has not stays away. */
export class TlvWriter {
  private readonly isEmpty: boolean;
  private readonly isShared: boolean;
  private readonly kept = boundedCache<string, Buffer>(KEPT);

  constructor(private readonly options: TlvOptions) {
    const { dlt, tlvs } = options;
    this.isEmpty = dlt === null && tlvs.length === 0;
    this.isShared = !tlvs.some(({ value }) => placeholders(value).some((name) => OF_ONE.includes(name)));
  }

  /** @returns undefined = none */
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
      dlt_entity_id: message.dlt?.entityId ?? dlt?.entity_id ?? null,
      dlt_template_id: message.dlt?.templateId ?? null,
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

/** @returns null for what does not fit the type */
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
