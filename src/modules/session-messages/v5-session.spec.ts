import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../kernel/errors.js';
import { type V5Body, v5Content } from './v5-session.js';

const LIST = { list: '2', button_name: 'Menu', id1: 'a', title1: 'A', id2: 'b', title2: 'B' };
const REPLIES = { buttons: '2', button1_value: 'Yes', button2_value: 'No' };
const CALL = { call_title: 'Call us', call_number: '+91 98123-45678' };
const URL_BUTTON = { url_title: 'Visit', url_value: 'https://example.com/a' };
const IMAGE = { uploaded_image1: 'https://example.com/a.jpg' };
const MESSAGE = { broadcast_message: 'Hello' };

/** The text of the fault, or null. */
function faultOf(body: V5Body): string | null {
  try {
    v5Content(body);
    return null;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

describe('what a v5 request says', () => {
  it('a list before everything but buttons', () => {
    expect(v5Content({ ...MESSAGE, ...LIST, section_name: 'S', footer: 'F', ...CALL, ...IMAGE })).toEqual({
      type: 'interactive',
      interactive: {
        type: 'list',
        body: { text: 'Hello' },
        footer: { text: 'F' },
        action: {
          button: 'Menu',
          sections: [
            {
              title: 'S',
              rows: [
                { id: 'a', title: 'A' },
                { id: 'b', title: 'B' },
              ],
            },
          ],
        },
      },
    });
    expect(faultOf({ ...MESSAGE, ...LIST, ...REPLIES })).toBe('list and buttons cannot be sent together');
  });

  it('reply buttons before action buttons; entries beyond the count are ignored', () => {
    const body = { ...MESSAGE, ...REPLIES, button3_value: 'beyond', ...CALL, ...URL_BUTTON, ...IMAGE };
    expect(v5Content(body)['interactive']).toEqual({
      type: 'button',
      body: { text: 'Hello' },
      action: {
        buttons: [
          { type: 'reply', reply: { id: 'button1', title: 'Yes' } },
          { type: 'reply', reply: { id: 'button2', title: 'No' } },
        ],
      },
    });
  });

  it('a URL button is one, a call button a line of the text', () => {
    expect(v5Content({ ...MESSAGE, ...CALL, ...URL_BUTTON, footer: 'F', ...IMAGE })).toEqual({
      type: 'interactive',
      interactive: {
        type: 'cta_url',
        body: { text: 'Hello\nCall us: +919812345678' },
        footer: { text: 'F' },
        action: { name: 'cta_url', parameters: { display_text: 'Visit', url: 'https://example.com/a' } },
      },
    });
    const text = { body: 'Hello\nCall us: +919812345678\nF' };
    expect(v5Content({ ...MESSAGE, ...CALL, footer: 'F' })).toEqual({ type: 'text', text });
    expect(v5Content(CALL)['text']).toEqual({ body: 'Call us: +919812345678' });
  });

  it('buttons counts action buttons when the reply values are blank', () => {
    const blank = { button1_value: '', button2_value: ' ', button3_value: null };
    expect(v5Content({ ...MESSAGE, buttons: '2', ...blank, ...CALL, ...URL_BUTTON })['type']).toBe('interactive');
    expect(v5Content({ ...MESSAGE, buttons: '1', ...blank, ...CALL, ...URL_BUTTON })['type']).toBe('text');
    expect(faultOf({ ...MESSAGE, buttons: '2', ...blank, ...CALL })).toBe('url_title is required');
    expect(faultOf({ ...MESSAGE, buttons: '2', ...blank, ...URL_BUTTON })).toBe('call_title is required');
    expect(faultOf({ ...MESSAGE, buttons: '3', ...CALL, ...URL_BUTTON })).toBe('buttons must be between 1 and 2');
  });

  it('an image with its caption, else text; the footer is the last line', () => {
    const link = IMAGE.uploaded_image1;
    expect(v5Content({ ...IMAGE, attribute2: '1' })['image']).toEqual({ link });
    expect(v5Content({ ...IMAGE, ...MESSAGE, footer: 'F' })['image']).toEqual({ link, caption: 'Hello\nF' });
    expect(v5Content({ ...MESSAGE, footer: 'F' })).toEqual({ type: 'text', text: { body: 'Hello\nF' } });
    expect(v5Content({ broadcast_message: 7, attribute2: '1' })['text']).toEqual({ body: '7' });
  });
});

describe('what is missing or wrong', () => {
  const long = 'x'.repeat(21);
  it.each([
    [{ ...LIST, list: '0' }, 'list must be between 1 and 10'],
    [{ ...LIST, list: '11' }, 'list must be between 1 and 10'],
    [{ ...LIST, list: true }, 'list must be between 1 and 10'],
    [{ ...LIST, list: '3' }, 'id3 is required'],
    [{ ...LIST, title2: '' }, 'title2 is required'],
    [{ ...LIST, id1: long }, 'id1 must be at most 20 characters'],
    [{ ...LIST, title2: long }, 'title2 must be at most 20 characters'],
    [{ ...LIST, button_name: null }, 'button_name is required'],
    [{ ...LIST, section_name: {} }, 'section_name is invalid'],
    [{ ...REPLIES, buttons: '0' }, 'buttons must be between 1 and 3'],
    [{ ...REPLIES, buttons: 4 }, 'buttons must be between 1 and 3'],
    [{ ...REPLIES, buttons: '3' }, 'button3_value is required'],
    [{ ...REPLIES, button2_value: long }, 'button2_value must be at most 20 characters'],
    [{ buttons: '1' }, 'button1_value is required'],
    [{ call_title: 'Call' }, 'call_number is required'],
    [{ call_number: '919812345678' }, 'call_title is required'],
    [{ ...CALL, call_number: 'none' }, 'call_number is invalid'],
    [{ ...MESSAGE, url_title: 'Visit' }, 'url_value is required'],
    [{ ...MESSAGE, url_value: 'https://example.com' }, 'url_title is required'],
    [{ ...MESSAGE, ...URL_BUTTON, url_value: 'javascript:alert(1)' }, 'url_value must be a valid URL'],
    [{ uploaded_image1: 'ftp://example.com/a.jpg' }, 'uploaded_image1 must be a valid URL'],
    [{ uploaded_image1: ['https://example.com/a.jpg'] }, 'uploaded_image1 is required'],
    [{ ...MESSAGE, footer: {} }, 'footer is invalid'],
    ...[{}, LIST, REPLIES, URL_BUTTON, { footer: 'F' }, { broadcast_message: true }].map((body): [V5Body, string] => [
      body,
      'broadcast_message is required',
    ]),
  ] as [V5Body, string][])('%j: %s', (body, text) => {
    expect(faultOf(body)).toBe(text);
  });

  it('both sides of the limits', () => {
    const rows = Array.from({ length: 10 }, (_, index) => [
      [`id${index + 1}`, 'i'.repeat(20)],
      [`title${index + 1}`, '😀'.repeat(20)],
    ]).flat();
    const body = { ...MESSAGE, list: '10', button_name: 'Menu', ...(Object.fromEntries(rows) as V5Body) };
    expect(faultOf(body)).toBeNull();
    expect(faultOf({ ...MESSAGE, ...REPLIES, buttons: '3', button3_value: 'x'.repeat(20) })).toBeNull();
  });

  it('anything is a message or a fault with a text', () => {
    const names = ['list', 'buttons', 'button1_value', 'call_title', 'url_value', 'uploaded_image1', 'footer'];
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names, 'broadcast_message'), fc.anything()), (body) => {
        const fault = faultOf(body);
        return fault === null || fault.length > 0;
      }),
    );
  });
});
