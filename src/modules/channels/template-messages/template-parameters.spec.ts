import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MOST_PLACEHOLDERS } from '../../../kernel/message-template.js';
import {
  flattened,
  hasButtonFault,
  hasRefusedText,
  parameterFault,
  PersonalisedComponents,
  type TemplateComponent,
} from './template-parameters.js';

function read(components: TemplateComponent[]): PersonalisedComponents {
  const result = PersonalisedComponents.read(components);
  if ('fault' in result) throw new Error(result.fault);
  return result.components;
}

const body = (...texts: string[]): TemplateComponent => ({
  type: 'body',
  parameters: texts.map((text) => ({ type: 'text', text })),
});

describe('components of each recipient (reference/bulk#templates)', () => {
  it('fills in texts at any depth, and keeps everything else', () => {
    const image = { type: 'header', parameters: [{ type: 'image', image: { link: 'https://e.example/{{id}}.png' } }] };
    const button = { type: 'button', index: 0, sub_type: 'url', parameters: [{ type: 'text', text: 'x' }, null, 7] };
    const components = read([image, body('{{name|you}}', '{{2}}'), button]);
    expect(components.fill({ id: '7', '2': '{{id}}' })).toEqual([
      { type: 'header', parameters: [{ type: 'image', image: { link: 'https://e.example/7.png' } }] },
      body('you', '{{id}}'),
      button,
    ]);
    expect(components.fill({})[2]).toBe(button);
  });

  it('names what a recipient leaves open, each name once', () => {
    const components = read([body('{{a}} {{b}}', '{{b}}', '{{c|}}')]);
    expect(components.missing({ a: 'x' })).toEqual(['b']);
    expect(components.missing({})).toEqual(['a', 'b']);
    expect(components.missing({ a: 'x', b: 'y' })).toEqual([]);
  });

  it('refuses what is no placeholder, and too many over all texts', () => {
    expect(PersonalisedComponents.read([body('ok', 'Hi {{!}}')])).toEqual({ fault: 'placeholder', at: 4 });
    const most = Array.from({ length: MOST_PLACEHOLDERS }, () => '{{a}}');
    expect(read([body(...most)]).missing({})).toEqual(['a']);
    expect(PersonalisedComponents.read([body(...most, '{{a}}')])).toEqual({ fault: 'tooMany' });
  });
});

const PARTS = { bodyParameters: 2, headerParameters: 1 };
const list = (type: string, count: number): TemplateComponent => ({ type, parameters: Array(count).fill({}) });

describe('parameters of a template message (reference/template-messages#parameters)', () => {
  it('counts over all components of a kind, whatever the case of its name', () => {
    expect(parameterFault([list('body', 2), list('header', 1)], PARTS)).toBeNull();
    expect(parameterFault([list('BODY', 1), list('Header', 1), list('body', 1)], PARTS)).toBeNull();
  });

  it('checks the body before the header, and never the buttons', () => {
    expect(parameterFault([], PARTS)).toBe('bodyParameters');
    expect(parameterFault([list('body', 2)], PARTS)).toBe('headerParameters');
    expect(
      parameterFault([list('button', 7), { type: 'button', parameters: 'x' }], {
        bodyParameters: 0,
        headerParameters: 0,
      }),
    ).toBeNull();
  });

  it.each(['x', {}, 7, true, ['x'], [null], [[]]])('parameters %j fit no template', (parameters) => {
    expect(parameterFault([{ type: 'body', parameters }], { ...PARTS, bodyParameters: 0 })).toBe('bodyParameters');
    expect(parameterFault([{ type: 'body', parameters }], { ...PARTS, bodyParameters: 1 })).toBe('bodyParameters');
  });

  it('checks anything without throwing', () => {
    const component = fc.dictionary(fc.constantFrom('type', 'parameters'), fc.anything());
    fc.assert(
      fc.property(fc.array(component), (components) => {
        expect([null, 'headerParameters', 'bodyParameters']).toContain(parameterFault(components, PARTS));
      }),
    );
  });
});

describe('texts that the provider refuses (reference/template-messages#parameters)', () => {
  it.each([
    ['a\nb', 'a b'],
    ['a\r\nb', 'a b'],
    ['a \t b', 'a b'],
    ['a     b', 'a b'],
    ['a\u00a0\u00a0\u00a0\u00a0\u00a0b', 'a b'],
    ['a\u2028b', 'a b'],
    ['a\u0085b', 'a b'],
  ])('%j is refused, and flattened %j', (text, flat) => {
    expect(hasRefusedText([body(text)])).toBe(true);
    expect(flattened(text)).toBe(flat);
    expect(hasRefusedText([body(flat)])).toBe(false);
  });

  it.each(['a    b', ' a ', 'a b', 'ä\u00a0b'])('%j passes unchanged', (text) => {
    expect(hasRefusedText([body(text)])).toBe(false);
    expect(flattened(text)).toBe(text);
  });

  it.each(['', '  ', '\n'])('%j is blank', (text) => expect(hasRefusedText([body(text)])).toBe(true));

  it('flattens in linear time', () => {
    const long = `${' '.repeat(200_000)}x\n`;
    const from = performance.now();
    expect(flattened(long)).toBe(' x ');
    expect(performance.now() - from).toBeLessThan(500);
  });

  it.each([
    [{ name: 'Asha' }, false],
    [{ name: 'A\tsha' }, true],
    [{ name: 'A    sha' }, false],
    [{ name: 'A     sha' }, true],
    [{ name: '   ' }, false],
    [{}, false],
  ])('the values %j make it refused: %j', (variables, refused) => {
    expect(read([body('Hi {{name|you}}')]).isRefused(variables)).toBe(refused);
  });

  it('blanks of value and text add up', () => {
    const components = read([body('Hi  {{name}}')]);
    expect(components.isRefused({ name: '  Asha' })).toBe(false);
    expect(components.isRefused({ name: '   Asha' })).toBe(true);
    expect(read([body('{{name|}}')]).isRefused({})).toBe(true);
  });
});

describe('buttons that want a parameter', () => {
  const url = (index: unknown, ...parameters: unknown[]): TemplateComponent => ({
    type: 'button',
    sub_type: 'url',
    index,
    parameters,
  });
  const text = { type: 'text', text: 'x' };
  const code: TemplateComponent = {
    type: 'button',
    sub_type: 'copy_code',
    index: 1,
    parameters: [{ type: 'coupon_code', coupon_code: 'SAVE' }],
  };

  it.each([
    [[url('0', text)], false],
    [[url(0, text), code], false],
    [[url('0')], true],
    [[url('0', text, text)], true],
    [[url('0', { type: 'text', text: ' ' })], true],
    [[url('x', text)], true],
    [[url(undefined, text)], true],
    [[{ type: 'button', sub_type: 'copy_code', index: 0, parameters: [text] }], true],
    [[{ type: 'button', sub_type: 'quick_reply', index: 0 }], false],
  ])('%j: a fault whatever the template is: %j', (components, fault) => {
    expect(hasButtonFault(components, null)).toBe(fault);
  });

  it('are compared with those of the template', () => {
    const wanted = [{ index: 0, subType: 'url' }] as const;
    expect(hasButtonFault([], wanted)).toBe(true);
    expect(hasButtonFault([url('0', text)], wanted)).toBe(false);
    expect(hasButtonFault([url('1', text)], wanted)).toBe(true);
    expect(hasButtonFault([url('0', text), url('0', text)], wanted)).toBe(true);
    expect(hasButtonFault([url('0', text), code], wanted)).toBe(true);
    expect(hasButtonFault([url('0', text)], [])).toBe(true);
  });
});
