import { describe, expect, it } from 'vitest';
import { keepSecrets, maskSecrets } from './secret-fields.js';

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
    });
    expect(keepSecrets({ password: 'new' }, current, FIELDS)).toEqual({ config: { password: 'new' } });
  });

  it('names three stars that nothing stands behind', () => {
    expect(keepSecrets({ password: '***' }, null, FIELDS)).toEqual({ missing: 'password' });
    expect(keepSecrets({ headers: { constructor: '***' } }, { headers: {} }, FIELDS)).toEqual({
      missing: 'headers.constructor',
    });
  });
});
