import { RE2JS } from 're2js';
import { z } from 'zod';
import { failoverCodes, receiptTerms, statusMap } from '../carrier-answers.js';
import { failureKinds } from '../failure-kinds.js';
import { countryOfSenders } from '../inbound-delivery.js';
import { dltTerms } from '../dlt.js';
import { placeholders } from '../request-template.js';

const path = z.string().max(200);
/** Without headers of the connection: with one of them no request could be sent. */
const HEADER_NAME =
  /^(?!(?:connection|content-length|expect|keep-alive|te|trailer|transfer-encoding|upgrade)$)[a-z0-9!#$%&'*+.^_`|~-]+$/i;
const HEADER_VALUE = /^[\t\x20-\x7e\xa0-\xff]*$/;
const MESSAGE_VALUES = new Set([
  'to',
  'from',
  'text',
  'media_url',
  'ref',
  'dlt_entity_id',
  'dlt_template_id',
  'validity_s',
]);

const LONGEST_PATTERN = 500;

/** A pattern of an operator, matched in time proportional to the text. @throws Error for what RE2 does not know */
export const compilePattern = (pattern: string): RE2JS => RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE);

const pattern = z
  .string()
  .min(1)
  .max(LONGEST_PATTERN)
  .superRefine((value, context) => {
    try {
      compilePattern(value);
    } catch {
      context.addIssue({
        code: 'custom',
        message: 'must be a regular expression of RE2 (no look-around, no back-reference)',
      });
    }
  });

const receiptSchema = z.object({
  /** absent = the body is one receipt, or an array */
  list_path: path.optional(),
  id_path: path.default('id'),
  status_path: path.default('status'),
  status_map: statusMap.optional(),
  error_code_path: path.optional(),
  error_text_path: path.optional(),
  receiver_path: path.optional(),
});

const inboundSchema = z.object({
  /** absent = the body is one text, or an array */
  list_path: path.optional(),
  from_path: path.default('from'),
  to_path: path.default('to'),
  text_path: path.default('text'),
  /** the gateway's id of a text, by which its repetitions are known */
  message_id_path: path.optional(),
});

/** `config` of driver `http` (reference/providers#http-gateway). */
export const httpConfigSchema = z
  .object({
    url: z
      .string()
      .max(2048)
      .refine((url) => /^https?:\/\/[^\s/{}]+/i.test(url) && URL.canParse(url), 'must be an http or https URL'),
    method: z.enum(['POST', 'PUT', 'PATCH', 'GET']).default('POST'),
    headers: z
      .record(
        z.string().regex(HEADER_NAME, 'must be a header name'),
        z.string().max(4096).regex(HEADER_VALUE, 'must be printable and Latin-1'),
      )
      .default({}),
    body: z.unknown().optional(),
    from: z.string().max(32).optional(),
    dlt: z.object(dltTerms).optional(),
    secrets: z.record(z.string().regex(/^[A-Za-z0-9_-]{1,64}$/), z.string().max(4096)).default({}),
    id_path: path.optional(),
    error_code_path: path.optional(),
    error_text_path: path.optional(),
    accepted_codes: z
      .array(z.union([z.number().int(), z.string().min(1).max(64)]))
      .max(100)
      .default([]),
    accepted_pattern: pattern.optional(),
    refused_pattern: pattern.optional(),
    receipt: receiptSchema.optional(),
    inbound: inboundSchema.optional(),
    country: countryOfSenders,
    timeout_ms: z.number().int().min(100).max(25_000).default(15_000),
    deduplicates: z.boolean().default(false),
    failover_codes: failoverCodes,
    failure_kinds: failureKinds,
    ...receiptTerms,
  })
  .superRefine((config, context) => {
    for (const field of ['url', 'headers', 'body'] as const) {
      for (const name of placeholders(config[field])) {
        const known =
          MESSAGE_VALUES.has(name) || (name.startsWith('secrets.') && Object.hasOwn(config.secrets, name.slice(8)));
        if (!known)
          context.addIssue({ code: 'custom', path: [field], message: `names an unknown placeholder {{${name}}}` });
      }
    }
  });

export type HttpRouteConfig = z.infer<typeof httpConfigSchema>;
export type HttpReceiptConfig = z.infer<typeof receiptSchema>;
export type HttpInboundConfig = z.infer<typeof inboundSchema>;

export const USUAL_STATUSES: z.infer<typeof statusMap> = {
  accepted: 'submitted',
  queued: 'submitted',
  sent: 'submitted',
  submitted: 'submitted',
  delivered: 'delivered',
  delivrd: 'delivered',
  read: 'read',
  seen: 'read',
  failed: 'failed',
  undelivered: 'failed',
  undeliverable: 'failed',
  undeliv: 'failed',
  expired: 'failed',
  rejected: 'failed',
  rejectd: 'failed',
  deleted: 'failed',
};
