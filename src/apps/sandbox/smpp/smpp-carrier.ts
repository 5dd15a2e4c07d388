import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { Injectable } from '@nestjs/common';
import { Status, type SubmitSm, type Tlv } from '../../../platform/smpp/index.js';
import { CarrierLedger, type LedgerEntry } from '../carrier/carrier-ledger.js';
import { type Fate, fateOf, OnceBook } from '../carrier/fates.js';
import { Faults } from '../carrier/faults.js';
import { MessageIds } from '../carrier/message-ids.js';
import { CarrierSession, type SmppHost, type Verdict } from './carrier-session.js';
import { dltRefusal } from './dlt-registry.js';
import { spelled } from './id-dialects.js';
import { PartAssembly, type ReceivedPart } from './part-assembly.js';
import { type HandsetText, ReceiptOutbox } from './receipt-outbox.js';

const REFUSED_FOR_GOOD = Status.SubmitFailed;

/** An SMSC: any number of binds and system ids, fates by the recipient's last three digits. */
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

  /** @param port 0 = any free one. @returns the port */
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

  /** Cuts every connection. */
  dropAll(): void {
    for (const session of [...this.sessions]) session.drop();
  }

  /** An inbound message from a handset. @returns false when no session of this system id is bound */
  writeBack(systemId: string, text: HandsetText): boolean {
    return this.outboxes.get(systemId)?.deliverText(text) ?? false;
  }

  /** Forgets messages of which parts are missing, who was turned away, and receipts that wait. */
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
    const fate = fateOf(submit.destinationAddr);
    const received = this.assembly.read(submit);
    const refusal = this.refusal(account, submit, received, fate);
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
        status: fate === 'refused' ? 'FAILED' : 'ACCEPTED',
        at: Date.now(),
      }),
    );
    if (fate === 'refused') return { status: REFUSED_FOR_GOOD, answerId: '' };
    const { receiptDelayMs, receiptsFirst } = this.faults.current;
    const refused = dltRefusal(this.faults.current.dlt, tlvs);
    const { answer, receipt } = spelled(number, this.faults.current);
    if (fate !== 'silent' && submit.registeredDelivery % 4 === 1) {
      this.outboxes.get(account)?.add({
        dueAt: receiptsFirst ? 0 : performance.now() + receiptDelayMs,
        id: receipt,
        delivered: fate !== 'undeliverable' && refused === null,
        refusal: refused,
        entry,
      });
    }
    return { status: 0, answerId: answer };
  }

  /** What the carrier turns away without keeping it: 0 = nothing. */
  private refusal(account: string, submit: SubmitSm, { concatenation }: ReceivedPart, fate: Fate): number {
    const key = `${account} ${submit.destinationAddr} ${concatenation?.part ?? 1}`;
    if (this.faults.current.throttleAll || (fate === 'throttled once' && this.once.turnAway(key))) {
      this.ledger.refusals.throttled += 1;
      return Status.Throttled;
    }
    if (fate === 'error once' && this.once.turnAway(key)) {
      this.ledger.refusals.errors += 1;
      return Status.SystemError;
    }
    return 0;
  }
}

/** A parameter as the ledger shows it; a text may have an end byte. */
function shownTlv({ tag, value }: Tlv): NonNullable<LedgerEntry['tlvs']>[number] {
  const text = value.toString('latin1').replace(/\0$/, '');
  return {
    tag: `0x${tag.toString(16).padStart(4, '0')}`,
    hex: value.toString('hex'),
    text: /^[\x20-\x7e]+$/.test(text) ? text : null,
  };
}
