import { z } from 'zod';
import { isHttpUrl } from '../../../../kernel/urls.js';

export const CHAT_PROVIDERS = ['meta_cloud', 'crm', 'reseller', 'other'] as const;
export type ChatProvider = (typeof CHAT_PROVIDERS)[number];

const text = z.string().nullable().default(null);
const former = z.object({ value: z.string(), until: z.number() }).nullish();

/** The sealed config of a chat account (reference/admin#chat-accounts). Fields are optional: faults are reported at use. */
export const metaCloudConfigSchema = z.object({
  provider: z.enum(CHAT_PROVIDERS),
  number: text,
  url: text,
  token: text,
  app_id: text,
  app_secret: text,
  verify_token: text,
  former_app_secret: former,
  former_verify_token: former,
  bmid: text,
  waba_id: text,
});

export type MetaCloudConfig = z.infer<typeof metaCloudConfigSchema>;

export interface GraphAccount {
  id: number;
  provider: ChatProvider;
  url: string | null;
  token: string | null;
  bmid: string | null;
  /** staff without super set the address: it goes through the guard of routes */
  guarded?: boolean;
}

const NUMERIC = /^[0-9]+$/;

interface Address {
  base: string;
  phoneNumberId: string;
}

/** Splits `https://host/v21.0/<id>[/messages]` at its last numeric segment (reference/providers#phone-number-id). */
function readAddress(text: string | null): Address | null {
  if (text === null || !isHttpUrl(text)) return null;
  const { origin, pathname } = new URL(text);
  const segments = pathname.split('/').filter((segment) => segment !== '');
  const at = segments.findLastIndex((segment) => NUMERIC.test(segment));
  const phoneNumberId = segments[at];
  if (phoneNumberId === undefined) return null;
  return { base: [origin, ...segments.slice(0, at)].join('/'), phoneNumberId };
}

export const phoneNumberIdOf = (account: Pick<GraphAccount, 'url'>): string | null =>
  readAddress(account.url)?.phoneNumberId ?? null;

/** The URL before the phone-number id, such as `https://graph.example/v21.0`; null = none. */
export const baseUrlOf = (account: Pick<GraphAccount, 'url'>): string | null => readAddress(account.url)?.base ?? null;
