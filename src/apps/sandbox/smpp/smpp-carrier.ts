import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { Injectable } from '@nestjs/common';
import { decodeGsm } from '../../../kernel/gsm-alphabet.js';
import { messageOutcomeOf, type MessageOutcome } from '../../../kernel/contacts.js';
import { Status, type SubmitSm, type Tlv } from '../../../platform/smpp/index.js';
import { CarrierLedger, type LedgerEntry, MessageIds } from '../carrier-ledger.js';
import { Faults, type FaultSettings, OnceBook } from '../faults.js';
import { CarrierSession, type SmppHost, type Verdict } from './carrier-session.js';
import { type HandsetText, ReceiptOutbox } from './receipts.js';

// Codes in operators' receipts ("DLT platform error codes").
const CODES = {
  entityUnknown: 600,
  entityInvalid: 604,
  hashMissing: 614,
  hashUnknown: 615,
  templateUnknown: 630,
  templateInvalid: 636,
} as const;

const DIGITS = /^[0-9]{1,30}$/;

// The DLT error code of a message; null = accepted.
function dltRefusal(registry: FaultSettings['dlt'], tlvs: readonly Tlv[]): number | null {
  if (!registry) return null;
  const textOf = (tag: number): string | null => {
    const found = tlvs.find((tlv) => tlv.tag === tag);
    return found ? found.value.toString('latin1').replace(/\0$/, '') : null;
  };
  const [entity, template] = [textOf(registry.entityTag), textOf(registry.templateTag)];
  if (entity === null || !DIGITS.test(entity)) return CODES.entityInvalid;
  if (!registry.entities.includes(entity)) return CODES.entityUnknown;
  if (registry.hashes) {
    const hash = textOf(registry.chainTag);
    if (hash === null) return CODES.hashMissing;
    if (!registry.hashes.includes(hash)) return CODES.hashUnknown;
  }
  if (template === null || !DIGITS.test(template)) return CODES.templateInvalid;
  return registry.templates.includes(template) ? null : CODES.templateUnknown;
}

export interface SpelledId {
  answer: string;
  receipt: string;
}

const hexOf = (number: bigint): string => number.toString(16);
const uuidOf = (number: bigint): string => {
  const digits = hexOf(number).padStart(12, '0');
  return `8b3c2f64-7f0e-4d7e-9d5f-${digits.slice(-12)}`;
};

const DIALECTS: Readonly<Record<FaultSettings['idDialect'], (number: bigint) => SpelledId>> = {
  none: (number) => ({ answer: String(number), receipt: String(number) }),
  'padded hex': (number) => ({ answer: hexOf(number).padStart(16, '0'), receipt: String(number) }),
  padded: (number) => ({ answer: `0${number}`, receipt: String(number) }),
  stripped: (number) => ({ answer: String(number), receipt: `0${number}` }),
  '0x': (number) => ({ answer: `0x${hexOf(number)}`, receipt: String(number) }),
  uuid: (number) => ({ answer: uuidOf(number).toUpperCase(), receipt: uuidOf(number) }),
};

function spelled(id: number | bigint, { idDialect, hexIds }: FaultSettings): SpelledId {
  const number = BigInt(id);
  if (idDialect === 'none' && hexIds) return { answer: hexOf(number).toUpperCase(), receipt: String(number) };
  return DIALECTS[idDialect](number);
}

const UDH_INDICATOR = 0x40;
const UCS2 = 8;

interface Incomplete {
  entry: LedgerEntry;
  texts: (string | undefined)[];
  missing: number;
}

interface ReceivedPart {
  text: string;
  concatenation: { reference: number; total: number; part: number } | null;
}

/** Joins messages of several parts and decodes their text. */
class PartAssembly {
  private readonly incomplete = new Map<string, Incomplete>();
  private lastBody: Buffer = Buffer.alloc(0);
  private lastCoding = -1;
  private lastText = '';

  // Reads only 8-bit concatenation from the user data header.
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

  /** Adds one part; the first part of a message creates the ledger entry, later ones complete its text. */
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

  private decode(bytes: Buffer, dataCoding: number): string {
    if (dataCoding === this.lastCoding && this.lastBody.equals(bytes)) return this.lastText;
    this.lastBody = Buffer.from(bytes);
    this.lastCoding = dataCoding;
    this.lastText = dataCoding === UCS2 ? Buffer.from(bytes).swap16().toString('utf16le') : decodeGsm(bytes);
    return this.lastText;
  }
}

const REFUSED_FOR_GOOD = Status.SubmitFailed;

