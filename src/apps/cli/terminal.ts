import { createInterface } from 'node:readline';

/** Exit codes, listed in the help. */
export const EXIT = { done: 0, failed: 1, usage: 2, notAsItShould: 3, timedOut: 124, interrupted: 130 } as const;

/** Ends a command with one line for the operator; `code` is one of `EXIT`, `hint` comes from the API. */
export class Failure extends Error {
  constructor(
    text: string,
    readonly code: number = EXIT.failed,
    readonly hint: string | null = null,
  ) {
    super(text);
  }
}

/** The API does not answer, or answers with a server error. */
export class Unanswered extends Failure {}

const WIDTH = 30;

// Characters in data that would control a terminal.
const CONTROLS = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu;

export const print = (text: string): void => void process.stdout.write(`${text}\n`);

export const printJson = (answer: unknown): void => print(JSON.stringify(answer));

/** Outside text on one line, without control characters. */
export const plain = (text: string): string => text.replace(CONTROLS, ' ');

export type Cell = string | number | boolean | null | undefined;

const cellText = (cell: Cell): string =>
  cell === null || cell === undefined || cell === '' ? '-' : plain(String(cell));

/** Rows in columns under their headings; numbers are right-aligned. */
export function table(heads: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const lines = [heads.map((head) => head.toUpperCase()), ...rows.map((row) => row.map(cellText))];
  const widths = heads.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  const isRight = heads.map((_, column) => rows.length > 0 && rows.every((row) => typeof row[column] === 'number'));
  return lines
    .map((line) =>
      line
        .map((text, column) =>
          isRight[column] ? text.padStart(widths[column] ?? 0) : text.padEnd(widths[column] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

export function sheet(facts: readonly (readonly [string, Cell])[]): string {
  const width = Math.max(...facts.map(([name]) => name.length));
  return facts.map(([name, value]) => `${name.padEnd(width)}  ${cellText(value)}`).join('\n');
}

/** Reads a password without echo, or the first line of piped input. Command lines are visible to every user. */
export async function readPassword(question: string): Promise<string> {
  const { stdin } = process;
  if (!stdin.isTTY) {
    for await (const line of createInterface({ input: stdin })) return line;
    return '';
  }
  process.stderr.write(question);
  stdin.setRawMode(true);
  stdin.setEncoding('utf8');
  return new Promise((resolve, reject) => {
    let typed = '';
    const end = (): void => {
      stdin.setRawMode(false);
      stdin.pause();
      stdin.off('data', receive);
      process.stderr.write('\n');
    };
    const receive = (keys: string): void => {
      for (const key of keys) {
        if (key === '\r' || key === '\n') {
          end();
          resolve(typed);
          return;
        }
        if (key === '\u0003' || key === '\u0004') {
          end();
          reject(new Failure('Interrupted', EXIT.interrupted));
          return;
        }
        typed = key === '\u007f' || key === '\b' ? typed.slice(0, -1) : typed + key;
      }
    };
    stdin.on('data', receive);
  });
}

/** A progress line on standard error; prints only to a terminal. */
export class ProgressLine {
  private last = '';

  constructor(private readonly output: Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'write'> = process.stderr) {}

  show(part: number, whole: number, words: string): void {
    const share = whole === 0 ? 1 : part / whole;
    const done = Math.round(share * WIDTH);
    const bar = `[${'#'.repeat(done)}${'.'.repeat(WIDTH - done)}] ${Math.floor(share * 100)} %`;
    // a wrapped line cannot be overwritten
    const line = `${bar}  ${part} of ${whole}  ${words}`.slice(0, (this.output.columns || 80) - 1);
    if (!this.output.isTTY || line === this.last) return;
    this.last = line;
    this.output.write(`\r\u001b[2K${line}`);
  }

  end(): void {
    if (this.last !== '') this.output.write('\n');
    this.last = '';
  }
}

interface Sample {
  at: number;
  final: number;
}

// About a minute of polls.
const SAMPLES = 60;
const SECOND = 1_000;
const MINUTE_S = 60;
const HOUR_S = 3_600;

/** Estimates the remaining time of a campaign from its recent pace. */
export class Pace {
  private readonly samples: Sample[] = [];

  see(sample: Sample): void {
    this.samples.push(sample);
    if (this.samples.length > SAMPLES) this.samples.shift();
  }

  /** Seconds until all recipients are final; null without progress. */
  secondsLeft(total: number): number | null {
    const [first] = this.samples;
    const last = this.samples.at(-1);
    if (!first || !last || last.final <= first.final) return null;
    const perSecond = ((last.final - first.final) / (last.at - first.at)) * SECOND;
    return Math.ceil((total - last.final) / perSecond);
  }
}

/** Such as `45 s`, `3 min`, `2 h 5 min`. */
export function spokenSeconds(seconds: number): string {
  if (seconds < 2 * MINUTE_S) return `${seconds} s`;
  if (seconds < 2 * HOUR_S) return `${Math.round(seconds / MINUTE_S)} min`;
  return `${Math.floor(seconds / HOUR_S)} h ${Math.floor((seconds % HOUR_S) / MINUTE_S)} min`;
}
