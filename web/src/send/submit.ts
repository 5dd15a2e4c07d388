import { api } from '../api/client.js';
import type { Body, ChannelName } from './draft.js';

/** Hands a campaign in. @param key makes the same request one campaign @returns its request id */
export async function submit(channel: ChannelName, body: Body, key: string): Promise<string> {
  const headers = { 'Idempotency-Key': key };
  if (channel === 'voice') {
    const { data } = await api.POST('/v6/api/v1/voice/send', { body: body as never, headers } as never);
    return (data as unknown as { request_id: string }).request_id;
  }
  const { data } = await api.POST('/v6/api/campaigns', { body: body as never, headers } as never);
  return (data as unknown as { data: { request_id: string } }).data.request_id;
}

/** A key that no other request has; on addresses without TLS browsers have no `randomUUID`. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