/** An SMSC for any number of binds and system ids; outcomes by the recipient's last three digits. */
@Injectable()
export class SmppCarrier implements SmppHost {
  private readonly sessions = new Set<CarrierSession>();
  private readonly outboxes = new Map<string, ReceiptOutbox>();
  private readonly once = new OnceBook();
  private readonly assembly = new PartAssembly();
  private readonly ids = new MessageIds();
  private server: Server | null = null;

  constructor(
    private readonly ledger: CarrierLedger,
    private readonly faults: Faults,
  ) {}

  /** Listens on a port (0 = any free one) and returns it. */
  async listen(port: number, host: string): Promise<number> {
    this.server = createServer((socket) => {
      const session = new CarrierSession(socket, this, this.faults, () => this.sessions.delete(session));
      this.sessions.add(session);
    });
    this.server.listen(port, host);
    await once(this.server, 'listening');
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    const { server } = this;
    this.server = null;
    this.dropAll();
    for (const outbox of this.outboxes.values()) outbox.stop();
    if (server) await new Promise<void>((resolve) => server.close(() => resolve()));
  }

  dropAll(): void {
    for (const session of [...this.sessions]) session.drop();
  }

  /** Sends a text from a handset; false = no session of this system id. */
  writeBack(systemId: string, text: HandsetText): boolean {
    return this.outboxes.get(systemId)?.deliverText(text) ?? false;
  }

  /** Discards incomplete messages, refused attempts and waiting receipts. */
  clear(): void {
    for (const outbox of this.outboxes.values()) outbox.clear();
    this.assembly.clear();
    this.once.clear();
  }

  bound(systemId: string): ReceiptOutbox | null {
    if (this.faults.current.refuseAll) return null;
    let outbox = this.outboxes.get(systemId);
    if (!outbox) this.outboxes.set(systemId, (outbox = new ReceiptOutbox(this.faults)));
    return outbox;
  }

  submit(account: string, submit: SubmitSm, tlvs: readonly Tlv[] = []): Verdict {
    const outcome = messageOutcomeOf(submit.destinationAddr);
    const received = this.assembly.read(submit);
    const refusal = this.refusal(account, submit, received, outcome);
    if (refusal !== 0) return { status: refusal, answerId: '' };
    const number = this.ids.next();
    const entry = this.assembly.take(account, submit, received, (text, parts) =>
      this.ledger.add({
        id: String(number),
        protocol: 'smpp',
        account,
        from: submit.sourceAddr,
        to: submit.destinationAddr,
        text,
        mediaUrl: null,
        ...(submit.validityPeriod !== '' && { validity: submit.validityPeriod }),
        ...(tlvs.length > 0 && { tlvs: tlvs.map(shownTlv) }),
        parts,
        ref: null,
        status: outcome === 'refused' ? 'FAILED' : 'ACCEPTED',
        at: Date.now(),
      }),
    );
    if (outcome === 'refused') return { status: REFUSED_FOR_GOOD, answerId: '' };
    const { receiptDelayMs, receiptsFirst } = this.faults.current;
    const refused = dltRefusal(this.faults.current.dlt, tlvs);
    const { answer, receipt } = spelled(number, this.faults.current);
    if (outcome !== 'silent' && submit.registeredDelivery % 4 === 1) {
      this.outboxes.get(account)?.add({
        dueAt: receiptsFirst ? 0 : performance.now() + receiptDelayMs,
        id: receipt,
        delivered: outcome !== 'undeliverable' && refused === null,
        refusal: refused,
        entry,
      });
    }
    return { status: 0, answerId: answer };
  }

  // Status of a refused submit, which gets no ledger entry; 0 = accepted.
  private refusal(account: string, submit: SubmitSm, { concatenation }: ReceivedPart, outcome: MessageOutcome): number {
    const key = `${account} ${submit.destinationAddr} ${concatenation?.part ?? 1}`;
    if (this.faults.current.throttleAll || (outcome === 'throttled once' && this.once.refuse(key))) {
      this.ledger.refusals.throttled += 1;
      return Status.Throttled;
    }
    if (outcome === 'error once' && this.once.refuse(key)) {
      this.ledger.refusals.errors += 1;
      return Status.SystemError;
    }
    return 0;
  }
}

function shownTlv({ tag, value }: Tlv): NonNullable<LedgerEntry['tlvs']>[number] {
  const text = value.toString('latin1').replace(/\0$/, '');
  return {
    tag: `0x${tag.toString(16).padStart(4, '0')}`,
    hex: value.toString('hex'),
    text: /^[\x20-\x7e]+$/.test(text) ? text : null,
  };
}
