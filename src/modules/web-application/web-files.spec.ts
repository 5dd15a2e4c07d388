import { describe, expect, it } from 'vitest';
import { toApplication } from './web-files.js';

describe('the way from a page to the files of the application', () => {
  it.each([
    ['/app', '/app/'],
    ['/app/', '/app/'],
    ['/app/campaigns', '/app/'],
    ['/app/campaigns/', '/app/'],
    ['/app/campaigns/GSM_1', '/app/'],
    ['/app/a%2Fb/c/d', '/app/'],
  ])('leads from %s to %s, below a prefix too', (path, expected) => {
    const way = toApplication(path);
    expect(new URL(way, `http://x${path}`).pathname).toBe(expected);
    expect(new URL(way, `http://x/c/b${path}`).pathname).toBe(`/c/b${expected}`);
  });
});
