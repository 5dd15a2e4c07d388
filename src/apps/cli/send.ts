import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isNumbersName } from '../../kernel/contacts.js';
import { AppError } from '../../kernel/errors.js';
import { refuseInexact } from '../../kernel/json-values.js';
import { FILE_FAULTS, FileRows, LARGEST_WORKBOOK } from '../../platform/spreadsheets/index.js';
import type { ApiClient } from './api-client.js';
import { watch, type WatchOptions } from './campaign.js';
import { EXIT, Failure, plain, print, printJson } from './terminal.js';

export interface ContactRow {
  to: string;
  variables?: Record<string, string>;
}

const MOST_BYTES = 100 * 1024 * 1024;
const FAULTS = {
  ...FILE_FAULTS,
  tooLarge: () => new Failure(`A file has at most 100 MB, an .xlsx ${LARGEST_WORKBOOK >> 20} MB`),
};
const TABLE_FAULTS = {
  empty: () => new Failure('File is empty'),
  longHeader: () => new Failure('Header of the file is larger than 64 KB'),
  // an open quote would swallow every number below
  quotes: (row: number) =>
    new Failure(`Row ${row} of the file has a quote that opens or closes in the wrong place; row 0 is the header`),
};

/** Numbers of a file (reference/recipient-lists#files), not read yet, with the other columns as variables. Null without the column. @throws Failure */
export async function rowsOf(bytes: AsyncIterable<Uint8Array>, column?: string): Promise<ContactRow[] | null> {
  const isKnown = (cell: string): boolean => (column === undefined ? isNumbersName(cell) : cell === column);
  const file = new FileRows(bytes, { mostBytes: MOST_BYTES, isKnown, faults: FAULTS, table: TABLE_FAULTS });
  const rows: (readonly string[])[] = [];
  try {
    for await (const cells of file.read()) if (cells.some((cell) => cell !== '')) rows.push(cells);
  } catch (error) {
    throw error instanceof AppError ? new Failure(error.message, EXIT.failed, error.help.hint ?? null) : error;
  }
  const heads = rows[0] ?? [];
  const headed = column !== undefined || heads.some(isKnown) || !heads.some(isNumber);
  const wanted = heads.findIndex(isKnown);
  if (column !== undefined && wanted < 0) return null;
  const index = headed ? Math.max(0, wanted) : 0;
  const named = headed
    ? heads.map((head, place) => [head, place] as const).filter(([head, place]) => head !== '' && place !== index)
    : [];
  return rows
    .slice(headed ? 1 : 0)
    .map((row) => ({
      to: row[index] ?? '',
      ...(named.length > 0 && {
        variables: Object.fromEntries(named.map(([head, place]) => [head, row[place] ?? ''])),
      }),
    }))
    .filter(({ to }) => to !== '');
}

// A number in any spelling, also beside words, so that a first recipient is not taken for a heading; not a year or a date.
const isNumber = (cell: string): boolean =>
  /\d{9}/.test(cell) || (/^[\d\s()+./-]+$/.test(cell) && cell.replace(/\D/g, '').length >= 5);

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
  skipFaults?: boolean;
  removeDuplicates?: boolean;
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
  skipFaults: ['sms', 'unofficial', 'template', 'branded'],
  removeDuplicates: ['sms', 'unofficial', 'template', 'branded'],
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

interface Skipped {
  value?: string;
  message: string;
}

interface Accepted {
  request_id?: string;
  Credits?: number;
  credits_deducted?: number;
  contacts?: number;
  data?: { request_id: string; credits: number; recipients: number; skipped?: Skipped[]; skipped_count?: number };
  warnings?: { message: string }[];
}

