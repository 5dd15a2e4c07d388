import { randomInt } from 'node:crypto';
import type net from 'node:net';
import { Semaphore } from '../../../../platform/concurrency/index.js';
import {
  Command,
  type DeliverSm,
  encodePdu,
  headerOnly,
  isAnswered,
  nextSequence,
  PduReader,
  readDataSm,
  readDeliverSm,
  readHandsetText,
  readMessageId,
  Status,
  statusText,
  SubmitSmEncoder,
} from '../../../../platform/smpp/index.js';
import type { InboundText, Receipt } from '../../message-driver.js';
import { underTerms } from '../carrier-answers.js';
import {
  answersTo,
  type Delivery,
  inboundText,
  isReceipt,
  mayBeReceipt,
  readReceipt,
  ReceiptBatch,
  statusWordOf,
} from './receipts.js';
import type { SmppConfig } from './smpp-config.js';
import { AnsweredTexts } from '../inbound-delivery.js';
import { openSocket, UnreadAnswers, within } from './smpp-socket.js';
import { type Submit, SubmitQueue, Unanswered } from './submits.js';

interface SessionEvents {
  bound(): void;
  /** called once, after every submit has its result */
  closed(reason: string): void;
  receipts(receipts: Receipt[]): Promise<void>;
  inbound(text: InboundText): Promise<void>;
  /** the carrier has the answers to these texts */
  acknowledged(fingerprints: readonly string[]): void;
  unread(word: string | null): void;
}

/** Prefix of the close reason when the carrier refuses this login a session, or a further one. */
export const BIND_REFUSED = 'bind refused: ';
const CONNECT_MS = 10_000;
const SWEEP_MS = 200;
const UNBIND_MS = 1_000;
const MOST_UNANSWERED = 1_000;
/** Submits whose `leaving` was called and that are not written yet: at most these are in doubt when the process dies. */
const MOST_A_WRITE = 10;
/** Beside a sequence number of 32 bits, within what a double holds. */
const MOST_SESSIONS = 2 ** 20;

/** One SMPP connection from connect to close: bind, window, time-outs, enquire_link, receipts. It never reconnects. */
export class SmppSession {
  private readonly socket: net.Socket;
  private readonly encoder: SubmitSmEncoder;
  private readonly queue = new SubmitQueue();
  private readonly unanswered: Unanswered;
  private readonly batch: ReceiptBatch;
  private readonly sweeper: NodeJS.Timeout;
  private readonly unread: UnreadAnswers;
  private state: 'binding' | 'bound' | 'closing' | 'closed' = 'binding';
  private sequence = 0;
  private flushing = false;
  private pausedUntil = 0;
  private lastHeard = performance.now();
  private enquiredAt = 0;
  private readonly texts = new Semaphore(MOST_UNANSWERED);
  private readonly answered = new AnsweredTexts();
  /** Two sessions give their messages the same numbers. */
  private readonly sequenceBase = randomInt(MOST_SESSIONS) * 2 ** 32;
  /** about to unbind: reading stops until everything received is answered */
  private leaving = false;
  private idle: (() => void) | null = null;
  private unbound: (() => void) | null = null;
  private reason = 'connection closed';

  constructor(
    private readonly config: SmppConfig,
    private readonly events: SessionEvents,
  ) {
    this.encoder = new SubmitSmEncoder(config);
    this.unanswered = new Unanswered(config.window);
    this.batch = new ReceiptBatch(
      (receipts) => events.receipts(receipts),
      (deliveries, committed) => this.answer(deliveries, committed ? Status.Ok : Status.SystemError),
    );
    const reader = new PduReader((bytes, start, end, command) => this.receive(bytes, start, end, command));
    this.socket = openSocket(config);
    this.unread = new UnreadAnswers(this.socket);
    this.socket.setNoDelay(true).setKeepAlive(true, 30_000);
    this.socket.once(config.tls ? 'secureConnect' : 'connect', () => this.bind());
    this.socket.on('data', (chunk: Buffer) => this.read(reader, chunk));
    this.socket.on('drain', () => this.listenAgain());
    this.socket.on('drain', () => this.schedule());
    this.socket.on('error', (error: NodeJS.ErrnoException) => (this.reason = error.code ?? error.message));
    this.socket.on('close', () => this.end());
    this.sweeper = setInterval(() => this.sweep(performance.now()), SWEEP_MS);
  }

  get bound(): boolean {
    return this.state === 'bound';
  }

