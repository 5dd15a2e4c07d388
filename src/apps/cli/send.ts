import { readFile } from 'node:fs/promises';
import { CsvError, parse } from 'csv-parse/sync';
import { refuseInexact } from '../../kernel/json-values.js';
import type { ApiClient } from './api-client.js';
import { watch, type WatchOptions } from './campaign.js';
import { EXIT, Failure, plain, print, printJson } from './terminal.js';

const NAMES = /^(numbers?|phones?|mobiles?|contacts?|to|receivers?)$/i;
const SEPARATORS = [',', ';', '\t'] as const;

export interface ContactRow {
  to: string;
  variables?: Record<string, string>;
}

/** Numbers of a CSV file, not read yet, with the other columns as variables; null without the column. Throws Failure for a malformed quoted field. */
export function rowsOf(text: string, column?: string): ContactRow[] | null {
  const rows = readRows(text);
  const heads = rows[0]?.map((cell) => cell.trim()) ?? [];
  const headed = column !== undefined || heads.some((head) => NAMES.test(head)) || !heads.some(isNumber);
  const wanted = heads.findIndex((head) => (column === undefined ? NAMES.test(head) : head === column));
  if (column !== undefined && wanted < 0) return null;
  const index = headed ? Math.max(0, wanted) : 0;
  const named = headed
    ? heads.map((head, index) => [head, index] as const).filter(([head, first]) => head !== '' && first !== index)
    : [];
  return rows
    .slice(headed ? 1 : 0)
    .map((row) => ({
      to: (row[index] ?? '').trim(),
      ...(named.length > 0 && {
        variables: Object.fromEntries(named.map(([head, place]) => [head, row[place] ?? ''])),
      }),
    }))
    .filter(({ to }) => to !== '');
}

// A number in any spelling, also beside words, so that a first recipient is not taken for a heading; not a year or a date.
const isNumber = (cell: string): boolean =>
  /\d{9}/.test(cell) || (/^[\d\s()+./-]+$/.test(cell) && cell.replace(/\D/g, '').length >= 5);

// The most frequent separator outside quotes in the first non-blank line.
function separatorOf(text: string): string {
  const [firstLine = ''] = text
    .replace(/"[^"]*"/g, 'quoted')
    .split(/[\r\n]+/)
    .filter((line) => line.trim() !== '');
  const count = (mark: string): number => firstLine.split(mark).length;
  return SEPARATORS.reduce((best, mark) => (count(mark) > count(best) ? mark : best), ',');
}

