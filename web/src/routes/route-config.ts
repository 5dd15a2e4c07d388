import type { Schema } from '../api/client.js';

/** A field of a driver's `config` that has a place of its own in the form. */
export interface ConfigField {
  name: string;
  label: string;
  kind: 'text' | 'number' | 'flag' | 'secret' | 'json';
  hint?: string;
}

export type Driver = Schema<'PutRouteRequest'>['driver'];

interface DriverForm {
  label: string;
  channels: readonly ('sms' | 'unofficial' | 'voice')[];
  /** a route may limit its sessions with the carrier */
  hasBinds?: true;
  /** what operators set; all else of a `config` stands below as JSON, so that nothing of it is lost */
  fields: readonly ConfigField[];
}

const RECEIPT_TIMEOUT = {
  name: 'receipt_timeout_s',
  label: 'Fail without a receipt after, seconds',
  kind: 'number',
  hint: '60 to 604,800. Leave empty for the system default.',
} as const;

const FAILURE_KINDS = {
  name: 'failure_kinds',
  label: 'Failure codes',
  kind: 'json',
  hint: '{ "34": "permanent", "DND": "opt_out" }: permanent, not_today, opt_out or temporary',
} as const;

/** One form for each driver of the API: a driver without a form does not compile. */
export const DRIVERS: Readonly<Record<Driver, DriverForm>> = {
  smpp: {
    label: 'SMPP',
    channels: ['sms'],
    hasBinds: true,
    fields: [
      { name: 'host', label: 'Host', kind: 'text' },
      { name: 'port', label: 'Port', kind: 'number' },
      { name: 'system_id', label: 'System id', kind: 'text' },
      { name: 'password', label: 'Password', kind: 'secret' },
      { name: 'source_addr', label: 'Sender', kind: 'text', hint: 'For messages without their own sender' },
      { name: 'window', label: 'Window', kind: 'number', hint: 'Unanswered messages per session' },
      { name: 'ton', label: 'TON of the sender', kind: 'number' },
      { name: 'npi', label: 'NPI of the sender', kind: 'number' },
      { name: 'tls', label: 'Use TLS', kind: 'flag' },
      { name: 'status_map', label: 'Receipt statuses', kind: 'json', hint: '{ "UNDELIVRD": "failed" }' },
      { name: 'receipts', label: 'Receipts that decide a long message', kind: 'text', hint: 'all, last, first or any' },
      { name: 'id_base', label: 'Id format in answers', kind: 'text', hint: 'hex, dec or auto' },
      FAILURE_KINDS,
      RECEIPT_TIMEOUT,
      { name: 'country', label: 'Country of senders', kind: 'text', hint: 'IN: reads national numbers of inbound SMS' },
    ],
  },
  http: {
    label: 'HTTP gateway',
    channels: ['sms', 'unofficial'],
    fields: [
      { name: 'url', label: 'Address', kind: 'text' },
      { name: 'method', label: 'Method', kind: 'text' },
      { name: 'headers', label: 'Headers', kind: 'json' },
      {
        name: 'body',
        label: 'Body',
        kind: 'json',
        hint: '{{to}} {{text}} {{media_url}} {{ref}} stand for the message',
      },
      { name: 'id_path', label: 'Path of the id in an answer', kind: 'text' },
      { name: 'error_code_path', label: 'Path of the error code in an answer', kind: 'text' },
      {
        name: 'accepted_pattern',
        label: 'Plain answers that mean accepted',
        kind: 'text',
        hint: 'A regular expression; a group named id is the id',
      },
      {
        name: 'refused_pattern',
        label: 'Plain answers that mean refused',
        kind: 'text',
        hint: 'A regular expression; its first group is the code',
      },
      { name: 'receipt', label: 'Receipts', kind: 'json' },
      FAILURE_KINDS,
      RECEIPT_TIMEOUT,
      { name: 'inbound', label: 'Inbound SMS', kind: 'json' },
      { name: 'country', label: 'Country of senders', kind: 'text', hint: 'IN: reads national numbers of inbound SMS' },
    ],
  },
  twilio: {
    label: 'Programmable Voice',
    channels: ['voice'],
    fields: [
      { name: 'account_sid', label: 'Account SID', kind: 'text' },
      { name: 'auth_token', label: 'Token', kind: 'secret' },
      { name: 'base_url', label: 'Address', kind: 'text' },
      { name: 'from', label: 'Caller', kind: 'text', hint: 'For calls without their own caller id' },
      FAILURE_KINDS,
    ],
  },
};

/** What stands in the inputs. */
export type ConfigTexts = Record<string, string | boolean>;

/** The name of the field with all that has none of its own. */
export const REST = 'rest';

const asText = (value: unknown): string => {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
};

/** A `config` as texts of a form. */
export function textsOf(driver: Driver, config: Readonly<Record<string, unknown>>): ConfigTexts {
  const known = DRIVERS[driver].fields;
  const rest = Object.fromEntries(
    Object.entries(config).filter(([name]) => !known.some((field) => field.name === name)),
  );
  return {
    ...Object.fromEntries(
      known.map(({ name, kind }) => [name, kind === 'flag' ? config[name] === true : asText(config[name])]),
    ),
    [REST]: Object.keys(rest).length === 0 ? '' : JSON.stringify(rest, null, 2),
  };
}

/** The `config` that a form says. @throws Error that begins with the field whose JSON cannot be read */
export function configOf(driver: Driver, texts: ConfigTexts): Record<string, unknown> {
  const config: Record<string, unknown> = { ...(readJson(REST, texts[REST]) as object | undefined) };
  for (const { name, kind } of DRIVERS[driver].fields) {
    const text = texts[name];
    if (kind === 'flag') config[name] = text === true;
    else if (text === undefined || String(text).trim() === '') continue;
    else if (kind === 'number') config[name] = Number(text);
    else config[name] = kind === 'json' ? readJson(name, text) : text;
  }
  return config;
}

function readJson(name: string, text: string | boolean | undefined): unknown {
  if (typeof text !== 'string' || text.trim() === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Error(`config.${name} is no JSON`);
  }
}
