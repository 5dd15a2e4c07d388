import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from './processes.js';

const ROOT = new URL('../..', import.meta.url).pathname;
const DOCS = join(ROOT, 'docs');
/** Where the pages say the service is. */
const SHOWN = 'http://127.0.0.1:3000';
const PATIENCE_MS = 60_000;
/** A block that changes nothing may be typed again until it answers what the page shows. */
const CHANGES = /\s(-d|-X|-F|--data\S*)[\s"']|npm run cli -- .*\b(send|pause|resume|cancel|retry)\b/;

/** A command of a page, and what the page shows as its answer. */
export interface Example {
  line: number;
  command: string;
  answer: { kind: 'json' | 'text'; shown: string } | null;
}

/** Every page with commands that are typed by a reader: `sh` blocks but those marked `elsewhere`. */
export function pagesWithExamples(): { page: string; examples: Example[] }[] {
  const pages = readdirSync(DOCS, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.md'));
  return ['README.md', ...pages.map((file) => `docs/${file}`)]
    .sort()
    .map((page) => ({ page, examples: examplesOf(readFileSync(join(ROOT, page), 'utf8')) }))
    .filter(({ examples }) => examples.length > 0);
}

/** Blocks of commands, each with the block of an answer that follows it before any other. */
export function examplesOf(text: string): Example[] {
  const examples: Example[] = [];
  let last: Example | null = null;
  for (const found of text.matchAll(/^```(\S*)( elsewhere)?\n(.*?)^```$/gms)) {
    const [, kind = '', elsewhere, body = ''] = found;
    if (kind === 'sh' && elsewhere === undefined) {
      last = { line: text.slice(0, found.index).split('\n').length, command: body, answer: null };
      examples.push(last);
    } else if ((kind === 'json' || kind === 'text') && last !== null) {
      last.answer = { kind, shown: body };
      last = null;
    } else last = null;
  }
  return examples;
}

/** One reader of one page: a shell that keeps its variables, in a directory like that of a fresh `npm start`. */
export class Reader {
  private readonly directory = mkdtempSync(join(tmpdir(), 'switchboard-page-'));
  private readonly shell: ChildProcess;
  private out = '';
  private err = '';

  constructor(private readonly service: Service) {
    mkdirSync(join(this.directory, '.data'));
    mkdirSync(join(this.directory, 'bin'));
    writeFileSync(join(this.directory, '.data/admin-password'), 'Admin-1234!\n');
    const { SANDBOX_PORT } = service.environment;
    writeFileSync(join(this.directory, '.data/ports.json'), JSON.stringify({ SANDBOX_PORT }));
    const npm = join(this.directory, 'bin/npm');
    const cli = join(ROOT, 'dist/src/apps/cli/main.js');
    writeFileSync(
      npm,
      `#!/bin/sh\n[ "$1 $2 $3" = "run cli --" ] && shift 3 && exec node ${cli} "$@"\necho "npm $*" >&2; exit 1\n`,
    );
    chmodSync(npm, 0o755);
    const { PATH } = process.env;
    const env = { ...service.environment, SWITCHBOARD_URL: service.url, PATH: `${this.directory}/bin:${PATH}` };
    this.shell = spawn('bash', ['-eo', 'pipefail'], { cwd: this.directory, env, stdio: ['pipe', 'pipe', 'pipe'] });
    this.shell.stdout?.on('data', (chunk: Buffer) => (this.out += chunk.toString()));
    this.shell.stderr?.on('data', (chunk: Buffer) => (this.err = (this.err + chunk.toString()).slice(-4_000)));
  }

  /** Types a command, and again while it may and its answer is not yet the page's. @returns what is wrong, or null */
  async follow({ command, answer }: Example): Promise<string | null> {
    const patience = CHANGES.test(command) ? 0 : Date.now() + PATIENCE_MS;
    for (;;) {
      const said = await this.type(command);
      if (said === null) return `the shell ended: ${this.err}`;
      const fault = faultIn(said, answer);
      if (fault === null || Date.now() > patience) return fault;
      await sleep(250);
    }
  }

  async close(): Promise<void> {
    this.shell.stdin?.end();
    if (this.shell.exitCode === null) await once(this.shell, 'close');
    rmSync(this.directory, { recursive: true });
  }

  private async type(command: string): Promise<string | null> {
    this.out = '';
    this.shell.stdin?.write(`${command.replaceAll(SHOWN, this.service.url)}\nprintf '\\036'\n`);
    while (!this.out.endsWith('\u001e')) {
      if (this.shell.exitCode !== null) return null;
      await sleep(10);
    }
    return this.out.slice(0, -1).trim();
  }
}

/** Answers on lines of their own, or one behind the other as curl leaves them. */
const jsonAnswers = (said: string): unknown[] =>
  said
    .replaceAll('}{', '}\n{')
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as unknown);

function faultIn(said: string, answer: Example['answer']): string | null {
  if (answer?.kind === 'text') {
    const [is, shown] = [said, answer.shown].map((text) => text.trim().replace(/\s+/g, ' ')) as [string, string];
    return matches(is, shown) ? null : `answered ${said}`;
  }
  const answers = jsonAnswers(said);
  if (answer === null) {
    const refused = answers.some((each) => (each as { success?: boolean }).success === false);
    return refused ? `was refused: ${said}` : null;
  }
  const fault = difference(answers.at(-1), JSON.parse(answer.shown), '');
  return fault === null ? null : `${fault}; answered ${said.slice(0, 2_000)}`;
}

const matches = (text: string, shown: string): boolean =>
  new RegExp(
    `^${shown
      .split('…')
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*')}$`,
    's',
  ).test(text);

/** What of an answer is not as the page shows it; fields that the page leaves out may be there. */
function difference(is: unknown, shown: unknown, at: string): string | null {
  if (typeof shown === 'string') {
    return typeof is === 'string' && matches(is, shown) ? null : `${at} is ${JSON.stringify(is)}, not "${shown}"`;
  }
  if (typeof shown !== 'object' || shown === null) {
    return is === shown ? null : `${at} is ${JSON.stringify(is)}, not ${JSON.stringify(shown)}`;
  }
  if (typeof is !== 'object' || is === null) return `${at} is ${JSON.stringify(is)}`;
  if (Array.isArray(shown) && Array.isArray(is) && shown.at(-1) === '…') {
    // these, in this order, among others
    let from = 0;
    for (const [index, value] of shown.slice(0, -1).entries()) {
      const found = is.slice(from).findIndex((each) => difference(each, value, '') === null);
      if (found < 0) return `${at} has no ${index + 1}. entry`;
      from += found + 1;
    }
    return null;
  }
  if (Array.isArray(shown) && (!Array.isArray(is) || is.length !== shown.length)) return `${at} has another length`;
  for (const [name, value] of Object.entries(shown)) {
    const fault = difference((is as Record<string, unknown>)[name], value, `${at}.${name}`);
    if (fault !== null) return fault;
  }
  return null;
}
