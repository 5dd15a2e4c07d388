import { describe, expect, it } from 'vitest';
import { keepUrl, maskUrl } from './url-secrets.js';

describe('secrets of a URL', () => {
  it.each([
    ['https://gateway.example/send', 'https://gateway.example/send'],
    ['https://user@gateway.example/send', 'https://***@gateway.example/send'],
    ['https://a@b:c@gateway.example/', 'https://***:***@gateway.example/'],
    ['https://u:p@h/x?key=1&to={{to}}&{{text}}&flag', 'https://***:***@h/x?key=***&to={{to}}&{{text}}&***'],
    ['https://h/x?key=pre-{{to}}', 'https://h/x?key=***'],
    ['https://h/x?a=b=c#d', 'https://h/x?a=***'],
    ['https://a\\@h/x', 'https://a\\@h/x'],
    ['login@x?', 'login@x?'],
  ])('%s is shown as %s', (url, masked) => {
    expect(maskUrl(url)).toBe(masked);
  });

  it.each([
    ['https://u:p@h/x?key=1&k=2&flag', 'https://***:***@h/x?key=***&k=***&***', 'https://u:p@h/x?key=1&k=2&flag'],
    ['https://h/x?key=1&k=2', 'https://h/x?k=***&new=3', 'https://h/x?k=2&new=3'],
    ['https://h/x?a=1&a=2', 'https://h/x?a=***&a=***', 'https://h/x?a=1&a=2'],
    ['https://u:p@h/x', 'https://v:q@h/x', 'https://v:q@h/x'],
    ['https://h/x?key=1', 'https://other/x?key=***', null],
    ['https://h/x?key=1', 'https://h/y?key=***', null],
    ['https://h/x?key=1', 'https://h/x?other=***', null],
    ['https://h/x', 'https://***@h/x', null],
    [null, 'https://h/x?key=***', null],
    [null, '***', '***'],
  ])('of %s, %s keeps %s', (current, given, kept) => {
    expect(keepUrl(given, current)).toBe(kept);
  });
});
