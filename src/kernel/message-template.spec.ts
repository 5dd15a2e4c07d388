import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isVariableName,
  MessageTemplate,
  MOST_PLACEHOLDERS,
  readVariables,
  VARIABLE_REASONS,
  type Variables,
} from './message-template.js';

function parsed(text: string): MessageTemplate {
  const read = MessageTemplate.parse(text);
  if ('fault' in read) throw new Error(`refused: ${read.fault}`);
  return read.template;
}

const render = (text: string, variables?: Variables): string => parsed(text).render(variables);

describe('a text with placeholders (reference/bulk#placeholders)', () => {
  it('fills in values, and defaults where there is none', () => {
    expect(render('Hi {{name}}!', { name: 'Jane' })).toBe('Hi Jane!');
    expect(render('Hi {{ name | there }}!')).toBe('Hi there!');
    expect(render('Hi {{name|there}}!', { name: 'Jane' })).toBe('Hi Jane!');
    expect(render('{{a}}{{b|}}{{a}}', { a: '1' })).toBe('11');
    expect(render('{{a|x|y}}')).toBe('x|y');
  });

  it('takes an empty value, and white space only, for none', () => {
    for (const name of ['', ' ', '\t\n']) {
      expect(render('Hi {{name|there}}', { name })).toBe('Hi there');
      expect(parsed('Hi {{name}}').missing({ name })).toEqual(['name']);
    }
    expect(render('{{n|x}}', { n: '0' })).toBe('0');
  });

  it('takes names as they are given: letters of any script, digits, _ and -', () => {
    expect(render('{{Name}}{{name}}', { Name: 'A', name: 'b' })).toBe('Ab');
    expect(render('{{नाम}} {{1}} {{first-name_2}}', { नाम: 'x', '1': 'y', 'first-name_2': 'z' })).toBe('x y z');
    expect(isVariableName('x'.repeat(64))).toBe(true);
    for (const name of ['', 'x'.repeat(65), 'a b', 'a.b', 'a|b', '{a', '😀']) expect(isVariableName(name)).toBe(false);
  });

  it('knows no value that an object inherits', () => {
    for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
      expect(render(`{{${name}|none}}`, {})).toBe('none');
      expect(parsed(`{{${name}}}`).missing({})).toEqual([name]);
    }
  });

  it('says \\{{ for a literal {{, and \\\\ before a placeholder for one backslash', () => {
    expect(render('\\{{name}}', { name: 'Jane' })).toBe('{{name}}');
    expect(render('\\\\{{name}}', { name: 'Jane' })).toBe('\\Jane');
    expect(render('\\\\\\{{name}}', { name: 'Jane' })).toBe('\\{{name}}');
    expect(render('a\\b }} { } {{x|\\}}', {})).toBe('a\\b }} { } \\');
    expect(render('{{x}}\\{{y}}', { x: '\\', y: '?' })).toBe('\\{{y}}');
  });

  it('never reads a value again', () => {
    expect(render('{{a}}{{b}}', { a: '{{b}}', b: '\\{{a}}' })).toBe('{{b}}\\{{a}}');
    expect(render('{{a}}{{b|x}}', { a: '{' })).toBe('{x');
  });

  it('names each placeholder once, and those that need a value', () => {
    const template = parsed('{{a}} {{b|}} {{a|x}} {{c}} {{b}}');
    expect(template.names).toEqual(['a', 'b', 'c']);
    expect(template.required).toEqual(['a', 'b', 'c']);
    expect(template.missing({ b: '1' })).toEqual(['a', 'c']);
    expect(template.missing({ a: '1', b: '2', c: '3' })).toEqual([]);
    expect(parsed('{{a|x}}').required).toEqual([]);
  });

  it.each([
    ['{{', 1],
    ['Hi {{name', 4],
    ['Hi {{name}', 4],
    ['{{}}', 1],
    ['{{ }}', 1],
    ['{{|x}}', 1],
    ['{{a b}}', 1],
    ['{{{a}}}', 1],
    ['{{a|{{b}}}}', 1],
    ['{{ok}} {{no!}}', 8],
    ['😀{{!}}', 3],
  ])('refuses %j, and says where', (text, at) => {
    expect(MessageTemplate.parse(text)).toEqual({ fault: 'placeholder', at });
  });

  it(`takes ${MOST_PLACEHOLDERS} placeholders and no more`, () => {
    expect(parsed('{{a}}'.repeat(MOST_PLACEHOLDERS)).size).toBe(MOST_PLACEHOLDERS);
    expect(MessageTemplate.parse('{{a}}'.repeat(MOST_PLACEHOLDERS + 1))).toEqual({ fault: 'tooMany' });
  });

  it('leaves a text without {{ as it is', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('{{')),
        (text) => render(text) === text,
      ),
    );
  });

  it('gives back every text whose braces are written as literals', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '{', '}', '|', ' ') });
    fc.assert(fc.property(text, (literal) => render(literal.replaceAll('{{', '\\{{')) === literal));
  });

  it('puts together what it was made of', () => {
    const name = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/);
    const literal = fc.string().filter((text) => !/[{\\]/.test(text));
    const fallback = fc.option(fc.string().filter((text) => !/[{}]/.test(text)));
    const piece = fc.record({ literal, name, fallback });
    const values = fc.dictionary(name, fc.string({ maxLength: 20 }));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: MOST_PLACEHOLDERS }), values, (pieces, some) => {
        const variables: Variables = { ...some, ...(pieces[0] && { [pieces[0].name]: '{{x}}' }) };
        const text = pieces.map((each) => {
          const bar = each.fallback === null ? '' : `|${each.fallback}`;
          return `${each.literal}{{ ${each.name}${bar} }}`;
        });
        const given = (key: string): string => (Object.hasOwn(variables, key) ? (variables[key] as string) : '');
        const whole = pieces.map((each) => {
          const value = given(each.name).trim() === '' ? (each.fallback ?? '').trim() : given(each.name);
          return each.literal + value;
        });
        expect(render(text.join(''), variables)).toBe(whole.join(''));
      }),
    );
  });

  it('answers to any text without throwing, and never longer than its parts', () => {
    const text = fc.string({ unit: fc.constantFrom('{', '}', '{{', '}}', '|', '\\', 'a', ' ', '😀') });
    fc.assert(
      fc.property(text, fc.dictionary(fc.constantFrom('a', 'aa'), fc.string()), (any, variables) => {
        const read = MessageTemplate.parse(any);
        if ('fault' in read) return true;
        const longest = Math.max(0, ...Object.values(variables).map(({ length }) => length));
        return read.template.render(variables).length <= any.length + read.template.size * longest;
      }),
    );
  });
});

