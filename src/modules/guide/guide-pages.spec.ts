import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GuidePages } from './guide-pages.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'switchboard-guide-'));
});
afterEach(() => rmSync(root, { recursive: true }));

describe('the pages of the guide', () => {
  it('come when they can be read, also after they could not', async () => {
    const pages = new GuidePages({ PUBLIC_URL: undefined }, root);
    await expect(pages.find('')).rejects.toThrow('ENOENT');
    await expect(pages.asset('guide.css')).rejects.toThrow('ENOENT');
    mkdirSync(join(root, 'docs'));
    writeFileSync(join(root, 'docs/README.md'), '# The guide\n');
    mkdirSync(join(root, 'src/modules/guide/public'), { recursive: true });
    writeFileSync(join(root, 'src/modules/guide/public/guide.css'), 'p {}');
    expect(await pages.find('')).toContain('The guide');
    expect((await pages.asset('guide.css'))?.content.toString()).toBe('p {}');
  });

  it('are read once', async () => {
    mkdirSync(join(root, 'docs'));
    writeFileSync(join(root, 'docs/README.md'), '# The guide\n');
    const pages = new GuidePages({ PUBLIC_URL: undefined }, root);
    const first = await pages.find('');
    rmSync(join(root, 'docs'), { recursive: true });
    expect(await pages.find('')).toBe(first);
    expect(await pages.find('nothing')).toBeNull();
  });
});
