import { describe, expect, it } from 'vitest';
import { keepUrl, maskUrl, urlOrigin } from './urls.js';

describe('secrets of a URL', () => {
  it.each([
    ['https://gateway.example', 'https://gateway.example'],
    ['https://gateway.example/', 'https://gateway.example/'],
    ['https://gateway.example:8443/v1/key-in-the-path/send', 'https://gateway.example:8443/***'],
    ['https://gateway.example/?key=1', 'https://gateway.example/***'],
    ['https://user@gateway.example', 'https://gateway.example/***'],
    ['https://a@b:c@gateway.example/', 'https://gateway.example/***'],
    ['https://u:p@h/x?key=1&to={{to}}', 'https://h/***'],
    ['https://a\\@h/x', 'https://a/***'],
    ['https://h/***', 'https://h/***'],
    ['https://secret of no host/x', '***/***'],
    ['login@x?', 'login@x?'],
  ])('%s is shown as %s', (url, masked) => {
    expect(maskUrl(url)).toBe(masked);
  });

  it.each([
    ['https://u:p@h/x?key=1&k=2&flag', 'https://h/***', 'https://u:p@h/x?key=1&k=2&flag'],
    ['https://u:p@h/x', 'https://v:q@h/x', 'https://v:q@h/x'],
    ['https://h/x?key=1', 'https://other/***', null],
    ['https://h:1/x?key=1', 'https://h:2/***', null],
    ['https://h/x?key=1', 'http://h/***', null],
    ['https://h/x?key=1', 'https://h/x?key=***', null],
    ['https://h', 'https://h/***', null],
    [null, 'https://h/***', null],
    [null, '***', '***'],
  ])('of %s, %s keeps %s', (current, given, kept) => {
    expect(keepUrl(given, current)).toBe(kept);
  });

  it('are not in its origin', () => {
    expect(urlOrigin('https://u:p@shop.example:444/hook/secret?k=1')).toBe('https://shop.example:444');
    expect(urlOrigin('no url')).toBe('***');
  });
});
