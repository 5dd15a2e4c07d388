import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MOST_PLACEHOLDERS } from '../../../kernel/message-template.js';
import { parameterFault, PersonalisedComponents, type TemplateComponent } from './template-parameters.js';

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
