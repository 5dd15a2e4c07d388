import { describe, expect, it } from 'vitest';
import { isSameAddress, keepSecrets, maskSecrets } from './secrets.js';

const FIELDS = ['password', 'headers.*'];

describe('secret fields', () => {
  it('shows three stars and nothing else of them', () => {
    const config = { host: 'a', password: 'hush', headers: { authorization: 'Bearer x', 'x-key': 'y' } };
    expect(maskSecrets(config, FIELDS)).toEqual({
      host: 'a',
      password: '***',
      headers: { authorization: '***', 'x-key': '***' },
    });
    expect(config.password).toBe('hush');
    expect(maskSecrets({ host: 'a', password: '' }, FIELDS)).toEqual({ host: 'a', password: '' });
    expect(maskSecrets({ headers: 'odd' }, FIELDS)).toEqual({ headers: 'odd' });
  });

  it('keeps what stands behind three stars and takes what is new', () => {
    const current = { password: 'hush', headers: { authorization: 'Bearer x' } };
    expect(keepSecrets({ password: '***', headers: { authorization: '***', 'x-key': 'z' } }, current, FIELDS)).toEqual({
      config: { password: 'hush', headers: { authorization: 'Bearer x', 'x-key': 'z' } },
      kept: ['password', 'headers.authorization'],
    });
    expect(keepSecrets({ password: 'new' }, current, FIELDS)).toEqual({ config: { password: 'new' }, kept: [] });
  });

  it('names three stars that nothing stands behind', () => {
    expect(keepSecrets({ password: '***' }, null, FIELDS)).toEqual({ missing: 'password' });
    expect(keepSecrets({ headers: { constructor: '***' } }, { headers: {} }, FIELDS)).toEqual({
      missing: 'headers.constructor',
    });
  });

  it.each([
    [{ host: 'a', port: 1 }, { host: 'a', port: 1, window: 5 }, true],
    [{ host: 'a', port: 1 }, { host: 'a', port: 2 }, false],
    [{ host: 'a' }, { host: 'b' }, false],
    [{ url: 'https://a.example/send' }, { url: 'https://A.example:443/send/?to={{to}}' }, true],
    [{ url: 'https://a.example/send' }, { url: 'http://a.example/send' }, false],
    [{ url: 'https://a.example/send' }, { url: 'https://a.example:8443/send' }, false],
    [{ url: 'https://a.example/one' }, { url: 'https://a.example/two' }, false],
    [{ url: 'https://a.example' }, { url: 'https://a.example@b.example' }, false],
    [{}, { host: 'a' }, false],
  ])('%j and %j are the same address: %s', (a, b, isSame) => {
    expect(isSameAddress(a, b, ['host', 'port', 'url'])).toBe(isSame);
  });
});
