import { z } from 'zod';
import { failoverCodes } from '../carrier-answers.js';
import { dltIdSchema, placeholders } from '../template.js';

const path = z.string().max(200);
const STATUSES = ['submitted', 'delivered', 'read', 'failed'] as const;
/** Not the names that belong to the connection: with one of them nothing could ever be sent. */
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

/** Where a callback's receipts stand. */
const receiptSchema = z.object({
  /** the list of receipts, for upstreams that send several at once; without it the body is one, or an array of them */
  list_path: path.optional(),
  id_path: path.default('id'),
  status_path: path.default('status'),
  /** the upstream's word (any case) → ours */
  status_map: z.record(z.string().max(64), z.enum(STATUSES)).optional(),
  error_code_path: path.optional(),
  error_text_path: path.optional(),
  receiver_path: path.optional(),
});

/** Where a callback's texts from handsets stand: what people wrote back. */
const inboundSchema = z.object({
  /** the list of texts; without it the body is one, or an array of them */
  list_path: path.optional(),
  from_path: path.default('from'),
  text_path: path.default('text'),
});

/**
 * `config` of a route with driver `http` (reference/providers#http-gateway). Beyond the fields named there: `secrets`,
 * whose values stand in the request as `{{secrets.<name>}}`; `error_code_path` and `error_text_path` for refusals;
 * `timeout_ms`; `deduplicates`: the upstream drops a second message with the same `{{ref}}`; `inbound`: where callbacks
 * carry inbound messages.
 */
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
    /** sender of messages that have none of their own */
    from: z.string().max(32).optional(),
    /** whether messages must have the ids of India's DLT, and the entity of those whose sender id has none */
    dlt: z
      .object({
        entity_id: dltIdSchema.optional(),
        required: z.boolean().default(false),
      })
      .optional(),
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

/** What the usual words of gateways mean, for routes without a map of their own. */
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
