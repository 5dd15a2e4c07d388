import { createInterface } from 'node:readline';
import { EXIT, Failure } from './failure.js';

const WIDTH = 30;

export const print = (text: string): void => void process.stdout.write(`${text}\n`);

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
