import { describe, expect, it } from 'vitest';
import { Turns } from './turns.js';

const gate = (): { opened: Promise<void>; open: () => void } => {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
};
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('turns', () => {
  it('runs as many at once as there are places, the others in their order', async () => {
    const turns = new Turns(2, 60_000, () => new Error('no turn'));
    const begun: number[] = [];
    const gates = [0, 1, 2, 3].map(() => gate());
    const all = gates.map(({ opened }, index) =>
      turns.take(async () => {
        begun.push(index);
        await opened;
        return index;
      }),
    );
    await settled();
    expect(begun).toEqual([0, 1]);
    gates[1]?.open();
    await settled();
    expect(begun).toEqual([0, 1, 2]);
    for (const { open } of gates) open();
    expect(await Promise.all(all)).toEqual([0, 1, 2, 3]);
  });

  it('gives the place back after a fault', async () => {
    const turns = new Turns(1, 60_000, () => new Error('no turn'));
    await expect(turns.take(() => Promise.reject(new Error('fault')))).rejects.toThrow('fault');
    expect(await turns.take(() => Promise.resolve(1))).toBe(1);
  });

  it('refuses who waits too long, and takes the next one in', async () => {
    const turns = new Turns(1, 20, () => new Error('no turn'));
    const first = gate();
    const running = turns.take(() => first.opened);
    await expect(turns.take(() => Promise.resolve())).rejects.toThrow('no turn');
    first.open();
    await running;
    expect(await turns.take(() => Promise.resolve(2))).toBe(2);
  });
});