  /** Queues a submit_sm; its `done` is called exactly once. */
  submit(submit: Submit): void {
    if (this.state !== 'bound') return submit.done({ kind: 'unsent' });
    this.queue.push(submit);
    this.schedule();
  }

  /** Writes nothing for a while, because the carrier throttles. */
  pause(milliseconds: number): void {
    this.pausedUntil = performance.now() + milliseconds;
  }

  get pauseMs(): number {
    return Math.max(0, this.pausedUntil - performance.now());
  }

  /**
   * Takes no more submits, waits for answers and commits, then unbinds. Between the last answer and Unbind nothing is read;
   * what crosses Unbind is committed too. @param waitMs at most
   */
  async close(waitMs: number): Promise<void> {
    if (this.state === 'binding') this.fail('closed');
    if (this.state !== 'bound') return;
    this.state = 'closing';
    this.queue.failAll();
    if (this.unanswered.size > 0) await within(waitMs, (resolve) => (this.idle = resolve));
    this.leaving = true;
    this.socket.pause();
    await Promise.all([this.batch.drained(waitMs), this.texts.drained(waitMs)]);
    if (this.isClosed()) return;
    this.socket.write(headerOnly(Command.Unbind, 0, this.next()));
    this.leaving = false;
    this.listenAgain();
    await within(UNBIND_MS, (resolve) => (this.unbound = resolve));
    this.fail('closed');
  }

  private readonly isClosed = (): boolean => this.state === 'closed';

  private fail(reason: string): void {
    this.reason = reason;
    this.socket.destroy();
    this.end();
  }

  private end(): void {
    if (this.state === 'closed') return;
    this.state = 'closed';
    clearInterval(this.sweeper);
    this.queue.failAll();
    for (const submit of this.unanswered.remove(() => true)) submit.done({ kind: 'unknown' });
    this.idle?.();
    this.unbound?.();
    this.events.closed(this.reason);
  }

  private next(): number {
    return (this.sequence = nextSequence(this.sequence));
  }

  private bind(): void {
    const { systemId, password, systemType } = this.config;
    const fields = { system_id: systemId, password, system_type: systemType, interface_version: 0x34 };
    this.socket.write(encodePdu('bind_transceiver', this.next(), fields));
  }

  private schedule(): void {
    if (this.flushing) return;
    this.flushing = true;
    setImmediate(() => {
      this.flushing = false;
      this.flush();
    });
  }

  private flush(): void {
    const now = performance.now();
    if (this.state !== 'bound' || now < this.pausedUntil) return;
    while (!this.socket.writableNeedDrain) {
      const leaving = this.queue.take(Math.min(this.config.window - this.unanswered.size, MOST_A_WRITE), now);
      if (leaving.length === 0) return;
      this.write(leaving, now);
    }
  }

  private write(leaving: readonly Submit[], now: number): void {
    const bytes = Buffer.allocUnsafe(leaving.reduce((size, submit) => size + this.encoder.size(submit), 0));
    let at = 0;
    for (const submit of leaving) {
      let sequence = this.next();
      while (!this.unanswered.isFree(sequence)) sequence = this.next();
      at = this.encoder.write(bytes, at, sequence, submit);
      submit.writtenAt = now;
      this.unanswered.add(sequence, submit);
    }
    this.socket.write(bytes);
  }

  private read(reader: PduReader, chunk: Buffer): void {
    this.lastHeard = performance.now();
    this.enquiredAt = 0;
    try {
      reader.push(chunk);
    } catch (error) {
      return this.fail(error instanceof Error ? error.message : 'unreadable data');
    }
    if (this.isFull) this.socket.pause();
    if (this.queue.length > 0) this.schedule();
    if (this.unanswered.size === 0) this.idle?.();
  }

  private receive(bytes: Buffer, start: number, end: number, command: number): void {
    if (this.state === 'closed') return;
    const status = bytes.readUInt32BE(start + 8);
    const sequence = bytes.readUInt32BE(start + 12);
    switch (command) {
      case Command.SubmitSmResp:
      case Command.GenericNack: {
        const submit = this.unanswered.take(sequence);
        if (!submit) return;
        const isNack = command === Command.GenericNack;
        const messageId = isNack ? '' : readMessageId(bytes, start, end);
        return submit.done({ kind: 'answered', status: isNack ? status || Status.SystemError : status, messageId });
      }
      case Command.DeliverSm:
        return this.deliver(readDeliverSm(bytes, start, end), [bytes, start, end], {
          sequence,
          answer: Command.DeliverSmResp,
        });
      case Command.DataSm:
        return this.deliver(readDataSm(bytes, start, end), [bytes, start, end], {
          sequence,
          answer: Command.DataSmResp,
        });
      case Command.EnquireLink:
        return void this.socket.write(headerOnly(Command.EnquireLinkResp, 0, sequence));
      case Command.BindTransceiverResp:
        if (status !== 0) return this.fail(BIND_REFUSED + statusText(status));
        if (this.state !== 'binding') return;
        this.state = 'bound';
        return this.events.bound();
      case Command.Unbind:
        this.socket.end(headerOnly(Command.UnbindResp, 0, sequence));
        this.reason = 'unbound by the carrier';
        return this.end();
      case Command.UnbindResp:
        return this.unbound?.();
      default:
        if (isAnswered(command)) this.socket.write(headerOnly(Command.GenericNack, Status.InvalidCommand, sequence));
    }
  }

