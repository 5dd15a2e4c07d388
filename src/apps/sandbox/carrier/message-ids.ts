import { newId } from '../../../kernel/ids.js';

/** The carrier's message ids: ascending numbers that begin after those of any earlier run. */
export class MessageIds {
  private last = newId();

  next(): number {
    return ++this.last;
  }
}

/** An id in the upstream's form: base64 with padding, case-sensitive. */
export const messageId = (phone: string, serial: number): string =>
  `wamid.${Buffer.from(`\x1d\x18${phone}\x15\x02\0${serial.toString(36)}`, 'latin1').toString('base64')}`;
