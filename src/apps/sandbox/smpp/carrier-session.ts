import type { Socket } from 'node:net';
import {
  Command,
  decodePdu,
  encodePdu,
  HEADER_LENGTH,
  headerOnly,
  nextSequence,
  PduReader,
  readMessageBody,
  readTlvs,
  Status,
  type SubmitSm,
  type Tlv,
  writeIdResponse,
} from '../../../platform/smpp/index.js';
import type { Faults } from '../faults.js';
import {
  alertPdu,
  dataReceiptPdu,
  receiptPdu,
  type DueReceipt,
  type HandsetText,
  type ReceiptOutbox,
  type ReceiptTaker,
} from './receipts.js';

export interface Verdict {
  status: number;
  answerId: string;
}

export interface SmppHost {
  // null = the bind is refused
  bound(systemId: string): ReceiptOutbox | null;
  submit(account: string, submit: SubmitSm, tlvs: readonly Tlv[]): Verdict;
}

const UCS2 = 8;
const MOST_UNANSWERED = 1_000;
const BINDS = new Set<number>([Command.BindReceiver, Command.BindTransmitter, Command.BindTransceiver]);

/** The carrier's side of one SMPP connection. Answers of one tick of the event loop leave in one write. */
export class CarrierSession implements ReceiptTaker {
  private account: string | null = null;
  private outbox: ReceiptOutbox | null = null;
  private readonly unanswered = new Map<number, DueReceipt>();
  private sequence = 0;
  private outgoing: Buffer[] = [];

  constructor(
    private readonly socket: Socket,
    private readonly host: SmppHost,
    private readonly faults: Faults,
    private readonly onEnd: () => void,
  ) {
    const reader = new PduReader((bytes, start, end, command) => this.receive(bytes, start, end, command));
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => {
      try {
        reader.push(chunk);
      } catch {
        socket.destroy();
      }
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.end());
  }

  get room(): number {
    return MOST_UNANSWERED - this.unanswered.size;
  }

  deliver(receipt: DueReceipt): void {
    this.sequence = nextSequence(this.sequence);
    this.unanswered.set(this.sequence, receipt);
    const { id, delivered, refusal, entry } = receipt;
    const facts = { id, delivered, refusal, to: entry.to, from: entry.from, at: Date.now() };
    const { receiptForm, receiptCommand, receiptSeparator, alerts } = this.faults.current;
    const pdu = receiptCommand === 'data_sm' ? dataReceiptPdu : receiptPdu;
    this.write(pdu(facts, receiptForm, this.sequence, receiptSeparator));
    if (!alerts) return;
    this.sequence = nextSequence(this.sequence);
    this.write(alertPdu(facts, this.sequence));
  }

  deliverText({ from, to, text }: HandsetText): void {
    this.sequence = nextSequence(this.sequence);
    this.write(
      encodePdu('deliver_sm', this.sequence, {
        source_addr_ton: 1,
        source_addr_npi: 1,
        source_addr: from,
        destination_addr: to,
        esm_class: 0,
        data_coding: UCS2,
        short_message: Buffer.from(text, 'utf16le').swap16(),
      }),
    );
  }

  drop(): void {
    this.socket.destroy();
  }

  private end(): void {
    this.outbox?.leave(this, this.unanswered.values());
    this.outbox = null;
    this.unanswered.clear();
    this.onEnd();
  }

  private write(bytes: Buffer): void {
    if (this.outgoing.length === 0) setImmediate(() => this.flush());
    this.outgoing.push(bytes);
  }

  private flush(): void {
    const outgoing = this.outgoing;
    this.outgoing = [];
    if (this.socket.writable)
      this.socket.write(outgoing.length === 1 ? (outgoing[0] as Buffer) : Buffer.concat(outgoing));
  }

  private receive(bytes: Buffer, start: number, end: number, command: number): void {
    const sequence = bytes.readUInt32BE(start + 12);
    if (command === Command.SubmitSm) return this.submit(bytes, start, end, sequence);
    if (command === Command.DeliverSmResp || command === Command.DataSmResp)
      return this.acknowledged(sequence, bytes.readUInt32BE(start + 8));
    if (BINDS.has(command)) return this.bind(bytes.subarray(start, end), command, sequence);
    if (command === Command.EnquireLink) return this.write(headerOnly(Command.EnquireLinkResp, 0, sequence));
    if (command === Command.Unbind) {
      this.write(headerOnly(Command.UnbindResp, 0, sequence));
      return void setImmediate(() => this.socket.end());
    }
    if ((command & 0x80000000) === 0) this.write(headerOnly(Command.GenericNack, Status.InvalidCommand, sequence));
  }

  private bind(bytes: Buffer, command: number, sequence: number): void {
    const pdu = decodePdu(bytes);
    const systemId = pdu?.['system_id'];
    const outbox =
      typeof systemId !== 'string' || systemId === '' || this.account !== null ? null : this.host.bound(systemId);
    const answer = (command | 0x80000000) >>> 0;
    if (!outbox || typeof systemId !== 'string') return this.write(headerOnly(answer, Status.BindFailed, sequence));
    this.account = systemId;
    this.write(encodePdu(`${pdu?.command ?? ''}_resp`, sequence, { system_id: 'sandbox' }));
    if (command === Command.BindTransmitter) return;
    this.outbox = outbox;
    outbox.join(this);
  }

  private acknowledged(sequence: number, status: number): void {
    const receipt = this.unanswered.get(sequence);
    if (!receipt) return;
    this.unanswered.delete(sequence);
    if (status !== 0) this.outbox?.repeat(receipt);
    this.outbox?.acknowledged();
  }

  private submit(bytes: Buffer, start: number, end: number, sequence: number): void {
    if (this.account === null) return this.write(headerOnly(Command.SubmitSmResp, Status.InvalidBindStatus, sequence));
    const read = readMessageBody(bytes, start, end);
    const tlvs = read && readTlvs(bytes, read.next, end);
    if (!read || !tlvs) return this.write(headerOnly(Command.SubmitSmResp, Status.InvalidMessageLength, sequence));
    const { answerDelayMs, stopAnswering, receiptsFirst } = this.faults.current;
    const { status, answerId } = this.host.submit(this.account, read.body, tlvs);
    if (this.faults.dropsNow()) return this.drop();
    if (stopAnswering) return;
    const length = status === 0 ? HEADER_LENGTH + answerId.length + 1 : HEADER_LENGTH;
    const answer = status === 0 ? Buffer.allocUnsafe(length) : headerOnly(Command.SubmitSmResp, status, sequence);
    if (status === 0) writeIdResponse(answer, 0, Command.SubmitSmResp, status, sequence, answerId);
    if (receiptsFirst) this.outbox?.flush();
    if (answerDelayMs === 0) this.write(answer);
    else setTimeout(() => this.write(answer), answerDelayMs);
  }
}
