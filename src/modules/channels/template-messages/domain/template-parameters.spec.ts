import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parameterFault, type TemplateComponent } from './template-parameters.js';

const PARTS = { bodyParameters: 2, headerParameters: 1 };
const list = (type: string, count: number): TemplateComponent => ({ type, parameters: Array(count).fill({}) });

describe('parameters of a template message (reference/template-messages#parameters)', () => {
  it('counts over all components of a kind, whatever the case of its name', () => {
    expect(parameterFault([list('body', 2), list('header', 1)], PARTS)).toBeNull();
    expect(parameterFault([list('BODY', 1), list('Header', 1), list('body', 1)], PARTS)).toBeNull();
  });

  it('judges the body before the header, and never the buttons', () => {
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

  it('judges anything without throwing', () => {
    const component = fc.dictionary(fc.constantFrom('type', 'parameters'), fc.anything());
    fc.assert(
      fc.property(fc.array(component), (components) => {
        expect([null, 'headerParameters', 'bodyParameters']).toContain(parameterFault(components, PARTS));
      }),
    );
  });
});
