import { createInterface } from 'node:readline';

/** Exit codes of the command line; its help lists them. */
export const EXIT = { done: 0, failed: 1, usage: 2, notAsItShould: 3, timedOut: 124, interrupted: 130 } as const;

/** What ends a command with a line for the operator. */
export class Failure extends Error {
  /**
   * @param code one of `EXIT`
   * @param hint what to do about it, as the API says it
   */
  constructor(
    text: string,
    readonly code: number = EXIT.failed,
    readonly hint: string | null = null,
  ) {
    super(text);
  }
}

/** The API is away or broken at the moment. */
export class Unanswered extends Failure {}

const WIDTH = 30;

/** What a name holds must not steer a terminal. */
const CONTROLS = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu;

export const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** An answer of the API for programs, on one line. */
export const printJson = (answer: unknown): void => print(JSON.stringify(answer));

/** A text from outside on one line, without what would steer the terminal. */
export const plain = (text: string): string => text.replace(CONTROLS, ' ');

export type Cell = string | number | boolean | null | undefined;

const cellText = (cell: Cell): string =>
  cell === null || cell === undefined || cell === '' ? '-' : plain(String(cell));

/** Rows under their heads, in columns; numbers stand right. */
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

/** Names beside their values, for one thing. */
export function sheet(facts: readonly (readonly [string, Cell])[]): string {
  const width = Math.max(...facts.map(([name]) => name.length));
  return facts.map(([name, value]) => `${name.padEnd(width)}  ${cellText(value)}`).join('\n');
}

/**
 * A password from the terminal, unseen, or the first line of standard input where that is no terminal. It never stands
 * on the command line, where every user of the machine could read it.
 */
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
      stdin.off('data', hear);
      process.stderr.write('\n');
    };
    const hear = (keys: string): void => {
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
    stdin.on('data', hear);
  });
}

/** One line on standard error that renews itself; where that is no terminal, nothing. */
export class ProgressLine {
  private last = '';

  constructor(private readonly output: Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'write'> = process.stderr) {}

  show(part: number, whole: number, words: string): void {
    const share = whole === 0 ? 1 : part / whole;
    const done = Math.round(share * WIDTH);
    const bar = `[${'#'.repeat(done)}${'.'.repeat(WIDTH - done)}] ${Math.floor(share * 100)} %`;
    // a line that wraps could not be renewed
    const line = `${bar}  ${part} of ${whole}  ${words}`.slice(0, (this.output.columns || 80) - 1);
    if (!this.output.isTTY || line === this.last) return;
    this.last = line;
    this.output.write(`\r\u001b[2K${line}`);
  }

  /** What is written next stands on a line of its own. */
  end(): void {
    if (this.last !== '') this.output.write('\n');
    this.last = '';
  }
}

/** How far a campaign was at a moment. */
interface Look {
  at: number;
  final: number;
}

/** How many looks back the pace is taken over: about a minute. */
const LOOKS = 60;
const SECOND = 1_000;
const MINUTE_S = 60;
const HOUR_S = 3_600;

/** What is left of a campaign, by the pace that was seen. */
export class Pace {
  private readonly looks: Look[] = [];

  see(look: Look): void {
    this.looks.push(look);
    if (this.looks.length > LOOKS) this.looks.shift();
  }

  /** Whole seconds until all are final; null while nothing moves. */
  secondsLeft(total: number): number | null {
    const [first] = this.looks;
    const last = this.looks.at(-1);
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