function readRows(text: string): string[][] {
  try {
    return parse(text, {
      bom: true,
      delimiter: separatorOf(text),
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      relax_quotes: true,
      skip_records_with_empty_values: true,
      trim: true,
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    // an open quote would swallow every number below
    throw new Failure(error.code === 'CSV_QUOTE_NOT_CLOSED' ? 'A quoted field has no end' : error.message);
  }
}

export const SEND_CHANNELS = ['sms', 'unofficial', 'template', 'branded', 'voice'] as const;
export type SendChannel = (typeof SEND_CHANNELS)[number];

export interface SendOptions extends WatchOptions {
  channel: SendChannel;
  name: string;
  service?: string;
  message?: string;
  column?: string;
  id?: string;
  schedule?: string;
  late?: string;
  lateAfter?: number;
  watch: boolean;
  template?: string;
  language?: string;
  param?: string[];
  components?: string;
  flatten?: boolean;
  audio?: string;
  callerId?: string;
  menu?: string;
  plan?: string;
  retries?: number;
  retryInterval?: number;
}

type OptionName = keyof SendOptions;

const GOES_WITH: Partial<Record<OptionName, readonly SendChannel[]>> = {
  message: ['sms', 'unofficial', 'voice'],
  service: ['sms', 'unofficial'],
  id: ['sms'],
  template: ['template', 'branded'],
  param: ['template', 'branded'],
  components: ['template', 'branded'],
  flatten: ['template', 'branded'],
  language: ['template', 'branded', 'voice'],
  audio: ['voice'],
  callerId: ['voice'],
  menu: ['voice'],
  plan: ['voice'],
  retries: ['voice'],
  retryInterval: ['voice'],
};

interface Submission {
  path: string;
  body: object;
  credits: (answer: Accepted) => number | undefined;
}

interface Accepted {
  request_id?: string;
  Credits?: number;
  credits_deducted?: number;
  contacts?: number;
  data?: { request_id: string; credits: number; recipients: number };
  warnings?: { message: string }[];
}

/** Sends one broadcast to the numbers of a CSV file and follows it to its end. */
export async function send(api: ApiClient, file: string, options: SendOptions): Promise<void> {
  refuseWrongOptions(options);
  const text = await read(file);
  const rows = rowsOf(text, options.column);
  if (rows === null) throw new Failure(`${file} has no column "${options.column ?? ''}"`);
  if (rows.length === 0) throw new Failure(`${file} has no numbers`);
  const recipients = await readStrictly(api, file, rows);
  const contacts = recipients.map(({ to }) => to);
  const { path, body, credits } = await submissionOf(recipients, options);
  const { answer, hints } = await api.callWithHints<Accepted>('POST', path, body);
  const requestId = answer.data?.request_id ?? answer.request_id ?? '';
  const taken = answer.data?.recipients ?? answer.contacts ?? contacts.length;
  if (options.json) printJson(answer);
  else print(`${requestId}: accepted for ${taken} contacts, ${credits(answer) ?? 0} credits`);
  const warnings = [...hints.map(textOf), ...(answer.warnings ?? []).map(({ message }) => message)];
  for (const warning of warnings) process.stderr.write(`Warning: ${plain(warning)}\n`);
  if (options.watch) await watch(api, requestId, options);
}

function textOf({ code, field, count }: { code: string; field?: string; count?: number }): string {
  const facts = [field, count].filter((fact) => fact !== undefined);
  return facts.length === 0 ? code : `${code}: ${facts.join(', ')}`;
}

function refuseWrongOptions(options: SendOptions): void {
  const { channel } = options;
  if (options.id !== undefined && channel !== 'sms') {
    throw new Failure('--id goes with --channel sms: elsewhere a second run would send twice', EXIT.usage);
  }
  for (const [name, channels] of Object.entries(GOES_WITH) as [OptionName, readonly SendChannel[]][]) {
    if (options[name] === undefined || channels.includes(channel)) continue;
    throw new Failure(`error: --${flagOf(name)} does not go with --channel ${channel}`, EXIT.usage);
  }
  const wanted: OptionName[] =
    channel === 'voice'
      ? ['message', 'audio']
      : channel === 'sms' || channel === 'unofficial'
        ? ['message']
        : ['template'];
  if (wanted.every((name) => options[name] === undefined)) {
    throw new Failure(`error: --channel ${channel} wants --${wanted.map(flagOf).join(' or --')}`, EXIT.usage);
  }
}

const flagOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

async function read(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    throw new Failure(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}`);
  });
}

interface ReadNumbers {
  data: { number: string | null; message: string | null }[];
}

const NUMBERS_A_REQUEST = 10_000;
const MOST_SHOWN = 10;

/** Reads the numbers as the account's own endpoints do (reference/numbers#reading). @throws Failure when one is refused */
async function readStrictly(api: ApiClient, file: string, rows: readonly ContactRow[]): Promise<ContactRow[]> {
  const read: ContactRow[] = [];
  const faults: string[] = [];
  for (let from = 0; from < rows.length; from += NUMBERS_A_REQUEST) {
    const part = rows.slice(from, from + NUMBERS_A_REQUEST);
    const { data } = await api.call<ReadNumbers>('POST', '/v6/api/numbers/read', { numbers: part.map(({ to }) => to) });
    for (const [index, row] of part.entries()) {
      const number = data[index]?.number;
      if (typeof number === 'string') read.push({ ...row, to: number });
      else faults.push(`  ${plain(row.to)}: ${plain(data[index]?.message ?? 'number is not answered')}`);
    }
  }
  if (faults.length === 0) return read;
  const shown = faults.slice(0, MOST_SHOWN);
  if (faults.length > MOST_SHOWN) shown.push(`  and ${faults.length - MOST_SHOWN} more`);
  throw new Failure(`Numbers of ${file} that cannot be read: ${faults.length}; nothing was sent\n${shown.join('\n')}`);
}

async function submissionOf(recipients: readonly ContactRow[], options: SendOptions): Promise<Submission> {
  const contacts = recipients.map(({ to }) => to);
  const { channel, name, schedule, late, lateAfter } = options;
  const scheduled = { schedule_time: schedule, late, late_after_s: lateAfter };
  if (channel === 'voice') {
    const menu = options.menu === undefined ? undefined : await readJson(options.menu);
    return {
      path: '/v6/api/v1/voice/send',
      body: {
        broadcast_name: name,
        message: options.message,
        audio_url: options.audio,
        language: options.language,
        caller_id: options.callerId,
        voiceplan: options.plan,
        dtmf_flow: menu,
        retries: options.retries,
        retry_interval: options.retryInterval,
        contacts,
        ...scheduled,
      },
      credits: (answer) => answer.credits_deducted,
    };
  }
  if (channel === 'sms' || channel === 'unofficial') {
    return {
      path: channel === 'sms' ? '/webhook/api/addbroadcastgsm.php' : '/webhook/api/addbroadcastUnofficial.php',
      body: {
        broadcast_name: name,
        brodcast_service: options.service ?? 'default',
        message: options.message,
        contacts,
        ...(options.id === undefined ? {} : { providermessageid: options.id }),
        ...scheduled,
      },
      credits: (answer) => answer.Credits,
    };
  }
  return {
    path: '/v6/api/campaigns',
    body: {
      channel,
      broadcast_name: name,
      recipients,
      template: templateOf(options),
      ...(options.flatten === true && { flatten: true }),
      ...scheduled,
    },
    credits: (answer) => answer.data?.credits,
  };
}

// Placeholders in the parameters are filled from columns of the file.
function templateOf({ template, language, param = [], components }: SendOptions): object {
  const given: unknown = components === undefined ? [] : parsed(components, '--components');
  if (!Array.isArray(given)) throw new Failure('--components is not a list');
  const body = param.length === 0 ? [] : [{ type: 'body', parameters: param.map((text) => ({ type: 'text', text })) }];
  return {
    name: template,
    ...(language === undefined ? {} : { language: { code: language } }),
    ...(given.length + body.length === 0 ? {} : { components: [...(given as unknown[]), ...body] }),
  };
}

async function readJson(file: string): Promise<unknown> {
  return parsed(await read(file), file);
}

function parsed(text: string, name: string): unknown {
  try {
    return JSON.parse(refuseInexact(text));
  } catch {
    throw new Failure(`${name} is not valid JSON`);
  }
}
