import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OutboundClient } from '../../../platform/outbound/index.js';
import { HttpDriver } from './http/http.driver.js';
import { SmppDriver } from './smpp/smpp.driver.js';
import { fillJson, fillJsonText, fillText, placeholders, readPath, readScalar } from './request-template.js';

const values = fc.record({ to: fc.string(), text: fc.string({ unit: 'binary' }), media_url: fc.option(fc.string()) });

describe('request templates', () => {
  it('carry any text unharmed, as JSON values and as JSON text', () => {
    fc.assert(
      fc.property(values, ({ to, text, media_url }) => {
        const filled = { to, text, media: media_url, both: `${to}: ${text}`, list: [text, 1, true, null] };
        const known = { to, text, media_url };
        expect(
          fillJson(
            {
              to: '{{to}}',
              text: '{{ text }}',
              media: '{{media_url}}',
              both: '{{to}}: {{text}}',
              list: ['{{text}}', 1, true, null],
            },
            known,
          ),
        ).toEqual(filled);
        const json = fillJsonText('{"to": {{to}}, "text": "{{text}}", "media": {{media_url}}}', known);
        expect(JSON.parse(json)).toEqual({ to, text: JSON.parse(JSON.stringify(text)), media: media_url });
      }),
    );
  });

  it('never read placeholders in a value', () => {
    expect(fillJson('{{text}}', { text: '{{to}}', to: '1' })).toBe('{{to}}');
    expect(fillText('a={{text}}', { text: '{{to}}', to: '1' }, (value) => value)).toBe('a={{to}}');
    expect(fillJsonText('[{{text}}]', { text: '$& {{to}}', to: '1' })).toBe('["$& {{to}}"]');
  });

  it('name their placeholders', () => {
    expect(placeholders({ a: ['{{to}}', { b: 'x {{secrets.key}} {{ text }}' }], c: 5 })).toEqual([
      'to',
      'secrets.key',
      'text',
    ]);
  });
});

describe('paths into answers', () => {
  const value = { a: { b: [{ c: 5 }, 'x'] }, 'with space': '' };
  it.each([
    ['a.b[0].c', 5],
    ['a.b.0.c', 5],
    ['a.b[1]', 'x'],
    ['a.z.c', undefined],
    ['a.b.length', 2],
    ['constructor', undefined],
    ['a.__proto__', undefined],
    ['', value],
  ])('%s', (path, found) => expect(readPath(value, path)).toEqual(found));

  it('read texts and numbers, nothing else', () => {
    expect([
      readScalar('x'),
      readScalar(5),
      readScalar(''),
      readScalar(true),
      readScalar({}),
      readScalar(Number.NaN),
    ]).toEqual(['x', '5', null, null, null, null]);
  });
});

const ID = '{{dlt_template_id}}';
const smpp = new SmppDriver();
const http = new HttpDriver({} as OutboundClient);
const smppRoute = (config: object) =>
  smpp.configSchema.parse({ host: 'smsc.example', port: 2775, system_id: 'a', password: 'b', ...config });
const httpRoute = (config: object) => http.configSchema.parse({ url: 'https://gateway.example/send', ...config });

it.each([
  [{}, false],
  [{ tlvs: [{ tag: '0x1501', type: 'text', value: '{{dlt_entity_id}}' }] }, false],
  [{ tlvs: [{ tag: '0x1502', type: 'text', value: ID }] }, true],
  [{ dlt: {} }, true],
])('knows whether the id of a text goes out over SMPP: %j', (config, isSent) => {
  expect(smpp.sendsDlt(smppRoute(config))).toBe(isSent);
});

it.each([
  [{ dlt: { required: true } }, false],
  [{ body: { pe: '{{dlt_entity_id}}' } }, false],
  [{ body: { deep: [{ id: ID }] } }, true],
  [{ headers: { 'x-id': ID } }, true],
  [{ url: `https://gateway.example/send?id=${ID}` }, true],
])('and over HTTP: %j', (config, isSent) => {
  expect(http.sendsDlt(httpRoute(config))).toBe(isSent);
});
