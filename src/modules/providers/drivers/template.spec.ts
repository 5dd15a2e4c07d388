import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fillJson, fillJsonText, fillText, placeholders, readPath, readScalar } from './template.js';

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
