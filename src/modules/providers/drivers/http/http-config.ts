import { z } from 'zod';
import { failoverCodes } from '../carrier-answers.js';
import { dltTerms } from '../dlt.js';
import { placeholders } from '../request-template.js';

const path = z.string().max(200);
const STATUSES = ['submitted', 'delivered', 'read', 'failed'] as const;
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

const receiptSchema = z.object({
  /** absent = the body is one receipt, or an array */
  list_path: path.optional(),
  id_path: path.default('id'),
  status_path: path.default('status'),
  /** the carrier's word (any case) → ours */
  status_map: z.record(z.string().max(64), z.enum(STATUSES)).optional(),
  error_code_path: path.optional(),
  error_text_path: path.optional(),
  receiver_path: path.optional(),
});

const inboundSchema = z.object({
  /** absent = the body is one text, or an array */
  list_path: path.optional(),
  from_path: path.default('from'),
  text_path: path.default('text'),
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
    receipt: receiptSchema.optional(),
    inbound: inboundSchema.optional(),
    timeout_ms: z.number().int().min(100).max(25_000).default(15_000),
    deduplicates: z.boolean().default(false),
    failover_codes: failoverCodes,
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

/** Usual status words of gateways, for routes without `status_map`. */
export const USUAL_STATUSES: Readonly<Record<string, (typeof STATUSES)[number]>> = {
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
