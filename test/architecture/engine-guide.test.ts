import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ROOT } from './house.js';

const GUIDE = readFileSync(`${ROOT}docs/engine.md`, 'utf8');
const ENGINE = 'src/modules/engine/';

const section = (title: string): string => GUIDE.split('\n## ').find((part) => part.startsWith(title)) ?? '';
const filesIn = (text: string): string[] => [...text.matchAll(/`([\w./-]+\.ts)`/g)].flatMap(([, path]) => path ?? []);

describe('the guide to the engine', () => {
  it('fits on a page', () => {
    expect(GUIDE.trimEnd().split('\n').length).toBeLessThanOrEqual(60);
  });

  it('names files that are there', () => {
    const missing = filesIn(GUIDE).filter((path) =>
      [path, `${ENGINE}${path}`, `src/modules/${path}`].every((candidate) => !existsSync(`${ROOT}${candidate}`)),
    );
    expect(missing).toEqual([]);
  });

  it('shows the acceptance of a broadcast in 18 files', () => {
    const files = filesIn(section('Accept'));
    expect(files.length).toBeGreaterThan(10);
    expect(new Set(files).size).toBeLessThanOrEqual(18);
  });
});
