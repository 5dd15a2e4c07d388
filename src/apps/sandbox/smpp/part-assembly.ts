import { decodeGsm } from '../../../kernel/gsm-alphabet.js';
import type { SubmitSm } from '../../../platform/smpp/index.js';
import type { LedgerEntry } from '../carrier/carrier-ledger.js';

const UDH_INDICATOR = 0x40;
const UCS2 = 8;

interface Incomplete {
  entry: LedgerEntry;
  texts: (string | undefined)[];
  missing: number;
}

/** A submit_sm as a carrier's handset would show it. */
export interface ReceivedPart {
  text: string;
  concatenation: { reference: number; total: number; part: number } | null;
}

/** Puts messages of several parts together, and decodes their text. */
export class PartAssembly {
  private readonly incomplete = new Map<string, Incomplete>();
  private lastBody: Buffer = Buffer.alloc(0);
  private lastCoding = -1;
  private lastText = '';

  /** Reads the user data header (8-bit concatenation) and the text. */
  read(submit: SubmitSm): ReceivedPart {
    const { shortMessage: bytes } = submit;
    const header = submit.esmClass & UDH_INDICATOR && bytes.length > 0 ? (bytes[0] as number) + 1 : 0;
    const concatenated = header === 6 && bytes[1] === 0 && bytes[2] === 3;
    const [reference, total, part] = [bytes[3] ?? 0, bytes[4] ?? 1, bytes[5] ?? 1];
    return {
      text: this.decode(bytes.subarray(header), submit.dataCoding),
      concatenation: concatenated ? { reference, total, part } : null,
    };
  }

  /**
   * Takes one part; the first of its message makes the ledger entry, later ones complete its text.
   * @returns the entry the part belongs to
   */
  take(
    account: string,
    submit: SubmitSm,
    received: ReceivedPart,
    create: (text: string, parts: number) => LedgerEntry,
  ): LedgerEntry {
    const { text, concatenation } = received;
    if (!concatenation) return create(text, 1);
    const { reference, total, part } = concatenation;
    const key = `${account} ${submit.sourceAddr} ${submit.destinationAddr} ${reference} ${total}`;
    let known = this.incomplete.get(key);
    if (!known || known.texts[part - 1] !== undefined) {
      known = { entry: create('', total), texts: new Array<string | undefined>(total), missing: total };
      this.incomplete.set(key, known);
    }
    known.texts[part - 1] = text;
    known.missing -= 1;
    known.entry.text = known.texts.join('');
    if (known.missing === 0) this.incomplete.delete(key);
    return known.entry;
  }

  clear(): void {
    this.incomplete.clear();
  }

  /** A campaign's text comes many times in a row. */
  private decode(bytes: Buffer, dataCoding: number): string {
    if (dataCoding === this.lastCoding && this.lastBody.equals(bytes)) return this.lastText;
    this.lastBody = Buffer.from(bytes);
    this.lastCoding = dataCoding;
    this.lastText = dataCoding === UCS2 ? Buffer.from(bytes).swap16().toString('utf16le') : decodeGsm(bytes);
    return this.lastText;
  }
}
