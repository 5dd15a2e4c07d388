import { z } from 'zod';
import { type Addressing, describeSender } from '../../../../platform/smpp/index.js';
import type { SocketGuard } from '../../../../platform/outbound/index.js';
import { failoverStatuses } from '../failover-codes.js';
import { dltSchema, tagsOf, tlvsSchema } from './smpp-options.js';
import type { TlvOptions } from './tlv-writer.js';

const ascii = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[\x20-\x7e]*$/, 'must be ASCII text');
const oneByte = z.number().int().min(0).max(255);

/**
 * `config` of a route with driver `smpp`, as the operator writes it (reference/providers#smpp). Beyond the fields named
 * there: `dest_ton`, `dest_npi`, `system_type`, `tls_ca` (PEM), `tls_verify`, `submit_timeout_ms`, `enquire_link_ms`, and the
 * optional parameters of each message: `dlt`, `tlvs`.
 */
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
  })
  .superRefine(({ dlt, tlvs }, context) => {
    const tags = tagsOf(dlt, tlvs);
    if (new Set(tags).size < tags.length)
      context.addIssue({ code: 'custom', path: ['tlvs'], message: 'a tag is used twice' });
  });

export type SmppRouteConfig = z.infer<typeof smppConfigSchema>;

/** The same, as the session reads it. */
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
  /** command statuses that another route may take over */
  failoverCodes: readonly number[];
  /** null: every address may be reached */
  guard: SocketGuard | null;
}

/** @param guard judges the carrier's address; null = it is trusted */
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
    dlt: config.dlt ?? null,
    tlvs: config.tlvs,
    guard,
  };
}
