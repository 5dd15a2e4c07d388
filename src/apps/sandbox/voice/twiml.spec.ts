import { describe, expect, it } from 'vitest';
import { faultsOf, readTwiml, TwimlFault } from './twiml.js';

const element = (name: string, attributes: Record<string, string>, text: string, children: unknown[] = []) => ({
  name,
  attributes,
  text,
  children,
});

describe('documents of the telephone network', () => {
  it('are read with all that stands in them', () => {
    const text =
      '\uFEFF<?xml version="1.0"?>\n<!-- hello --><Response><Gather action="/a?b=1&amp;c=2" numDigits=\'1\'>' +
      '<Play loop="1">a&lt;b &#65;&#x42; <![CDATA[<&>]]></Play></Gather><Hangup/></Response>\n';
    expect(readTwiml(text)).toEqual(
      element('Response', {}, '', [
        element('Gather', { action: '/a?b=1&c=2', numDigits: '1' }, '', [element('Play', { loop: '1' }, 'a<b AB <&>')]),
        element('Hangup', {}, ''),
      ]),
    );
  });

  it.each([
    '',
    'Hello',
    '<Response>',
    '</Response>',
    '<Response></Other>',
    '<Response/><Response/>',
    '<Other/>',
    '<Response>a & b</Response>',
    '<Response>&unknown;</Response>',
    '<Response>&constructor;</Response>',
    '<Response>a < b</Response>',
    '<Response><Play a=b/></Response>',
    '<Response/>more',
  ])('%j is none', (text) => expect(() => readTwiml(text)).toThrow(TwimlFault));

  it.each([
    ['<Response><Play>a</Play></Response>', []],
    ['<Response><Play volume="9">a</Play></Response>', ['<Play> has no attribute volume']],
    ['<Response><Gather numDigits="0"/></Response>', ['<Gather numDigits> is out of range']],
    ['<Response><Gather><Hangup/></Gather></Response>', ['<Gather> takes no <Hangup>']],
    ['<Response><constructor/></Response>', ['<Response> takes no <constructor>']],
  ])('%s has faults %j', (text, faults) => expect(faultsOf(readTwiml(text))).toEqual(faults));
});
