import { z } from 'zod';
import { digitsOf } from '../../../../kernel/phone-number.js';
import { isHttpUrl } from '../../../../kernel/web-url.js';
import { failoverCodes } from '../failover-codes.js';

const plainUrl = (url: string): boolean => {
  if (!isHttpUrl(url)) return false;
  const { username, password, search, hash } = new URL(url);
  return username + password + search + hash === '';
};

/**
 * `config` of a route with driver `twilio` (reference/providers#twilio). Beyond the fields named there: `ring_seconds`,
 * after which a call counts as unanswered, and `timeout_ms` of a request.
 */
export const twilioConfigSchema = z.object({
  // `AC` and 32 hexadecimal digits at the network itself; networks that speak its API have forms of their own
  account_sid: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be an account SID'),
  auth_token: z.string().min(1, 'must not be empty').max(256),
  base_url: z
    .string()
    .max(512)
    .refine(plainUrl, 'must be an http or https URL without login, query or fragment')
    .default('https://api.twilio.com'),
  /** caller's number of calls that name none */
  from: z
    .string()
    .transform(digitsOf)
    .refine((digits) => digits.length >= 10 && digits.length <= 16, 'must be 10 to 16 digits')
    .optional(),
  ring_seconds: z.number().int().min(5).max(600).default(30),
  timeout_ms: z.number().int().min(100).max(25_000).default(15_000),
  failover_codes: failoverCodes,
});

export type TwilioConfig = z.infer<typeof twilioConfigSchema>;