const many = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`v${index}`, 'x']));

describe('variables of a recipient (reference/bulk#variables)', () => {
  it('takes texts, numbers, true and false', () => {
    expect(readVariables({ a: 'x', b: 7.5, c: true, d: 0, e: false })).toEqual({
      variables: { a: 'x', b: '7.5', c: 'true', d: '0', e: 'false' },
    });
  });

  it.each([undefined, null, {}, { a: null }, { a: '' }, { a: ' \n' }])('takes %j for none', (value) => {
    expect(readVariables(value)).toEqual({ variables: undefined });
  });

  it.each([[1], ['x'], [true], [[]], [['a']]])('refuses %j', (value) => {
    expect(readVariables(value)).toEqual({ reason: VARIABLE_REASONS.noObject });
  });

  it('refuses values that are no text', () => {
    for (const a of [{}, [], ['x'], 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY])
      expect(readVariables({ a })).toEqual({ reason: 'a must be a text, a number, true or false' });
  });

  it('takes 50 of them with 1,000 characters each, and no more', () => {
    expect(readVariables(many(50))).toEqual({ variables: many(50) });
    expect(readVariables(many(51))).toEqual({ reason: 'at most 50 variables are allowed' });
    expect(readVariables({ a: '😀'.repeat(1_000) })).toEqual({ variables: { a: '😀'.repeat(1_000) } });
    expect(readVariables({ a: 'x'.repeat(1_001) })).toEqual({ reason: 'a is longer than 1000 characters' });
  });

  it('refuses a name that no placeholder can have', () => {
    for (const name of ['', 'a b', 'a.b', 'x'.repeat(65)])
      expect(readVariables({ [name]: 'x' })).toEqual({ reason: VARIABLE_REASONS.name });
  });

  it('keeps names that objects have of their own', () => {
    const value: unknown = JSON.parse('{"__proto__":"x","constructor":"y"}');
    expect(JSON.stringify(readVariables(value))).toBe('{"variables":{"__proto__":"x","constructor":"y"}}');
  });

  it('answers to anything', () => {
    fc.assert(fc.property(fc.anything(), (any) => 'variables' in readVariables(any) || 'reason' in readVariables(any)));
  });
});
