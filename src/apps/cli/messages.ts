import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { readJsonObject } from '../../kernel/json-values.js';
import type { ApiClient } from './api-client.js';
import { list, type ListOptions } from './lists.js';
import { type Cell, EXIT, Failure, plain, print, printJson, sheet, Unanswered } from './terminal.js';

const PATH = '/v6/api/messages';

export const MESSAGE_CHANNELS = ['sms', 'template', 'session'] as const;

export interface MessageOptions {
  channel: (typeof MESSAGE_CHANNELS)[number];
  json?: boolean;
  template?: string;
  language?: string;
  param?: string[];
  senderId?: string;
  route?: string;
  schedule?: string;
  ref?: string;
  /** a JSON object */
  metadata?: string;
}

interface Accepted {
  data: { id: string; status: string; credits: number; segments: number; test: boolean };
  warnings?: { message: string }[];
}

/**
 * Sends one message (reference/messages#send). @param text null with a template @throws Failure wrong use, or what the API
 * refused
 */
export async function sendMessage(
  api: ApiClient,
  to: string,
  text: string | undefined,
  options: MessageOptions,
): Promise<void> {
  const ref = options.ref ?? `cli-${randomUUID()}`;
  const answer = await sendOnce(api, bodyOf(to, text, { ...options, ref }), ref);
  const { id, status, credits, segments, test } = answer.data;
  if (options.json) printJson(answer);
  else print(`${id}: ${status}, ${credits} credits, ${segments} segments${test ? ' (test)' : ''}`);
  for (const { message } of answer.warnings ?? []) process.stderr.write(`Warning: ${plain(message)}\n`);
}

const TRIES = 3;
const TRY_AGAIN_MS = 1_000;

/** Repeats what was not answered: under one client_ref nothing is sent twice. @throws Failure the first fault, with what to do */
async function sendOnce(api: ApiClient, body: object, ref: string): Promise<Accepted> {
  let first: Unanswered | null = null;
  for (let tries = 1; ; tries++) {
    try {
      return await api.call<Accepted>('POST', PATH, body);
    } catch (error) {
      if (!(error instanceof Unanswered) && first === null) throw error;
      if (error instanceof Unanswered) first ??= error;
      const again = `Run it again with --ref ${ref}: nothing is sent twice.`;
      if (tries >= TRIES && first)
        throw new Unanswered(first.message, EXIT.failed, [first.hint, again].filter(Boolean).join(' '));
      await sleep(TRY_AGAIN_MS);
    }
  }
}

function bodyOf(to: string, text: string | undefined, options: MessageOptions): object {
  const { channel, template, language, param = [], metadata } = options;
  const tags = metadata === undefined ? null : readJsonObject(metadata);
  if (metadata !== undefined && tags === null) throw new Failure('error: --metadata is no JSON object', EXIT.usage);
  const parameters = param.map((value) => ({ type: 'text', text: value }));
  return {
    ...{ channel, to, text, sender_id: options.senderId, route: options.route },
    ...{ schedule_time: options.schedule, client_ref: options.ref },
    ...(tags && { metadata: tags }),
    ...(template !== undefined && {
      template: {
        name: template,
        ...(language !== undefined && { language: { code: language } }),
        ...(parameters.length > 0 && { components: [{ type: 'body', parameters }] }),
      },
    }),
  };
}

interface MessageRow {
  id: string;
  direction: string;
  channel: string;
  from: string | null;
  to: string | null;
  text: string | null;
  status: string;
  created_at: string;
  metadata: object | null;
  [field: string]: unknown;
}

/** Shows one message that the account has sent or received. */
export async function showMessage(api: ApiClient, id: string, { json = false }: { json?: boolean }): Promise<void> {
  const { data } = await api.call<{ data: MessageRow }>('GET', `${PATH}/${encodeURIComponent(id)}`);
  if (json) return printJson(data);
  const { metadata, ...facts } = data;
  const cells = Object.entries(facts).map(([name, value]): [string, Cell] => [
    name.replaceAll('_', ' '),
    value as Cell,
  ]);
  print(sheet([...cells, ['metadata', metadata && JSON.stringify(metadata)]]));
}

export interface MessageListOptions extends ListOptions {
  test?: boolean;
  direction?: string;
  number?: string;
  from?: string;
  to?: string;
}

/** Lists what the account has sent and received, newest first. */
export async function listMessages(api: ApiClient, options: MessageListOptions): Promise<void> {
  const { direction, number, from, to, test } = options;
  const filter = { direction, number, from, to, ...(test && { test: 'true' }) };
  await list<MessageRow>(api, PATH, filter, options, {
    id: (row) => row.id,
    direction: (row) => row.direction,
    channel: (row) => row.channel,
    from: (row) => row.from,
    to: (row) => row.to,
    status: (row) => row.status,
    created: (row) => row.created_at,
    text: (row) => row.text,
  });
}
