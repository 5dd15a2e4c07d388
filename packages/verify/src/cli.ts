#!/usr/bin/env node
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import {
  linesOf,
  type Options,
  type RecipientProof,
  type SignedSettlement,
  type Verdict,
  verifyBundle,
  verifyChain,
  verifyProof,
  verifySettlement,
} from './index.js';

const USAGE = `switchboard-verify <file> [--keys <file or address>]

A file is a bundle, a settlement, a list of settlements or the proof of a recipient, as the API answers them.
--keys: the public keys of the house, such as https://send.example.com/.well-known/switchboard-settlement-keys`;

const LONGEST_JSON = 100 * 1024 * 1024;

async function answerOf(address: string): Promise<string> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address} answers ${String(response.status)}`);
  return response.text();
}

/** @throws Error when keys were asked for and none came: nothing is called good by mistake */
async function keysFrom(place: string | undefined): Promise<Options> {
  if (place === undefined) return {};
  const text = /^https?:/.test(place) ? await answerOf(place) : await readFile(place, 'utf8');
  const options = JSON.parse(text) as Options;
  if (!Array.isArray(options.keys)) throw new Error(`${place} has no list of keys`);
  return options;
}

async function verdictOn(file: string, options: Options): Promise<Verdict> {
  const [first] = (await createReadStream(file, { start: 0, end: 16 }).toArray()) as unknown[];
  if (String(first).startsWith('{"bundle":')) return verifyBundle(linesOf(createReadStream(file)), options);
  const text = await readFile(file, 'utf8');
  if (text.length > LONGEST_JSON) throw new Error('the file is too long');
  const { data } = JSON.parse(text) as { data: SignedSettlement | SignedSettlement[] | RecipientProof };
  if (Array.isArray(data)) return verifyChain(data, options);
  return 'path' in data ? verifyProof(data, options) : verifySettlement(data, options);
}

const summary = (verdict: Extract<Verdict, { ok: true }>, { keys }: Options): string => {
  const { statement } = verdict;
  const trust = keys ? '' : ' The key was not checked: give --keys.';
  if (!statement) return `Good: the settlements follow each other.${trust}`;
  const { request_id: id, totals, number, account, restored_at: restored } = statement;
  const fork =
    restored === null ? '' : ` The house was restored from a copy at ${restored}: the chain may fork before it.`;
  return `Good: settlement ${number} of ${account}, campaign ${id}, ${totals.recipients} recipients, ${totals.net} credits.${fork}${trust}`;
};

const { values, positionals } = parseArgs({ allowPositionals: true, options: { keys: { type: 'string' } } });
const [file] = positionals;
if (file === undefined) {
  process.stderr.write(`${USAGE}\n`);
  process.exitCode = 2;
} else {
  try {
    const options = await keysFrom(values.keys);
    const verdict = await verdictOn(file, options);
    process.stdout.write(`${verdict.ok ? summary(verdict, options) : `Wrong: ${verdict.problem}`}\n`);
    process.exitCode = verdict.ok ? 0 : 1;
  } catch (error) {
    process.stderr.write(`The file could not be read: ${(error as Error).message}\n`);
    process.exitCode = 2;
  }
}
