import { describe, expect, it } from 'vitest';
import { decodeGsmIn } from './gsm-languages.js';

const [TURKISH, SPANISH, PORTUGUESE, BENGALI, HINDI, PUNJABI, TAMIL, TELUGU, URDU] = [1, 2, 3, 4, 6, 10, 11, 12, 13];
const read = (hex: string, locking = 0, single = 0): string =>
  decodeGsmIn(Buffer.from(hex, 'hex'), { locking, single });

describe('the national language tables of GSM 03.38', () => {
  it.each<[string, string, number | undefined, number | undefined, string]>([
    ['Turkish, locking', '0407 0b0c 1c1d 40 60', TURKISH, 0, '€ıĞğŞşİç'],
    ['Turkish, single', '1b47 1b49 1b53 1b63 1b67 1b69 1b73 1b65 47', 0, TURKISH, 'ĞİŞçğış€G'],
    ['Spanish, single', '1b41 1b49 1b4f 1b55 1b61 1b69 1b6f 1b75 1b09 1b65 7d', 0, SPANISH, 'ÁÍÓÚáíóúç€ñ'],
    ['Spanish has no locking table', '04 5d', SPANISH, 0, 'èÑ'],
    ['Portuguese, locking', '04 0b0c 0e0f 12 15 16 17 18 19 1a 5b5c 7b7c 60', PORTUGUESE, 0, 'êÔôÁáª∞^\\€Ó|ÃÕãõ~'],
    ['Portuguese, single', '1b05 1b12 1b15 1b1f 1b41 1b5b 1b61 1b7b 1b7f', 0, PORTUGUESE, 'êΦΩÊÀÃÂãâ'],
    ['Hindi: नमस्ते', '2f 42 4c 5f 27 59', HINDI, 0, 'नमस्ते'],
    ['Bengali, digits of the single table', '1b19 1b1a 1b1c 1b23 1b65', 0, BENGALI, '০১২৯€'],
    ['Hindi, single', '1b19 1b1c 1b25 1b26 1b28 1b2f 1b30 1b3a 1b41', 0, HINDI, '।०९\u0951{\\\u095b\u0971A'],
    ['Punjabi, nukta letters', '45 1b26 1b2c', PUNJABI, PUNJABI, ' \u0a59\u0a5e'],
    ['Tamil, no letter where the script has none', '15 16 4c', TAMIL, TAMIL, '\u0b95 \u0bb8'],
    ['Tamil', '15 5f 60', TAMIL, TAMIL, '\u0b95\u0bcd\u0bd0'],
    ['Telugu, no danda', '1b19 1b1c 1b30', TELUGU, TELUGU, '\u0c19౦\u0c7d'],
    ['Urdu', '00 01 1b1c 1b3f 60 7f', URDU, URDU, 'اآ۰۔\u0654\u0670'],
    ['an unknown language', '00 1b65', 99, 99, '@€'],
    ['a trailing escape', '41 1b', TURKISH, TURKISH, 'A '],
  ])('%s', (_, hex, locking, single, text) => {
    expect(read(hex.replaceAll(' ', ''), locking, single)).toBe(text);
  });
});
