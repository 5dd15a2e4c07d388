import { api, saveBlob, type Schema } from '../api/client.js';
import { Problem } from '../api/problem.js';
import type { Body, ChannelName } from './draft.js';

/** Hands what a send leaves out to the browser, as a file. */
export async function saveSkipped(body: Body): Promise<void> {
  const { data } = await api.POST('/v6/api/campaigns/skipped.csv', { body: body as never, parseAs: 'blob' });
  saveBlob(data as unknown as Blob, 'skipped.csv');
}

/** Hands a campaign in. @param key makes the same request one campaign @returns its request id */
export async function submit(channel: ChannelName, body: Body, key: string): Promise<string> {
  const headers = { 'Idempotency-Key': key };
  if (channel === 'voice') {
    // this endpoint cleans numbers by its own rule: it gets those that the quote has counted, as they are read
    const read = await readNumbers(body['contacts'] as string[]);
    const contacts = read.flatMap(({ number }) => number ?? []);
    const { data } = await api.POST('/v6/api/v1/voice/send', { body: { ...body, contacts }, headers } as never);
    return (data as unknown as { request_id: string }).request_id;
  }
  const { data } = await api.POST('/v6/api/campaigns', { body: body as never, headers } as never);
  return (data as unknown as { data: { request_id: string } }).data.request_id;
}

const NUMBERS_A_REQUEST = 10_000;

/** Numbers as the account reads them, in their order. */
async function readNumbers(given: readonly string[]): Promise<Schema<'ReadNumberData'>[]> {
  const read: Schema<'ReadNumberData'>[] = [];
  for (let from = 0; from < given.length; from += NUMBERS_A_REQUEST) {
    const numbers = given.slice(from, from + NUMBERS_A_REQUEST);
    const { data } = await api.POST('/v6/api/numbers/read', { body: { numbers } });
    read.push(...(data?.data ?? []));
  }
  return read;
}

/** The one number of a field as the account reads it. @throws Problem when it cannot be read */
export async function readNumber(field: string, given: string): Promise<string> {
  const [read] = await readNumbers([given]);
  if (typeof read?.number !== 'string') throw new Problem(400, read?.message ?? 'number is invalid', null, field);
  return read.number;
}

/** A key that no other request has; on addresses without TLS browsers have no `randomUUID`. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