/** Sends one broadcast to the numbers of a CSV file and follows it to its end. */
export async function send(api: ApiClient, file: string, options: SendOptions): Promise<void> {
  refuseWrongOptions(options);
  const rows = await rowsOf(opened(file), options.column);
  if (rows === null) throw new Failure(`${file} has no column "${options.column ?? ''}"`);
  if (rows.length === 0) throw new Failure(`${file} has no numbers`);
  const recipients = options.skipFaults === true ? rows : await readStrictly(api, file, rows);
  const contacts = recipients.map(({ to }) => to);
  const { path, body, credits } = await submissionOf(api, recipients, options);
  const { answer, hints } = await api.callWithHints<Accepted>('POST', path, body);
  const requestId = answer.data?.request_id ?? answer.request_id ?? '';
  const taken = answer.data?.recipients ?? answer.contacts ?? contacts.length;
  if (options.json) printJson(answer);
  else print(`${requestId}: accepted for ${taken} contacts, ${credits(answer) ?? 0} credits`);
  const warnings = [...hints.map(textOf), ...(answer.warnings ?? []).map(({ message }) => message)].map(plain);
  const { skipped = [], skipped_count: left = 0 } = answer.data ?? {};
  if (left > 0) warnings.push([`${left} rows were left out`, ...shownOf(skipped.map(faultOf), left)].join('\n'));
  for (const warning of warnings) process.stderr.write(`Warning: ${warning}\n`);
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
  if (options.id !== undefined && isPicky(options)) {
    throw new Failure('error: --id does not go with --skip-faults and --remove-duplicates', EXIT.usage);
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

/** Options of `POST /v6/api/campaigns`. */
const isPicky = ({ skipFaults, removeDuplicates }: SendOptions): boolean =>
  skipFaults === true || removeDuplicates === true;

const flagOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const unreadable = (file: string, error: unknown): Failure =>
  new Failure(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}`);

async function read(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    throw unreadable(file, error);
  });
}

async function* opened(file: string): AsyncGenerator<Uint8Array, void, undefined> {
  const stream = createReadStream(file);
  try {
    yield* stream as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw unreadable(file, error);
  }
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
      else faults.push(faultOf({ value: row.to, message: data[index]?.message ?? 'number is not answered' }));
    }
  }
  if (faults.length === 0) return read;
  const shown = shownOf(faults, faults.length).join('\n');
  throw new Failure(`Numbers of ${file} that cannot be read: ${faults.length}; nothing was sent\n${shown}`);
}

/** @throws Failure when the number cannot be read */
async function readCaller(api: ApiClient, given: string): Promise<string> {
  const { data } = await api.call<ReadNumbers>('POST', '/v6/api/numbers/read', { numbers: [given] });
  const [read] = data;
  if (typeof read?.number === 'string') return read.number;
  throw new Failure(`--caller-id: ${plain(read?.message ?? 'number is not answered')}`);
}

const faultOf = ({ value = '', message }: Skipped): string => `  ${plain(value)}: ${plain(message)}`;

function shownOf(faults: readonly string[], count: number): string[] {
  const shown = faults.slice(0, MOST_SHOWN);
  return count > shown.length ? [...shown, `  and ${count - shown.length} more`] : shown;
}

async function submissionOf(
  api: ApiClient,
  recipients: readonly ContactRow[],
  options: SendOptions,
): Promise<Submission> {
  const contacts = recipients.map(({ to }) => to);
  const { channel, name, schedule, late, lateAfter } = options;
  const scheduled = { schedule_time: schedule, late, late_after_s: lateAfter };
  if (channel === 'voice') {
    const caller = options.callerId === undefined ? undefined : await readCaller(api, options.callerId);
    const menu = options.menu === undefined ? undefined : await readJson(options.menu);
    return {
      path: '/v6/api/v1/voice/send',
      body: {
        broadcast_name: name,
        message: options.message,
        audio_url: options.audio,
        language: options.language,
        caller_id: caller,
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
  const isText = channel === 'sms' || channel === 'unofficial';
  if (isText && !isPicky(options)) {
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
      ...(isText ? { message: options.message, route: options.service } : { template: templateOf(options) }),
      skip_invalid: options.skipFaults,
      remove_duplicates: options.removeDuplicates,
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
