import { describe, expect, it } from 'vitest';
import { Pace, ProgressLine, sheet, spokenSeconds, table } from './terminal.js';

/** What a line shows on an output that is a terminal, or none. */
function shown(isTTY: boolean): string[] {
  const written: string[] = [];
  const line = new ProgressLine({
    isTTY,
    columns: 60,
    write: (text: string | Uint8Array) => written.push(String(text)) > 0,
  });
  line.show(1, 4, 'running: SENT 3, DELIVERED 1');
  line.show(1, 4, 'running: SENT 3, DELIVERED 1');
  line.show(0, 0, 'completed: ');
  line.end();
  line.end();
  return written;
}

describe('ProgressLine', () => {
  it('renews itself in a terminal, when something has changed, and ends once', () => {
    expect(shown(true)).toEqual([
      '\r\u001b[2K[########......................] 25 %  1 of 4  running: SEN',
      `\r\u001b[2K[${'#'.repeat(30)}] 100 %  0 of 0  completed: `,
      '\n',
    ]);
  });

  it('is silent in a pipe', () => {
    expect(shown(false)).toEqual([]);
  });
});

describe('what is printed of others', () => {
  it('stands in columns, numbers right, and steers no terminal', () => {
    const rows = [
      ['a\u001b[2Jb\nc', 5, null],
      ['x', 1_000, ''],
    ];
    expect(table(['name', 'count', 'note'], rows)).toBe(
      'NAME      COUNT  NOTE\na [2Jb c      5  -\nx          1000  -',
    );
    expect(
      sheet([
        ['name', 'x'],
        ['longer', 7],
      ]),
    ).toBe('name    x\nlonger  7');
  });
});

describe('Pace', () => {
  it('knows nothing of what does not move, and goes by the last minute', () => {
    const pace = new Pace();
    expect(pace.secondsLeft(100)).toBeNull();
    pace.see({ at: 0, final: 10 });
    expect(pace.secondsLeft(100)).toBeNull();
    pace.see({ at: 1_000, final: 10 });
    expect(pace.secondsLeft(100)).toBeNull();
    pace.see({ at: 2_000, final: 30 });
    expect(pace.secondsLeft(100)).toBe(7);
    for (let second = 3; second < 70; second++) pace.see({ at: second * 1_000, final: 30 });
    expect(pace.secondsLeft(100)).toBeNull();
  });
});

describe('spokenSeconds', () => {
  it('says seconds, minutes and hours', () => {
    expect([1, 119, 120, 3_600, 7_200, 7_500].map(spokenSeconds)).toEqual([
      '1 s',
      '119 s',
      '2 min',
      '60 min',
      '2 h 0 min',
      '2 h 5 min',
    ]);
  });
});