  private deliver(
    message: DeliverSm | null,
    pdu: [bytes: Buffer, start: number, end: number],
    delivery: Delivery,
  ): void {
    if (!message) return this.answer([delivery], Status.InvalidMessageLength);
    if (!isReceipt(message)) return void this.takeText(message, pdu, delivery);
    const { statusWords: words, receiptTerms } = this.config;
    const receipt = readReceipt(message, words);
    if (receipt) return this.batch.add(underTerms(receipt, receiptTerms), delivery);
    this.events.unread(statusWordOf(message));
    this.answer([delivery], Status.Ok);
  }

  private async takeText(
    message: DeliverSm,
    pdu: [bytes: Buffer, start: number, end: number],
    delivery: Delivery,
  ): Promise<void> {
    const text = readHandsetText(...pdu);
    if (!text) return this.answer([delivery], Status.InvalidMessageLength);
    if (!this.texts.tryAcquire()) return this.answer([delivery], Status.SystemError);
    const { statusWords: words, receiptTerms } = this.config;
    const orText = inboundText(this.config, text, this.sequenceBase + delivery.sequence);
    this.answered.mark(orText.sms.delivery);
    const takenAt = performance.now();
    const receipt = mayBeReceipt(message) ? readReceipt(message, words) : null;
    const taken = receipt
      ? this.events.receipts([{ ...underTerms(receipt, receiptTerms), orText }])
      : this.events.inbound(orText);
    const status = await taken.then(
      () => Status.Ok,
      () => Status.SystemError,
    );
    this.answer([delivery], status);
    if (status === Status.Ok) this.answered.add(orText.sms.delivery, takenAt);
    this.texts.release();
  }

  private answer(deliveries: readonly Delivery[], status: number): void {
    if (this.isClosed() || !this.socket.writable) return;
    this.socket.write(answersTo(deliveries, status));
    this.listenAgain();
  }

  /** Too many deliveries or answers are pending: reading stops. */
  private get isFull(): boolean {
    return this.batch.unanswered >= MOST_UNANSWERED || this.unread.tooMany;
  }

  private listenAgain(): void {
    if (this.socket.isPaused() && !this.isFull && !this.leaving) this.socket.resume();
  }

  /** While reading is paused, answers may be waiting unread, so submits get more time. */
  private sweep(now: number): void {
    const isBinding = this.state === 'binding';
    if (isBinding && now - this.lastHeard > CONNECT_MS) this.fail('no answer to the bind');
    if (isBinding) return;
    this.queue.refuse(now);
    if (this.unread.sinceMs(now) > this.config.submitTimeoutMs) return this.fail('answers are not read');
    if (this.socket.isPaused()) {
      this.lastHeard = now;
    } else if (this.enquiredAt > 0 && now - this.enquiredAt > this.config.submitTimeoutMs) {
      return this.fail('no answer to enquire_link');
    }
    const patience = this.config.submitTimeoutMs;
    const isPaused = this.socket.isPaused();
    const expired = this.unanswered.remove(
      ({ writtenAt, queueUntil }) => now - writtenAt >= patience && !(isPaused && now < queueUntil + patience),
    );
    for (const submit of expired) submit.done({ kind: 'unknown' });
    if (this.unanswered.size === 0) this.idle?.();
    if (this.enquiredAt === 0 && (expired.length > 0 || now - this.lastHeard > this.config.enquireLinkMs)) {
      this.enquiredAt = now;
      this.socket.write(headerOnly(Command.EnquireLink, 0, this.next()));
    }
    if (this.queue.length > 0) this.schedule();
    const acknowledged = this.answered.acknowledged(this.lastHeard);
    if (acknowledged.length > 0) this.events.acknowledged(acknowledged);
  }
}
